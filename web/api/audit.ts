// Who did what: the audit log of the server, and visits to one's own links.

import type { AuditPage } from '../../src/audit-types.ts'
import { apiUrl, callJson } from './client.ts'

/** Empty fields ask for nothing. */
export interface AuditFilter {
  user: string
  action: string
  /** Part of a path. */
  path: string
  result: string
  /** Hash of a link: what its visitors did. */
  share: string
}

/** The newest lines, or those before `before`, a `next` of another page. */
export async function readAudit(
  filter: AuditFilter,
  before: string,
  signal?: AbortSignal,
): Promise<AuditPage> {
  return callJson('/audit', { query: { ...filter, before }, signal })
}

/** Where the browser saves the lines that are asked for as a table. */
export function auditCsvUrl(filter: AuditFilter): string {
  return apiUrl('/audit/export', { ...filter, format: 'csv' })
}
