// What the audit log holds: one line of JSON for each act (docs/http-api.md 28).
import type { AuditAction, AuditRecord, AuditResult } from '../audit-types.ts'
import { lineTime } from '../lib/log-file.ts'

/** A line as it is made; what does not apply is left out, and the time is added. */
export type AuditEvent = Omit<AuditRecord, 'time'>

export const AUDIT_ACTIONS: readonly AuditAction[] = [
  'sign-in',
  'password-accepted',
  'sign-out',
  'sign-up',
  'session-end',
  'upload',
  'save',
  'make-folder',
  'delete',
  'restore',
  'erase',
  'copy',
  'move',
  'mode',
  'undo',
  'lock',
  'unlock',
  'properties',
  'version-keep',
  'version-release',
  'upload-discard',
  'download',
  'visit',
  'share',
  'unshare',
  'user-add',
  'user-change',
  'user-delete',
  'group-add',
  'group-change',
  'group-delete',
  'folder-change',
  'folder-delete',
  'settings',
  'token-add',
  'token-delete',
  'second-factor-on',
  'second-factor-off',
  'passkey-add',
  'passkey-change',
  'passkey-delete',
  'connect',
  'disconnect',
  'confirm',
  'recovery-codes',
  'shell',
  'audit-export',
  'command-line',
  'lines-lost',
]

export const AUDIT_RESULTS: readonly AuditResult[] = ['ok', 'refused', 'failed', 'broken']

/** How an answer of this HTTP status ended. 202 refuses downloads, as clients of the original know it. */
export function resultOf(status: number): AuditResult {
  if (status < 400) return status === 202 ? 'refused' : 'ok'
  return status === 401 || status === 403 || status === 429 ? 'refused' : 'failed'
}

/** One line, newline included. Line separators are escaped: some programs would end the line there. */
export function lineOf(atMs: number, event: AuditEvent): string {
  // A copy of the event with its time would cost as much as writing it.
  return `{"time":"${lineTime(atMs)}",${escapeSeparators(JSON.stringify(event)).slice(1)}\n`
}

/** A value as it stands in a line, quotes included. */
export function quoted(value: string): string {
  return escapeSeparators(JSON.stringify(value))
}

function escapeSeparators(json: string): string {
  return /[\u2028\u2029]/.test(json)
    ? json.replace(/[\u2028\u2029]/g, (c) => (c === '\u2028' ? '\\u2028' : '\\u2029'))
    : json
}

/** The record of a line; null for what is none, such as a line torn by a power cut. */
export function parseLine(line: string): AuditRecord | null {
  try {
    const record: unknown = JSON.parse(line)
    const isRecord = typeof record === 'object' && record !== null
    return isRecord && 'time' in record && 'action' in record ? (record as AuditRecord) : null
  } catch {
    return null
  }
}
