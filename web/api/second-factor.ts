// Two-step sign-in: of one's own account, of others for administrators, and the second step itself.

import type { AuthenticationResponseJSON } from '@simplewebauthn/browser'
import type { AccountFactorRecord } from '../../src/access-types.ts'
import type { Enrolment, SecondFactorRecord } from '../../src/api-types.ts'
import { call, callJson, callText } from './client.ts'

/** What is typed as the second step. */
export interface Proof {
  code?: string
  recovery?: string
}

/** Resolves with a token. @throws ApiError 403 for a wrong code, 401 when the ticket has expired. */
export async function postSecondStep(
  ticket: string,
  proof: Proof | { passkey: AuthenticationResponseJSON },
): Promise<string> {
  return callText('/login/second', {
    method: 'POST',
    json: { ticket, ...proof },
    signedIn: false,
  })
}

/** Begins to enrol while signing in. @throws ApiError 401 when the ticket has expired. */
export async function beginEnrolAtLogin(ticket: string): Promise<Enrolment> {
  return callJson('/login/enrol', { method: 'POST', json: { ticket }, signedIn: false })
}

/** Ends it. @throws ApiError 403 for a wrong code, 401 when the ticket has expired. */
export async function finishEnrolAtLogin(
  ticket: string,
  code: string,
): Promise<{ token: string; recovery: string[] }> {
  return callJson('/login/enrol', { method: 'POST', json: { ticket, code }, signedIn: false })
}

export async function getSecondFactor(signal?: AbortSignal): Promise<SecondFactorRecord> {
  return callJson('/second-factor', { signal })
}

/** @throws ApiError `invalid_password`. */
export async function beginEnrol(ownPassword: string): Promise<Enrolment> {
  return callJson('/second-factor', { method: 'POST', json: { current_password: ownPassword } })
}

/** Resolves with the recovery codes, which are told this once. @throws ApiError `invalid_code`. */
export async function finishEnrol(code: string): Promise<string[]> {
  const { recovery } = await callJson<{ recovery: string[] }>('/second-factor', {
    method: 'PUT',
    json: { code },
  })
  return recovery
}

/** @throws ApiError `invalid_password`, `invalid_code`. */
export async function removeSecondFactor(ownPassword: string, proof: Proof): Promise<void> {
  await call('/second-factor', {
    method: 'DELETE',
    json: { current_password: ownPassword, ...proof },
  })
}

/** The old codes stop working. @throws ApiError `invalid_password`, `invalid_code`. */
export async function renewRecoveryCodes(ownPassword: string, proof: Proof): Promise<string[]> {
  const json = { current_password: ownPassword, ...proof }
  const { recovery } = await callJson<{ recovery: string[] }>('/second-factor/recovery', {
    method: 'POST',
    json,
  })
  return recovery
}

/** For administrators: the accounts that have one or must have one. */
export async function listSecondFactors(signal?: AbortSignal): Promise<AccountFactorRecord[]> {
  return callJson('/second-factors', { signal })
}

/** For administrators. The sessions of the account end. @throws ApiError `invalid_password`. */
export async function resetSecondFactor(userID: number, ownPassword: string): Promise<void> {
  await call(`/second-factors/${userID}`, {
    method: 'DELETE',
    json: { current_password: ownPassword },
  })
}

/** For administrators. @throws ApiError `invalid_password`. */
export async function requireSecondFactor(
  userID: number,
  required: boolean,
  ownPassword: string,
): Promise<void> {
  await call(`/second-factors/${userID}`, {
    method: 'PUT',
    json: { required, current_password: ownPassword },
  })
}
