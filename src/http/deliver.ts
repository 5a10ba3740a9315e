// The one place that writes answers to sockets.
import { realpath } from 'node:fs/promises'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
import { networkOf } from '../auth/address.ts'
import { sendfileHeader } from '../config/sendfile.ts'
import type { OpenFile } from '../files/place/scope.ts'
import { realPathOf } from '../files/volume/read-handle.ts'
import type { Metrics } from '../health/metrics.ts'
import { routeNameOf } from '../health/route-names.ts'
import type { Buffers } from '../lib/buffers.ts'
import { clientGone, isAbort } from '../lib/errors.ts'
import {
  type Answer,
  type AnswerHeaders,
  answerOf,
  isStreamed,
  type Output,
  type Streamed,
} from './answer.ts'
import { recordAct } from './audit.ts'
import { clientAddress } from './client-address.ts'
import { type Ctx, type Ending, type Env, recheck } from './context.ts'
import type { Deps } from './deps.ts'
import { answerError, logFailure, logPath } from './failures.ts'
import type { Transfer, TransferKind } from './transfers.ts'

/** The outermost middleware: sends what handlers answer. Without a socket it becomes a Response. */
export function delivery(deps: Deps) {
  return createMiddleware<Env>(async function delivery(c, next) {
    const requestId = deps.clients.requestIdOf(c.env.incoming)
    c.set('requestId', requestId)
    c.set('headers', { 'X-Request-Id': requestId })
    const begunMs = performance.now()
    await next()
    const ending: Ending = { status: 0, isWhole: true, bytes: 0, code: '' }
    const answered = answerOf(c.res)
    const answer = answered instanceof Promise ? await answered : answered
    const delivered = await deliver(c, deps, answer, ending).catch((error: unknown) => {
      // Hono would answer once more.
      if (!c.env.outgoing?.headersSent) throw error
      deps.log.error('an answer ended badly', {
        path: logPath(c),
        requestId,
        error: String(error),
      })
      return RESPONSE_ALREADY_SENT
    })
    recordAct(c, deps, ending)
    if (deps.metrics) count(c, deps.metrics, ending, begunMs)
    // Hono would copy the headers of the one before.
    c.res = undefined
    c.res = delivered
  })
}

/** Bytes of a connection that were counted with the requests before. */
const countedBytes = Symbol('countedBytes')

function count(c: Ctx, metrics: Metrics, ending: Ending, begunMs: number): void {
  const socket: (Socket & { [countedBytes]?: number }) | undefined = c.env.outgoing?.req?.socket
  const totalBytes = socket?.bytesRead ?? 0
  metrics.answered({
    route: routeNameOf(matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path),
    status: ending.status,
    seconds: (performance.now() - begunMs) / 1000,
    receivedBytes: totalBytes - (socket?.[countedBytes] ?? 0),
    sentBytes: ending.bytes,
    code: ending.code,
  })
  if (socket) socket[countedBytes] = totalBytes
}

function codeOf({ headers }: Answer): string {
  const code = typeof headers === 'function' ? undefined : headers['X-Error-Code']
  return typeof code === 'string' ? code : ''
}

async function deliver(c: Ctx, deps: Deps, answer: Answer, ending: Ending): Promise<Response> {
  const { incoming, outgoing } = c.env
  const { body } = answer
  ending.status = answer.status
  ending.code = codeOf(answer)
  // Hono makes the answer to HEAD from the one to GET.
  if (!outgoing || incoming.method === 'HEAD') return toResponse(c, deps, answer, ending)
  if (isGone(outgoing)) {
    outgoing.destroy()
    ending.isWhole = false
    if (isStreamed(body)) await body.close?.()
  } else if (isStreamed(body)) await sendStreamed(c, deps, { ...answer, body }, ending)
  else {
    const headers: OutgoingHttpHeaders = headersOf(c, answer)
    if (body !== null) headers['Content-Length'] = ending.bytes = Buffer.byteLength(body)
    logFailure(c, deps, answer.status)
    endWith(outgoing.writeHead(answer.status, headers), body)
  }
  return RESPONSE_ALREADY_SENT
}

