// The provider that people sign in at besides.

import type { OwnIdentityRecord, ProviderRecord } from '../../src/provider-types.ts'
import { call, callJson } from './client.ts'

/** For administrators. */
export async function getProvider(signal?: AbortSignal): Promise<ProviderRecord> {
  return callJson('/oidc', { signal })
}

export async function getOwnIdentity(signal?: AbortSignal): Promise<OwnIdentityRecord> {
  return callJson('/oidc/identity', { signal })
}

/** In a session that was just confirmed. @throws ApiError `invalid_password`. */
export async function removeOwnIdentity(): Promise<void> {
  await call('/oidc/identity', { method: 'DELETE', json: {} })
}
