// Where uploads go, what is there before them, and how much room is left.

import { encodePath } from '../lib/paths.ts'
import { apiUrl, call } from './client.ts'
import { getUsage } from './usage.ts'

/** Where a resumable upload of `vpath` is created; its parts go to the address in the answer. */
export function tusEndpoint(vpath: string, overwrite: boolean): string {
  return apiUrl(`/tus${encodePath(vpath)}`, { override: overwrite })
}

/** Where a file is sent by one request, or, with a slash at the end, a folder is made. */
export function plainUploadUrl(vpath: string, isDir: boolean, overwrite: boolean): string {
  return apiUrl(`/resources${encodePath(vpath)}${isDir ? '/' : ''}`, { override: overwrite })
}

/** How much the server holds of an unfinished upload. @throws ApiError 404 when it knows none. */
export async function fetchReceivedBytes(vpath: string, signal: AbortSignal): Promise<number> {
  const { headers } = await call(`/tus${encodePath(vpath)}`, { method: 'HEAD', signal })
  return Number(headers.get('Upload-Offset') ?? 0)
}

/** Throws away what the server holds of an unfinished upload; the target itself is not touched. */
export async function discardUpload(vpath: string): Promise<void> {
  await call(`/tus${encodePath(vpath)}`, { method: 'DELETE' })
}

/** Bytes free where `vpath` lies; null when the server does not say. */
export async function fetchFreeBytes(vpath: string, signal: AbortSignal): Promise<number | null> {
  const { total, used } = await getUsage(vpath, signal)
  return total > 0 ? Math.max(0, total - used) : null
}
