// From somebody whom a provider or a directory vouches for to an account here.
import { withEffective } from '../../access/effective.ts'
import { holds, takeClaimed } from '../../access/groups.ts'
import { AppError } from '../../lib/errors.ts'
import type { Transaction } from '../../store/collection.ts'
import { IDENTITIES } from '../../store/collections.ts'
import type { Identity, User } from '../../store/document.ts'
import { findUser, findUserByName, loadUser, loadUserByName } from '../../store/users.ts'
import { type AccountDeps, provisionUser } from '../provision.ts'
import { connect, findIdentity, fingerprintOf, identitiesOf, loadIdentity } from './identities.ts'

/** Who somebody is at a provider or in a directory. */
export interface ExternalIdentity {
  /** Of the provider, as in its tokens; `ldap:` and the base DN for a directory. */
  issuer: string
  /** Never changes and is never given to anybody else. */
  subject: string
  username: string
  groups: readonly string[]
}

/** What the operator has said about people from there. */
export interface ExternalRules {
  /** Whoever has no account gets one. */
  create: boolean
  /** The names there are those here. */
  linkByName: boolean
  /** `*` for everybody. Empty: only accounts that are there already. */
  allowedGroups: readonly string[]
  /** Whoever is in it administrates; empty for nobody. */
  adminGroup: string
  /** How long that counts without another sign-in, milliseconds. */
  adminLifeMs: number
}

/**
 * The account of somebody from elsewhere: the one joined to them by issuer and subject, else with
 * `linkByName` the one of that name, which no administrator's ever is, else with `create` a new one. What
 * their groups give is read anew each time. Throws `wrong_credentials` for people who may not come in,
 * `exists` where the name is somebody's here, and what provisionUser throws.
 */
export async function admit(
  deps: AccountDeps,
  who: ExternalIdentity,
  rules: ExternalRules,
): Promise<User> {
  if (!(await isAllowed(deps, who, rules))) {
    await dropGroups(deps, who)
    throw new AppError('wrong_credentials', `${who.username} is in none of the allowed groups`)
  }
  const known = await deps.store.ahead((tx) => signInKnown(tx, who, rules))
  if (known) return known
  if (await loadUserByName(deps.store, who.username)) {
    // Theirs, made by another first sign-in a moment ago.
    if (await loadIdentity(deps.store, who)) return admit(deps, who, rules)
    if (rules.linkByName) return deps.store.transaction((tx) => linkByName(tx, who, rules))
    throw takenName(who)
  }
  if (!rules.create || rules.allowedGroups.length === 0)
    throw new AppError('wrong_credentials', `${who.username} has no account here`)
  return makeAccount(deps, who, rules)
}

/** What is kept of an identity that has just been shown. */
export function identityOf(userID: number, who: ExternalIdentity, rules: ExternalRules): Identity {
  const { issuer, subject, username } = who
  const nowMs = Date.now()
  const isAdmin = rules.adminGroup !== '' && holds(who.groups, rules.adminGroup)
  return {
    issuer,
    subject,
    userID,
    username,
    groups: [...who.groups],
    isAdmin,
    adminUntilMs: nowMs + rules.adminLifeMs,
    lastSignInMs: nowMs,
    madeWith: '',
  }
}

/** True where somebody with these groups may come in. */
export async function isAllowed(
  { store }: Pick<AccountDeps, 'store'>,
  who: ExternalIdentity,
  { allowedGroups, linkByName: byName }: ExternalRules,
): Promise<boolean> {
  if (allowedGroups.includes('*')) return true
  if (allowedGroups.length === 0) return byName || (await loadIdentity(store, who)) !== undefined
  return allowedGroups.some((group) => holds(who.groups, group))
}

async function dropGroups({ store }: AccountDeps, who: ExternalIdentity): Promise<void> {
  if (!(await loadIdentity(store, who))) return
  await store.ahead((tx) => {
    const known = findIdentity(tx, who)
    if (!known) return
    tx.replace(IDENTITIES, { ...known, groups: [...who.groups], isAdmin: false, adminUntilMs: 0 })
    takeClaimed(tx, { ...known, groups: [] })
  })
}

function signInKnown(tx: Transaction, who: ExternalIdentity, rules: ExternalRules): User | null {
  const known = findIdentity(tx, who)
  const user = known && findUser(tx, known.userID)
  if (!user) return null
  connect(tx, identityOf(user.id, who, rules))
  return user
}

function linkByName(tx: Transaction, who: ExternalIdentity, rules: ExternalRules): User {
  const user = findUserByName(tx, who.username)
  // A name that has gone to somebody else there does not bring the account along.
  const isTaken = (id: number) => identitiesOf(tx, id).some(({ issuer }) => issuer === who.issuer)
  if (!user || withEffective(tx, user).perm.admin || isTaken(user.id)) throw takenName(who)
  connect(tx, identityOf(user.id, who, rules))
  return user
}

async function makeAccount(
  deps: AccountDeps,
  who: ExternalIdentity,
  rules: ExternalRules,
): Promise<User> {
  try {
    return await provisionUser(deps, {
      username: who.username,
      // The password made here is known to nobody.
      fields: { lockPassword: true },
      // A name that people choose themselves opens no folder that is there already.
      isStranger: !rules.linkByName,
      alongside: (tx, user) => {
        connect(tx, { ...identityOf(user.id, who, rules), madeWith: fingerprintOf(user) })
      },
    })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'exists')) throw error
    // Of two first sign-ins at once one finds the account made by the other.
    const made = await loadIdentity(deps.store, who)
    const user = made && (await loadUser(deps.store, made.userID))
    if (user) return user
    if (await loadUserByName(deps.store, who.username)) throw takenName(who)
    // The home and not the name.
    throw new AppError('sign_in_unavailable', error.message, { cause: error })
  }
}

function takenName({ username }: ExternalIdentity): AppError {
  return new AppError(
    'exists',
    `there is an account named ${username} already: sign in with its password, and choose Connect in your profile`,
  )
}
