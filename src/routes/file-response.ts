// Sending an open file, or bytes like one: conditions, ranges and headers by RFC 9110, bytes through two buffers
// (measured in the project notes: one is read while the other is sent). Anything that fails after
// the headers can only break the connection; a short file must never end like a whole one.
import { randomBytes } from 'node:crypto'
import { read as fsRead } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { freeMemory } from '../files/free-memory.ts'
import type { OpenFile } from '../files/scope.ts'
import type { Ctx } from './env.ts'
import { clientGone, isGone, writeChunk } from './response-sink.ts'

export interface FileHeaders {
  contentType: string
  /** Left out for files that belong to a page rather than to a download. */
  disposition?: string
  cacheControl: string
  etag?: string
  /** Further Content-Security-Policy lines. */
  policy?: string
}

/** More ranges than this are answered with the whole file, which RFC 9110 14.2 allows. */
const MAX_RANGES = 50

/** What an answer is made of; both functions write bytes [start, end). */
interface Content {
  sizeBytes: number
  mtimeMs: number
  write(outgoing: ServerResponse, start: number, end: number): Promise<void>
  /** Ends the answer as well. */
  writeLast(outgoing: ServerResponse, start: number, end: number): Promise<void>
}

/** Answers a GET with the file, or 206, 304, 412, 416. Takes over closing the file. */
export async function sendFile(c: Ctx, file: OpenFile, headers: FileHeaders): Promise<Response> {
  const { sizeBytes, mtimeMs } = file
  try {
    const content: Content = {
      sizeBytes,
      mtimeMs,
      write: (outgoing, start, end) => sendRange(outgoing, file, start, end),
      writeLast: (outgoing, start, end) => sendLast(outgoing, file, start, end),
    }
    return await sendContent(c, content, headers)
  } finally {
    await file.handle.close()
  }
}

/** Like sendFile for what is in memory. */
export function sendBytes(
  c: Ctx,
  bytes: Buffer,
  mtimeMs: number,
  headers: FileHeaders,
): Promise<Response> {
  const content: Content = {
    sizeBytes: bytes.length,
    mtimeMs,
    write: (outgoing, start, end) => writeChunk(outgoing, bytes.subarray(start, end)),
    writeLast: async (outgoing, start, end) => void outgoing.end(bytes.subarray(start, end)),
  }
  return sendContent(c, content, headers)
}

async function sendContent(c: Ctx, content: Content, headers: FileHeaders): Promise<Response> {
  const { incoming, outgoing } = c.env
  const { sizeBytes, mtimeMs } = content
  try {
    outgoing.setHeader('Last-Modified', new Date(mtimeMs).toUTCString())
    outgoing.setHeader('Cache-Control', headers.cacheControl)
    if (headers.etag) outgoing.setHeader('ETag', headers.etag)
    if (headers.disposition) outgoing.setHeader('Content-Disposition', headers.disposition)
    if (headers.policy) appendPolicy(outgoing, headers.policy)

    const verdict = evaluateConditions(incoming.headers, mtimeMs, headers.etag)
    outgoing.setHeader('X-Content-Type-Options', 'nosniff')
    if (verdict === 304) {
      outgoing.writeHead(304).end()
      return RESPONSE_ALREADY_SENT
    }
    if (verdict === 412) {
      outgoing.setHeader('X-Error-Code', 'precondition_failed')
      outgoing.writeHead(412).end()
      return RESPONSE_ALREADY_SENT
    }
    const ranges = usableRanges(incoming.headers, content, headers.etag)
    if (ranges === 'unsatisfiable') return unsatisfiable(c, sizeBytes)
    outgoing.setHeader('Accept-Ranges', 'bytes')
    if (ranges === null || ranges.length > MAX_RANGES) {
      outgoing.writeHead(200, {
        'Content-Type': headers.contentType,
        'Content-Length': sizeBytes,
      })
      await content.writeLast(outgoing, 0, sizeBytes)
    } else if (ranges.length === 1) {
      const { start, end } = ranges[0] as Range
      outgoing.writeHead(206, {
        'Content-Type': headers.contentType,
        'Content-Range': `bytes ${start}-${end - 1}/${sizeBytes}`,
        'Content-Length': end - start,
      })
      await content.writeLast(outgoing, start, end)
    } else await sendMultipart(outgoing, content, ranges, headers.contentType)
    return RESPONSE_ALREADY_SENT
  } catch (error) {
    if (!outgoing.headersSent) throw error
    outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }
}

/** `attachment` or `inline` with the name percent-encoded as the contract says (http-api 12.2). */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  return `${kind}; filename*=utf-8''${encodeName(name)}`
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(24|26|2B|3A|3D|40)/g, (code) => decodeURIComponent(code))
}

/** A strong validator from time and size, as the original writes it: hex nanoseconds, hex size. */
export function etagOf(facts: { mtimeNs: bigint; sizeBytes: number }): string {
  return `"${facts.mtimeNs.toString(16)}${facts.sizeBytes.toString(16)}"`
}

