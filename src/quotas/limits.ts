// Which folders are limited: those that records say so of, and the homes of accounts that have a limit.
import { join } from 'node:path'
import { effectiveOf } from '../access/effective.ts'
import { hostPathOf, rootNames } from '../access/folder-rights.ts'
import type { Config } from '../config/config.ts'
import { splitPlace } from '../lib/places.ts'
import { vpathOf } from '../lib/vpath.ts'
import { homeOf } from '../store/access/groups.ts'
import type { Changes, Collection, Records } from '../store/collection.ts'
import { FOLDERS, GROUPS, HOMES, MEMBERSHIPS, USERS } from '../store/collections.ts'
import { findUser } from '../store/users.ts'
import type { FolderLimit } from './ledger.ts'

/** A limited folder by its host path, which may lead through links. */
export interface NamedLimit extends FolderLimit {
  /** The place of its record, or whose home it is. */
  of: { place: string } | { user: string }
}

/** All limits by the records as they are now; those in roots that there are not are left out. */
export function limitsOf(config: Config, records: Records): NamedLimit[] {
  const roots = rootNames(config)
  const folders = records.all(FOLDERS).flatMap(({ place, quota }) => {
    if (quota === null || !roots.includes(splitPlace(place).root)) return []
    return [{ folder: hostPathOf(config, place), bytes: quota, of: { place } }]
  })
  return [...folders, ...homeLimits(config, records)]
}

function homeLimits({ root }: Config, records: Records): NamedLimit[] {
  const ids = accountsWithLimit(records)
  records.expect(USERS, () => ids)
  return ids.flatMap((id) => {
    const user = findUser(records, id)
    if (!user) return []
    const { homeQuota: bytes } = effectiveOf(records, user)
    if (bytes === null || !homeOf(records, user.id).home) return []
    return [{ folder: join(root, vpathOf(user.scope)), bytes, of: { user: user.username } }]
  })
}

/** Those for which, or for whose group, a limit of the home is said. */
function accountsWithLimit(records: Records): number[] {
  const says = ({ homeQuota }: { homeQuota: number | null }) => homeQuota !== null
  const own = records.find(HOMES, 'limit', 1)
  const members = records
    .all(GROUPS)
    .filter(says)
    .flatMap(({ id }) => records.find(MEMBERSHIPS, 'groupID', id))
  return [...new Set([...own, ...members].map(({ userID }) => userID))].sort((a, b) => a - b)
}

/** True for changes after which the limits may be others. */
export function affectsLimits(changes: Changes): boolean {
  const read = [FOLDERS, GROUPS, MEMBERSHIPS, HOMES, USERS] as Collection[]
  return read.some((of) => changes.before(of).size > 0 || changes.unseen(of).length > 0)
}
