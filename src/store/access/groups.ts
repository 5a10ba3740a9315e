// Group records and their members: names are unique, numbers are never given again, one administrator stays.
import { AppError } from '../../lib/errors.ts'
import type { Lookups, Records, Transaction } from '../collection.ts'
import { GROUPS, HOMES, MEMBERSHIPS, membershipKey, PREFERENCES, USERS } from '../collections.ts'
import { removeGrantsOf } from './folders.ts'
import type { AccountHome, Group, Membership, MembershipSource } from './records.ts'

export const MAX_GROUPS = 1_000

/** The groups of an account, each once. */
export function groupsOf(records: Lookups, userID: number): Group[] {
  const ids = new Set(records.find(MEMBERSHIPS, 'userID', userID).map(({ groupID }) => groupID))
  return [...ids].flatMap((id) => records.get(GROUPS, id) ?? [])
}

/** Adds a group under the next id. Throws `exists` for a taken name, `conflict` when there are too many. */
export function addGroup(tx: Transaction, group: Omit<Group, 'id'>): Group {
  requireFreeName(tx, group.name, 0)
  if (tx.count(GROUPS) >= MAX_GROUPS)
    throw new AppError('conflict', `more than ${MAX_GROUPS} groups: remove one first`)
  return tx.insert(GROUPS, { ...group, id: tx.nextId(GROUPS) })
}

/** Replaces the record with the same id. Throws `not_found`, `exists`, `last_admin`. */
export function replaceGroup(tx: Transaction, group: Group): Group {
  requireFreeName(tx, group.name, group.id)
  return keepAdministrator(tx, () => tx.replace(GROUPS, group))
}

/** Removes a group with its memberships and what records of folders say of it. Throws `not_found`, `last_admin`. */
export function removeGroup(tx: Transaction, id: number): Group {
  const group = tx.get(GROUPS, id)
  if (!group) throw noGroup(id)
  return keepAdministrator(tx, () => {
    for (const one of tx.find(MEMBERSHIPS, 'groupID', id))
      tx.remove(MEMBERSHIPS, membershipKey(one))
    removeGrantsOf(tx, `group:${id}`)
    tx.remove(GROUPS, id)
    return group
  })
}

/** Makes these accounts the members that an administrator has given a group. Throws `not_found`, `last_admin`. */
export function setMembers(tx: Transaction, groupID: number, userIDs: Iterable<number>): void {
  const wanted = new Set(userIDs)
  tx.expect(USERS, () => [...wanted])
  for (const id of wanted) if (!tx.get(USERS, id)) throw new AppError('not_found', `no user ${id}`)
  const others = tx.find(MEMBERSHIPS, 'groupID', groupID).filter(({ from }) => from === 'admin')
  keepAdministrator(tx, () => {
    for (const one of others)
      if (!wanted.delete(one.userID)) tx.remove(MEMBERSHIPS, membershipKey(one))
    for (const userID of wanted) join(tx, { userID, groupID, from: 'admin' })
  })
}

/**
 * Puts an account into these groups and out of all others, as far as `from` has given them. Throws `not_found` for a
 * group that is not there.
 */
export function setGroupsOf(
  tx: Transaction,
  userID: number,
  groupIDs: Iterable<number>,
  from: MembershipSource,
): void {
  const wanted = new Set(groupIDs)
  for (const id of wanted) if (!tx.get(GROUPS, id)) throw noGroup(id)
  for (const one of tx.find(MEMBERSHIPS, 'userID', userID))
    if (one.from === from && !wanted.delete(one.groupID)) tx.remove(MEMBERSHIPS, membershipKey(one))
  for (const groupID of wanted) join(tx, { userID, groupID, from })
}

/** For a membership that was looked for. */
function join(tx: Transaction, membership: Membership): void {
  tx.fresh(MEMBERSHIPS, membershipKey(membership))
  tx.insert(MEMBERSHIPS, membership)
}

/** Whether an account has a home, and the limit of its own. */
export function homeOf(records: Lookups, userID: number): Omit<AccountHome, 'userID'> {
  return records.get(HOMES, userID) ?? { home: true, homeQuota: null }
}

/** Records what is said, and nothing for an account of which nothing is said. */
export function setHome(tx: Transaction, { userID, home, homeQuota }: AccountHome): void {
  tx.remove(HOMES, userID)
  if (!home || homeQuota !== null) tx.insert(HOMES, { userID, home, homeQuota })
}

/** For an account that goes. */
export function forgetAccess(tx: Transaction, userID: number): void {
  for (const one of tx.find(MEMBERSHIPS, 'userID', userID))
    tx.remove(MEMBERSHIPS, membershipKey(one))
  tx.remove(HOMES, userID)
  tx.remove(PREFERENCES, userID)
}

/** Makes a change that may take an administration away. Throws `last_admin` when it was the last one. */
export function keepAdministrator<T>(tx: Transaction, change: () => T): T {
  const wasThere = hasAdministrator(tx)
  const result = change()
  if (wasThere && !hasAdministrator(tx))
    throw new AppError('last_admin', 'the sole administrator must stay')
  return result
}

/** True where a group administrates into which an administrator has put the account. */
export function administratesByGroup(records: Records, userID: number): boolean {
  return records.find(MEMBERSHIPS, 'userID', userID).some((one) => isLasting(records, one))
}

function hasAdministrator(records: Records): boolean {
  if (records.has(USERS, 'admin', 1)) return true
  const ids = records.find(GROUPS, 'admin', 1).map(({ id }) => id)
  const members = ids.flatMap((id) => records.find(MEMBERSHIPS, 'groupID', id))
  return members.some((one) => isLasting(records, one))
}

// What a provider gives it takes away at any sign-in, so that nobody can be left to it.
function isLasting(records: Records, { groupID, from }: Membership): boolean {
  return from === 'admin' && records.get(GROUPS, groupID)?.perm.admin === true
}

function requireFreeName(records: Records, name: string, ownId: number): void {
  const [other] = records.find(GROUPS, 'name', name)
  if (other && other.id !== ownId) throw new AppError('exists', 'the group name is taken')
}

function noGroup(id: number): AppError {
  return new AppError('not_found', `no group ${id}`)
}
