// The old program's records, from its database or its export files, in our shape. Field names
// match in any case, missing and null read as zero values, defaults are filled in as on its reads.
import { AppError } from '../lib/errors.ts'
import { asString, ParseError, type Reader, readObject } from '../lib/parse.ts'
import {
  type Auther,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  DEFAULT_TUS,
  DEFAULT_USER_HOME_BASE,
  defaultSettings,
  type ServerOptions,
  type Settings,
  type Share,
  type User,
} from './document.ts'
import {
  parseBranding,
  parseCommands,
  parseRule,
  parseUserDefaults,
  parseWebhook,
} from './parse-document.ts'

export const AUTH_METHODS = ['json', 'proxy', 'hook', 'noauth'] as const

export interface SettingsRecords {
  settings: unknown
  server: unknown
  auther: unknown
}

/** Settings under a new signing key. Throws AppError or ParseError naming the field. */
export function settingsFrom({ settings, server, auther }: SettingsRecords): Settings {
  const r = readObject(settings, 'settings')
  const authMethod = r.str('authMethod')
  if (!AUTH_METHODS.some((method) => method === authMethod)) {
    throw new AppError('unsupported', `the sign-in method "${authMethod}" is not known`)
  }
  const tus = r.obj('tus', (t) => ({
    chunkSize: integer(t, 'chunkSize'),
    retryCount: integer(t, 'retryCount', { max: 65_535 }),
  }))
  return {
    ...defaultSettings(),
    signup: r.bool('signup'),
    hideLoginButton: r.bool('hideLoginButton'),
    createUserDir: r.bool('createUserDir'),
    userHomeBasePath: r.str('userHomeBasePath') || DEFAULT_USER_HOME_BASE,
    logoutPage: r.str('logoutPage'),
    minimumPasswordLength: integer(r, 'minimumPasswordLength') || DEFAULT_MINIMUM_PASSWORD_LENGTH,
    authMethod,
    auther: autherFrom(auther, authMethod),
    fileMode: integer(r, 'fileMode', { max: 0xffff_ffff }) || DEFAULT_FILE_MODE,
    dirMode: integer(r, 'dirMode', { max: 0xffff_ffff }) || DEFAULT_DIR_MODE,
    hideDotfiles: r.bool('hideDotfiles'),
    defaults: r.obj('defaults', (d) => ({
      ...parseUserDefaults(d),
      locale: d.str('locale') || 'en',
      viewMode: d.str('viewMode') || 'mosaic',
    })),
    branding: r.obj('branding', parseBranding),
    tus: tus.chunkSize === 0 && tus.retryCount === 0 ? { ...DEFAULT_TUS } : tus,
    commands: r.obj('commands', parseCommands),
    shell: r.list('shell', asString),
    rules: r.list('rules', parseRule),
    // Only our own exports carry these.
    webhooks: r.list('webhooks', parseWebhook),
    server: serverFrom(server),
  }
}

// Missing means off, as in the original: there is no defaulting on read for this record.
function serverFrom(record: unknown): ServerOptions {
  const r = readObject(record, 'server')
  return {
    root: r.str('root') || '.',
    baseURL: r.str('baseURL'),
    socket: r.str('socket'),
    tlsKey: r.str('tlsKey'),
    tlsCert: r.str('tlsCert'),
    port: r.str('port'),
    address: r.str('address'),
    log: r.str('log'),
    enableThumbnails: r.bool('enableThumbnails'),
    resizePreview: r.bool('resizePreview'),
    enableExec: r.bool('enableExec'),
    typeDetectionByHeader: r.bool('typeDetectionByHeader'),
    // The name in YAML exports is a shorter one.
    imageResolutionCalculation:
      r.bool('imageResolutionCalculation') || r.bool('imageResolutionCal'),
    tokenExpirationTime: r.str('tokenExpirationTime'),
    followExternalSymlinks: r.bool('followExternalSymlinks'),
  }
}

function autherFrom(record: unknown, method: string): Auther {
  const r = readObject(record, 'auther')
  const auther: Auther = { header: '', command: '', recaptcha: null }
  if (method === 'proxy') auther.header = r.str('header')
  if (method === 'hook') auther.command = r.str('command')
  if (method === 'json' && r.has('recaptcha')) {
    auther.recaptcha = r.obj('recaptcha', (c) => ({
      host: c.str('host'),
      key: c.str('key'),
      secret: c.str('secret'),
    }))
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

// Go's decoder knows integers that JSON numbers here cannot hold exactly: they are capped. It takes no
// negative ones for most fields, and neither does our document.
function integer(
  r: Reader,
  key: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): number {
  const value = r.raw(key)
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || Math.floor(value) !== value) {
    throw new ParseError(`${r.at}.${key} must be a whole number`)
  }
  if (min === 0 && value < 0) throw new ParseError(`${r.at}.${key} must be 0 or more`)
  return Math.max(min, Math.min(max, value))
}
