// When what an account may do last changed: a token from before says something else.
import { isDeepStrictEqual } from 'node:util'
import { groupsOf } from '../store/access/groups.ts'
import { recordsBefore } from '../store/access/records-before.ts'
import type { Changes, Store } from '../store/collection.ts'
import { FOLDERS, GROUPS, USERS } from '../store/collections.ts'
import { findAccount, touchedAccounts } from './effective.ts'
import { toldByRecords } from './folder-rights.ts'

export interface UserChanges {
  /** The second in which what a token says of an account that is loaded last changed since the start, whoever changed it. */
  lastOf(userID: number): number
}

/** Follows the changes of a store. */
export function watchUsers(store: Store): UserChanges {
  const users = new Map<number, number>()
  // Their members need not be in memory.
  const groups = new Map<number, number>()
  let ofAll = 0
  store.subscribe((changes) => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    for (const id of changedUsers(store, changes)) users.set(id, nowSeconds)
    for (const id of changedGroups(store, changes)) groups.set(id, nowSeconds)
    const told = toldByRecords(store, changes)
    if (told === 'everyone') {
      ofAll = nowSeconds
      return
    }
    for (const id of told.users) users.set(id, nowSeconds)
    for (const id of told.groups) groups.set(id, nowSeconds)
  })
  return {
    lastOf: (userID) => {
      const last = Math.max(ofAll, users.get(userID) ?? 0)
      if (groups.size === 0) return last
      return Math.max(last, ...groupsOf(store, userID).map(({ id }) => groups.get(id) ?? 0))
    },
  }
}

function changedUsers(store: Store, changes: Changes): number[] {
  const then = recordsBefore(store, changes)
  return [...touchedAccounts(store, changes)].filter((id) => {
    // Of what is not in memory nobody knows what it was.
    if (!store.large.isHeld(USERS, id)) return true
    const [before, after] = [findAccount(then, id), findAccount(store, id)]
    if (before && after && !isDeepStrictEqual(before, after)) return true
    // Records may speak of a group.
    return store.count(FOLDERS) > 0
  })
}

// Where one is made or goes, so do memberships.
function changedGroups(store: Store, changes: Changes): number[] {
  const hasFolders = store.count(FOLDERS) > 0
  return [...changes.before(GROUPS)].flatMap(([id, was]) => {
    const is = store.get(GROUPS, id)
    const isChanged = was && is && (hasFolders || !isDeepStrictEqual(was.perm, is.perm))
    return isChanged ? is.id : []
  })
}
