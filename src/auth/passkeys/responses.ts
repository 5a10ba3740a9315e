// What browsers send of authenticators (WebAuthn 3, 5.1: RegistrationResponseJSON, AuthenticationResponseJSON), read like any
// other body.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { asString, type Reader } from '../../lib/parse.ts'

/** Reads the answer to a request to sign in; absent fields are empty and refused later. */
export function readAuthentication(r: Reader): AuthenticationResponseJSON {
  return {
    ...readCredential(r),
    response: r.obj('response', (response) => ({
      clientDataJSON: response.str('clientDataJSON'),
      authenticatorData: response.str('authenticatorData'),
      signature: response.str('signature'),
      userHandle: response.str('userHandle'),
    })),
  }
}

/** Reads the answer to a request for a new passkey. */
export function readRegistration(r: Reader): RegistrationResponseJSON {
  return {
    ...readCredential(r),
    response: r.obj('response', (response) => ({
      clientDataJSON: response.str('clientDataJSON'),
      attestationObject: response.str('attestationObject'),
      transports: response.list('transports', asString, 10),
    })),
  }
}

function readCredential(r: Reader) {
  const type = 'public-key' as const
  return { id: r.str('id'), rawId: r.str('rawId'), type, clientExtensionResults: {} }
}

/** The challenge that an answer is to; empty where it names none. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge } = JSON.parse(text) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}
