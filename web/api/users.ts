// Accounts. Changes that matter need the password of the person who makes them.

import type { AccountRecord } from '../../src/access-types.ts'
import type { UserRecord } from '../../src/api-types.ts'
import type { AccountIdentityRecord } from '../../src/provider-types.ts'
import { call, callJson } from './client.ts'

export async function listUsers(signal?: AbortSignal): Promise<AccountRecord[]> {
  return callJson('/users', { signal })
}

/** For administrators: the accounts that come from a directory or a provider. */
export async function listIdentities(signal?: AbortSignal): Promise<AccountIdentityRecord[]> {
  return callJson('/identities', { signal })
}

export async function getUser(id: number, signal?: AbortSignal): Promise<AccountRecord> {
  return callJson(`/users/${id}`, { signal })
}

/**
 * Creates an account and resolves with its id.
 *
 * @throws ApiError `exists`, `weak_password`, `invalid_password` (the caller's own).
 */
export async function createUser(user: AccountRecord, ownPassword: string): Promise<number> {
  const response = await call('/users', {
    method: 'POST',
    json: { what: 'user', which: [], current_password: ownPassword, data: { ...user, id: 0 } },
  })
  return Number(response.headers.get('Location')?.split('/').pop() ?? 0)
}

/** Replaces a whole account; an empty password keeps the old one. For administrators. */
export async function replaceUser(user: AccountRecord, ownPassword: string): Promise<void> {
  await call(`/users/${user.id}`, {
    method: 'PUT',
    json: { what: 'user', which: ['all'], current_password: ownPassword, data: user },
  })
}

export async function updateUser(
  id: number,
  fields: Partial<UserRecord>,
  ownPassword?: string,
): Promise<void> {
  await call(`/users/${id}`, {
    method: 'PUT',
    json: {
      what: 'user',
      which: Object.keys(fields),
      ...(ownPassword !== undefined && { current_password: ownPassword }),
      data: { id, ...fields },
    },
  })
}

/** @throws ApiError `last_admin`, `invalid_password`. */
export async function deleteUser(id: number, ownPassword: string): Promise<void> {
  await call(`/users/${id}`, { method: 'DELETE', json: { current_password: ownPassword } })
}
