// The values that travel, as JSON Schema. A test holds them against real answers.
import { AUDIT_ACTIONS, AUDIT_RESULTS } from '../audit/event.ts'
import { choice, flag, integer, list, map, object, orNull, ref, text, time } from './shorthands.ts'
import type { Schema } from './types.ts'

const permissions: Schema = object({
  admin: flag('Manages accounts and settings; implies no other permission.'),
  execute: flag('Runs commands, where the server allows that.'),
  create: flag(),
  rename: flag('Renames and moves.'),
  modify: flag('Changes and overwrites files.'),
  delete: flag(),
  share: flag('Makes public links; needs download.'),
  download: flag('Reads the content of files.'),
})

const sorting: Schema = object({
  by: text('`name`, `size` or `modified`; others mean the order of the folder.'),
  asc: flag('For `name` the direction is inverted against its label: false is A to Z.'),
})

const rule: Schema = object({
  regex: flag('The rule is `regexp`, not `path`.'),
  allow: flag('What matches is allowed, else denied. The last rule that matches decides.'),
  path: text('Matches this path and everything below it.'),
  regexp: {
    anyOf: [object({ raw: text('RE2 expression, searched in the path.') }), { type: 'null' }],
  },
})

const preferences: Record<string, Schema> = {
  scope: text('Folder below the root of the server; empty for callers who are no administrator.'),
  locale: text(),
  viewMode: text('`list`, `mosaic` or `mosaic gallery`.'),
  singleClick: flag(),
  redirectAfterCopyMove: flag(),
  sorting: ref('Sorting'),
  perm: ref('Permissions'),
  commands: list(text(), 'Programs the account may run, by exact name.'),
  hideDotfiles: flag(),
  dateFormat: flag('Exact times instead of relative ones.'),
  aceEditorTheme: text(),
}

const user: Schema = object({
  id: integer(),
  username: text(),
  password: text('Always empty in answers.'),
  lockPassword: flag('The account cannot change its own password.'),
  ...preferences,
  rules: list(ref('Rule')),
  // Answered where any of them is set; left alone when absent from what is sent.
  'groups?': list(integer(), 'Ids of all groups that the account is in.'),
  'home?': flag('False for an account that sees the folders given to it and nothing else.'),
  'homeQuota?': orNull(integer('Bytes that its home may hold; null where its groups decide.')),
  'effective?': object(
    { perm: ref('Permissions'), homeQuota: orNull(integer('Bytes; null for no limit.')) },
    'With what the groups add; ignored in what is sent.',
  ),
})

const UNREACHABLE = flag('Its disk does not answer: size and time are zero. Absent otherwise.')

const fileFields: Record<string, Schema> = {
  path: text('As requested, a trailing slash included.'),
  name: text('Empty for the root of the account.'),
  size: integer('Bytes.'),
  extension: text('From the last dot, which is included.'),
  modified: time(),
  mode: integer('Permission bits, and type flags in the top bits as Go numbers them.'),
  isDir: flag(),
  isSymlink: flag(),
  type: choice(
    ['', 'video', 'audio', 'image', 'pdf', 'text', 'textImmutable', 'blob', 'invalid_link'],
    'Empty for folders; `textImmutable` is text the caller may not change.',
  ),
  'subtitles?': list(text(), 'Videos only: paths of subtitle files that belong to it.'),
  'unreachable?': UNREACHABLE,
}

const settings: Schema = object({
  signup: flag('Anybody may make an account.'),
  hideLoginButton: flag(),
  createUserDir: flag(),
  minimumPasswordLength: integer('Bytes.'),
  userHomeBasePath: text(),
  defaults: object(preferences, 'What new accounts start with.'),
  authMethod: text('`json`, `proxy`, `hook` or `noauth`; cannot be changed here.'),
  rules: list(ref('Rule'), 'Rules for every account; those of the account come after them.'),
  branding: object({
    name: text(),
    disableExternal: flag(),
    disableUsedPercentage: flag(),
    files: text('Folder on the server with `custom.css` and `img/`.'),
    theme: text(),
    color: text(),
  }),
  tus: object({ chunkSize: integer('Bytes.'), retryCount: integer() }),
  shell: list(text(), 'Shell for commands and hooks; empty runs programs directly.'),
  commands: map(list(text()), 'Hooks: event (`before_upload`, `after_delete` …) to command lines.'),
  webhooks: list(
    object({ url: text(), events: list(text()), enabled: flag() }),
    'Addresses told about events by POST. Left alone when absent from a PUT.',
  ),
  webhookSecret: text(
    'Key of the signature on these calls (`X-FileBrowser-Signature: sha256=<HMAC of the body>`). ' +
      'Empty when it was configured by `--webhookSecret`; ignored in a PUT.',
  ),
  'secondFactor?': choice(
    ['off', 'optional', 'administrators', 'everyone'],
    'Who needs a second factor. Left alone when absent from a PUT.',
  ),
  'secondFactorFixed?': flag('It was configured by `--secondFactor`; ignored in a PUT.'),
  'keepAge?': text(
    'How long deleted entries and versions are kept: `30d`. Left alone when absent from a PUT.',
  ),
  'keepSize?': text(
    'Most that they may take of each disk: `10%` or `50GiB`. Left alone when absent from a PUT.',
  ),
  'keepFixed?': list(
    choice(['keepAge', 'keepSize']),
    'Which were configured by `--keepAge` or `--keepSize`; ignored in a PUT.',
  ),
})

