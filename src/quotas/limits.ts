// Which folders are limited: the homes of accounts that have a limit.
import { join } from 'node:path'
import { effectiveOf } from '../access/effective.ts'
import type { Config } from '../config/config.ts'
import { vpathOf } from '../lib/vpath.ts'
import { homeOf } from '../store/access/groups.ts'
import type { Changes, Collection, Records } from '../store/collection.ts'
import { GROUPS, HOMES, MEMBERSHIPS, USERS } from '../store/collections.ts'
import type { FolderLimit } from './ledger.ts'

/** All limits by the records as they are now, by host paths that may lead through links. */
export function limitsOf({ root }: Pick<Config, 'root'>, records: Records): FolderLimit[] {
  const says = ({ homeQuota }: { homeQuota: number | null }) => homeQuota !== null
  if (!records.all(HOMES).some(says) && !records.all(GROUPS).some(says)) return []
  return records.all(USERS).flatMap((user) => {
    const { homeQuota: bytes } = effectiveOf(records, user)
    if (bytes === null || !homeOf(records, user.id).home) return []
    return [{ folder: join(root, vpathOf(user.scope)), bytes }]
  })
}

/** True for changes after which the limits may be others. */
export function affectsLimits(changes: Changes): boolean {
  const read = [GROUPS, MEMBERSHIPS, HOMES, USERS] as Collection[]
  return read.some((of) => changes.before(of).size > 0)
}
