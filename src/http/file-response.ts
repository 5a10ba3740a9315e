// Sending an open file, or bytes like one, with the headers of RFC 9110. Anything that fails after
// the headers can only break the connection; a short file must never end like a whole one.
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { OpenFile } from '../files/place/scope.ts'
import { evaluateConditions } from './conditions.ts'
import type { Ctx } from './env.ts'
import { sendLast, sendRange, TRANSFER_BYTES } from './file-bytes.ts'
import { type Range, usableRanges } from './ranges.ts'
import { writeChunk } from './response-sink.ts'

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
  /** Memory that is held while it is sent. */
  heldBytes: number
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
      heldBytes: TRANSFER_BYTES,
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
    heldBytes: bytes.length,
    mtimeMs,
    write: (outgoing, start, end) => writeChunk(outgoing, bytes.subarray(start, end)),
    writeLast: async (outgoing, start, end) => void outgoing.end(bytes.subarray(start, end)),
  }
  return sendContent(c, content, headers)
}

async function sendContent(c: Ctx, content: Content, headers: FileHeaders): Promise<Response> {
  const { incoming, outgoing } = c.env
  const { sizeBytes, mtimeMs } = content
  await c.get('admit')(content.heldBytes)
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

/** `attachment` or `inline` with the name percent-encoded (docs/http-api.md 12.2). */
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
