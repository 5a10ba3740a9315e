// The original's export files: their key names, their casing, their oddities; and the way back.
import { randomBytes } from 'node:crypto'
import { open, readFile, realpath, rename, unlink } from 'node:fs/promises'
import { extname } from 'node:path'
import { parseYaml } from '../../config/read-yaml.ts'
import { AppError, badRequest, errnoOf } from '../../lib/errors.ts'
import { pick } from '../../lib/fields.ts'
import {
  DEFAULT_KEEP_AGE,
  DEFAULT_KEEP_SIZE,
  DEFAULT_LOGOUT_PAGE,
  type ServerOptions,
  type Settings,
  USER_FIELDS,
  type User,
} from '../../store/document.ts'
import { toYaml } from './portable-yaml.ts'

export type Format = 'json' | 'yaml'

/** Larger files are not what this program wrote. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

/** From the extension, which is case-sensitive as in the original. Throws AppError. */
export function formatOf(file: string): Format {
  const extension = extname(file)
  if (extension === '.json') return 'json'
  if (extension === '.yml' || extension === '.yaml') return 'yaml'
  throw badRequest(`invalid format: ${extension}`)
}

/** Throws AppError unless the first argument is a file of a known format. */
export function checkFormat([file = '']: readonly string[]): void {
  formatOf(file)
}

/** Settings, server and sign-in method as `config export` shows them. */
export function presentConfig(settings: Settings, format: Format): Record<string, unknown> {
  const record = {
    settings: presentSettings(settings),
    server: presentServer(settings.server),
    auther: presentAuther(settings),
  }
  if (format === 'json') return record
  const { imageResolutionCalculation, ...server } = record.server
  return lowerKeys({
    settings: { ...record.settings, key: [...Buffer.from(settings.key, 'base64')] },
    server: renameAfter(server, 'typeDetectionByHeader', {
      imageResolutionCal: imageResolutionCalculation,
    }),
    auther: settings.authMethod === 'hook' ? hookInYaml(settings) : record.auther,
  }) as Record<string, unknown>
}

// In the order in which the original writes them.
const SETTINGS_KEYS = [
  'key',
  'signup',
  'hideLoginButton',
  'createUserDir',
  'userHomeBasePath',
  'defaults',
  'authMethod',
  'logoutPage',
  'branding',
  'tus',
  'commands',
  'shell',
  'rules',
  'minimumPasswordLength',
  'fileMode',
  'dirMode',
  'hideDotfiles',
] as const

function presentSettings(settings: Settings) {
  return {
    ...pick(settings, SETTINGS_KEYS),
    logoutPage: settings.logoutPage || DEFAULT_LOGOUT_PAGE,
    commands: Object.fromEntries(Object.entries(settings.commands).sort(byKey)),
    // Ours: the original has neither, so the keys are there only when there is something to keep.
    ...(settings.webhooks.length > 0 && { webhooks: settings.webhooks }),
    ...(settings.secondFactor !== 'optional' && { secondFactor: settings.secondFactor }),
    ...(settings.keepAge !== DEFAULT_KEEP_AGE && { keepAge: settings.keepAge }),
    ...(settings.keepSize !== DEFAULT_KEEP_SIZE && { keepSize: settings.keepSize }),
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function presentServer(server: ServerOptions) {
  const { tokenExpirationTime, followExternalSymlinks, ...others } = server
  return { ...others, authHook: '', tokenExpirationTime, followExternalSymlinks }
}

/** The options of the method in use, as the original stores them. */
export function presentAuther({ authMethod, auther }: Settings): Record<string, unknown> {
  if (authMethod === 'proxy') return { header: auther.header }
  if (authMethod === 'hook') return { command: auther.command }
  if (authMethod === 'noauth') return {}
  return { recaptcha: auther.recaptcha }
}

// The original's YAML spills the hook's working fields; readers of such files expect them.
function hookInYaml({ auther }: Settings): Record<string, unknown> {
  return {
    users: null,
    settings: null,
    server: null,
    cred: { password: '', username: '' },
    fields: { values: {} },
    command: auther.command,
  }
}

function renameAfter(
  record: Record<string, unknown>,
  after: string,
  added: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(record).flatMap((entry) =>
    entry[0] === after ? [entry, ...Object.entries(added)] : [entry],
  )
  return { ...Object.fromEntries(entries), caseInsensitiveFs: false }
}

/** Accounts as `users export` shows them, password hashes included. */
export function presentUsers(users: readonly User[], format: Format): unknown {
  const list = users.map((user) => pick(user, USER_FIELDS))
  return format === 'json' ? list : lowerKeys(list)
}

// Event names are data, not field names, and they are lower case anyway.
function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key.toLowerCase(), lowerKeys(child)]),
  )
}

/** The bytes of an export file. */
function serialise(value: unknown, format: Format): string {
  return format === 'json' ? `${goJson(value, 4)}\n` : toYaml(value)
}

/** JSON with the original's escapes, which keep the text safe inside HTML. */
export function goJson(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Writes an export for its owner only: it holds the signing key or password hashes. What the file held
 * before stays until the new one is whole. Throws AppError when it cannot be written.
 */
export async function writeExport(file: string, value: unknown): Promise<void> {
  const text = serialise(value, formatOf(file))
  try {
    // A link stays one.
    const target = await realpath(file).catch(() => file)
    const temp = `${target}.${randomBytes(6).toString('hex')}.tmp`
    const handle = await open(temp, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
      await handle.close()
      await rename(temp, target)
    } catch (error) {
      await handle.close()
      // The first failure is the one to tell.
      await unlink(temp).catch(() => {})
      throw error
    }
  } catch (error) {
    if (errnoOf(error) === '') throw error
    throw new AppError('bad_request', `cannot write ${file}: ${errnoOf(error)}`, { cause: error })
  }
}

/** Reads an export file. Throws AppError when it is missing or no JSON or YAML. */
export async function readExport(file: string): Promise<unknown> {
  const format = formatOf(file)
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw new AppError('bad_request', `cannot read ${file}: ${errnoOf(error)}`, { cause: error })
  }
  if (bytes.length > MAX_FILE_BYTES) throw badRequest(`${file} is too large`)
  const text = bytes.toString('utf8')
  try {
    return format === 'json' ? JSON.parse(text) : parseYaml(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new AppError('bad_request', `cannot read ${file}: ${reason}`, { cause: error })
  }
}
