// Webhooks: an event as JSON by POST to addresses the administrator named, signed, retried with
// back-off, never in the way of the request that caused it. With several nodes each is noted first, and goes on with
// another one when its node is gone.
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Webhook } from '../api-types.ts'
import type { Logger } from '../lib/log.ts'
import type { Lease, Nodes } from '../store/nodes/nodes.ts'

interface HookEvent {
  /** `before_upload`, `after_delete` … */
  trigger: string
  /** Virtual path in the user's tree. */
  path: string
  destination: string
  username: string
  /** RFC 3339. */
  time: string
}

const RETRY_DELAYS_MS = [1_000, 5_000, 25_000, 120_000]
const TIMEOUT_MS = 10_000
/** Deliveries waiting or under way; beyond it events are dropped with a log line. */
const MAX_PENDING = 1_000

/** How often the leading node looks for what others have left. */
const TAKE_OVER_EVERY_MS = 5_000
const PREFIX = 'webhook '

/** One event for one address. */
interface Delivery {
  /** The same with each attempt, so that a receiver knows what it has had. */
  id: string
  url: string
  body: string
  trigger: string
}

export interface Webhooks {
  /** Resolves once another node would go on with it; nothing is waited for where there is none. */
  send(hooks: readonly Webhook[], event: HookEvent): Promise<void>
  /** Gives up on what has not been delivered yet. */
  close(): void
}

/**
 * The configured key, or else one of this installation's own: every call is signed. It is made from
 * the key of the tokens, which it does not reveal, so it needs no storing and survives a restart.
 */
export function webhookSecretOf(configured: string, signingKey: string): string {
  if (configured !== '') return configured
  const key = Buffer.from(signingKey, 'base64')
  return createHmac('sha256', key).update('webhook signature').digest('base64url')
}

interface WebhookOptions {
  /** Signs the body as `X-FileBrowser-Signature: sha256=<hex>`. */
  secret: () => string
  /** Whether an address is still to be told. */
  isWanted: (url: string) => boolean
  log: Logger
  metrics?: { hook(kind: 'webhook', isOk: boolean): void } | undefined
  /** Those that share the records. */
  nodes?: Nodes | undefined
}

export function createWebhooks(options: WebhookOptions): Webhooks {
  const { isWanted, log, nodes } = options
  const closing = new AbortController()
  let pending = 0

  const begin = (delivery: Delivery, lease?: Lease) => {
    pending++
    const signal = lease ? AbortSignal.any([closing.signal, lease.signal]) : closing.signal
    deliver(delivery, options, signal)
      .then(() => lease?.release(null))
      // It ends when this node closes, or another one has it now.
      .catch(() => {})
      .finally(() => {
        pending--
      })
  }
  const note = (delivery: Delivery) =>
    nodes?.leases
      .take(PREFIX + delivery.id, { stops: false, note: JSON.stringify(delivery) })
      .catch((error: Error) => {
        log.warn(`a webhook ends with this node: ${error.message}`)
        return undefined
      })
  const takeOver = async ({ leases }: Nodes) => {
    for (const { key, note } of await leases.notes(PREFIX, { isLeft: true })) {
      if (pending >= MAX_PENDING) return
      const lease = await leases.take(key, { stops: false, waitMs: 0 })
      const delivery = JSON.parse(lease.note ?? note) as Delivery
      if (isWanted(delivery.url)) begin(delivery, lease)
      else await lease.release(null)
    }
  }
  nodes?.whileLeading(() => takeOver(nodes), TAKE_OVER_EVERY_MS)

  return {
    send: async (hooks, event) => {
      const body = JSON.stringify(event)
      const { trigger } = event
      for (const { url, events, enabled } of hooks) {
        if (!enabled || !events.includes(trigger)) continue
        if (pending >= MAX_PENDING) {
          log.warn('too many webhook deliveries are waiting; an event was dropped')
          continue
        }
        const delivery = { id: randomUUID(), url, body, trigger }
        begin(delivery, nodes && (await note(delivery)))
      }
    },
    close: () => closing.abort(),
  }
}

async function deliver(
  { id, url, body, trigger }: Delivery,
  { secret, log, metrics }: WebhookOptions,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'filebrowser-webhook',
    'X-FileBrowser-Event': trigger,
    'X-FileBrowser-Delivery': id,
    'X-FileBrowser-Signature': `sha256=${createHmac('sha256', secret()).update(body).digest('hex')}`,
  }
  for (let attempt = 0; ; attempt++) {
    const problem = await post(url, body, headers, signal)
    if (problem === null) return metrics?.hook('webhook', true)
    const waitMs = RETRY_DELAYS_MS[attempt]
    if (waitMs === undefined) {
      metrics?.hook('webhook', false)
      log.warn(`webhook ${hostOf(url)} was given up: ${problem}`, { trigger })
      return
    }
    await delay(waitMs, undefined, { signal, ref: false })
  }
}

// Null on success, else the reason. Answers of 4xx but 408 and 429 will not change by waiting, yet
// a receiver that is being deployed answers 404 for a while, so all are retried alike.
async function post(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return response.ok ? null : `status ${response.status}`
  } catch (error) {
    signal.throwIfAborted()
    return (error as Error).message
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'with a broken address'
}
