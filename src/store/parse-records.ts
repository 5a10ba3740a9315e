// Parsers of the records on disk. Absent fields read as their defaults, so that records of earlier
// releases open.
import type { Branding, Rule, SecondFactorPolicy, UserDefaults, Webhook } from '../api-types.ts'
import { asString, ParseError, type Reader, readLike, readObject, zeroOf } from '../lib/parse.ts'
import {
  type ApiToken,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_KEEP_AGE,
  DEFAULT_KEEP_SIZE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  DEFAULT_USER_HOME_BASE,
  defaultPermissions,
  defaultServerOptions,
  defaultSettings,
  defaultUserDefaults,
  emptyEventCommands,
  type Identity,
  type ImportedFrom,
  type KnownRoot,
  NO_BRANDING,
  NO_RECAPTCHA,
  type Passkey,
  SECOND_FACTOR_POLICIES,
  type SecondFactor,
  type Session,
  type Settings,
  type Share,
  type ShareTarget,
  type TrashedShare,
  type User,
} from './document.ts'

export function parseUser(r: Reader): User {
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

/** Made once: a database has thousands of accounts. */
const NO_DEFAULTS = zeroOf(defaultUserDefaults())

/** The part shared by accounts and by the defaults for new ones; absent fields are zero values. */
export function parseUserDefaults(r: Reader): UserDefaults {
  return readLike(r, NO_DEFAULTS)
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

/** What is read alike from our records and from those of the original. */
export function parseCommonSettings(r: Reader) {
  return {
    signup: r.bool('signup'),
    hideLoginButton: r.bool('hideLoginButton'),
    createUserDir: r.bool('createUserDir'),
    userHomeBasePath: r.str('userHomeBasePath') || DEFAULT_USER_HOME_BASE,
    logoutPage: r.str('logoutPage'),
    hideDotfiles: r.bool('hideDotfiles'),
    branding: r.obj('branding', parseBranding),
    commands: r.obj('commands', parseCommands),
    shell: r.list('shell', asString),
    rules: r.list('rules', parseRule),
    webhooks: r.list('webhooks', parseWebhook),
    secondFactor: parsePolicy(r),
    keepAge: r.str('keepAge') || DEFAULT_KEEP_AGE,
    keepSize: r.str('keepSize') || DEFAULT_KEEP_SIZE,
  }
}

/** Who needs a second factor; `optional` when absent. Throws ParseError for a word that is none. */
export function parsePolicy(r: Reader): SecondFactorPolicy {
  const word = r.str('secondFactor', 'optional')
  const policy = SECOND_FACTOR_POLICIES.find((known) => known === word)
  if (!policy) throw new ParseError(`secondFactor must be ${SECOND_FACTOR_POLICIES.join(', ')}`)
  return policy
}

export function parseSettings(r: Reader): Settings {
  const key = r.str('key')
  const fallback = defaultSettings(key)
  if (Buffer.from(key, 'base64').length < 32) throw new ParseError('settings.key is too short')
  return {
    key,
    ...parseCommonSettings(r),
    // A stored 0 of these three means "not chosen", as in the original.
    minimumPasswordLength:
      r.int('minimumPasswordLength', 0, { min: 0 }) || DEFAULT_MINIMUM_PASSWORD_LENGTH,
    authMethod: r.str('authMethod', fallback.authMethod),
    auther: r.obj('auther', (a) => ({
      header: a.str('header'),
      command: a.str('command'),
      recaptcha: a.has('recaptcha') ? a.obj('recaptcha', (c) => readLike(c, NO_RECAPTCHA)) : null,
    })),
    fileMode: r.int('fileMode', 0, { min: 0, max: 0xffffffff }) || DEFAULT_FILE_MODE,
    dirMode: r.int('dirMode', 0, { min: 0, max: 0xffffffff }) || DEFAULT_DIR_MODE,
    defaults: r.obj('defaults', parseUserDefaults),
    tus: r.obj('tus', (t) => ({
      chunkSize: t.int('chunkSize', fallback.tus.chunkSize, { min: 0 }),
      retryCount: t.int('retryCount', fallback.tus.retryCount, { min: 0 }),
    })),
    server: r.obj('server', (o) => readLike(o, defaultServerOptions())),
  }
}

export function parseBranding(r: Reader): Branding {
  return readLike(r, NO_BRANDING)
}

export function parseShare(r: Reader): Share {
  const share: Share = readLike(r, {
    hash: '',
    path: '',
    userID: 0,
    expire: 0,
    passwordHash: '',
    token: '',
  })
  if (r.has('target')) share.target = r.obj('target', parseShareTarget)
  if (r.bool('ended', false)) share.ended = true
  return share
}

export function parseTrashedShare(r: Reader): TrashedShare {
  return { ...readLike(r, { entry: '' }), share: r.obj('share', parseShare) }
}

function parseShareTarget(r: Reader): ShareTarget {
  const example = { kind: '', dev: '', ino: '', bornNs: '0', place: '', notedMs: 0 }
  const target = readLike(r, example)
  if (!/^\d{1,20}$/.test(target.bornNs))
    throw new ParseError(`${r.at}.bornNs must be a decimal number`)
  return target
}

export function parseImportedFrom(r: Reader): ImportedFrom {
  return readLike(r, { path: '', sha256: '', sizeBytes: 0, atMs: 0 })
}

export function parseKnownRoot(r: Reader): KnownRoot {
  return readLike(r, { name: '', path: '', dev: '', ino: '', bornNs: '0' })
}

export function parseSession(r: Reader): Session {
  const session: Session = readLike(r, {
    id: '',
    userID: 0,
    createdMs: 0,
    lastSeenMs: 0,
    remember: false,
    address: '',
    userAgent: '',
  })
  if (r.has('origin'))
    session.origin = r.obj('origin', (o) =>
      readLike(o, { issuer: '', subject: '', sid: '', endsMs: 0 }),
    )
  return session
}

export function parseApiToken(r: Reader): ApiToken {
  return readLike(r, {
    id: '',
    userID: 0,
    name: '',
    secretHash: '',
    perm: zeroOf(defaultPermissions()),
    folder: '/',
    createdMs: 0,
    expiresMs: 0,
    lastUsedMs: 0,
  })
}

export function parseSecondFactor(r: Reader): SecondFactor {
  return readLike(r, {
    userID: 0,
    secret: '',
    lastStep: 0,
    recovery: [],
    createdMs: 0,
    required: false,
  })
}

export function parseIdentity(r: Reader): Identity {
  return readLike(r, {
    issuer: '',
    subject: '',
    userID: 0,
    username: '',
    groups: [],
    isAdmin: false,
    adminUntilMs: 0,
    lastSignInMs: 0,
    madeWith: '',
  })
}

export function parsePasskey(r: Reader): Passkey {
  return readLike(r, {
    id: '',
    userID: 0,
    publicKey: '',
    counter: 0,
    transports: [],
    rpID: '',
    userHandle: '',
    name: '',
    createdMs: 0,
    lastUsedMs: 0,
    backedUp: false,
  })
}