const apiToken: Record<string, Schema> = {
  id: text(),
  name: text(),
  perm: ref('Permissions'),
  folder: text('All that it sees, as a path of the account.'),
  created: time(),
  expires: orNull(time()),
  lastUsed: orNull(time()),
}

/** Schemas by name, for `components.schemas`. */
export const SCHEMAS: Record<string, Schema> = {
  Permissions: permissions,
  Sorting: sorting,
  Rule: rule,
  User: user,
  StatusLine: {
    type: 'string',
    pattern: '^\\d{3} .+\\n$',
    description:
      'Status and reason; for some 400 answers the cause in brackets. The header `X-Error-Code` carries the reason for programs.',
    examples: ['404 Not Found\n', '400 Bad Request (password is empty)\n'],
  },
  File: object(fileFields),
  FileOrFolder: object({
    ...fileFields,
    'items?': list(ref('File'), 'Folders only: what they hold, sorted.'),
    'numDirs?': integer('Folders only.'),
    'numFiles?': integer('Folders only.'),
    'sorting?': ref('Sorting'),
    'content?': text('Text files up to 10 MiB, for callers who may download.'),
    'checksums?': map(text(), 'When asked for.'),
    'token?': text('Shares with a password: a ticket for download addresses, valid for 24 hours.'),
    'resolution?': object({ width: integer(), height: integer() }, 'Images only.'),
    'picture?': {
      anyOf: [ref('File'), { type: 'null' }],
      description: 'One of those in a folder, when its summary is asked for.',
    },
    'duration?': {
      type: ['number', 'null'],
      description: 'Of a film, in seconds, when asked for; null where it does not say.',
    },
    'rights?': ref('FolderRights'),
  }),
  RecursiveEntry: object({
    path: text(),
    name: text(),
    size: integer('Bytes.'),
    modified: time(),
    isDir: flag(),
    'unreachable?': UNREACHABLE,
  }),
  SearchHit: object({
    dir: flag(),
    path: text('Relative to the searched folder.'),
    'size?': integer('Bytes; with `details=true`.'),
    'modified?': time('With `details=true`.'),
    'unreachable?': flag('With `details=true`, when its disk does not answer.'),
  }),
  Selection: object({
    files: list(text(), 'Names of entries, or paths relative to the folder of the download.'),
  }),
  SelectionId: object({ id: text('Random; valid for whoever registered the selection.') }),
  Locks: object({
    items: list(
      object({
        id: text(),
        user: orNull(text('Name of the account; null for one that is gone.')),
        isOwn: flag(),
        isExclusive: flag(),
        isDeep: flag('It holds for all in the folder.'),
        expires: time(),
      }),
    ),
  }),
  Usage: object({ total: integer('Bytes.'), used: integer('Bytes.') }),
  UnfinishedUpload: object({
    path: text(),
    length: integer('Bytes announced.'),
    offset: integer('Bytes that have arrived.'),
    modified: text('When the last of them came.'),
    override: flag('It replaces what is there.'),
    'fileModified?': integer('When the file itself was modified, in ms since 1970, if told.'),
  }),
  Share: object({
    hash: text(),
    path: text(),
    userID: integer(),
    expire: integer('Seconds since 1970; 0 means never.'),
    hasPassword: flag(),
    'ended?': flag('Somebody else took away what was shared; it opens nothing ever again.'),
  }),
  NewShare: object({
    'password?': text('Empty for none.'),
    'expires?': text('A whole number, in `unit`; empty for never.'),
    'unit?': choice(['seconds', 'minutes', 'hours', 'days']),
  }),
  Settings: settings,
  Session: object({
    id: text(),
    userID: integer(),
    username: text(),
    created: time(),
    lastSeen: time(),
    address: text('Address of the client.'),
    userAgent: text(),
    current: flag('The session of this request.'),
  }),
  SecondStep: object({
    ticket: text('For `/api/login/second`, or `/api/login/enrol`; good once and for minutes.'),
    methods: list(
      choice(['code', 'recovery', 'passkey', 'enrol']),
      'Empty where the account has passkeys alone, of another address.',
    ),
  }),
  Enrolment: object({
    secret: text('Base32; SHA-1, six digits, 30 seconds.'),
    uri: text('`otpauth://…`, for a QR code.'),
  }),
  SecondFactor: object({
    offered: flag('False where it is switched off, or nobody signs in with a password.'),
    active: flag(),
    required: flag('It cannot be switched off.'),
    created: { anyOf: [time(), { type: 'null' }] },
    recovery: integer('Recovery codes that are left.'),
  }),
  AccountFactor: object({
    userID: integer(),
    active: flag(),
    required: flag('An administrator wants this account to have one.'),
    passkeys: integer('How many it has.'),
  }),
  ConfirmWays: object({
    confirmed: flag('Done within the last minutes.'),
    methods: list(choice(['password', 'code', 'passkey', 'provider'])),
  }),
  Passkey: object({
    id: text('Credential id, base64url.'),
    name: text(),
    rpID: text('The host name it is good at.'),
    backedUp: flag('On several devices, by a password manager.'),
    created: time(),
    lastUsed: { anyOf: [time(), { type: 'null' }] },
  }),
  Passkeys: object({
    offered: flag('False where nobody signs in with a password.'),
    why: {
      anyOf: [choice(['address', 'insecure']), { type: 'null' }],
      description: 'Why there are none at this address: it is no name, or not https.',
    },
    origin: { type: ['string', 'null'], description: 'The address as the server sees it.' },
    passkeys: list(ref('Passkey')),
  }),
  Assertion: {
    type: 'object',
    description: 'The answer of an authenticator: AuthenticationResponseJSON of WebAuthn 3.',
  },
  AssertionOptions: {
    type: 'object',
    description:
      'What to give to `navigator.credentials.get`: PublicKeyCredentialRequestOptionsJSON. Good once, for five minutes.',
  },
  AccountIdentity: object({
    userID: integer(),
    from: { type: 'string', enum: ['directory', 'provider'] },
    admin: flag('A group there makes it an administrator for now.'),
  }),
  Provider: object({
    issuer: text(),
    label: text(),
    redirectURI: text('To be entered there.'),
    logoutURI: text('Where it tells who has signed out.'),
    afterLogoutURI: text('Where it sends people after signing out.'),
    problem: text('Why it cannot be asked; empty when it can.'),
  }),
  OwnIdentity: object({
    label: text('Name of the provider.'),
    username: { type: ['string', 'null'], description: 'The name there; null for nobody.' },
    hasPassword: flag('False where only the provider opens the account.'),
  }),
  ApiToken: object(apiToken),
  MadeApiToken: object({ ...apiToken, token: text('To be sent; nobody can read it again.') }),
  NewApiToken: object({
    name: text(),
    perm: ref('Permissions'),
    'folder?': text('`/` when absent.'),
    'expires?': text('RFC 3339; never when absent.'),
    'current_password?': text('Password of the caller, with the method json.'),
  }),
  Node: object({
    id: text('Of one run.'),
    name: text(),
    version: text(),
    state: choice(
      ['ready', 'draining', 'gone'],
      '`draining`: about to stop; `gone`: not seen for ten seconds.',
    ),
    startedAt: time(),
    seenAt: time(),
    leader: flag('It sweeps for all nodes.'),
    lagMs: integer('How old what it knew of the records was when it was last seen.'),
  }),
  AuditPage: object({
    lines: list(ref('AuditRecord'), 'The newest first.'),
    next: { type: ['string', 'null'], description: 'For `before`; null when there are no more.' },
    target: choice(['file', 'stdout', 'off'], 'Only lines in a file can be read back.'),
  }),
  AuditRecord: object({
    time: time(),
    'user?': text('Account; for a refused sign-in what was typed.'),
    'via?': text('`session`, `token`, `share`, `command line`, or the method of a sign-in.'),
    'by?': text('Beginning of the session, id of the token, fingerprint of the link.'),
    'address?': text(),
    action: choice([...AUDIT_ACTIONS]),
    'path?': text('As they see it.'),
    'to?': text('Where it was copied or moved.'),
    'place?': text('Below the served folder, where that differs from the path.'),
    'target?': text('Account, token or link concerned, or a command line.'),
    'names?': list(text(), 'Of a selection, 50 at most.'),
    'selected?': integer('How many were selected.'),
    result: choice([...AUDIT_RESULTS]),
    'status?': integer(),
    'bytes?': integer('Sent or received.'),
    'times?': integer('Equal acts within a minute.'),
  }),
  Credentials: object({
    username: text(),
    password: text(),
    'recaptcha?': text('Answer of the human check, where one is configured.'),
    'code?': text('Six digits of the second step; empty to be asked for them with a ticket.'),
    'remember?': flag('False ends the session with the browser. Default true.'),
  }),
  NewUser: object({
    what: choice(['user']),
    which: list(text(), 'Must be empty.'),
    current_password: text('Password of the caller, with the method json.'),
    data: ref('User'),
  }),
  UserChange: object({
    what: choice(['user']),
    which: list(
      text(),
      'Names of the fields to change; `all` or none replaces the whole record, for administrators.',
    ),
    'current_password?': text('Needed for name, password, scope, rights and whole records.'),
    data: { type: 'object', description: 'A User with at least `id` and the fields named.' },
  }),
}
