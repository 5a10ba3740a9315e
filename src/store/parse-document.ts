// The door for stored data: everything past it is trusted. Absent fields read as their defaults,
// so that documents of earlier releases open.
import type { Branding, Permissions, Rule, Sorting, UserDefaults, Webhook } from '../api-types.ts'
import { asString, NO_LIMITS, ParseError, type Reader, readObject } from '../lib/parse.ts'
import {
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  type Document,
  defaultPermissions,
  defaultServerOptions,
  defaultSettings,
  emptyEventCommands,
  type ReCaptcha,
  SCHEMA_VERSION,
  type ServerOptions,
  type Session,
  type Settings,
  type Share,
  type ShareTarget,
  type User,
} from './document.ts'

/**
 * Parses the whole document, however much it holds: a limit that only reading knows would keep the
 * server from starting on what it has written. Throws ParseError naming the first problem.
 */
export function parseDocument(value: unknown): Document {
  const doc = readObject(value, '', NO_LIMITS)
  const version = doc.int('version', 0)
  if (version !== SCHEMA_VERSION) throw new ParseError(`version must be ${SCHEMA_VERSION}`)
  const users = doc.list('users', (item, at) => parseUser(readObject(item, at, NO_LIMITS)))
  refuseDuplicates(users)
  const lastId = users.reduce((last, { id }) => Math.max(last, id), 0)
  const parsed: Document = {
    version,
    settings: doc.obj('settings', parseSettings),
    users,
    shares: doc.list('shares', (item, at) => parseShare(readObject(item, at, NO_LIMITS))),
    sessions: doc.list('sessions', (item, at) => parseSession(readObject(item, at, NO_LIMITS))),
    nextUserId: Math.max(doc.int('nextUserId', 1), 1 + lastId),
  }
  if (doc.has('importedFrom')) {
    parsed.importedFrom = doc.obj('importedFrom', (r) => ({
      path: r.str('path'),
      sha256: r.str('sha256'),
      sizeBytes: r.int('sizeBytes'),
      atMs: r.int('atMs'),
    }))
  }
  return parsed
}

function refuseDuplicates(users: User[]): void {
  const ids = new Set<number>()
  const names = new Set<string>()
  for (const { id, username } of users) {
    if (ids.has(id)) throw new ParseError(`users: the id ${id} occurs twice`)
    if (names.has(username)) throw new ParseError(`users: the name ${username} occurs twice`)
    ids.add(id)
    names.add(username)
  }
}

function parseUser(r: Reader): User {
  const username = r.str('username')
  if (!username) throw new ParseError(`${r.at}.username must not be empty`)
  return {
    id: r.int('id', 0, { min: 1 }),
    username,
    password: r.str('password'),
    ...parseUserDefaults(r),
    lockPassword: r.bool('lockPassword'),
    rules: r.list('rules', parseRule),
  }
}

/** The part shared by accounts and by the defaults for new ones; absent fields are zero values. */
export function parseUserDefaults(r: Reader): UserDefaults {
  return {
    scope: r.str('scope'),
    locale: r.str('locale'),
    viewMode: r.str('viewMode'),
    singleClick: r.bool('singleClick'),
    redirectAfterCopyMove: r.bool('redirectAfterCopyMove'),
    sorting: r.obj('sorting', parseSorting),
    perm: r.obj('perm', parsePermissions),
    commands: r.list('commands', asString),
    hideDotfiles: r.bool('hideDotfiles'),
    dateFormat: r.bool('dateFormat'),
    aceEditorTheme: r.str('aceEditorTheme'),
  }
}

function parseSorting(r: Reader): Sorting {
  return { by: r.str('by'), asc: r.bool('asc') }
}

function parsePermissions(r: Reader): Permissions {
  const perm = defaultPermissions()
  for (const key of Object.keys(perm) as (keyof Permissions)[]) perm[key] = r.bool(key)
  return perm
}

export function parseRule(value: unknown, at: string): Rule {
  const r = readObject(value, at)
  return {
    regex: r.bool('regex'),
    allow: r.bool('allow'),
    path: r.str('path'),
    regexp: r.has('regexp') ? r.obj('regexp', (re) => ({ raw: re.str('raw') })) : null,
  }
}

export function parseWebhook(value: unknown, at: string): Webhook {
  const r = readObject(value, at)
  return { url: r.str('url'), events: r.list('events', asString), enabled: r.bool('enabled', true) }
}

