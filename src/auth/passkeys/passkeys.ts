// Passkeys of accounts: adding one, and proving to have one, without a password or besides it. Records of their own, like
// second factors; each is good at the name that it was made for.
import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { Threads } from '../../programs/threads.ts'
import type { Store, Transaction } from '../../store/collection.ts'
import { PASSKEYS } from '../../store/collections.ts'
import type { Passkey, User } from '../../store/document.ts'
import { findUser } from '../../store/users.ts'
import { createLastUsed } from '../last-used.ts'
import { type Ceremony, CHALLENGE_MS, type Challenges, createChallenges } from './challenges.ts'
import type { Verified } from './passkey.worker.ts'
import { challengeOf } from './responses.ts'
import type { NoSite, Site } from './site.ts'
import { createVerifier } from './verifier.ts'

/** More than anybody has devices. */
const MAX_PER_USER = 20
const MAX_NAME_LENGTH = 100
/** Twice what the specification allows to a credential id. */
const MAX_ID_LENGTH = 2_800
const HANDLE_BYTES = 32
/** EdDSA, ES256, RS256: the ones the library verifies on every platform. */
const ALGORITHMS = [-8, -7, -257]

/** What a proof has to be; each missing part is refused. */
interface Wanted {
  purpose: Exclude<Ceremony['purpose'], 'register'>
  /** Who has to have asked for the challenge; strangers may have changed their network. */
  owner?: string
  /** Whose passkey it has to be; anybody's when absent. */
  userID?: number
}

export interface Passkeys {
  /** Those of an account, as they are now. */
  list(userID: number): Passkey[]
  /** Those of an account that are good at a site. */
  fitting(userID: number, site: Site | NoSite): Passkey[]
  /** True where anybody has one for this site. */
  isOfferedAt(site: Site | NoSite): Promise<boolean>
  /** What a browser makes a passkey by. Throws `conflict` when there are many already. */
  beginAdding(
    user: User,
    owner: string,
    site: Site,
  ): Promise<PublicKeyCredentialCreationOptionsJSON>
  /** Adds what it made. Throws `bad_request`, `wrong_credentials`, `exists`, `conflict`. */
  add(
    userID: number,
    owner: string,
    given: { name: string; response: RegistrationResponseJSON },
    demand: () => void,
  ): Promise<Passkey>
  /** What a browser signs by; of this account, or of whoever answers. */
  begin(ceremony: Ceremony, userID?: number): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** The passkey that has signed, which is noted as used. Throws `wrong_credentials`. */
  prove(response: AuthenticationResponseJSON, wanted: Wanted): Promise<Passkey>
  flush(): Promise<void>
}

/** Gives a passkey another name. Throws `bad_request`, `not_found`. */
export function renamePasskey(tx: Transaction, userID: number, id: string, name: string): void {
  tx.replace(PASSKEYS, { ...demandOwn(tx, userID, id), name: checkName(name) })
}

/** Takes one away. Throws `not_found`. */
export function removePasskey(tx: Transaction, userID: number, id: string): Passkey {
  const own = demandOwn(tx, userID, id)
  tx.remove(PASSKEYS, id)
  return own
}

export function createPasskeys(store: Store, log: Logger, threads: Threads): Passkeys {
  const challenges = createChallenges(store.shortLived)
  const verifier = createVerifier(threads)
  const lastUsed = createLastUsed(store, PASSKEYS)

  const fitting = (userID: number, site: Site | NoSite) => {
    if (typeof site === 'string') return []
    return store.find(PASSKEYS, 'userID', userID).filter(({ rpID }) => rpID === site.rpID)
  }

  return {
    list: (userID) => store.find(PASSKEYS, 'userID', userID).map(lastUsed.current),
    fitting,
    isOfferedAt: async (site) =>
      typeof site !== 'string' && (await store.large.values(PASSKEYS, 'rpID')).includes(site.rpID),
    beginAdding: async (user, owner, site) => {
      const own = store.find(PASSKEYS, 'userID', user.id)
      demandRoom(own)
      const userHandle = own[0]?.userHandle ?? randomBytes(HANDLE_BYTES).toString('base64url')
      const challenge = await challenges.issue({ purpose: 'register', owner, site, userHandle })
      return {
        rp: { id: site.rpID, name: store.settings().branding.name || 'File Browser' },
        user: { id: userHandle, name: user.username, displayName: user.username },
        challenge,
        excludeCredentials: fitting(user.id, site).map(descriptorOf),
        ...ASKED,
      }
    },
    add: async (userID, owner, { name, response }, demand) => {
      const checked = checkName(name)
      const { challenge, ceremony } = await takeOne(challenges, response, 'register', owner)
      const { site, userHandle = '' } = ceremony
      const made = await verifier.verify({ kind: 'register', response, challenge, site })
      if (made.id !== response.id || made.id === '' || made.id.length > MAX_ID_LENGTH)
        throw refused('its id is none')
      return store.transaction((tx) => {
        demand()
        demandRoom(tx.find(PASSKEYS, 'userID', userID))
        return tx.insert(PASSKEYS, {
          ...made,
          userID,
          rpID: site.rpID,
          userHandle,
          name: checked,
          createdMs: Date.now(),
          lastUsedMs: 0,
        })
      })
    },
    begin: async (ceremony, userID) => ({
      challenge: await challenges.issue(ceremony),
      rpId: ceremony.site.rpID,
      allowCredentials:
        userID === undefined ? [] : fitting(userID, ceremony.site).map(descriptorOf),
      // Beside a right password a key without PIN is enough.
      userVerification: ceremony.purpose === 'second' ? 'discouraged' : 'required',
      timeout: CHALLENGE_MS,
    }),
    prove: async (response, { purpose, owner, userID }) => {
      const { challenge, ceremony } = await takeOne(challenges, response, purpose, owner)
      const passkey = await store.large.load(PASSKEYS, response.id)
      if (!passkey || passkey.rpID !== ceremony.site.rpID) throw refused('unknown here')
      demandOwner(passkey, response, { purpose, userID })
      const verified = await verifier.verify({
        kind: 'authenticate',
        response,
        challenge,
        site: ceremony.site,
        publicKey: passkey.publicKey,
        needsVerification: purpose !== 'second',
      })
      lastUsed.note(passkey.id)
      return countUse(store, log, verified)
    },
    flush: lastUsed.flush,
  }
}

