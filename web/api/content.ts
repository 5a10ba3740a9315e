// The bytes of a file in parts: a range, all of it up to a limit, or as a stream. `path` is an API
// path, already encoded, so that own files and shares read alike.

import { ApiError, type CallOptions, call, lostConnection } from './client.ts'

type Options = Pick<CallOptions, 'query' | 'signedIn' | 'headers'>

/**
 * Reads of one file that belong together: the first range settles which version they are of, and
 * reads after it throw ApiError `precondition_failed` once the file was replaced.
 */
export class OneVersion {
  /** '' before the first range, and where something on the way took it out. */
  #etag = ''
  #sizeBytes: number | null = null

  /** Of the whole file; null before the first range, and where ranges are dropped on the way. */
  get sizeBytes(): number | null {
    return this.#sizeBytes
  }

  get headers(): Record<string, string> {
    return this.#etag === '' ? {} : { 'If-Match': this.#etag }
  }

  /**
   * Takes the answer to a range. One to the whole file is of no use here: what compresses it on the
   * way may give it another ETag, which the server would not know again.
   */
  settle({ headers }: Response): void {
    const total = /\/(\d+)$/.exec(headers.get('Content-Range') ?? '')?.[1]
    if (total === undefined) return
    if (this.#sizeBytes === null) {
      this.#sizeBytes = Number(total)
      this.#etag = headers.get('ETag') ?? ''
    } else if (Number(total) !== this.#sizeBytes) throw changed()
  }
}

function changed(): ApiError {
  return new ApiError(412, 'precondition_failed', '')
}

/** True when the file is no longer the one whose first bytes were read. */
export function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'precondition_failed'
}

async function open(
  path: string,
  options: Options,
  signal: AbortSignal,
  version?: OneVersion,
): Promise<Response> {
  const headers = { ...options.headers, ...version?.headers }
  const response = await call(path, { ...options, headers, signal })
  // The original's answer to people without the download permission, kept for old clients.
  if (response.status === 202) throw new ApiError(202, 'download_forbidden', '')
  return response
}

/**
 * Bytes from `start` up to, not including, `end`; fewer when the file ends before.
 *
 * @throws ApiError `download_forbidden` without the download permission, `precondition_failed` when
 * the file is no longer at `version`, otherwise as `call`.
 */
export async function fetchRange(
  path: string,
  start: number,
  end: number,
  options: Options,
  signal: AbortSignal,
  version?: OneVersion,
): Promise<ArrayBuffer> {
  // Such a range cannot be written: what has no bytes, as an empty entry of an archive, is not asked for.
  if (end <= start) return new ArrayBuffer(0)
  const headers = { ...options.headers, Range: `bytes=${start}-${end - 1}` }
  let response: Response
  try {
    response = await open(path, { ...options, headers }, signal, version)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 416) throw error
    // It has shrunk, where nothing on the way left its ETag.
    if (start < (version?.sizeBytes ?? 0)) throw changed()
    // Nothing there: the file is empty, or ends before `start`.
    return new ArrayBuffer(0)
  }
  if (response.status === 206) {
    version?.settle(response)
    return response.arrayBuffer().catch((error: unknown) => {
      throw lostConnection(error)
    })
  }
  // A proxy that drops ranges sends the file from its start; no more than needed is read of it.
  const bytes = await readUpTo(response, end)
  return bytes.slice(start)
}

/** @throws ApiError `too_large` when the file has more than `maxBytes`, otherwise as `fetchRange`. */
export async function fetchAll(
  path: string,
  maxBytes: number,
  options: Options,
  signal: AbortSignal,
  version?: OneVersion,
): Promise<ArrayBuffer> {
  const response = await open(path, options, signal, version)
  const bytes = await readUpTo(response, maxBytes + 1)
  if (bytes.byteLength > maxBytes) throw new ApiError(413, 'too_large', '')
  return bytes
}

/** The file from its first byte; whoever reads must finish or cancel it. */
export async function fetchStream(
  path: string,
  options: Options,
  signal: AbortSignal,
  version?: OneVersion,
): Promise<ReadableStream<Uint8Array>> {
  const response = await open(path, options, signal, version)
  const reader = response.body?.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = reader ? await nextChunk(reader) : { done: true as const }
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader?.cancel(reason),
  })
}

/** @throws ApiError with status 0 when the answer breaks off. */
async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read()
  } catch (error) {
    throw lostConnection(error)
  }
}

/** The first `maxBytes` of an answer; the rest is not waited for. */
export async function readUpTo(response: Response, maxBytes: number): Promise<ArrayBuffer> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  while (reader && size < maxBytes) {
    const { done, value } = await nextChunk(reader)
    if (done) break
    chunks.push(value)
    size += value.length
  }
  await reader?.cancel()
  const bytes = new Uint8Array(Math.min(size, maxBytes))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - at), at)
    at += chunk.length
    if (at >= bytes.length) break
  }
  return bytes.buffer
}
