// What travels between server and clients (docs/http-api.md): types only, the one file of src/ that web/ may import.

/** Machine-readable reason of a failure, sent in the `X-Error-Code` header. */
export type ErrorCode =
  | 'bad_request'
  | 'invalid_password'
  | 'weak_password'
  | 'unauthenticated'
  | 'wrong_credentials'
  | 'second_factor_required'
  | 'invalid_code'
  | 'invalid_passkey'
  | 'forbidden'
  | 'last_admin'
  | 'token_not_allowed'
  | 'download_forbidden'
  | 'not_found'
  | 'not_mounted'
  | 'method_not_allowed'
  | 'exists'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'range_not_satisfiable'
  | 'unsupported'
  | 'locked'
  | 'too_many_requests'
  | 'too_many_shares'
  | 'not_a_folder'
  | 'is_a_folder'
  | 'invalid_name'
  | 'same_place'
  | 'incomplete'
  | 'damaged'
  | 'encrypted'
  | 'command_failed'
  | 'sign_in_unavailable'
  | 'directory_password'
  | 'disk_failed'
  | 'internal'
  | 'not_implemented'
  | 'no_space'
  | 'quota_exceeded'
  | 'unreachable'
  | 'fetch_failed'
  | 'records_unavailable'

export interface Permissions {
  admin: boolean
  execute: boolean
  create: boolean
  rename: boolean
  modify: boolean
  delete: boolean
  share: boolean
  download: boolean
}

export interface Sorting {
  /** `name`, `size` or `modified`; other strings are kept and mean listing order. */
  by: string
  asc: boolean
}

export type ViewMode = 'list' | 'mosaic' | 'mosaic gallery'

export interface Rule {
  regex: boolean
  allow: boolean
  path: string
  regexp: { raw: string } | null
}

/** Who needs a second factor where sign-in asks for a password; `off`: nobody is asked for one. */
export type SecondFactorPolicy = 'off' | 'optional' | 'administrators' | 'everyone'

/** Preferences and rights a new account starts with, and every account has. */
export interface UserDefaults {
  scope: string
  locale: string
  viewMode: string
  singleClick: boolean
  redirectAfterCopyMove: boolean
  sorting: Sorting
  perm: Permissions
  commands: string[]
  hideDotfiles: boolean
  dateFormat: boolean
  aceEditorTheme: string
}

/** A user as the API shows it; `password` is always empty in answers. */
export interface UserRecord extends UserDefaults {
  id: number
  username: string
  password: string
  lockPassword: boolean
  rules: Rule[]
}

export type FileType =
  | ''
  | 'video'
  | 'audio'
  | 'image'
  | 'pdf'
  | 'text'
  | 'textImmutable'
  | 'blob'
  | 'invalid_link'

export interface FileEntry {
  path: string
  name: string
  /** Bytes. */
  size: number
  extension: string
  /** RFC 3339 with up to nanoseconds. */
  modified: string
  mode: number
  isDir: boolean
  isSymlink: boolean
  type: FileType
  subtitles?: string[]
  /** Its disk does not answer: size and time are zero, type is empty. Ours. */
  unreachable?: true
}

export interface FileInfo extends FileEntry {
  items?: FileEntry[]
  numDirs?: number
  numFiles?: number
  sorting?: Sorting
  content?: string
  checksums?: Record<string, string>
  token?: string
  resolution?: { width: number; height: number }
  /** Of a film, in seconds, when asked for. Ours. */
  duration?: number | null
  /** One of those in a folder, when its summary is asked for. Ours. */
  picture?: FileEntry | null
  /** Of a folder, for accounts of whom records of folders speak. */
  rights?: FolderRights
}

export interface RecursiveEntry {
  path: string
  name: string
  size: number
  modified: string
  isDir: boolean
  /** Its disk does not answer: size and time are zero. Ours. */
  unreachable?: true
}

export interface Usage {
  total: number
  used: number
}

/** An upload of one's own that is not finished. */
export interface UnfinishedUpload {
  path: string
  /** Bytes that were announced, and that have arrived. */
  length: number
  offset: number
  /** When the last of them came. */
  modified: string
  /** It replaces what is there. */
  override: boolean
  /** When the file itself was modified, in ms since 1970, where its sender said so. */
  fileModified?: number
}

export interface SearchHit {
  dir: boolean
  /** Relative to the searched folder, no leading slash. */
  path: string
  /** Bytes; ours, absent from the original. */
  size?: number
  modified?: string
  /** Its disk does not answer. Ours. */
  unreachable?: true
}

export interface ShareRecord {
  hash: string
  path: string
  userID: number
  /** Seconds since the epoch, 0 = never. */
  expire: number
  hasPassword: boolean
  /** Ours: somebody else took away what was shared, and the link opens nothing ever again. */
  ended?: true
}

export interface Branding {
  name: string
  disableExternal: boolean
  disableUsedPercentage: boolean
  files: string
  theme: string
  color: string
}

/** A URL told about events by POST; ours, absent from the original. */
export interface Webhook {
  url: string
  /** `before_` or `after_` events such as `after_upload`. */
  events: string[]
  enabled: boolean
}

