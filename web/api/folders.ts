// Rights, names at the top and limits of folders, and what follows from them. For administrators.

import type {
  AccountVerdicts,
  FolderAccess,
  FolderList,
  FolderRecord,
} from '../../src/access-types.ts'
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
