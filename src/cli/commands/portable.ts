// The original's export files: their key names, their casing, their oddities; and the way back.
import { randomBytes } from 'node:crypto'
import { open, readFile, realpath, rename, unlink } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Rule, UserDefaults } from '../../api-types.ts'
import { parseYaml } from '../../config/read-yaml.ts'
import { AppError, errnoOf } from '../../lib/errors.ts'
import {
  DEFAULT_LOGOUT_PAGE,
  type ServerOptions,
  type Settings,
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
  throw new AppError('bad_request', `invalid format: ${extension}`)
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

function presentSettings(settings: Settings) {
  return {
    key: settings.key,
    signup: settings.signup,
    hideLoginButton: settings.hideLoginButton,
    createUserDir: settings.createUserDir,
    userHomeBasePath: settings.userHomeBasePath,
    defaults: presentPreferences(settings.defaults),
    authMethod: settings.authMethod,
    logoutPage: settings.logoutPage || DEFAULT_LOGOUT_PAGE,
    branding: {
      name: settings.branding.name,
      disableExternal: settings.branding.disableExternal,
      disableUsedPercentage: settings.branding.disableUsedPercentage,
      files: settings.branding.files,
      theme: settings.branding.theme,
      color: settings.branding.color,
    },
    tus: { chunkSize: settings.tus.chunkSize, retryCount: settings.tus.retryCount },
    commands: Object.fromEntries(Object.entries(settings.commands).sort(byKey)),
    shell: settings.shell,
    rules: settings.rules.map(presentRule),
    minimumPasswordLength: settings.minimumPasswordLength,
    fileMode: settings.fileMode,
    dirMode: settings.dirMode,
    hideDotfiles: settings.hideDotfiles,
    // Ours: the original has no webhooks, so the key is there only when there is something to keep.
    ...(settings.webhooks.length > 0 && { webhooks: settings.webhooks }),
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function presentPreferences(defaults: UserDefaults) {
  return {
    scope: defaults.scope,
    locale: defaults.locale,
    viewMode: defaults.viewMode,
    singleClick: defaults.singleClick,
    redirectAfterCopyMove: defaults.redirectAfterCopyMove,
    sorting: { by: defaults.sorting.by, asc: defaults.sorting.asc },
    perm: presentPermissions(defaults),
    commands: defaults.commands,
    hideDotfiles: defaults.hideDotfiles,
    dateFormat: defaults.dateFormat,
    aceEditorTheme: defaults.aceEditorTheme,
  }
}

function presentPermissions({ perm }: UserDefaults) {
  return {
    admin: perm.admin,
    execute: perm.execute,
    create: perm.create,
    rename: perm.rename,
    modify: perm.modify,
    delete: perm.delete,
    share: perm.share,
    download: perm.download,
  }
}

function presentRule(rule: Rule) {
  return {
    regex: rule.regex,
    allow: rule.allow,
    path: rule.path,
    regexp: rule.regexp ? { raw: rule.regexp.raw } : null,
  }
}

function presentServer(server: ServerOptions) {
  return {
    root: server.root,
    baseURL: server.baseURL,
    socket: server.socket,
    tlsKey: server.tlsKey,
    tlsCert: server.tlsCert,
    port: server.port,
    address: server.address,
    log: server.log,
    enableThumbnails: server.enableThumbnails,
    resizePreview: server.resizePreview,
    enableExec: server.enableExec,
    typeDetectionByHeader: server.typeDetectionByHeader,
    imageResolutionCalculation: server.imageResolutionCalculation,
    authHook: '',
    tokenExpirationTime: server.tokenExpirationTime,
    followExternalSymlinks: server.followExternalSymlinks,
  }
}

/** The options of the method in use, as the original stores them. */
export function presentAuther({ authMethod, auther }: Settings): Record<string, unknown> {
  if (authMethod === 'proxy') return { header: auther.header }
  if (authMethod === 'hook') return { command: auther.command }
  if (authMethod === 'noauth') return {}
  const { recaptcha } = auther
  return {
    recaptcha: recaptcha && { host: recaptcha.host, key: recaptcha.key, secret: recaptcha.secret },
  }
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
  const list = users.map((user) => ({
    id: user.id,
    username: user.username,
    password: user.password,
    scope: user.scope,
    locale: user.locale,
    lockPassword: user.lockPassword,
    viewMode: user.viewMode,
    singleClick: user.singleClick,
    redirectAfterCopyMove: user.redirectAfterCopyMove,
    perm: presentPermissions(user),
    commands: user.commands,
    sorting: { by: user.sorting.by, asc: user.sorting.asc },
    rules: user.rules.map(presentRule),
    hideDotfiles: user.hideDotfiles,
    dateFormat: user.dateFormat,
    aceEditorTheme: user.aceEditorTheme,
  }))
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
export function serialise(value: unknown, format: Format): string {
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
  if (bytes.length > MAX_FILE_BYTES) throw new AppError('bad_request', `${file} is too large`)
  const text = bytes.toString('utf8')
  try {
    return format === 'json' ? JSON.parse(text) : parseYaml(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new AppError('bad_request', `cannot read ${file}: ${reason}`, { cause: error })
  }
}
