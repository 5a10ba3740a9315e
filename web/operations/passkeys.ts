// What the browser does with passkeys. The library is loaded when somebody has one, or adds one.

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import type { PasskeyRecord } from '../../src/api-types.ts'

const library = () => import('@simplewebauthn/browser')

/** False in old browsers, at addresses that are not secure, and in frames of other origins, where the server refuses them. */
export function knowsPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && !isFramedElsewhere()
}

function isFramedElsewhere(): boolean {
  try {
    return window.top?.location.origin !== location.origin
  } catch {
    // Nobody may read the address of another origin.
    return true
  }
}

/** True where the browser offers passkeys among the names that it fills in. */
export async function fillsInPasskeys(): Promise<boolean> {
  return (await library()).browserSupportsWebAuthnAutofill()
}

export async function makePasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<RegistrationResponseJSON> {
  return (await library()).startRegistration({ optionsJSON })
}

/** Asks for a passkey at once, or by autofill whenever the person chooses one. Ends an earlier request. */
export async function signWithPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
  useBrowserAutofill = false,
): Promise<AuthenticationResponseJSON> {
  return (await library()).startAuthentication({ optionsJSON, useBrowserAutofill })
}

/** Ends what the browser still waits for. */
export async function stopPasskeys(): Promise<void> {
  ;(await library()).WebAuthnAbortService.cancelCeremony()
}

/** True when the person closed the browser's question, let it pass, or another one took its place. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)
}

/** True when this device has a passkey of the account already. */
export function isThereAlready(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError'
}

/** Has password managers offer a passkey no more that was removed here; those that know how. */
export async function forgetPasskey({ id, rpID }: PasskeyRecord): Promise<void> {
  const signals = globalThis.PublicKeyCredential as
    | { signalUnknownCredential?(of: { rpId: string; credentialId: string }): Promise<void> }
    | undefined
  await signals?.signalUnknownCredential?.({ rpId: rpID, credentialId: id }).catch(() => {})
}