/** Adds a policy line; several lines must all be met. */
function appendPolicy(outgoing: ServerResponse, policy: string): void {
  const present = outgoing.getHeader('Content-Security-Policy')
  const lines = present === undefined ? [] : Array.isArray(present) ? present : [String(present)]
  outgoing.setHeader('Content-Security-Policy', [...lines, policy])
}

type Headers = Record<string, string | string[] | undefined>

/** Preconditions in the order of RFC 9110 13.2.2: 304, 412 or null to go on. */
export function evaluateConditions(
  headers: Headers,
  mtimeMs: number,
  etag: string | undefined,
): 304 | 412 | null {
  const seconds = Math.floor(mtimeMs / 1000)
  const ifMatch = text(headers['if-match'])
  const ifUnmodified = seconds1123(headers['if-unmodified-since'])
  if (ifMatch !== null) {
    if (!isListed(ifMatch, etag)) return 412
  } else if (ifUnmodified !== null && seconds > ifUnmodified) return 412
  const ifNoneMatch = text(headers['if-none-match'])
  const ifModified = seconds1123(headers['if-modified-since'])
  if (ifNoneMatch !== null) {
    if (isListed(ifNoneMatch, etag)) return 304
  } else if (ifModified !== null && seconds <= ifModified) return 304
  return null
}

interface Range {
  start: number
  /** Exclusive. */
  end: number
}

function usableRanges(
  headers: Headers,
  { sizeBytes, mtimeMs }: Content,
  etag: string | undefined,
): Range[] | 'unsatisfiable' | null {
  const value = text(headers.range)
  // Some clients ask for a range of everything; of an empty file there is none, so it is sent whole.
  if (value === null || sizeBytes === 0) return null
  const ifRange = text(headers['if-range'])
  if (ifRange !== null && !validatorHolds(ifRange, mtimeMs, etag)) return null
  return parseRanges(value, sizeBytes)
}

/** Parses `bytes=…`. Null when the header is to be ignored. */
function parseRanges(value: string, sizeBytes: number): Range[] | 'unsatisfiable' | null {
  if (!value.startsWith('bytes=')) return 'unsatisfiable'
  const ranges: Range[] = []
  let any = false
  for (const part of value.slice(6).split(',')) {
    const spec = part.trim()
    if (spec === '') continue
    const match = /^(\d*)-(\d*)$/.exec(spec)
    if (!match || (match[1] === '' && match[2] === '')) return 'unsatisfiable'
    any = true
    const range = toRange(match[1] ?? '', match[2] ?? '', sizeBytes)
    if (range === 'invalid') return 'unsatisfiable'
    if (range) ranges.push(range)
  }
  if (ranges.length > 0) {
    const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
    // Overlapping ranges that ask for more than the file are an attack or a mistake.
    return total > sizeBytes && ranges.length > 1 ? null : ranges
  }
  return any ? 'unsatisfiable' : null
}

function toRange(from: string, to: string, sizeBytes: number): Range | 'invalid' | null {
  if (from === '') {
    const count = Math.min(Number(to), sizeBytes)
    return count === 0 ? null : { start: sizeBytes - count, end: sizeBytes }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return 'invalid'
  if (start >= sizeBytes) return null
  return { start, end: to === '' ? sizeBytes : Math.min(Number(to) + 1, sizeBytes) }
}

function validatorHolds(value: string, mtimeMs: number, etag: string | undefined): boolean {
  if (value.startsWith('"')) return value === etag
  const seconds = seconds1123(value)
  return seconds !== null && seconds === Math.floor(mtimeMs / 1000)
}

function unsatisfiable(c: Ctx, sizeBytes: number): Response {
  const { outgoing } = c.env
  for (const name of ['Cache-Control', 'ETag', 'Last-Modified']) outgoing.removeHeader(name)
  return new Response('invalid range: failed to overlap\n', {
    status: 416,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Content-Range': `bytes */${sizeBytes}`,
      'X-Error-Code': 'range_not_satisfiable',
    },
  })
}

async function sendMultipart(
  outgoing: ServerResponse,
  content: Content,
  ranges: Range[],
  contentType: string,
): Promise<void> {
  const boundary = randomBytes(30).toString('hex')
  const heads = ranges.map(
    ({ start, end }, i) =>
      `${i === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: bytes ${start}-${end - 1}/` +
      `${content.sizeBytes}\r\nContent-Type: ${contentType}\r\n\r\n`,
  )
  const tail = `\r\n--${boundary}--\r\n`
  const bodyBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  const headBytes = heads.reduce((sum, head) => sum + Buffer.byteLength(head), 0)
  outgoing.writeHead(206, {
    'Content-Type': `multipart/byteranges; boundary=${boundary}`,
    'Content-Length': bodyBytes + headBytes + tail.length,
  })
  for (const [i, { start, end }] of ranges.entries()) {
    await writeChunk(outgoing, Buffer.from(heads[i] ?? ''))
    await content.write(outgoing, start, end)
  }
  outgoing.end(tail)
}