/** Of every new passkey: one that signs in without a name, by whatever authenticator there is. */
const ASKED = {
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' as const })),
  timeout: CHALLENGE_MS,
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'preferred',
  },
  attestation: 'none',
} as const

/** Notes the counter that came with a signature. Throws `wrong_credentials` unless it has grown, or stays 0. */
async function countUse(
  store: Store,
  log: Logger,
  { id, counter, backedUp }: Verified,
): Promise<Passkey> {
  const before = demandThere(store.get(PASSKEYS, id))
  if (counter === 0 && before.counter === 0 && backedUp === before.backedUp) return before
  // Ahead of a disk that is full, like codes: people must get in to make room.
  return store.ahead((tx) => {
    const now = demandThere(tx.get(PASSKEYS, id))
    if ((counter === 0 && now.counter === 0) || counter > now.counter)
      return tx.replace(PASSKEYS, { ...now, counter, backedUp })
    // Two authenticators with one key, or somebody who listened in (WebAuthn 3, 6.1.1).
    const username = findUser(tx, now.userID)?.username
    const [name, of] = [now.name, username].map((text) => JSON.stringify(text))
    log.warn(`passkey ${name} of ${of} may have been copied`)
    throw refused(`its counter is ${counter}, not above the one of before`)
  })
}

async function takeOne(
  challenges: Challenges,
  given: { response: { clientDataJSON: string } },
  purpose: Ceremony['purpose'],
  owner: string | undefined,
) {
  const challenge = challengeOf(given)
  const ceremony = await challenges.take(challenge)
  const isWanted = ceremony?.purpose === purpose && (!owner || ceremony.owner === owner)
  if (!isWanted) throw refused('the challenge is unknown, used or too old')
  return { challenge, ceremony }
}

function demandOwner(
  passkey: Passkey,
  { response }: AuthenticationResponseJSON,
  { purpose, userID }: { purpose: Wanted['purpose']; userID: number | undefined },
): void {
  if (userID !== undefined && passkey.userID !== userID) throw refused('that of somebody else')
  const { userHandle } = response
  // Whoever signs in without a name is who the authenticator says (WebAuthn 3, 7.2, step 6).
  if ((userHandle || purpose === 'sign-in') && userHandle !== passkey.userHandle)
    throw refused('the account does not fit')
}

function descriptorOf({ id, transports }: Passkey) {
  return { id, type: 'public-key' as const, transports: transports as AuthenticatorTransport[] }
}

function checkName(name: string): string {
  const plain = name.trim()
  if (plain === '' || plain.length > MAX_NAME_LENGTH)
    throw new AppError('bad_request', `the name must have 1 to ${MAX_NAME_LENGTH} characters`)
  return plain
}

function demandRoom(own: readonly Passkey[]): void {
  if (own.length >= MAX_PER_USER)
    throw new AppError('conflict', `more than ${MAX_PER_USER} passkeys: remove one first`)
}

// Somebody else's is as good as absent, so that ids cannot be probed.
function demandOwn(tx: Transaction, userID: number, id: string): Passkey {
  const passkey = tx.get(PASSKEYS, id)
  if (passkey?.userID !== userID) throw new AppError('not_found', 'no such passkey')
  return passkey
}

function demandThere(passkey: Passkey | undefined): Passkey {
  if (!passkey) throw refused('it was removed')
  return passkey
}

function refused(reason: string): AppError {
  return new AppError('wrong_credentials', `passkey: ${reason}`)
}
