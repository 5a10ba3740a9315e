// The line that a job leaves in the audit log when it is over.
import { placeOf } from '../access/folder-rights.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { AuditAction, AuditResult } from '../audit-types.ts'
import type { Services } from '../operations/services.ts'
import { loadUser } from '../store/users.ts'
import { type JobRecord, shownUrl } from './record.ts'

/** Paths that a line has of many. */
const MAX_NAMES = 50

/** What the log calls the work of a job. */
export function actOf({ kind, how }: Pick<JobRecord, 'kind' | 'how'>): AuditAction {
  if (kind === 'checksum') return how.check ? 'download' : 'copy'
  if (kind === 'empty') return 'erase'
  if (kind === 'fetch') return 'upload'
  return kind === 'compress' || kind === 'extract' ? 'copy' : kind
}

function resultOf({ state, reason }: JobRecord): AuditResult {
  if (state === 'done') return 'ok'
  if (state === 'cancelled') return 'broken'
  return reason === 'forbidden' ? 'refused' : 'failed'
}

/** What has become of it, by whom. */
export async function auditLineOf(
  { store }: Pick<Services, 'store'>,
  record: Readonly<JobRecord>,
): Promise<AuditEvent> {
  const { items, to, userID, tokenID, session, address, bytesDone } = record
  const user = await loadUser(store, userID).catch(() => undefined)
  const [path] = items
  const target = shownUrl(record)
  const place = user && path !== undefined ? placeOf({ store }, user, path).place : path
  const line: AuditEvent = {
    ...(user && { user: user.username }),
    via: tokenID === null ? 'session' : 'token',
    by: session,
    ...(address !== '' && { address }),
    action: actOf(record),
    ...(items.length === 1 && path !== undefined && { path }),
    ...(to !== null && { to }),
    ...(target !== undefined && { target }),
    ...(items.length === 1 && place !== path && { place }),
    ...(items.length > 1 && { names: items.slice(0, MAX_NAMES), selected: items.length }),
    result: resultOf(record),
    ...(bytesDone > 0 && { bytes: bytesDone }),
  }
  return line
}
