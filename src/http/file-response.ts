// Open files, or bytes like one, as answers with the headers of RFC 9110. A file that becomes shorter
// while it is sent breaks the connection: a part must never look like the whole.
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { OpenFile } from '../files/place/scope.ts'
import { rememberLast } from '../lib/memo.ts'
import { type AnswerHeaders, answer, type Output, type Streamed } from './answer.ts'
import { evaluateConditions } from './conditions.ts'
import type { Ctx } from './context.ts'
import { sendLast, sendRange, TRANSFER_BYTES } from './file-bytes.ts'
import { type Range, usableRanges } from './ranges.ts'

interface FileHeaders {
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
export interface Content extends Omit<Streamed, 'write'> {
  sizeBytes: number
  /** Absent where no time says which version it is. */
  mtimeMs?: number
  write(output: Output, start: number, end: number): Promise<void>
  /** The same, when nothing follows. */
  writeLast(output: Output, start: number, end: number): Promise<void>
}

/** Answers a GET with the file, or 206, 304, 412, 416. Takes over closing the file. */
export function sendFile(c: Ctx, file: OpenFile, headers: FileHeaders): Promise<Response> {
  return sendContent(c, headers, {
    what: 'a file',
    file,
    sizeBytes: file.sizeBytes,
    memoryBytes: TRANSFER_BYTES,
    mtimeMs: file.mtimeMs,
    write: (output, start, end) => sendRange(output, file, start, end),
    writeLast: (output, start, end) => sendLast(output, file, start, end),
    close: () => file.handle.close(),
  })
}

/** Like sendFile for what is in memory. */
export function sendBytes(
  c: Ctx,
  bytes: Uint8Array,
  mtimeMs: number,
  headers: FileHeaders,
  options: Pick<Streamed, 'close' | 'withinMs'> = {},
): Promise<Response> {
  return sendContent(c, headers, {
    what: 'a file',
    sizeBytes: bytes.length,
    memoryBytes: bytes.length,
    mtimeMs,
    write: (output, start, end) => output.write(bytes.subarray(start, end)),
    writeLast: (output, start, end) => output.end(bytes.subarray(start, end)),
    ...options,
  })
}

/** Answers a GET with a content, or 206, 304, 412, 416; closes it. */
export async function sendContent(c: Ctx, file: FileHeaders, content: Content): Promise<Response> {
  const { sizeBytes, mtimeMs } = content
  const asked = c.env.incoming.headers
  const common = c.get('headers')
  const headers: AnswerHeaders = { 'X-Content-Type-Options': 'nosniff' }
  if (file.disposition) headers['Content-Disposition'] = file.disposition
  // Several policies must all be met.
  if (file.policy) {
    const own = common['Content-Security-Policy'] ?? []
    headers['Content-Security-Policy'] = [...(typeof own === 'string' ? [own] : own), file.policy]
  }

  const condition = evaluateConditions(asked, mtimeMs, file.etag)
  const ranges = condition === null ? usableRanges(asked, content, file.etag) : null
  if (condition !== null || ranges === 'unsatisfiable') await content.close?.()
  if (ranges === 'unsatisfiable') {
    delete common['Cache-Control']
    return unsatisfiable(headers, sizeBytes)
  }
  if (mtimeMs !== undefined) headers['Last-Modified'] = httpDate(Math.floor(mtimeMs / 1000))
  headers['Cache-Control'] = file.cacheControl
  if (file.etag) headers.ETag = file.etag
  if (condition === 304) return answer(null, headers, 304)
  if (condition === 412)
    return answer(null, { ...headers, 'X-Error-Code': 'precondition_failed' }, 412)

  headers['Accept-Ranges'] = 'bytes'
  if (ranges !== null && ranges.length > 1 && ranges.length <= MAX_RANGES)
    return sendMultipart(content, ranges, file.contentType, headers)
  const [range] = ranges?.length === 1 ? ranges : []
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  headers['Content-Type'] = file.contentType
  headers['Content-Length'] = String(end - start)
  if (range) headers['Content-Range'] = `bytes ${start}-${end - 1}/${sizeBytes}`
  const write = (output: Output) => content.writeLast(output, start, end)
  const { file: whole, ...rest } = content
  const body = { ...rest, write, ...(whole && isPlain(asked) && { file: whole }) }
  return answer(body, headers, range ? 206 : 200)
}

// The same file is asked for again and again.
const httpDate = rememberLast((seconds) => new Date(seconds * 1000).toUTCString())

/** What a proxy understands as we do: it may know no validators but its own, and other limits of ranges. */
function isPlain(asked: IncomingHttpHeaders): boolean {
  const isOther = asked['if-match'] !== undefined || asked['if-range'] !== undefined
  return !isOther && (asked.range === undefined || /^bytes=\d+-\d*$/.test(asked.range))
}

function unsatisfiable(headers: AnswerHeaders, sizeBytes: number): Response {
  const body = 'invalid range: failed to overlap\n'
  const own = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Range': `bytes */${sizeBytes}`,
    'X-Error-Code': 'range_not_satisfiable',
  }
  return answer(body, { ...headers, ...own }, 416)
}

function sendMultipart(
  content: Content,
  ranges: Range[],
  contentType: string,
  headers: AnswerHeaders,
): Response {
  const boundary = randomBytes(30).toString('hex')
  const heads = ranges.map(
    ({ start, end }, i) =>
      `${i === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: bytes ${start}-${end - 1}/` +
      `${content.sizeBytes}\r\nContent-Type: ${contentType}\r\n\r\n`,
  )
  const tail = `\r\n--${boundary}--\r\n`
  const bodyBytes = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  const headBytes = heads.reduce((sum, head) => sum + Buffer.byteLength(head), 0)
  const own = {
    'Content-Type': `multipart/byteranges; boundary=${boundary}`,
    'Content-Length': String(bodyBytes + headBytes + tail.length),
  }
  const write = async (output: Output) => {
    for (const [i, { start, end }] of ranges.entries()) {
      await output.write(heads[i] ?? '')
      await content.write(output, start, end)
    }
    await output.end(tail)
  }
  const { file: _, ...rest } = content
  return answer({ ...rest, write }, { ...headers, ...own }, 206)
}

/** `attachment` or `inline` with the name percent-encoded (docs/http-api.md 12.2). */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  return `${kind}; filename*=utf-8''${encodeName(name)}`
}

function encodeName(name: string): string {
  if (/^[\w.-]*$/.test(name)) return name
  return encodeURIComponent(name.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(24|26|2B|3A|3D|40)/g, (code) => decodeURIComponent(code))
}

/** A strong validator from time and size, as the original writes it: hex nanoseconds, hex size. */
export function etagOf(facts: { mtimeNs: bigint; sizeBytes: number }): string {
  return `"${facts.mtimeNs.toString(16)}${facts.sizeBytes.toString(16)}"`
}