export interface SettingsRecord {
  signup: boolean
  hideLoginButton: boolean
  createUserDir: boolean
  minimumPasswordLength: number
  userHomeBasePath: string
  defaults: UserDefaults
  authMethod: string
  rules: Rule[]
  branding: Branding
  tus: { chunkSize: number; retryCount: number }
  shell: string[]
  commands: Record<string, string[]>
  webhooks: Webhook[]
  /** Key of the signature on webhook calls; empty when it was configured. Ignored when sent. */
  webhookSecret?: string
  /** Who needs a second factor; stays when absent. */
  secondFactor?: SecondFactorPolicy
  /** The command line, environment or configuration file says so, and sending another changes nothing. */
  secondFactorFixed?: boolean
  /** How long deleted entries are kept, as `30d`; stays when absent. */
  keepAge?: string
  /** Most that they may take of each disk, as `10%` or `50GiB`; stays when absent. */
  keepSize?: string
  /** Which of both the command line, environment or configuration file says: sending another changes nothing. */
  keepFixed?: ('keepAge' | 'keepSize')[]
}

/** A signed-in device, as GET /api/sessions shows it (ours). */
export interface SessionRecord {
  id: string
  userID: number
  username: string
  /** RFC 3339. */
  created: string
  lastSeen: string
  address: string
  userAgent: string
  current: boolean
}

/** A key for a script or an app; its secret is in the answer to making it alone. */
export interface ApiTokenRecord {
  id: string
  name: string
  perm: Permissions
  folder: string
  /** RFC 3339; null for never. */
  created: string
  expires: string | null
  lastUsed: string | null
}

/** What `POST /api/login` answers with 401 when the password is right and not all (ours). */
export interface SecondStep {
  ticket: string
  /** None where the account has passkeys alone, and those belong to another address. */
  methods: ('code' | 'recovery' | 'passkey' | 'enrol')[]
}

/** What an app needs to show codes; both say the same (ours). */
export interface Enrolment {
  /** Base32. */
  secret: string
  /** `otpauth://…`, for the QR code. */
  uri: string
}

/** One's own second factor, as GET /api/second-factor shows it (ours). */
export interface SecondFactorRecord {
  /** An administrator has switched it off, or nobody signs in with a password here. */
  offered: boolean
  active: boolean
  /** It must stay. */
  required: boolean
  /** RFC 3339; null unless active. */
  created: string | null
  /** Recovery codes that are left. */
  recovery: number
}

/** A node that serves from the same records (ours): docs/http-api.md 2.1. */
export interface NodeRecord {
  id: string
  name: string
  version: string
  /** `draining`: about to stop; `gone`: not seen for ten seconds. */
  state: 'ready' | 'draining' | 'gone'
  startedAt: string
  seenAt: string
  leader: boolean
  lagMs: number
}

/** What `GET /api/confirm` shows (ours). */
export interface ConfirmWays {
  /** Done within the last minutes: nothing is asked. */
  confirmed: boolean
  methods: ('password' | 'code' | 'passkey' | 'provider')[]
}

/** What `GET /api/passkeys` shows (ours). */
export interface PasskeyList {
  /** False where nobody signs in with a password here. */
  offered: boolean
  /** Why there are none at this address: it is no name, or it is not https. Null where there can be. */
  why: 'address' | 'insecure' | null
  /** The address of the page as the server sees it; null without one. */
  origin: string | null
  passkeys: PasskeyRecord[]
}

export interface PasskeyRecord {
  /** Credential id, base64url. */
  id: string
  name: string
  /** The host name it is good at. */
  rpID: string
  /** On several devices, by a password manager. */
  backedUp: boolean
  /** RFC 3339. */
  created: string
  lastUsed: string | null
}

export type Verb = 'see' | 'download' | 'create' | 'modify' | 'rename' | 'delete' | 'share'

/** What may be done in a folder that is seen. */
export type FolderRights = Omit<Record<Verb, boolean>, 'see'>

/** Start-up settings injected into the page as `window.FileBrowser`. */
export interface BootSettings {
  Dav?: true
  /** Files can be fetched from other addresses. */
  Fetch?: true
  /** Several nodes may serve from the same records. */
  Nodes?: true
  /** What is replaced is kept, and of what is deleted all, what asks for it, or nothing. */
  Versions?: true
  Trash: 'all' | 'own' | 'off'
  AuthMethod: string
  BaseURL: string
  CSS: boolean
  Color: string
  DisableExternal: boolean
  DisableUsedPercentage: boolean
  EnableExec: boolean
  EnableThumbs: boolean
  HideLoginButton: boolean
  LoginPage: boolean
  LogoutPage: string
  Name: string
  NoAuth: boolean
  ReCaptcha: boolean
  ReCaptchaHost?: string
  ReCaptchaKey?: string
  ResizePreview: boolean
  Signup: boolean
  StaticURL: string
  Theme: string
  TusSettings: { chunkSize: number; retryCount: number }
  Version: string
  /** Ours: address of the help page, empty when external links are disabled. */
  HelpURL: string
  /** Ours: smallest accepted password in bytes, for hints. */
  MinimumPasswordLength: number
  /** Ours: somebody has a passkey for this address; absent otherwise. */
  Passkeys?: true
  /** Ours: archive formats that the server's platform does not make. */
  MissingArchives: string[]
  /** Ours: where people sign in besides, when a provider is configured. */
  Provider?: ProviderBoot
}

export interface ProviderBoot {
  Label: string
  /** Goes there without a click. */
  Auto: boolean
  /** There is no form beside it, but at `/login?local`. */
  Alone: boolean
}
