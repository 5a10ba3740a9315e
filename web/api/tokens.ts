import type { ApiTokenRecord, Permissions } from '../../src/api-types.ts'
import { boot } from '../lib/boot.ts'
import { call, callJson } from './client.ts'

export interface NewToken {
  name: string
  perm: Partial<Permissions>
  folder: string
  /** RFC 3339, '' for never. */
  expires: string
}

/** A token as it is told once, when it is made. */
export interface MadeToken extends ApiTokenRecord {
  token: string
}

/** Where programs find the files by WebDAV. */
export function davAddress(): string {
  return `${location.origin}${boot.BaseURL}/dav/`
}

export async function listTokens(signal?: AbortSignal): Promise<ApiTokenRecord[]> {
  return callJson('/tokens', { signal })
}

/** @throws ApiError `exists` (the name), `invalid_password` (the caller's own), `conflict` (too many). */
export async function createToken(wanted: NewToken, ownPassword: string): Promise<MadeToken> {
  const json = { ...wanted, current_password: ownPassword }
  return callJson('/tokens', { method: 'POST', json })
}

export async function deleteToken(id: string): Promise<void> {
  await call(`/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
