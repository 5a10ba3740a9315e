// Webhooks: an event as JSON by POST to addresses the administrator named, signed, retried with
// back-off, never in the way of the request that caused it.
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Webhook } from '../api-types.ts'
import type { Logger } from '../lib/log.ts'

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

export interface Webhooks {
  send(hooks: readonly Webhook[], event: HookEvent): void
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

/** `secret` signs the body as `X-FileBrowser-Signature: sha256=<hex>`. */
export function createWebhooks(
  secret: () => string,
  log: Logger,
  metrics?: { hook(kind: 'webhook', isOk: boolean): void },
): Webhooks {
  const closing = new AbortController()
  let pending = 0

  const deliver = async (url: string, body: string, trigger: string) => {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'User-Agent': 'filebrowser-webhook',
      'X-FileBrowser-Event': trigger,
      'X-FileBrowser-Signature': `sha256=${createHmac('sha256', secret()).update(body).digest('hex')}`,
    }
    for (let attempt = 0; ; attempt++) {
      const problem = await post(url, body, headers, closing.signal)
      if (problem === null) return metrics?.hook('webhook', true)
      const waitMs = RETRY_DELAYS_MS[attempt]
      if (waitMs === undefined) {
        metrics?.hook('webhook', false)
        log.warn(`webhook ${hostOf(url)} was given up: ${problem}`, { trigger })
        return
      }
      await delay(waitMs, undefined, { signal: closing.signal, ref: false })
    }
  }

  return {
    send: (hooks, event) => {
      const body = JSON.stringify(event)
      for (const { url, events, enabled } of hooks) {
        if (!enabled || !events.includes(event.trigger)) continue
        if (pending >= MAX_PENDING) {
          log.warn('too many webhook deliveries are waiting; an event was dropped')
          continue
        }
        pending++
        deliver(url, body, event.trigger)
          // Only closing aborts a delivery, and then nobody waits for it.
          .catch(() => {})
          .finally(() => {
            pending--
          })
      }
    },
    close: () => closing.abort(),
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
