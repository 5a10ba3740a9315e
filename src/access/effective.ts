// What an account may after all: its own permissions, those of its groups, and administration that a provider or a
// directory gives. They stand beside the account and not in it, so that nothing has to be taken back.
import type { Permissions } from '../api-types.ts'
import { memo } from '../lib/memo.ts'
import { groupsOf, homeOf } from '../store/access/groups.ts'
import { type Group, type Membership, sourceOf } from '../store/access/records.ts'
import type { Changes, Collection, Lookups } from '../store/collection.ts'
import { GROUPS, IDENTITIES, MEMBERSHIPS, USERS } from '../store/collections.ts'
import { defaultPermissions, type Identity, type User } from '../store/document.ts'
import { findUser } from '../store/users.ts'

export interface Effective {
  perm: Permissions
  /** Bytes: what is said for the account, else the most that one of its groups gives; null for no limit. */
  homeQuota: number | null
}

/** All that holds for an account, from the records as they are now. */
export function effectiveOf(records: Lookups, user: User): Effective {
  const { homeQuota } = homeOf(records, user.id)
  const quotas = groupsOf(records, user.id).flatMap((group) => group.homeQuota ?? [])
  return {
    perm: withEffective(records, user).perm,
    homeQuota: homeQuota ?? (quotas.length > 0 ? Math.max(...quotas) : null),
  }
}

/** The account with its effective permissions: the same object for the same record and permissions. */
export function withEffective(records: Lookups, user: User): User {
  const own = bitsOf(user)
  let bits = own | bitsOfGroups(records, user)
  if ((bits & ADMIN) === 0 && administratesByProvider(records, user.id)) bits |= ADMIN
  return bits === own ? user : acting(user)(bits)
}

/** An account as it acts. */
export function findAccount(records: Lookups, id: number): User | undefined {
  const user = findUser(records, id)
  return user && withEffective(records, user)
}

/** What the groups of an account add, as bits. */
function bitsOfGroups(records: Lookups, user: User): number {
  const steps = records.stepsOf(GROUPS) + records.stepsOf(MEMBERSHIPS)
  const known = addedUp(user)
  if (known.steps === steps) return known.bits
  const own = records.find(MEMBERSHIPS, 'userID', user.id)
  const bits = own.reduce((bits, one) => bits | bitsGiven(records, one), 0)
  // What others give may end by the clock.
  if (own.every(({ from }) => from === 'admin')) Object.assign(known, { steps, bits })
  return bits
}

// Administration that others give counts as long as the administrators' group there would.
function bitsGiven(records: Lookups, { userID, groupID, from }: Membership): number {
  const group = records.get(GROUPS, groupID)
  if (!group) return 0
  const bits = bitsOf(group)
  if (from === 'admin' || (bits & ADMIN) === 0) return bits
  const nowMs = Date.now()
  const isRecent = records
    .find(IDENTITIES, 'userID', userID)
    .some(({ issuer, adminUntilMs }) => sourceOf(issuer) === from && nowMs < adminUntilMs)
  return isRecent ? bits : bits & ~ADMIN
}

/** True while the administrators' group of a provider or a directory has the account. */
export function administratesByProvider(records: Lookups, userID: number): boolean {
  const own = records.find(IDENTITIES, 'userID', userID)
  if (own.length === 0) return false
  const nowMs = Date.now()
  return own.some(({ isAdmin, adminUntilMs }) => isAdmin && nowMs < adminUntilMs)
}

/** The accounts whose record or whose permissions a change may have changed, but for what changes of their groups do. */
export function touchedAccounts(after: Lookups, changes: Changes): Set<number> {
  const seen = changes.before(USERS).keys()
  const touched = new Set([...seen, ...changes.unseen(USERS)] as number[])
  const note = (records: Iterable<{ userID: number } | undefined>) => {
    for (const one of records) if (one) touched.add(one.userID)
  }
  for (const kind of [MEMBERSHIPS, IDENTITIES] as Collection<Membership | Identity>[]) {
    for (const [key, was] of changes.before(kind)) note([was, after.get(kind, key)])
    for (const id of changes.unseen(kind)) touched.add(Number(id))
  }
  return touched
}

const VERBS = Object.keys(defaultPermissions()) as (keyof Permissions)[]
const ADMIN = 1 << VERBS.indexOf('admin')

/** A bit for each permission, of an account or a group. */
const bitsOf = memo(({ perm }: User | Group) =>
  VERBS.reduce((bits, verb, i) => (perm[verb] ? bits | (1 << i) : bits), 0),
)

// By the number of changes when they were added up.
const addedUp = memo((_user: User) => ({ steps: Number.NaN, bits: 0 }))

// What is compiled from an account is kept by its object, so that there has to be one for each set of permissions.
const acting = memo((user: User) => {
  const made = new Map<number, User>()
  return (bits: number): User => {
    let known = made.get(bits)
    if (!known) {
      const perm = Object.fromEntries(VERBS.map((verb, i) => [verb, (bits & (1 << i)) !== 0]))
      known = { ...user, perm: perm as unknown as Permissions }
      made.set(bits, known)
    }
    return known
  }
})