export function parseCommands(r: Reader): Record<string, string[]> {
  const commands = emptyEventCommands()
  const events = new Set([...Object.keys(commands), ...r.keys()])
  // Events nobody raises are kept, as the original keeps them.
  for (const event of events) commands[event] = r.list(event, asString)
  return commands
}

function parseSettings(r: Reader): Settings {
  const fallback = defaultSettings()
  const key = r.str('key')
  if (Buffer.from(key, 'base64').length < 32) throw new ParseError('settings.key is too short')
  return {
    key,
    signup: r.bool('signup'),
    hideLoginButton: r.bool('hideLoginButton'),
    createUserDir: r.bool('createUserDir'),
    userHomeBasePath: r.str('userHomeBasePath') || fallback.userHomeBasePath,
    logoutPage: r.str('logoutPage'),
    // A stored 0 of these three means "not chosen", as in the original.
    minimumPasswordLength:
      r.int('minimumPasswordLength', 0, { min: 0 }) || DEFAULT_MINIMUM_PASSWORD_LENGTH,
    authMethod: r.str('authMethod', fallback.authMethod),
    auther: r.obj('auther', (a) => ({
      header: a.str('header'),
      command: a.str('command'),
      recaptcha: a.has('recaptcha') ? a.obj('recaptcha', parseReCaptcha) : null,
    })),
    fileMode: r.int('fileMode', 0, { min: 0, max: 0xffffffff }) || DEFAULT_FILE_MODE,
    dirMode: r.int('dirMode', 0, { min: 0, max: 0xffffffff }) || DEFAULT_DIR_MODE,
    hideDotfiles: r.bool('hideDotfiles'),
    defaults: r.obj('defaults', parseUserDefaults),
    branding: r.obj('branding', parseBranding),
    tus: r.obj('tus', (t) => ({
      chunkSize: t.int('chunkSize', fallback.tus.chunkSize, { min: 0 }),
      retryCount: t.int('retryCount', fallback.tus.retryCount, { min: 0 }),
    })),
    commands: r.obj('commands', parseCommands),
    shell: r.list('shell', asString),
    rules: r.list('rules', parseRule),
    webhooks: r.list('webhooks', parseWebhook),
    server: r.obj('server', parseServerOptions),
  }
}

export function parseBranding(r: Reader): Branding {
  return {
    name: r.str('name'),
    disableExternal: r.bool('disableExternal'),
    disableUsedPercentage: r.bool('disableUsedPercentage'),
    files: r.str('files'),
    theme: r.str('theme'),
    color: r.str('color'),
  }
}

function parseReCaptcha(r: Reader): ReCaptcha {
  return { host: r.str('host'), key: r.str('key'), secret: r.str('secret') }
}

function parseServerOptions(r: Reader): ServerOptions {
  const options = defaultServerOptions()
  const strings = [
    'root',
    'baseURL',
    'socket',
    'tlsKey',
    'tlsCert',
    'port',
    'address',
    'log',
  ] as const
  for (const key of [...strings, 'tokenExpirationTime'] as const)
    options[key] = r.str(key, options[key])
  const flags = [
    'enableThumbnails',
    'resizePreview',
    'enableExec',
    'typeDetectionByHeader',
    'imageResolutionCalculation',
    'followExternalSymlinks',
  ] as const
  for (const key of flags) options[key] = r.bool(key, options[key])
  return options
}

function parseShare(value: Reader): Share {
  const share: Share = {
    hash: value.str('hash'),
    path: value.str('path'),
    userID: value.int('userID'),
    expire: value.int('expire'),
    passwordHash: value.str('passwordHash'),
    token: value.str('token'),
  }
  if (value.has('target')) share.target = value.obj('target', parseShareTarget)
  if (value.bool('ended', false)) share.ended = true
  return share
}

function parseShareTarget(value: Reader): ShareTarget {
  return {
    kind: value.str('kind'),
    dev: value.str('dev'),
    ino: value.str('ino'),
    bornNs: decimal(value, 'bornNs'),
    place: value.str('place'),
    notedMs: value.int('notedMs'),
  }
}

function decimal(value: Reader, key: string): string {
  const text = value.str(key, '0')
  if (!/^\d{1,20}$/.test(text)) throw new ParseError(`${value.at}.${key} must be a decimal number`)
  return text
}

function parseSession(value: Reader): Session {
  return {
    id: value.str('id'),
    userID: value.int('userID'),
    createdMs: value.int('createdMs'),
    lastSeenMs: value.int('lastSeenMs'),
    remember: value.bool('remember'),
    address: value.str('address'),
    userAgent: value.str('userAgent'),
  }
}
