// The shapes of the records and their defaults; parse-records.ts admits them from disk.
import { randomBytes } from 'node:crypto'
import type {
  Branding,
  Permissions,
  Rule,
  SecondFactorPolicy,
  UserDefaults,
  UserRecord,
  Webhook,
} from '../api-types.ts'

/**
 * Raised with a change of shape that an older program could not read: it refuses newer documents. New
 * collections and fields need no other number, see Collection.isRequired.
 */
export const SCHEMA_VERSION = 2

/** What a new database begins with. */
export interface Document {
  version: number
  settings: Settings
  users: User[]
  shares: Share[]
  /** The next ids given; ids are never reused. */
  next: { users: number }
  importedFrom?: ImportedFrom
}

export interface ImportedFrom {
  path: string
  sha256: string
  sizeBytes: number
  atMs: number
}

/** `password` is a hash: argon2id (`$argon2id$…`) or imported bcrypt (`$2a$…`). */
export type User = UserRecord

/** In the order in which they are shown. */
export const USER_FIELDS = [
  'id',
  'username',
  'password',
  'scope',
  'locale',
  'lockPassword',
  'viewMode',
  'singleClick',
  'redirectAfterCopyMove',
  'perm',
  'commands',
  'sorting',
  'rules',
  'hideDotfiles',
  'dateFormat',
  'aceEditorTheme',
] as const satisfies readonly (keyof User)[]

export interface ReCaptcha {
  host: string
  key: string
  secret: string
}

/** Options of the sign-in method; each method reads its own and keeps the others. */
export interface Auther {
  /** proxy: request header that names the user. */
  header: string
  /** hook: program and arguments. */
  command: string
  /** json: human check, or null. */
  recaptcha: ReCaptcha | null
}

/** Server options kept in the database; a flag, environment or file value overrides them per run. */
export interface ServerOptions {
  root: string
  baseURL: string
  socket: string
  tlsKey: string
  tlsCert: string
  port: string
  address: string
  log: string
  enableThumbnails: boolean
  resizePreview: boolean
  enableExec: boolean
  typeDetectionByHeader: boolean
  imageResolutionCalculation: boolean
  tokenExpirationTime: string
  followExternalSymlinks: boolean
}

export interface Settings {
  /** Token signing key, base64 of 64 bytes. Never leaves the server. */
  key: string
  signup: boolean
  hideLoginButton: boolean
  createUserDir: boolean
  userHomeBasePath: string
  /** Empty reads as `/login`. */
  logoutPage: string
  minimumPasswordLength: number
  authMethod: string
  auther: Auther
  /** Who signs in with a code besides the password, where sign-in asks for one. */
  secondFactor: SecondFactorPolicy
  /** How long deleted entries are kept, as `30d`. */
  keepAge: string
  /** Most that they may take of each disk, as `10%` or `50GiB`. */
  keepSize: string
  /** Permission bits for new files and folders; 0 reads as 0640 and 0750. */
  fileMode: number
  dirMode: number
  hideDotfiles: boolean
  defaults: UserDefaults
  branding: Branding
  tus: { chunkSize: number; retryCount: number }
  /** Event name (`before_upload` …) to command lines. */
  commands: Record<string, string[]>
  shell: string[]
  rules: Rule[]
  webhooks: Webhook[]
  server: ServerOptions
}

export interface Share {
  hash: string
  path: string
  userID: number
  /** Seconds since the epoch, 0 = never. */
  expire: number
  /** Empty when the share is open. */
  passwordHash: string
  /** Bypass token of an imported share; empty for our own, whose tickets are signed and expire. */
  token: string
  /** What it was made for. Imported shares get it when they are first used. */
  target?: ShareTarget
  /** Somebody else took away what it was made for: it serves nothing ever again. Absent otherwise. */
  ended?: true
}

/** A share that ended when what it was made for became an entry of the trash. */
export interface TrashedShare {
  entry: string
  share: Share
}

