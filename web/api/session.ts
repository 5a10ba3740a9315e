import type { SecondStep, SessionRecord } from '../../src/api-types.ts'
import { type ApiError, call, callJson, callText } from './client.ts'

export interface Credentials {
  username: string
  password: string
  /** Answer of the human check, '' without one. */
  recaptcha?: string
  /** False ends the session with the browser. */
  remember?: boolean
}

/** Resolves with a token; the server also sets its cookie. Empty credentials for proxy and no login. */
export async function postLogin(credentials?: Credentials): Promise<string> {
  return callText('/login', {
    method: 'POST',
    // The empty code asks for a ticket where a second step is owed.
    json: credentials ? { ...credentials, code: '' } : { username: '', password: '' },
    signedIn: false,
  })
}

/** The step that a refused sign-in asks for; null for any other refusal. */
export function secondStepOf(error: ApiError): SecondStep | null {
  return error.code === 'second_factor_required' ? (JSON.parse(error.text) as SecondStep) : null
}

export async function postSignup(username: string, password: string): Promise<void> {
  await call('/signup', { method: 'POST', json: { username, password }, signedIn: false })
}

/** A fresh token by the session cookie; rejects with status 401 when there is no session. */
export async function getRenewed(): Promise<string> {
  return callText('/renew', { signedIn: false })
}

/** Resolves with where to log out as well, the provider's page; null when there is none. */
export async function postLogout(): Promise<string | null> {
  return (await call('/logout', { method: 'POST' })).headers.get('X-Logout-URL')
}

export async function listSessions(signal?: AbortSignal): Promise<SessionRecord[]> {
  return callJson('/sessions', { signal })
}

export async function endSession(id: string): Promise<void> {
  await call(`/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

export async function endOtherSessions(): Promise<void> {
  await call('/sessions', { method: 'DELETE' })
}
