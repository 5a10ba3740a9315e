// What was deleted and is kept: listing it, bringing it back, deleting it for good.

import type { RestoreAnswer, TrashItem, TrashPage, TrashUsage } from '../../src/keep-types.ts'
import { call, callJson } from './client.ts'

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

/** Everything that the account may delete for good. */
export async function emptyTrash(): Promise<void> {
  await call('/trash', { method: 'DELETE' })
}
