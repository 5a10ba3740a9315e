// A thread that verifies what authenticators answer: the library takes 16 MiB and 200 ms to load.
import { parentPort } from 'node:worker_threads'
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
import type { Site } from './site.ts'

interface Expected {
  challenge: string
  site: Site
}

export type PasskeyWork = Expected &
  (
    | { kind: 'register'; response: RegistrationResponseJSON }
    | {
        kind: 'authenticate'
        response: AuthenticationResponseJSON
        /** COSE, base64url. */
        publicKey: string
        needsVerification: boolean
      }
  )

/** What is known of a passkey once its answer is verified. */
export interface Verified {
  id: string
  /** COSE, base64url; empty for a sign-in. */
  publicKey: string
  counter: number
  transports: string[]
  backedUp: boolean
}

export type PasskeyAnswer = { id: number } & ({ verified: Verified } | { refusal: string })

// The library asks for algorithms that Node calls experimental; only this thread says nothing of it.
process.removeAllListeners('warning')

parentPort?.on('message', async ({ id, work }: { id: number; work: PasskeyWork }) => {
  parentPort?.postMessage({ id, ...(await answerTo(work)) } satisfies PasskeyAnswer)
})

async function answerTo(work: PasskeyWork) {
  try {
    return { verified: await (work.kind === 'register' ? register(work) : authenticate(work)) }
  } catch (error) {
    // Whatever the library throws is about what it was given.
    return { refusal: error instanceof Error ? error.message : String(error) }
  }
}

async function register(work: Extract<PasskeyWork, { kind: 'register' }>): Promise<Verified> {
  const { response, challenge, site } = work
  refuseCertificates(response.response.attestationObject)
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpID,
    // A key without PIN is good as a second step.
    requireUserVerification: false,
  })
  if (!registrationInfo) throw new Error('the attestation is wrong')
  const { credential, credentialBackedUp } = registrationInfo
  return {
    id: credential.id,
    publicKey: isoBase64URL.fromBuffer(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports ?? [],
    backedUp: credentialBackedUp,
  }
}

// None were asked for, and for some the library would fetch an address that stands in them.
function refuseCertificates(attestationObject: string): void {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const isSelf = decoded.get('fmt') === 'packed' && !decoded.get('attStmt').get('x5c')
  if (decoded.get('fmt') !== 'none' && !isSelf) throw new Error('an attestation nobody asked for')
}

async function authenticate(
  work: Extract<PasskeyWork, { kind: 'authenticate' }>,
): Promise<Verified> {
  const { response, challenge, site, publicKey, needsVerification } = work
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpID,
    requireUserVerification: needsVerification,
    // The counter is compared where it is stored, in one change.
    credential: { id: response.id, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
  })
  if (!verified) throw new Error('the signature is wrong')
  const { newCounter, credentialBackedUp } = authenticationInfo
  return {
    id: response.id,
    publicKey: '',
    counter: newCounter,
    transports: [],
    backedUp: credentialBackedUp,
  }
}
