// The old program's records, from its database or its export files, in our shape. Field names
// match in any case, missing and null read as zero values, defaults are filled in as on its reads.
import { AppError } from '../../lib/errors.ts'
import { ParseError, type Reader, readLike, readObject, zeroOf } from '../../lib/parse.ts'
import {
  type Auther,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  DEFAULT_TUS,
  defaultServerOptions,
  defaultSettings,
  NO_RECAPTCHA,
  type ServerOptions,
  type Settings,
  type Share,
  type User,
} from '../document.ts'
import { parseCommonSettings, parseRule, parseUserDefaults } from '../parse-records.ts'

export const AUTH_METHODS = ['json', 'proxy', 'hook', 'noauth'] as const

interface SettingsRecords {
  settings: unknown
  server: unknown
  auther: unknown
}

/** Settings under a new signing key. Throws AppError or ParseError naming the field. */
export function settingsFrom({ settings, server, auther }: SettingsRecords): Settings {
  const r = readObject(settings, 'settings')
  const authMethod = r.str('authMethod')
  if (!AUTH_METHODS.some((method) => method === authMethod))
    throw new AppError('unsupported', `the sign-in method "${authMethod}" is not known`)
  const tus = r.obj('tus', (t) => ({
    chunkSize: integer(t, 'chunkSize'),
    retryCount: integer(t, 'retryCount', { max: 65_535 }),
  }))
  return {
    ...defaultSettings(),
    // Webhooks are in our own exports only.
    ...parseCommonSettings(r),
    minimumPasswordLength: integer(r, 'minimumPasswordLength') || DEFAULT_MINIMUM_PASSWORD_LENGTH,
    authMethod,
    auther: autherFrom(auther, authMethod),
    fileMode: integer(r, 'fileMode', { max: 0xffff_ffff }) || DEFAULT_FILE_MODE,
    dirMode: integer(r, 'dirMode', { max: 0xffff_ffff }) || DEFAULT_DIR_MODE,
    defaults: r.obj('defaults', (d) => ({
      ...parseUserDefaults(d),
      locale: d.str('locale') || 'en',
      viewMode: d.str('viewMode') || 'mosaic',
    })),
    tus: tus.chunkSize === 0 && tus.retryCount === 0 ? { ...DEFAULT_TUS } : tus,
    server: serverFrom(server),
  }
}

// As in the original, a missing field is off or empty.
function serverFrom(record: unknown): ServerOptions {
  const r = readObject(record, 'server')
  const server = readLike(r, zeroOf(defaultServerOptions()))
  return {
    ...server,
    root: server.root || '.',
    // The name in YAML exports is a shorter one.
    imageResolutionCalculation: server.imageResolutionCalculation || r.bool('imageResolutionCal'),
  }
}

function autherFrom(record: unknown, method: string): Auther {
  const r = readObject(record, 'auther')
  const auther: Auther = { header: '', command: '', recaptcha: null }
  if (method === 'proxy') auther.header = r.str('header')
  if (method === 'hook') auther.command = r.str('command')
  if (method === 'json' && r.has('recaptcha')) {
    auther.recaptcha = r.obj('recaptcha', (c) => readLike(c, NO_RECAPTCHA))
  }
  return auther
}

/** An account with its stored hash; the id is 0 when the record has none. */
export function accountFrom(record: unknown, at: string): User {
  const r = readObject(record, at)
  const base = parseUserDefaults(r)
  return {
    id: integer(r, 'id'),
    username: r.str('username'),
    password: r.str('password'),
    ...base,
    viewMode: base.viewMode || 'list',
    sorting: { ...base.sorting, by: base.sorting.by || 'name' },
    lockPassword: r.bool('lockPassword'),
    rules: r.list('rules', parseRule),
  }
}

/** A share link; `hash` is the key of its record. */
export function shareFrom(record: unknown, hash: string): Share {
  const r = readObject(record, `share ${hash}`)
  const passwordHash = r.str('password_hash')
  return {
    hash: r.str('hash') || hash,
    path: r.str('path'),
    userID: integer(r, 'userID'),
    expire: integer(r, 'expire', { min: Number.MIN_SAFE_INTEGER }),
    passwordHash,
    // A token without a password guards nothing.
    token: passwordHash === '' ? '' : r.str('token'),
  }
}

// Go reads larger integers than are exact here: they are capped. Most fields take no negative ones.
function integer(
  r: Reader,
  key: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): number {
  const value = r.raw(key)
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || Math.floor(value) !== value)
    throw new ParseError(`${r.at}.${key} must be a whole number`)
  if (min === 0 && value < 0) throw new ParseError(`${r.at}.${key} must be 0 or more`)
  return Math.max(min, Math.min(max, value))
}
