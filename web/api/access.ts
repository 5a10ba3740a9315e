// Rights, names at the top and limits of folders, what follows from them, groups of accounts, all for administrators; and
// locks.

import type {
  AccountVerdicts,
  FolderAccess,
  FolderList,
  FolderRecord,
  GroupRecord,
} from '../../src/access-types.ts'
import type { LockRecord } from '../../src/lock-types.ts'
import { encodePath } from '../lib/paths.ts'
import { call, callJson } from './client.ts'

export async function listFolders(signal?: AbortSignal): Promise<FolderList> {
  return callJson('/folders', { signal })
}

/**
 * Stores what is said of a place, whether or not something was said of it before; gives it as it is spelt now.
 *
 * @throws ApiError 400 with the reason; `invalid_password` (the caller's own).
 */
export async function putFolder(folder: FolderRecord): Promise<FolderRecord> {
  return callJson('/folders', { method: 'PUT', json: { ...folder, current_password: '' } })
}

export async function deleteFolder(place: string): Promise<void> {
  await call('/folders', { method: 'DELETE', query: { place }, json: { current_password: '' } })
}

/** What an account may do at a path of its own tree, and what decided that. */
export async function explainAccess(
  user: number,
  path: string,
  signal?: AbortSignal,
): Promise<AccountVerdicts> {
  return callJson('/access', { query: { user, path }, signal })
}

/** Who may do what at a path of one's own tree. */
export async function listAccess(path: string, signal?: AbortSignal): Promise<FolderAccess> {
  return callJson('/access', { query: { path }, signal })
}

/** A group as it is sent: of `members` those count that administrators have put in. */
export type GroupChange = Omit<GroupRecord, 'id'>

export async function listGroups(signal?: AbortSignal): Promise<GroupRecord[]> {
  return callJson('/groups', { signal })
}

/** @throws ApiError `exists` (the name), `invalid_password` (the caller's own). */
export async function createGroup(group: GroupChange): Promise<GroupRecord> {
  return callJson('/groups', { method: 'POST', json: { ...group, current_password: '' } })
}

/** @throws ApiError `exists` (the name), `last_admin`, `invalid_password` (the caller's own). */
export async function changeGroup(id: number, group: GroupChange): Promise<GroupRecord> {
  return callJson(`/groups/${id}`, { method: 'PUT', json: { ...group, current_password: '' } })
}

/** @throws ApiError `last_admin`, `invalid_password` (the caller's own). */
export async function deleteGroup(id: number): Promise<void> {
  await call(`/groups/${id}`, { method: 'DELETE', json: { current_password: '' } })
}

/** The locks of programs that mount the files (docs/http-api.md 38) that hold at an entry, those of folders above included. */
export async function listLocks(vpath: string, signal: AbortSignal): Promise<LockRecord[]> {
  return (await callJson<{ items: LockRecord[] }>(`/locks${encodePath(vpath)}`, { signal })).items
}

/** @throws ApiError `forbidden` for the lock of somebody else, `not_found` when it has ended. */
export async function endLock(vpath: string, id: string): Promise<void> {
  await call(`/locks${encodePath(vpath)}`, { method: 'DELETE', query: { id } })
}
