// Sign-in by a directory beside the accounts that have a password here: those are let in without asking it, so that
// an administrator gets in while it is down.
import { withEffective } from '../../access/effective.ts'
import { AppError } from '../../lib/errors.ts'
import { DIRECTORY_ISSUER } from '../../store/access/records.ts'
import type { Records } from '../../store/collection.ts'
import { GROUPS } from '../../store/collections.ts'
import type { Identity, SessionOrigin, User } from '../../store/document.ts'
import { loadUser, loadUserByName } from '../../store/users.ts'
import { admit, type ExternalRules } from '../external/admit.ts'
import { identitiesOf, loadIdentity } from '../external/identities.ts'
import {
  type Credentials,
  demandHuman,
  refused,
  type SignInDeps,
  withPassword,
} from '../password.ts'
import type { Directory, Person } from './directory.ts'
import { groupsAmong } from './group-names.ts'

export type DirectoryDeps = SignInDeps & { directory: Directory }

/** A password, and the code of the second step that was typed behind it. */
interface Split {
  password: string
  code: string | null
}

interface FoundInDirectory {
  user: User
  method: 'json' | 'ldap'
  code: string | null
}

// Undefined for accounts that have a password here.
function directoryIdentityOf(records: Records, userID: number): Identity | undefined {
  return identitiesOf(records, userID).find(({ issuer }) => issuer.startsWith(DIRECTORY_ISSUER))
}

/**
 * Checks name and password against the records, then against the directory. `split` takes the digits of a second
 * step off, for the account that is meant. Throws `wrong_credentials`, and `sign_in_unavailable` when the directory
 * does not say or its answer gives no account.
 */
export async function signInByDirectory(
  deps: DirectoryDeps,
  given: Credentials,
  split: (user: User | undefined) => Split,
): Promise<FoundInDirectory> {
  await demandHuman(deps, given)
  const { config, store } = deps
  const named = await loadUserByName(store, given.username)
  const local = named && !directoryIdentityOf(store, named.id) ? named : undefined
  let meant = split(local)
  const user = await withPassword(deps, local, meant.password)
  if (user) return { user, method: 'json', code: meant.code }
  // What is typed for such an account is nothing that the directory should read.
  const isClosed =
    local !== undefined && (!linksByName(deps) || withEffective(store, local).perm.admin)
  const person = await askDirectory(deps, given, isClosed, async (subject) => {
    const known = await loadIdentity(store, { issuer: issuerOf(config), subject })
    meant = split((known && (await loadUser(store, known.userID))) ?? local)
    return meant.password
  })
  if (!person) throw refused()
  return { user: await admitPerson(deps, person), method: 'ldap', code: meant.code }
}

// A closed account costs the same question, but no answer to it is worth more than its own password.
async function askDirectory(
  { directory }: DirectoryDeps,
  { username, password }: Credentials,
  isClosed: boolean,
  passwordFor: (subject: string) => Promise<string>,
): Promise<Person | null> {
  if (username === '' || password === '') return null
  if (!isClosed) return directory.authenticate(username, passwordFor)
  return directory.authenticate(username, () => null).catch(() => null)
}

/** An entry of the directory that is asked. */
interface DirectoryEntry {
  directory: Directory
  subject: string
}

/** The entry that has the password of an account; null for accounts whose password is kept here. */
export function directoryEntryOf(
  { directory, store }: SignInDeps & { directory: Directory | null },
  userID: number,
): DirectoryEntry | null {
  if (!directory || store.settings().authMethod !== 'json') return null
  const identity = directoryIdentityOf(store, userID)
  return identity ? { directory, subject: identity.subject } : null
}

/** Bounds a session of somebody in the directory, whoever opens it how: it says nothing of people who leave. */
export function directoryOriginOf(
  deps: SignInDeps & { directory: Directory | null },
  userID: number,
): SessionOrigin | undefined {
  const { config } = deps
  const entry = directoryEntryOf(deps, userID)
  if (!entry) return undefined
  const endsMs = Date.now() + config['ldap.sessionMax']
  return { issuer: issuerOf(config), subject: entry.subject, sid: '', endsMs }
}

/** True when it is the password of the entry. Throws `sign_in_unavailable`. */
export async function verifyByDirectory(
  { directory, subject }: DirectoryEntry,
  password: string,
): Promise<boolean> {
  return password !== '' && directory.verify(subject, password)
}

async function admitPerson(deps: DirectoryDeps, person: Person): Promise<User> {
  const { config } = deps
  const rules: ExternalRules = {
    create: config['ldap.create'],
    linkByName: linksByName(deps),
    allowedGroups: config['ldap.allowedGroups'],
    adminGroup: config['ldap.adminGroup'],
    adminLifeMs: config['ldap.sessionMax'],
  }
  // The others decide nothing, and nobody else has to know them.
  const claims = deps.store.all(GROUPS).flatMap((group) => group.claims)
  const named = [...rules.allowedGroups, rules.adminGroup, ...claims]
  const groups = groupsAmong(
    [...new Set(named)].filter((name) => name !== ''),
    person.groups,
  )
  try {
    return await admit(deps, { ...person, issuer: issuerOf(config), groups }, rules)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'wrong_credentials') {
      deps.log.warn(`refused with the right password of the directory: ${error.message}`)
      throw error
    }
    // The password was right: what is wrong is for the operator, and nothing that a watcher of the log should count.
    throw new AppError('sign_in_unavailable', `no account for ${person.username}`, { cause: error })
  }
}

// Where strangers make accounts, one of them would wait for its owner with links and keys of a stranger.
function linksByName({ config, store }: DirectoryDeps): boolean {
  return config['ldap.linkByName'] && !store.settings().signup
}

function issuerOf(config: DirectoryDeps['config']): string {
  return DIRECTORY_ISSUER + config['ldap.base'].toLowerCase()
}