/** What a share was made for, so that it serves nothing that takes the name later. */
export interface ShareTarget {
  /** `file`, `dir`, or what else an entry may be. */
  kind: string
  /** Device and inode number, decimal. Devices get other numbers when they are mounted anew. */
  dev: string
  ino: string
  /** Time of birth in nanoseconds since the epoch, decimal; `0` where the disk does not tell. */
  bornNs: string
  /** Real path on the host. Never shown to clients. */
  place: string
  /** When this was noted, milliseconds since the epoch. */
  notedMs: number
}

export interface Session {
  id: string
  userID: number
  createdMs: number
  lastSeenMs: number
  /** False for a session that lasts as long as the browser is open. */
  remember: boolean
  address: string
  userAgent: string
  /** Where it was opened at a provider. */
  origin?: SessionOrigin
}

/** The sign-in at a provider that a session comes from. */
export interface SessionOrigin {
  issuer: string
  subject: string
  /** The provider's own session; empty when it names none. */
  sid: string
  /** It ends then, whatever holds for others. */
  endsMs: number
}

/** A key for scripts: it may do less than its account, and is never sent in full again. */
export interface ApiToken {
  /** Its middle part, by which it is found. */
  id: string
  userID: number
  name: string
  /** SHA-256 of the last part, base64url. The part has 144 random bits, so that none need to be added. */
  secretHash: string
  /** What it may do of what its account may. */
  perm: Permissions
  /** All that it sees of its account's tree. */
  folder: string
  createdMs: number
  /** 0 for never. */
  expiresMs: number
  /** At most some minutes old; 0 for never. */
  lastUsedMs: number
}

/** What was found at a further root when it was first used, so that nothing else takes its place unnoticed. */
export interface KnownRoot {
  name: string
  /** As it was given to the server. */
  path: string
  /** Device and inode number of the folder, decimal. Devices may get other numbers when they are mounted anew. */
  dev: string
  ino: string
  /** Time of birth in nanoseconds since the epoch, decimal; `0` where the disk does not tell. */
  bornNs: string
}

/** What an account proves itself with besides its password. */
export interface SecondFactor {
  userID: number
  /** Of the codes that an app shows, base32 of 160 bits; empty as long as nobody has enrolled. */
  secret: string
  /** Of the last code that counted: seconds since the epoch by 30. None up to it counts again. */
  lastStep: number
  /** SHA-256 of each recovery code that is left, base64url. They have 80 random bits. */
  recovery: string[]
  /** 0 as long as nobody has enrolled. */
  createdMs: number
  /** An administrator wants this account to have one. */
  required: boolean
}

/** Who somebody is at a provider or in a directory, and the account that this opens. */
export interface Identity {
  /** Of the provider, as in its tokens; `ldap:` and the base DN for a directory. */
  issuer: string
  /** Never changes and is never given to anybody else. */
  subject: string
  userID: number
  /** The name there, when this was last used to sign in. */
  username: string
  /** As read at the last sign-in. */
  groups: string[]
  /** Administrates by a group there, as read at the last sign-in. */
  isAdmin: boolean
  /** Until when administration from there counts without another sign-in, milliseconds since the epoch. */
  adminUntilMs: number
  lastSignInMs: number
  /**
   * SHA-256 of the account's password hash when this made the account, with a password that nobody
   * knows: as long as it is that one, there is no other way in. Empty when the account was there before.
   */
  madeWith: string
}

/** A key pair of which an authenticator (a phone, a computer, a security key) keeps the secret half. */
export interface Passkey {
  /** Credential id as the authenticator gave it, base64url. */
  id: string
  userID: number
  /** COSE, base64url. */
  publicKey: string
  /** Of signatures, as the authenticator last told it; 0 for those that keep none. */
  counter: number
  /** How browsers reach the authenticator: `internal`, `usb` and so on. */
  transports: string[]
  /** The name of the server that it belongs to; it is good at no other. */
  rpID: string
  /** 32 random bytes that stand for the account, base64url; the same for all passkeys of an account. */
  userHandle: string
  name: string
  createdMs: number
  /** At most some minutes old; 0 for never. */
  lastUsedMs: number
  /** Kept by a password manager on several devices. */
  backedUp: boolean
}

