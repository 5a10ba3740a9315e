// Authenticators in software, and passkeys made and used over HTTP.
import { createRequire } from 'node:module'
import {
  AuthenticatorEmulator,
  PasskeysCredentialsMemoryRepository,
  WebAuthnEmulator,
} from 'nid-webauthn-emulator'
import type { PasskeyRecord } from '../../src/api-types.ts'
import { type OpenedApp, PASSWORD } from './app.ts'
import type { SignedIn } from './login.ts'

// The emulator's encoder (cbor 10.0) reads its stream once, which gives the first byte alone since Node 26.
const cbor = createRequire(createRequire(import.meta.url).resolve('nid-webauthn-emulator'))(
  'cbor',
) as {
  Encoder: { prototype: StreamEncoder }
  encode(value: unknown): Buffer
  decode(bytes: Buffer): { fmt: string; attStmt: object }
}
interface StreamEncoder {
  push(chunk: Buffer | null): boolean
  pushAny(value: unknown): void
  _encodeAll(values: unknown[]): Buffer
}
cbor.Encoder.prototype._encodeAll = function encodeAll(this: StreamEncoder, values) {
  const chunks: Buffer[] = []
  this.push = (chunk) => {
    if (chunk) chunks.push(Buffer.from(chunk))
    return true
  }
  for (const value of values) this.pushAny(value)
  return Buffer.concat(chunks)
}

/** Where the tests open the server. */
export const ORIGIN = 'https://files.example.org'

type Asker = Pick<OpenedApp, 'fetch'>
type Requested = Parameters<WebAuthnEmulator['getJSON']>[1]
export type Signed = ReturnType<WebAuthnEmulator['getJSON']>
export type Made = ReturnType<WebAuthnEmulator['createJSON']>

/** An authenticator with its user at it; `counts` by how much its counter grows, `verifies` whether it has a PIN. */
export function authenticator({ counts = 1, verifies = true } = {}): WebAuthnEmulator {
  const answer = () => ({ options: { up: true, uv: verifies } })
  return new WebAuthnEmulator(
    new AuthenticatorEmulator({
      signCounterIncrement: counts,
      userMakeCredentialInteraction: answer,
      userGetAssertionInteraction: answer,
      credentialsRepository: new PasskeysCredentialsMemoryRepository(),
    }),
  )
}

/** Sends JSON, as the page at `host` does. */
export function send(by: Asker, path: string, body: object, method = 'POST', host?: string) {
  const headers = host === undefined ? {} : { host }
  return by.fetch(path, { method, headers, body: JSON.stringify(body) })
}

/** What a browser makes a passkey by. */
export async function creationOptions(who: SignedIn, host?: string, password = PASSWORD) {
  const body = { current_password: password }
  const response = await send(who, '/api/passkeys/options', body, 'POST', host)
  if (response.status !== 200) throw new Error(`options: ${response.status}`)
  return response.json()
}

/** Adds a passkey of this authenticator. */
export async function addPasskey(
  who: SignedIn,
  key: WebAuthnEmulator,
  options: { name?: string; origin?: string; host?: string; password?: string } = {},
): Promise<PasskeyRecord> {
  const { name = 'Phone', origin = ORIGIN, host, password } = options
  const made = key.createJSON(origin, await creationOptions(who, host, password))
  const response = await send(who, '/api/passkeys', { name, response: made }, 'POST', host)
  if (response.status !== 201) throw new Error(`add: ${response.status} ${await response.text()}`)
  return response.json()
}

/** What a browser signs by to come in; with the ticket of a first step for the second. */
export async function signInOptions(app: Asker, ticket = '', host?: string): Promise<Requested> {
  const body = ticket === '' ? {} : { ticket }
  const response = await send(app, '/api/login/passkey/options', body, 'POST', host)
  if (response.status !== 200) throw new Error(`options: ${response.status}`)
  return response.json()
}

/** Signs in with the passkey alone. */
export async function signInWith(app: Asker, key: WebAuthnEmulator): Promise<Response> {
  const response = key.getJSON(ORIGIN, await signInOptions(app))
  return send(app, '/api/login/passkey', { response })
}

/** The same answer with certificates in its attestation, which nobody has asked for. */
export function withCertificates(made: Made): Made {
  const decoded = cbor.decode(Buffer.from(made.response.attestationObject, 'base64url'))
  decoded.fmt = 'packed'
  decoded.attStmt = { alg: -7, sig: Buffer.alloc(64), x5c: [Buffer.alloc(64)] }
  const attestationObject = cbor.encode(decoded).toString('base64url')
  return { ...made, response: { ...made.response, attestationObject } }
}
