// Text files as bytes: read with the version they are at, written back only over that version.

import { encodePath } from '../lib/paths.ts'
import { ApiError, call, operationHeader } from './client.ts'
import { readUpTo } from './content.ts'

const READ_AGAIN_MS = 60_000

export interface FileVersion {
  /** Strong ETag, '' when something on the way took it out. */
  etag: string
  /** Milliseconds since the epoch; null when unknown. */
  modifiedMs: number | null
}

export interface FileBytes extends FileVersion {
  bytes: Uint8Array<ArrayBuffer>
}

/** A compressing proxy marks the ETag as weak, which If-Match would never accept. */
function versionOf(response: Response): FileVersion {
  const etag = (response.headers.get('ETag') ?? '').replace(/^W\//, '')
  const modified = Date.parse(response.headers.get('Last-Modified') ?? '')
  return { etag, modifiedMs: Number.isNaN(modified) ? null : modified }
}

/**
 * The whole file.
 *
 * @throws ApiError `too_large` when it has more than `maxBytes`, `download_forbidden` for people
 * without the download permission (the server says 202 then, as File Browser does), otherwise as
 * `call`.
 */
export async function readFileBytes(
  vpath: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FileBytes> {
  const response = await call(`/raw${encodePath(vpath)}`, { query: { inline: true }, signal })
  if (response.status === 202) throw new ApiError(202, 'download_forbidden', '')
  const bytes = new Uint8Array(await readUpTo(response, maxBytes + 1))
  if (bytes.length > maxBytes) throw new ApiError(413, 'too_large', '')
  return { bytes, ...versionOf(response) }
}

/**
 * Replaces the file's content. With `over` only while the file is still what was read; null
 * overwrites whatever is there. Where a proxy took the ETag out, the bytes are read again and
 * compared: not safe against a change in the same moment, but against any before. `operation` names it for Undo.
 *
 * @throws ApiError `precondition_failed` when the file changed, `not_found` when it is gone.
 */
export async function writeFileBytes(
  vpath: string,
  bytes: Uint8Array<ArrayBuffer>,
  over: Pick<FileBytes, 'etag' | 'bytes'> | null,
  operation?: string,
): Promise<FileVersion> {
  if (over?.etag === '') {
    const signal = AbortSignal.timeout(READ_AGAIN_MS)
    const now = await readFileBytes(vpath, over.bytes.length, signal).catch((error: unknown) => {
      if (isTooLarge(error)) return null
      throw error
    })
    if (now === null || !sameBytes(now.bytes, over.bytes)) {
      throw new ApiError(412, 'precondition_failed', '')
    }
  }
  const response = await call(`/resources${encodePath(vpath)}`, {
    method: 'PUT',
    body: bytes,
    headers: { ...(over?.etag && { 'If-Match': over.etag }), ...operationHeader(operation) },
  })
  return { etag: versionOf(response).etag, modifiedMs: Date.now() }
}

/** True for what `readFileBytes` throws when the file has more bytes than were asked for. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'too_large'
}

/** Whether two contents are one. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Makes the file anew after it was deleted. @throws ApiError `exists` when it is back. */
export async function createFileBytes(
  vpath: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<FileVersion> {
  const response = await call(`/resources${encodePath(vpath)}`, {
    method: 'POST',
    body: bytes,
    query: { override: false },
  })
  return { etag: versionOf(response).etag, modifiedMs: Date.now() }
}

/** Whether the file is still at the version `etag`; asks for one byte at most. */
export async function compareVersion(
  vpath: string,
  etag: string,
  signal: AbortSignal,
): Promise<'same' | 'changed' | 'gone'> {
  try {
    const response = await call(`/raw${encodePath(vpath)}`, {
      query: { inline: true },
      headers: { 'If-None-Match': etag, Range: 'bytes=0-0' },
      signal,
    })
    await response.body?.cancel()
    return versionOf(response).etag === etag ? 'same' : 'changed'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 304) return 'same'
    if (error.status === 404) return 'gone'
    // An empty file has no byte 0; it was not empty before unless its version is the same.
    if (error.status === 416) return 'changed'
    throw error
  }
}