export const SECOND_FACTOR_POLICIES = [
  'off',
  'optional',
  'administrators',
  'everyone',
] as const satisfies readonly SecondFactorPolicy[]

export const EVENTS = ['save', 'copy', 'rename', 'upload', 'delete'] as const
export type EventName = (typeof EVENTS)[number]

export const DEFAULT_TUS = { chunkSize: 10 * 1024 * 1024, retryCount: 5 } as const
export const DEFAULT_MINIMUM_PASSWORD_LENGTH = 12
export const DEFAULT_FILE_MODE = 0o640
export const DEFAULT_DIR_MODE = 0o750
export const DEFAULT_USER_HOME_BASE = '/users'
export const DEFAULT_KEEP_AGE = '30d'
export const DEFAULT_KEEP_SIZE = '10%'
export const DEFAULT_LOGOUT_PAGE = '/login'

export const NO_RECAPTCHA: ReCaptcha = { host: '', key: '', secret: '' }

export const NO_BRANDING: Branding = {
  name: '',
  disableExternal: false,
  disableUsedPercentage: false,
  files: '',
  theme: '',
  color: '',
}

export function defaultPermissions(): Permissions {
  return {
    admin: false,
    execute: true,
    create: true,
    rename: true,
    modify: true,
    delete: true,
    share: true,
    download: true,
  }
}

export function defaultUserDefaults(): UserDefaults {
  return {
    scope: '.',
    locale: 'en',
    viewMode: 'list',
    singleClick: false,
    redirectAfterCopyMove: false,
    sorting: { by: 'name', asc: false },
    perm: defaultPermissions(),
    commands: [],
    hideDotfiles: false,
    dateFormat: false,
    aceEditorTheme: '',
  }
}

export function defaultServerOptions(): ServerOptions {
  return {
    root: '.',
    baseURL: '',
    socket: '',
    tlsKey: '',
    tlsCert: '',
    port: '8080',
    address: '127.0.0.1',
    log: 'stdout',
    enableThumbnails: true,
    resizePreview: true,
    enableExec: false,
    typeDetectionByHeader: true,
    imageResolutionCalculation: true,
    tokenExpirationTime: '2h',
    followExternalSymlinks: false,
  }
}

/** The ten event lists, all empty. */
export function emptyEventCommands(): Record<string, string[]> {
  return Object.fromEntries(
    EVENTS.flatMap((event) => [
      [`before_${event}`, []],
      [`after_${event}`, []],
    ]),
  )
}

/** What `config init` stores when no flag is given; a fresh signing key each time that none is given. */
export function defaultSettings(key = randomBytes(64).toString('base64')): Settings {
  return {
    key,
    signup: false,
    hideLoginButton: false,
    createUserDir: false,
    userHomeBasePath: DEFAULT_USER_HOME_BASE,
    logoutPage: '',
    minimumPasswordLength: DEFAULT_MINIMUM_PASSWORD_LENGTH,
    authMethod: 'json',
    auther: { header: '', command: '', recaptcha: null },
    secondFactor: 'optional',
    keepAge: DEFAULT_KEEP_AGE,
    keepSize: DEFAULT_KEEP_SIZE,
    fileMode: DEFAULT_FILE_MODE,
    dirMode: DEFAULT_DIR_MODE,
    hideDotfiles: false,
    defaults: defaultUserDefaults(),
    branding: { ...NO_BRANDING },
    tus: { ...DEFAULT_TUS },
    commands: emptyEventCommands(),
    shell: [],
    rules: [],
    webhooks: [],
    server: defaultServerOptions(),
  }
}

export function emptyDocument(settings: Settings): Document {
  return { version: SCHEMA_VERSION, settings, users: [], shares: [], next: { users: 1 } }
}
