// Groups: what their members may do besides, and who they are. For administrators.

import type { GroupRecord } from '../../src/access-types.ts'
import { call, callJson } from './client.ts'

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