async function sendStreamed(
  c: Ctx,
  deps: Deps,
  answer: Answer & { body: Streamed },
  ending: Ending,
): Promise<void> {
  const { body } = answer
  const { outgoing } = c.env as { outgoing: ServerResponse }
  const start = (firstBytes: Uint8Array | string | null, isAll = false) => {
    const headers: OutgoingHttpHeaders = headersOf(c, answer, firstBytes)
    if (isAll && firstBytes !== null) headers['Content-Length'] = Buffer.byteLength(firstBytes)
    outgoing.writeHead(answer.status, headers)
  }
  const { withinMs } = body
  const timer = withinMs && setTimeout(() => outgoing.destroy(), withinMs)
  let end = () => {}
  try {
    end = await admit(c, deps, body.memoryBytes)
    const line = body.file ? await lineForProxy(c, deps, body.file) : null
    if (line !== null) handOver(c, answer, line, ending)
    else await body.write(createOutput(outgoing, deps.buffers, start, ending))
    if (!outgoing.headersSent) start(null)
    if (!outgoing.writableEnded) await ended(outgoing)
  } catch (error) {
    if (!outgoing.headersSent && !isGone(outgoing)) {
      await deliver(c, deps, await answerOf(answerError(error, c, deps)), ending)
    } else {
      ending.isWhole = false
      const isFault = !isGone(outgoing) && !isAbort(error)
      // A part must not be taken for the whole.
      outgoing.destroy()
      if (isFault)
        deps.log.error(`${body.what} broke off`, {
          path: logPath(c),
          requestId: c.get('requestId'),
          error: String(error),
        })
    }
  } finally {
    clearTimeout(timer)
    end()
    await body.close?.()
  }
}

/** The header that lets the proxy send a file; null where we do. */
async function lineForProxy(c: Ctx, deps: Deps, file: OpenFile): Promise<AnswerHeaders | null> {
  const { sendfile, root } = deps.config
  if (sendfile === null || !deps.clients.isForwarded(c.env.incoming)) return null
  const path = await realPathOf(file.handle)
  return path && sendfileHeader(sendfile, await realpath(root, { encoding: 'buffer' }), path)
}

/** Length and part are for the proxy to say; what is counted is what it was told to send. */
function handOver(c: Ctx, answer: Answer, line: AnswerHeaders, ending: Ending): void {
  recheck(c)
  const all = headersOf(c, answer)
  const { 'Content-Length': length, 'Content-Range': _, 'Accept-Ranges': __, ...headers } = all
  const policy = [headers['Content-Security-Policy'] ?? []].flat()
  ending.bytes = Number(length)
  c.env.outgoing?.writeHead(200, {
    ...headers,
    // Older nginx passes on the first line of several.
    ...(policy.length > 0 && { 'Content-Security-Policy': policy.join(', ') }),
    ...line,
    'Content-Length': 0,
  })
}

/** For requests without a socket, for WebSockets and for HEAD: the whole answer in memory. */
async function toResponse(c: Ctx, deps: Deps, answer: Answer, ending: Ending): Promise<Response> {
  let { body } = answer
  ending.status = answer.status
  const chunks: Buffer[] = []
  if (isStreamed(body)) {
    const write = async (chunk: Uint8Array | string) => void chunks.push(Buffer.from(chunk))
    let end = () => {}
    try {
      end = await admit(c, deps, body.memoryBytes)
      await body.write({ write, end: write, buffers: deps.buffers })
    } catch (error) {
      return toResponse(c, deps, await answerOf(answerError(error, c, deps)), ending)
    } finally {
      end()
      await body.close?.()
    }
    body = Buffer.concat(chunks)
  }
  const headers = new Headers()
  // The library that opens WebSockets sends its own headers; these are added.
  const all = 'wss' in c.env ? headersOf(null, answer) : headersOf(c, answer, chunks[0] ?? null)
  for (const [name, value] of Object.entries(all))
    for (const line of [value].flat()) headers.append(name, line)
  if (!('wss' in c.env)) logFailure(c, deps, answer.status)
  ending.bytes = body === null ? 0 : Buffer.byteLength(body)
  return new Response(body as Uint8Array<ArrayBuffer> | string | null, {
    status: answer.status,
    headers,
  })
}

