// Passkeys of one's own account, signing in with one, and proving again who one is.

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import type { ConfirmWays, PasskeyList, PasskeyRecord } from '../../src/api-types.ts'
import { call, callJson, callText } from './client.ts'

export async function listPasskeys(signal?: AbortSignal): Promise<PasskeyList> {
  return callJson('/passkeys', { signal })
}

/** What the browser makes a passkey by. @throws ApiError `invalid_password`, 409 when there are many. */
export async function beginPasskey(
  ownPassword: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const json = { current_password: ownPassword }
  return callJson('/passkeys/options', { method: 'POST', json })
}

/** @throws ApiError `invalid_passkey`. */
export async function addPasskey(
  name: string,
  response: RegistrationResponseJSON,
): Promise<PasskeyRecord> {
  return callJson('/passkeys', { method: 'POST', json: { name, response } })
}

export async function renamePasskey(id: string, name: string): Promise<void> {
  await call(`/passkeys/${id}`, { method: 'PATCH', json: { name } })
}

/** @throws ApiError `invalid_password`, 403 for the last second factor where there has to be one. */
export async function removePasskey(id: string, ownPassword: string): Promise<void> {
  await call(`/passkeys/${id}`, { method: 'DELETE', json: { current_password: ownPassword } })
}

/** What the browser signs by, for whoever answers or for the second step of a ticket. */
export async function beginPasskeyLogin(
  ticket?: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return callJson('/login/passkey/options', { method: 'POST', json: { ticket }, signedIn: false })
}

/** Resolves with a token. @throws ApiError 403 for a passkey that was not accepted. */
export async function postPasskeyLogin(
  response: AuthenticationResponseJSON,
  remember: boolean,
): Promise<string> {
  const json = { response, remember }
  return callText('/login/passkey', { method: 'POST', json, signedIn: false })
}

/** By what one proves again who one is, and whether that was just done. */
export async function getConfirmWays(): Promise<ConfirmWays> {
  return callJson('/confirm')
}

export async function beginConfirm(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return callJson('/confirm/options', { method: 'POST', json: {} })
}

/** Good for some minutes. @throws ApiError `invalid_password`, `invalid_code`, `invalid_passkey`. */
export async function postConfirm(proof: {
  password?: string
  code?: string
  passkey?: AuthenticationResponseJSON
}): Promise<void> {
  await call('/confirm', { method: 'POST', json: proof })
}
