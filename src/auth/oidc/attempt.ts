// A sign-in that has gone to the provider and is to come back: what it must match is kept by the browser alone,
// encrypted, in a cookie of its own for each attempt, so that two tabs do not get in each other's way.
import { hkdfSync, randomBytes } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'

/** As long as somebody may take at the provider. */
export const ATTEMPT_MS = 10 * 60_000
/** Attempts of one browser at a time: more cookies would not fit into a request. */
export const MAX_ATTEMPTS = 8
const NAME = /^oidc-[\w-]{16}$/

/** `connect` joins the identity to the account of a session, `confirm` proves who has that session. */
export type Purpose = 'sign-in' | 'connect' | 'confirm'

export interface Attempt {
  purpose: Purpose
  state: string
  nonce: string
  /** Of PKCE (RFC 7636). */
  verifier: string
  /** Address of this interface, below the base URL. */
  returnTo: string
  /** Whose account it is for, where it is no sign-in. */
  sessionId: string
}

export function newAttempt(facts: Pick<Attempt, 'purpose' | 'returnTo' | 'sessionId'>): Attempt {
  const random = () => randomBytes(32).toString('base64url')
  return { ...facts, state: random(), nonce: random(), verifier: random() }
}

/** `signingKey` is that of the server, base64. */
export function sealAttempt(signingKey: string, attempt: Attempt): Promise<string> {
  return new EncryptJWT({ ...attempt })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(Math.floor((Date.now() + ATTEMPT_MS) / 1000))
    .encrypt(keyOf(signingKey))
}

/** Null for what was not sealed here, is too old or belongs to another state. */
export async function openAttempt(
  signingKey: string,
  sealed: string,
  state: string,
): Promise<Attempt | null> {
  try {
    const { payload } = await jwtDecrypt<Attempt>(sealed, keyOf(signingKey), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return payload.state === state && state !== '' ? payload : null
  } catch {
    return null
  }
}

export function attemptCookie(state: string): string {
  return `oidc-${state.slice(0, 16)}`
}

/** Cookies of attempts in a `Cookie` header, the oldest first. */
export function attemptCookies(header: string): { name: string; value: string }[] {
  return header.split(';').flatMap((part) => {
    const [name = '', value = ''] = part.trim().split('=')
    return NAME.test(name) ? [{ name, value }] : []
  })
}

/** The path to go on at: an address of this interface, whatever was asked for. */
export function returnPathOf(wanted: string): string {
  const url = URL.parse(wanted, 'http://here')
  const isOurs =
    url?.origin === 'http://here' &&
    !/[\\\u0000-\u001f]/.test(wanted) &&
    // After dots are resolved: `/files/..//host` is none.
    /^\/(files|settings|share|login)(\/|$)/.test(url.pathname)
  return isOurs ? url.pathname + url.search + url.hash : '/files/'
}

function keyOf(signingKey: string): Uint8Array {
  const key = Buffer.from(signingKey, 'base64')
  return new Uint8Array(hkdfSync('sha256', key, '', 'sign-in at a provider', 32))
}