function headersOf(
  c: Ctx | null,
  { headers }: Answer,
  firstBytes: Uint8Array | string | null = null,
): AnswerHeaders {
  return {
    ...c?.get('headers'),
    ...(typeof headers === 'function' ? headers(bytesOf(firstBytes)) : headers),
  }
}

function bytesOf(chunk: Uint8Array | string | null): Uint8Array | null {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/**
 * `start` sends the head and is called before the first bytes, which may be all there are. `ending` counts
 * what was taken.
 */
export function createOutput(
  outgoing: ServerResponse,
  buffers: Buffers,
  start: (firstBytes: Uint8Array | string, isAll: boolean) => void,
  ending: Pick<Ending, 'bytes'> = { bytes: 0 },
): Output {
  const put = (chunk: Uint8Array | string, isLast: boolean) =>
    new Promise<void>((resolve, reject) => {
      if (isGone(outgoing)) return reject(clientGone())
      if (!outgoing.headersSent) start(chunk, isLast)
      const leave = () => reject(clientGone())
      // Node never calls back then.
      outgoing.once('close', leave)
      const done = (error?: Error | null) => {
        outgoing.off('close', leave)
        if (error) return reject(clientGone(error))
        ending.bytes += Buffer.byteLength(chunk)
        resolve()
      }
      if (isLast) endWith(outgoing, chunk, done)
      else outgoing.write(chunk, done)
    })
  return { write: (chunk) => put(chunk, false), end: (chunk) => put(chunk, true), buffers }
}

/** Few bytes leave in one string with the head: a list of both takes Node longer. */
const JOINED_BYTES = 2048

function endWith(
  outgoing: ServerResponse,
  chunk: Uint8Array | string | null,
  done?: (error?: Error | null) => void,
): void {
  if (chunk === null || typeof chunk === 'string' || chunk.length > JOINED_BYTES)
    outgoing.end(chunk, done)
  else {
    const { buffer, byteOffset, length } = chunk
    outgoing.end(Buffer.from(buffer, byteOffset, length).toString('latin1'), 'latin1', done)
  }
}

function ended(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve)
    outgoing.end(resolve)
  })
}

/**
 * True when nothing written will arrive any more. A write to such a response may never call back:
 * Node keeps what comes after the client's half-close for a socket that will not come.
 */
function isGone(outgoing: ServerResponse): boolean {
  return outgoing.destroyed || outgoing.socket?.writable === false
}

/**
 * Counts the memory an answer holds at most until the result is called. Rejects with `too_many_requests`
 * where none came free, and like recheck: what is sent is open by now, and may have been waited for.
 */
export async function admit(c: Ctx, deps: Deps, bytes: number): Promise<() => void> {
  const { outgoing } = c.env
  const transfer: Transfer = {
    owners: ownersOf(c, deps),
    bytes,
    sent: () => outgoing?.socket?.bytesWritten ?? 0,
    giveWay: () => outgoing?.destroy(),
  }
  const end = await deps.transfers.begin(transfer, () => c.req.raw.signal)
  try {
    recheck(c)
  } catch (error) {
    end()
    throw error
  }
  return end
}

function ownersOf(c: Ctx, deps: Deps): Map<TransferKind, string> {
  const owners = new Map<TransferKind, string>()
  const principal = c.get('principal')
  if (principal && principal.kind !== 'visitor') owners.set('user', `the user ${principal.user.id}`)
  else {
    if (principal) owners.set('share', `the share ${principal.share.hash}`)
    owners.set('visitor', networkOf(clientAddress(c, deps)) || 'visitors')
    owners.set('visitors', 'all visitors')
  }
  return owners.set('all', 'all')
}
