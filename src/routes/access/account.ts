// Groups, home and limit of an account, as they travel with its record (docs/http-api.md 5).
import { effectiveOf } from '../../access/effective.ts'
import type { AccountAccess, AccountRecord } from '../../access-types.ts'
import { badRequest } from '../../lib/errors.ts'
import { asWhole, type Reader } from '../../lib/parse.ts'
import { groupsOf, homeOf, MAX_GROUPS, setGroupsOf, setHome } from '../../store/access/groups.ts'
import { parseQuota } from '../../store/access/records.ts'
import type { Records, Transaction } from '../../store/collection.ts'
import { GROUPS, HOMES, MEMBERSHIPS } from '../../store/collections.ts'
import type { User } from '../../store/document.ts'

export const ACCESS_FIELDS = ['groups', 'home', 'homeQuota'] as const

/** What stands beside the record; nothing for an account of which nothing is said. */
export function presentAccess(records: Records, user: User): Partial<AccountRecord> {
  const groups = groupsOf(records, user.id).map(({ id }) => id)
  if (groups.length === 0 && !records.get(HOMES, user.id)) return {}
  const { home, homeQuota } = homeOf(records, user.id)
  return { groups, home, homeQuota, effective: effectiveOf(records, user) }
}

/** What is given of it; a client that knows nothing of it leaves it alone. Throws ParseError. */
export function parseAccess(r: Reader): Partial<AccountAccess> {
  const isGiven = (key: keyof AccountAccess) => r.raw(key) !== undefined
  return {
    ...(isGiven('groups') && { groups: r.list('groups', asWhole, MAX_GROUPS) }),
    ...(isGiven('home') && { home: r.bool('home', true) }),
    ...(isGiven('homeQuota') && { homeQuota: parseQuota(r, 'homeQuota') }),
  }
}

/**
 * Records what is given. Memberships that a provider has given stay, and are not taken for an administrator's when they
 * are written back. Throws `bad_request` for a group that is not there.
 */
export function saveAccess(tx: Transaction, userID: number, given: Partial<AccountAccess>): void {
  const { groups, home, homeQuota } = given
  if (groups) {
    for (const id of groups) if (!tx.get(GROUPS, id)) throw badRequest(`there is no group ${id}`)
    const own = tx.find(MEMBERSHIPS, 'userID', userID)
    const has = (id: number, isOurs: boolean) =>
      own.some(({ groupID, from }) => groupID === id && (from === 'admin') === isOurs)
    const given = groups.filter((id) => has(id, true) || !has(id, false))
    setGroupsOf(tx, userID, given, 'admin')
  }
  if (home === undefined && homeQuota === undefined) return
  const before = homeOf(tx, userID)
  setHome(tx, {
    userID,
    home: home ?? before.home,
    homeQuota: homeQuota === undefined ? before.homeQuota : homeQuota,
  })
}

/** The record alone. */
export function withoutAccess<T extends Partial<AccountRecord>>(data: T) {
  const { groups: _, home: __, homeQuota: ___, effective: ____, ...record } = data
  return record
}
