// Who did what: the audit log of the server, and visits to one's own links.

import type { AuditPage } from '../../src/audit-types.ts'
import { apiUrl, callJson } from './client.ts'

/**
 * What is asked for; empty or absent fields ask for nothing. `path` is part of one, `share` the hash of a
 * link (what its visitors did), days are `YYYY-MM-DD` where the reader is and included.
 */
export type AuditFilter = Partial<
  Record<'user' | 'action' | 'path' | 'result' | 'share' | 'firstDay' | 'lastDay', string>
>

/** The newest lines, or those before `before`, a `next` of another page. */
export async function readAudit(
  filter: AuditFilter,
  before: string,
  signal?: AbortSignal,
): Promise<AuditPage> {
  return callJson('/audit', { query: { ...queryOf(filter), before }, signal })
}

/** Where the browser saves the lines that are asked for as a table. */
export function auditCsvUrl(filter: AuditFilter): string {
  return apiUrl('/audit/export', { ...queryOf(filter), format: 'csv' })
}

function queryOf({ firstDay = '', lastDay = '', ...filter }: AuditFilter): Record<string, string> {
  return { ...filter, from: startOf(firstDay, 0), to: startOf(lastDay, 1) }
}

/** The moment at which a day begins, or the day `days` later; empty when none is named. */
function startOf(day: string, days: number): string {
  if (day === '') return ''
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + days)
  return start.toISOString()
}
