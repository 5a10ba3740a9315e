// Request bodies as JSON: bounded in size and time, and in what all of them hold together.
import type { IncomingMessage } from 'node:http'
import { networkOf } from '../auth/address.ts'
import { hasArrived, takeArrived } from '../files/transfer/receive.ts'
import { AppError, badRequest, clientGone, tooMany } from '../lib/errors.ts'
import { ParseError, type Reader, readObject } from '../lib/parse.ts'
import { clientAddress } from './client-address.ts'
import { type Ctx, recheck, setHeader } from './context.ts'
import type { Deps } from './deps.ts'

const MAX_JSON_BYTES = 1_048_576
/** Enough for a name, a password and the answer of a captcha service. */
export const MAX_CREDENTIALS_BYTES = 16 * 1024
/** A body has this long, and a second more for each so many bytes of it that have come. */
const BODY_TIMEOUT_MS = 30_000
const BYTES_PER_SECOND = 16 * 1024
const FIRST_PIECE_BYTES = 1024

/**
 * Reads the body as one JSON object; what follows the first value is ignored, as the original
 * does. The caller is checked again when it is complete. Throws 400 with the decoder's reason, or
 * `too_large` past `maxBytes`, 408 when it is too slow, `too_many_requests` when it had to give way
 * to others, and `ECONNRESET` when the client goes.
 */
export async function readJson<T>(
  c: Ctx,
  deps: Deps,
  parse: (reader: Reader) => T,
  maxBytes = MAX_JSON_BYTES,
): Promise<T> {
  const bytes = await readBytes(c, deps, maxBytes)
  recheck(c)
  const text = bytes.toString('utf8').trim()
  if (text === '') throw badRequest('EOF')
  try {
    return parse(readObject(parseFirst(text), ''))
  } catch (error) {
    if (error instanceof ParseError || error instanceof SyntaxError) throw badRequest(error.message)
    throw error
  }
}

/** Reads the body as the fields of a form. Throws like readJson. */
export async function readForm(c: Ctx, deps: Deps, maxBytes: number): Promise<URLSearchParams> {
  return new URLSearchParams((await readBytes(c, deps, maxBytes)).toString('utf8'))
}

/** Reads the body. Throws like readJson. */
export async function readBytes(c: Ctx, deps: Deps, maxBytes: number): Promise<Buffer> {
  const { incoming } = c.env
  // Nothing is to be waited for, so that it takes nobody's place.
  if (hasArrived(incoming) && incoming.readableLength <= maxBytes)
    return Buffer.concat(takeArrived(incoming))
  const stop = new AbortController()
  const body = deps.bodies.begin(ownerOf(c, deps), () =>
    stop.abort(tooMany('too many unfinished bodies', 1)),
  )
  try {
    return await collect(incoming, {
      maxBytes,
      timeoutMs: deps.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
      signal: stop.signal,
      onMemory: body.hold,
    })
  } catch (error) {
    // Do not wait for the rest of the body.
    if (error instanceof AppError && error.code !== 'too_large') setHeader(c, 'Connection', 'close')
    throw error
  } finally {
    body.end()
  }
}

function ownerOf(c: Ctx, deps: Deps): string {
  const principal = c.get('principal')
  return principal && principal.kind !== 'visitor'
    ? `user ${principal.user.id}`
    : `visitor ${networkOf(clientAddress(c, deps))}`
}

interface Collecting {
  maxBytes: number
  timeoutMs: number
  /** Ends it with the signal's reason. */
  signal: AbortSignal
  /** Called with the size of the memory in use. */
  onMemory(bytes: number): void
}

// Into one buffer: a body that comes byte by byte would be as many objects.
function collect(incoming: IncomingMessage, collecting: Collecting): Promise<Buffer> {
  const { maxBytes, timeoutMs, signal, onMemory } = collecting
  return new Promise((resolve, reject) => {
    let memory = Buffer.alloc(0)
    let filled = 0
    const startedAt = performance.now()
    let timer: NodeJS.Timeout | undefined

    const settle = (error?: unknown) => {
      clearTimeout(timer)
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      signal.removeEventListener('abort', onAbort)
      if (error === undefined) return resolve(memory.subarray(0, filled))
      // Not destroyed: the server reads the rest, so that the client gets to see the answer.
      incoming.pause()
      reject(error)
    }
    const checkTime = () => {
      const leftMs = startedAt + timeoutMs + (filled / BYTES_PER_SECOND) * 1000 - performance.now()
      if (leftMs <= 0) settle(tooSlow())
      else timer = setTimeout(checkTime, Math.ceil(leftMs))
    }
    const onData = (chunk: Buffer) => {
      const sizeBytes = filled + chunk.length
      if (sizeBytes > maxBytes)
        return settle(badRequest('http: request body too large', 'too_large'))
      if (sizeBytes > memory.length) {
        const larger = Buffer.allocUnsafeSlow(
          Math.min(maxBytes, Math.max(sizeBytes, 2 * memory.length, FIRST_PIECE_BYTES)),
        )
        memory.copy(larger, 0, 0, filled)
        memory = larger
        onMemory(memory.length)
      }
      chunk.copy(memory, filled)
      filled = sizeBytes
    }
    const onEnd = () => settle()
    const onClose = () => settle(clientGone())
    const onAbort = () => settle(signal.reason)

    incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
    signal.addEventListener('abort', onAbort)
    if (incoming.readableEnded) onEnd()
    else if (incoming.destroyed) onClose()
    else checkTime()
  })
}

function tooSlow(): AppError {
  return new AppError('bad_request', 'the body came too slowly', { status: 408 })
}

function parseFirst(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const end = endOfFirstValue(text)
    if (end === text.length) throw error
    return JSON.parse(text.slice(0, end))
  }
}

// Finds where a leading object or list closes; strings are skipped with their escapes.
function endOfFirstValue(text: string): number {
  if (text[0] !== '{' && text[0] !== '[') return text.length
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
    } else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return text.length
}
