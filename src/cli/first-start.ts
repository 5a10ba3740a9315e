// The first document: what a start without a database stores, and the administrator it makes.
import { randomBytes } from 'node:crypto'
import { hashPassword, isHash, MAX_PASSWORD_BYTES } from '../auth/hash.ts'
import { checkPassword } from '../auth/password-policy.ts'
import { checkUsername } from '../auth/provision.ts'
import { type Overrides, withStoredValues } from '../config/config.ts'
import type { ConfigFile } from '../config/config-file.ts'
import { OPTIONS } from '../config/options.ts'
import { badRequest } from '../lib/errors.ts'
import {
  type Document,
  defaultPermissions,
  defaultSettings,
  emptyDocument,
  type Settings,
  type User,
} from '../store/document.ts'
import { inContext } from './command.ts'

/** 12 random bytes: 16 characters in URL-safe base64. */
const RANDOM_PASSWORD_BYTES = 12

export interface FirstStart {
  doc: Document
  username: string
  /** The random password, to be shown once; null when the operator gave one. */
  password: string | null
}

/** Makes the first document from what was given for this run. Throws AppError `bad_request`. */
export async function prepareFirstStart(
  overrides: Overrides,
  file: ConfigFile | null,
  warn: (message: string) => void,
): Promise<FirstStart> {
  const username = overrides.username?.value ?? OPTIONS.username.default
  if (username.trim() === '')
    throw badRequest(`${overrides.username?.source}: the user name must not be empty`)
  inContext(overrides.username?.source ?? '--username', () => checkUsername(username))
  const settings = firstSettings(overrides, file)
  const given = overrides.password?.value ?? ''
  const password = given === '' ? randomBytes(RANDOM_PASSWORD_BYTES).toString('base64url') : null
  const hash =
    password === null ? await hashOfGiven(overrides, settings, warn) : await hashPassword(password)
  const admin: User = {
    ...settings.defaults,
    id: 1,
    username,
    password: hash,
    sorting: { by: 'name', asc: settings.defaults.sorting.asc },
    perm: { ...defaultPermissions(), admin: true },
    lockPassword: false,
    rules: [],
  }
  return {
    doc: { ...emptyDocument(settings), users: [admin], next: { users: 2 } },
    username,
    password,
  }
}

function firstSettings(overrides: Overrides, file: ConfigFile | null): Settings {
  const settings = defaultSettings()
  const theme = file?.get('defaults.aceEditorTheme')
  const given = new Map(Object.entries(overrides))
  // The original never stores the socket here, so that a later start on TCP stays possible.
  given.delete('socket')
  return {
    ...settings,
    hideLoginButton: true,
    authMethod: overrides.noauth?.value ? 'noauth' : 'json',
    defaults: {
      ...settings.defaults,
      redirectAfterCopyMove: true,
      viewMode: 'mosaic',
      sorting: { by: '', asc: false },
      aceEditorTheme: typeof theme === 'string' ? theme : '',
    },
    server: withStoredValues(settings.server, given),
  }
}

// A hash is taken as it is, plain text is hashed: the original stored plain text as if it were a
// hash and so locked the administrator out.
async function hashOfGiven(
  overrides: Overrides,
  settings: Settings,
  warn: (message: string) => void,
): Promise<string> {
  const text = overrides.password?.value ?? ''
  const source = overrides.password?.source ?? '--password'
  if (isHash(text)) return text
  if (/^\$2[abxy]?\$|^\$argon2/.test(text)) {
    throw badRequest(
      `${source} begins like a hash but is none; quote it so that the shell keeps its $ signs`,
    )
  }
  if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES)
    throw badRequest(`${source} is longer than ${MAX_PASSWORD_BYTES} bytes`)
  try {
    await checkPassword(text, settings.minimumPasswordLength)
  } catch (error) {
    warn(`the given ${(error as Error).message}; change it soon`)
  }
  return hashPassword(text)
}
