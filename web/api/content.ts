// The bytes of a file in parts: a range, all of it up to a limit, or as a stream. `path` is an API
// path, already encoded, so that own files and shares read alike.

import { ApiError, type CallOptions, call, lostConnection } from './client.ts'

type Options = Pick<CallOptions, 'query' | 'signedIn' | 'headers'>

async function open(path: string, options: Options, signal: AbortSignal): Promise<Response> {
  const response = await call(path, { ...options, signal })
  // The original's answer to people without the download permission, kept for old clients.
  if (response.status === 202) throw new ApiError(202, 'download_forbidden', '')
  return response
}

/**
 * Bytes from `start` up to, not including, `end`; fewer when the file ends before.
 *
 * @throws ApiError `download_forbidden` without the download permission, otherwise as `call`.
 */
export async function fetchRange(
  path: string,
  start: number,
  end: number,
  options: Options,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const headers = { ...options.headers, Range: `bytes=${start}-${end - 1}` }
  let response: Response
  try {
    response = await open(path, { ...options, headers }, signal)
  } catch (error) {
    // Nothing there: the file is empty, or ends before `start`.
    if (error instanceof ApiError && error.status === 416) return new ArrayBuffer(0)
    throw error
  }
  if (response.status === 206) {
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
): Promise<ArrayBuffer> {
  const response = await open(path, options, signal)
  const bytes = await readUpTo(response, maxBytes + 1)
  if (bytes.byteLength > maxBytes) throw new ApiError(413, 'too_large', '')
  return bytes
}

/** The file from its first byte; whoever reads must finish or cancel it. */
export async function fetchStream(
  path: string,
  options: Options,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await open(path, options, signal)
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