const SMALL_BUFFER_BYTES = 64 * 1024
const BUFFER_BYTES = 256 * 1024
const FEW_BUFFER_BYTES = 1024 * 1024
/** With fewer transfers than this the large buffer is affordable. */
const FEW_TRANSFERS = 8
/** Kept of each size for the next transfers; all is given back when none has run for a while. */
const MAX_POOLED_BYTES = 8 * 1024 * 1024
const POOL_IDLE_MS = 5_000
const pool = new Map<number, Buffer[]>()
let transfers = 0
let emptying: NodeJS.Timeout | undefined

/** Writes the last bytes of an answer and ends it; few enough leave together with the head. */
async function sendLast(
  outgoing: ServerResponse,
  file: { handle: { fd: number } },
  start: number,
  end: number,
): Promise<void> {
  if (start >= end || end - start > SMALL_BUFFER_BYTES || outgoing.req?.method === 'HEAD') {
    await sendRange(outgoing, file, start, end)
    outgoing.end()
    return
  }
  transfers++
  const buffer = take(SMALL_BUFFER_BYTES)
  try {
    let filled = 0
    while (start + filled < end) {
      const free = buffer.subarray(filled, end - start)
      const bytes = await fill(file.handle.fd, free, start + filled, end)
      if (bytes === 0) throw becameShorter()
      filled += bytes
    }
    await new Promise<void>((resolve, reject) => {
      if (isGone(outgoing)) return reject(clientGone())
      outgoing.once('close', resolve)
      outgoing.end(buffer.subarray(0, filled), resolve)
    })
  } finally {
    give(buffer)
    endTransfer()
  }
}

/**
 * Writes bytes [start, end) of the file. Rejects when the file is shorter than announced or the
 * client went away; the caller breaks the connection then. A client may stall, such as a paused
 * player; one that has vanished is found out by the kernel (see server.ts).
 */
export async function sendRange(
  outgoing: ServerResponse,
  file: { handle: { fd: number } },
  start: number,
  end: number,
): Promise<void> {
  if (start >= end || outgoing.req?.method === 'HEAD') return
  transfers++
  let current = take(SMALL_BUFFER_BYTES)
  let next = take(SMALL_BUFFER_BYTES)
  let position = start
  try {
    let filled = await fill(file.handle.fd, current, position, end)
    while (filled > 0) {
      position += filled
      const reading =
        position < end ? fill(file.handle.fd, next, position, end) : Promise.resolve(0)
      await settleBoth(writeChunk(outgoing, current.subarray(0, filled)), reading)
      filled = await reading
      const free = current
      current = next
      next = free
      // The client keeps up: go on with larger buffers, one after the other.
      const wanted = bufferBytes(end - position - filled)
      if (next.length < wanted) {
        give(next)
        next = take(wanted)
      }
    }
    if (position < end) throw becameShorter()
  } finally {
    give(current)
    give(next)
    endTransfer()
  }
}

function becameShorter(): Error {
  return new Error('the file became shorter while it was sent')
}

/** The buffer that suits this much left to read. */
function bufferBytes(leftBytes: number): number {
  if (leftBytes <= SMALL_BUFFER_BYTES) return SMALL_BUFFER_BYTES
  return transfers < FEW_TRANSFERS && leftBytes > BUFFER_BYTES ? FEW_BUFFER_BYTES : BUFFER_BYTES
}

// A buffer may be reused only when neither the disk nor the socket works on it any more.
async function settleBoth(writing: Promise<void>, reading: Promise<number>): Promise<void> {
  const results = await Promise.allSettled([writing, reading])
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function fill(fd: number, buffer: Buffer, position: number, end: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = Math.min(buffer.length, end - position)
    fsRead(fd, buffer, 0, length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    )
  })
}

function take(size: number): Buffer {
  return pool.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size)
}

function give(buffer: Buffer): void {
  const free = pool.get(buffer.length) ?? []
  pool.set(buffer.length, free)
  if (free.length * buffer.length < MAX_POOLED_BYTES) free.push(buffer)
  else freeMemory(buffer)
}

function endTransfer(): void {
  transfers--
  if (transfers > 0) return
  emptying ??= setTimeout(emptyPool, POOL_IDLE_MS).unref()
  emptying.refresh()
}

function emptyPool(): void {
  if (transfers > 0) return
  for (const buffers of pool.values()) for (const buffer of buffers) freeMemory(buffer)
  pool.clear()
}

function text(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  return Array.isArray(value) ? value.join(',') : value
}

/** True when an If-Match or If-None-Match header names the validator, weakly compared. */
export function isListed(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return true
  if (etag === undefined) return false
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag)
}

function seconds1123(value: string | string[] | undefined): number | null {
  const ms = Date.parse(text(value) ?? '')
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}
