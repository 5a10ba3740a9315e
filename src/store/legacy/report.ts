// What an import found, and the lines an operator reads about it.
import type { Rule } from '../../api-types.ts'
import {
  defaultServerOptions,
  defaultSettings,
  type ServerOptions,
  USER_FIELDS,
} from '../document.ts'
import { faultOf } from '../rules.ts'

export interface ImportReport {
  file: string
  sizeBytes: number
  sha256: string
  pageSizeBytes: number
  authMethod: string
  /** Names in order of their ids. */
  users: string[]
  userRules: number
  globalRules: number
  /** Command lines of all events together. */
  commands: number
  shares: number
  protectedShares: number
  /** Left out: they would be refused anyway. */
  expiredShares: number
  orphanShares: number
  /** What has no counterpart, and what to look at. */
  notes: string[]
}

const MAX_NAMES = 8

export function reportLines(report: ImportReport): string[] {
  const names = report.users.slice(0, MAX_NAMES).join(', ')
  const more = report.users.length > MAX_NAMES ? ` and ${report.users.length - MAX_NAMES} more` : ''
  const rows: [string, string][] = [
    [
      'Users',
      report.users.length === 0
        ? '0'
        : `${report.users.length} (${names}${more}), with their passwords`,
    ],
    ['Rules', `${report.globalRules} for all, ${report.userRules} for single users`],
    ['Shares', shareText(report)],
    ['Sign-in', `${report.authMethod}, with its options`],
    ['Event commands', `${report.commands}`],
    ['Settings', 'branding, defaults for new users, uploads, server options'],
    ['Not taken over', 'the signing key: everybody signs in once more, with the old password'],
  ]
  const width = Math.max(...rows.map(([label]) => label.length)) + 2
  return [
    `Read ${report.file}: ${report.sizeBytes} bytes, pages of ${report.pageSizeBytes}, sha256 ${report.sha256}`,
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}${text}`),
    ...report.notes.map((note) => `  Note: ${note}`),
  ]
}

function shareText(report: ImportReport): string {
  const left = [
    report.expiredShares > 0 ? `${report.expiredShares} expired` : '',
    report.orphanShares > 0 ? `${report.orphanShares} of deleted users` : '',
  ].filter((part) => part !== '')
  const omitted = left.length > 0 ? `; left out: ${left.join(', ')}` : ''
  return `${report.shares}, ${report.protectedShares} of them with a password${omitted}`
}

const KNOWN: Record<string, () => readonly string[]> = {
  settings: () => Object.keys(defaultSettings()),
  server: () => Object.keys(defaultServerOptions()),
  user: () => USER_FIELDS,
  share: () => ['hash', 'path', 'userID', 'expire', 'password_hash', 'token'],
}

/** Notes fields that hold something and that nothing here reads, each once per kind of record. */
export function noteUnknownKeys(
  kind: 'settings' | 'server' | 'user' | 'share',
  record: unknown,
  report: ImportReport,
): void {
  const known = new Set(KNOWN[kind]?.().map((key) => key.toLowerCase()))
  for (const [key, value] of Object.entries(record ?? {})) {
    if (known.has(key.toLowerCase()) || isNothing(value)) continue
    const note = `the ${kind} field "${key}" has no counterpart and is left out`
    if (!report.notes.includes(note)) report.notes.push(note)
  }
}

/** Notes rules whose expression does not compile, since such a rule never opens a door. */
export function noteFaultyRules(whose: string, rules: readonly Rule[], report: ImportReport): void {
  for (const [i, rule] of rules.entries()) {
    const fault = faultOf(rule)
    if (fault === null) continue
    const effect = rule.allow ? 'allows nothing' : 'hides everything'
    const raw = rule.regexp?.raw ?? ''
    report.notes.push(
      `rule ${i} ${whose}, "${raw}", cannot be evaluated (${fault}) and ${effect}; see "rules rm"`,
    )
  }
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || value === false || value === 0
}

const SWITCHES: readonly (readonly [field: keyof ServerOptions, flag: string])[] = [
  ['enableThumbnails', '--disableThumbnails=false'],
  ['resizePreview', '--disablePreviewResize=false'],
  ['typeDetectionByHeader', '--disableTypeDetectionByHeader=false'],
]

/** Databases from before 2.48 hold these as off without anybody having chosen so. */
export function noteStoredOff(server: ServerOptions, report: ImportReport): void {
  if (server.tokenExpirationTime !== '') return
  const off = SWITCHES.filter(([field]) => !server[field])
  if (off.length === 0) return
  report.notes.push(
    `thumbnails, previews or type detection are off in this database, perhaps only because it is ` +
      `from before 2.48. To turn them on: filebrowser config set ${off.map(([, flag]) => flag).join(' ')}`,
  )
}
