// What was deleted and is kept: listing it, bringing it back, deleting it for good.

import type { FileInfo } from '../../src/api-types.ts'
import type { RestoreAnswer, TrashItem, TrashPage, TrashUsage } from '../../src/keep-types.ts'
import { encodePath } from '../lib/paths.ts'
import { apiUrl, call, callJson } from './client.ts'

export type { TrashItem, TrashPage }

/** Empty fields ask for nothing. `path` is the folder it was in, `account` a name, `q` part of the path. */
export type TrashFilter = Record<'path' | 'account' | 'q', string>

/** What becomes of a place that is taken. */
export type OnTaken = 'fail' | 'rename' | 'replace'

/** The newest entries, or those behind `cursor`, a `next` of another page. */
export async function listTrash(
  filter: Partial<TrashFilter>,
  cursor: string,
  signal?: AbortSignal,
): Promise<TrashPage> {
  const given = Object.entries({ ...filter, cursor }).filter(([, value]) => value !== '')
  return callJson('/trash', { query: Object.fromEntries(given), signal })
}

/** Of everybody, for administrators. */
export async function trashUsage(signal: AbortSignal): Promise<TrashUsage> {
  return callJson('/trash/usage', { signal })
}

/** A file of an entry, or a folder with its items; `below` is the path in the entry, '' for the entry itself. */
export async function readDeleted(
  id: string,
  below: string,
  signal: AbortSignal,
): Promise<FileInfo> {
  return callJson(`/trash/${id}${encodePath(below)}`, { signal })
}

/** Path and query of the bytes of what lies in an entry; of a folder, of an archive of it. */
export function deletedContent(id: string, below: string) {
  return { path: `/trash/${id}${encodePath(below)}`, query: { raw: true, inline: true } }
}

/** Where the browser saves it. */
export function deletedUrl(id: string, below: string, { inline = false } = {}): string {
  const { path } = deletedContent(id, below)
  return apiUrl(path, { raw: true, inline: inline || undefined })
}

/** What the list says of one entry, `path` being where it was; null where it has left. */
export async function findInTrash(
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<TrashItem | null> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: TrashPage = await listTrash({ path }, cursor, signal)
    const found = page.items.find((item) => item.id === id)
    if (found) return found
    cursor = page.next
  }
  return null
}

/** To where they were, or into the folder `to`. */
export async function restoreTrash(
  ids: readonly string[],
  conflict: OnTaken,
  to?: string,
): Promise<RestoreAnswer> {
  return callJson('/trash/restore', { method: 'POST', json: { ids, conflict, to } })
}

export async function eraseFromTrash(id: string): Promise<void> {
  await call(`/trash/${id}`, { method: 'DELETE' })
}
