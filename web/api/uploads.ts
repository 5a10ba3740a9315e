// Where uploads go, what is there before them, and how much room is left.

import type { UnfinishedUpload } from '../../src/api-types.ts'
import { encodePath } from '../lib/paths.ts'
import { apiUrl, call, callJson } from './client.ts'
import { getUsage } from './files.ts'

/** Where a resumable upload of `vpath` is created; its parts go to the address in the answer. */
export function tusEndpoint(vpath: string, overwrite: boolean): string {
  return apiUrl(`/tus${encodePath(vpath)}`, { override: overwrite })
}

/** Where a file is sent by one request, or, with a slash at the end, a folder is made. */
export function plainUploadUrl(vpath: string, isDir: boolean, overwrite: boolean): string {
  return apiUrl(`/resources${encodePath(vpath)}${isDir ? '/' : ''}`, { override: overwrite })
}

/** Where many files below a folder, which ends with a slash, are sent as one tar. */
export function bundleUrl(folder: string, overwrite: boolean): string {
  return apiUrl(`/bundle${encodePath(folder)}`, { override: overwrite })
}

/** How much the server holds of an unfinished upload. @throws ApiError 404 when it knows none. */
export async function fetchReceivedBytes(vpath: string, signal: AbortSignal): Promise<number> {
  const { headers } = await call(`/tus${encodePath(vpath)}`, { method: 'HEAD', signal })
  return Number(headers.get('Upload-Offset') ?? 0)
}

/** Where the server takes the rest of an upload it holds a part of. */
export function unfinishedUrl(vpath: string): string {
  return new URL(apiUrl(`/tus${encodePath(vpath)}`), location.href).href
}

/** One's own unfinished uploads, from all devices. */
export async function listUnfinished(signal?: AbortSignal): Promise<UnfinishedUpload[]> {
  return callJson<UnfinishedUpload[]>('/uploads', { signal })
}

/**
 * Throws away what the server holds of an unfinished upload; the target itself is not touched, and
 * no right to delete is needed.
 */
export async function discardUpload(vpath: string): Promise<void> {
  await call(`/uploads${encodePath(vpath)}`, { method: 'DELETE' })
}

/** Bytes free where `vpath` lies; null when the server does not say. */
export async function fetchFreeBytes(vpath: string, signal: AbortSignal): Promise<number | null> {
  const { total, used } = await getUsage(vpath, signal)
  return total > 0 ? Math.max(0, total - used) : null
}
