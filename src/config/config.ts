// What the server runs with: flag > FB_* environment > configuration file > stored server record >
// default, merged into one frozen Config. It is finished when loaded; later modules trust it.
import { isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { badRequest } from '../lib/errors.ts'
import { VERSION } from '../lib/version.ts'
import type { ServerOptions } from '../store/document.ts'
import { isPostgresAddress } from '../store/postgres/address.ts'
import type { ConfigFile } from './config-file.ts'
import type { StoredField } from './option.ts'
import { envNamesOf, OPTION_KEYS, type OptionKey, type OptionValues, optionOf } from './options.ts'
import { checkDirectory } from './options-ldap.ts'

/** Options that are something else in Config: under another name, negated, or of no effect. */
type Changed =
  | 'extractMaxSize'
  | 'fetchMaxSize'
  | 'previewCacheSize'
  | 'auditSize'
  | 'auditAge'
  | 'tokenExpirationTime'
  | 'sessionIdle'
  | 'sessionMax'
  | 'tusExpiry'
  | 'drainDelay'
  | 'drainTimeout'
  | 'trustedProxies'
  | 'disableThumbnails'
  | 'disablePreviewResize'
  | 'disableExec'
  | 'disableTypeDetectionByHeader'
  | 'disableImageResolutionCalc'
  | 'branding.helpURL'
  | 'redisCacheUrl'

/**
 * What options.ts says of each, finished: paths are absolute unless they are empty, `address` has no
 * brackets, `baseURL` is empty or begins with a slash and has none at its end, `cert` and `key` are both
 * set or both empty. Existence of files is not guaranteed.
 */
export interface Config extends Readonly<Omit<OptionValues, Changed>> {
  /** Absolute path given by the user; the JSON document may live beside it (`<path>.json`). */
  readonly database: string
  readonly extractMaxSizeBytes: number
  readonly fetchMaxSizeBytes: number
  /** Bytes kept in `cacheDir` before the oldest previews go; 0 means unlimited. */
  readonly previewCacheSizeBytes: number
  readonly auditSizeBytes: number
  readonly auditAgeMs: number
  readonly tokenExpirationMs: number
  readonly sessionIdleMs: number
  readonly sessionMaxMs: number
  readonly tusExpiryMs: number
  readonly drainDelayMs: number
  readonly drainTimeoutMs: number
  readonly enableThumbnails: boolean
  readonly resizePreview: boolean
  readonly enableExec: boolean
  readonly typeDetectionByHeader: boolean
  readonly imageResolutionCalculation: boolean
  /**
   * Addresses and CIDR blocks whose forwarding and identity headers are believed; null when the
   * option is not set, which differs from an empty list (believe nobody).
   */
  readonly trustedProxies: readonly string[] | null
  /** Address behind the help and report links; empty hides them. */
  readonly helpURL: string
  /** Product version, without a leading `v`. */
  readonly version: string
}

/** Values given for this run, each with the place it came from for messages. */
export type Overrides = {
  readonly [K in OptionKey]?: {
    readonly value: OptionValues[K]
    /** As it was typed. */
    readonly text: string
    readonly source: string
  }
}

/** A flag given on the command line: what it means and what was typed. */
export interface FlagValue {
  readonly value: unknown
  readonly text: string
}

interface OverrideSources {
  /** Flags given on the command line, already parsed. */
  flags: ReadonlyMap<string, FlagValue>
  env: Readonly<Record<string, string | undefined>>
  file: ConfigFile | null
}

export const DEFAULT_DATABASE = './filebrowser.db'
export const DEFAULT_STATE_DIR = './filebrowser.state'

/** The absolute path of the database, or the address of a server. Every command takes it from all sources. */
export function databasePathOf(sources: OverrideSources, cwd: string): string {
  const given = givenText(sources, 'database', 'FB_DATABASE') ?? DEFAULT_DATABASE
  return isPostgresAddress(given) ? given : resolve(cwd, given)
}

/** The absolute path of the folder for what this node keeps itself when the database is on a server. */
export function stateDirOf(sources: OverrideSources, cwd: string): string {
  return resolve(cwd, givenText(sources, 'stateDir', 'FB_STATE_DIR') ?? DEFAULT_STATE_DIR)
}

function givenText(
  { flags, env, file }: OverrideSources,
  key: string,
  variable: string,
): string | undefined {
  const fromFile = file?.get(key)
  const inFile = typeof fromFile === 'string' ? fromFile : undefined
  return flags.get(key)?.text || env[variable] || inFile || undefined
}

/**
 * Collects what flags, environment and file say, highest first. Throws AppError `bad_request`
 * naming the source and the value when one cannot be read.
 */
export function collectOverrides(
  { flags, env, file }: OverrideSources,
  warn: (message: string) => void,
): Overrides {
  const found: Record<string, Given> = {}
  for (const key of OPTION_KEYS) {
    const given = findOption(key, { flags, env, file })
    if (given) found[key] = given
  }
  if (!found.baseURL && env.FB_BASEURL) {
    warn('FB_BASEURL is an old name, use FB_BASE_URL')
    found.baseURL = parseFrom('baseURL', env.FB_BASEURL, 'FB_BASEURL')
  }
  for (const key of file?.keys ?? []) warnUnknownKey(key, file?.file ?? '', warn)
  const overrides = found as Overrides
  refuseConflicts(overrides)
  return Object.freeze(overrides)
}

type Given = FlagValue & { source: string }

function findOption(key: OptionKey, { flags, env, file }: OverrideSources): Given | undefined {
  const flag = flags.get(key)
  if (flag) return { ...flag, source: `--${key}` }
  const envName = envNamesOf(key).find((name) => env[name])
  if (envName !== undefined) return parseFrom(key, env[envName] ?? '', envName)
  const raw = file?.get(key)
  if (!file || raw === undefined) return undefined
  const source = `${key} in ${file.file}`
  return parseFrom(key, textOf(raw, source, optionOf(key).isMap), source)
}

/** Whether a server with these sources and this stored record follows links out of a scope. */
export function followsExternalSymlinks(sources: OverrideSources, stored: ServerOptions): boolean {
  const given = findOption('followExternalSymlinks', sources)
  return given ? given.value === true : stored.followExternalSymlinks
}

function parseFrom(key: OptionKey, text: string, source: string): Given {
  try {
    return { value: optionOf(key).parse(text), text, source }
  } catch (error) {
    const shown = optionOf(key).secret ? '' : `"${text}" `
    throw badRequest(`${source}: ${shown}is not valid, ${(error as Error).message}`)
  }
}

function textOf(raw: unknown, source: string, isMap = false): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' || typeof raw === 'boolean' || typeof raw === 'bigint')
    return `${raw}`
  if (Array.isArray(raw) && raw.every((item) => typeof item === 'string'))
    return raw.map((item) => `"${item.replaceAll('"', '""')}"`).join(',')
  if (isMap && typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    const entries = Object.entries(raw).map(([name, value]) => `${name}=${value}`)
    return textOf(entries, source)
  }
  throw badRequest(`${source}: expected a single value, not a nested one`)
}

// Keys of the original's documentation and of its nested first-start default.
const OTHER_KEYS = ['database', 'stateDir', 'defaults']

// The original ignores a misspelt key silently; here a warning says so.
function warnUnknownKey(key: string, file: string, warn: (message: string) => void): void {
  const folded = key.toLowerCase()
  const known = [...OPTION_KEYS, ...OTHER_KEYS].some((name) =>
    // Names with a dot stand in a section.
    [name, name.split('.')[0]].some((part) => part?.toLowerCase() === folded),
  )
  if (known) return
  const squashed = folded.replace(/[-_]/g, '')
  const meant =
    OPTION_KEYS.find((name) => name.toLowerCase() === squashed) ??
    OPTION_KEYS.find((name) => optionOf(name).deprecated?.includes(key))
  warn(`unknown key ${key} in ${file} is ignored${meant ? `; did you mean ${meant}?` : ''}`)
}

const TCP_KEYS = ['address', 'port', 'cert', 'key'] as const

function refuseConflicts(overrides: Overrides): void {
  if (!overrides.socket?.value) return
  const other = TCP_KEYS.map((key) => overrides[key]).find((given) => given !== undefined)
  if (!other) return
  throw badRequest(
    `${overrides.socket.source} and ${other.source} exclude each other: use a socket or TCP`,
  )
}

interface ConfigContext {
  overrides: Overrides
  /** The record of the opened database. */
  stored: ServerOptions
  database: string
  cwd: string
  warn: (message: string) => void
}

/** Merges overrides over the stored record and finishes every value. Throws AppError. */
export function buildConfig({ overrides, stored, database, cwd, warn }: ConfigContext): Config {
  const values = mergeValues(overrides, stored, warn)
  const tcpGiven = TCP_KEYS.some((key) => overrides[key] !== undefined)
  const socket = overrides.socket ? values.socket : tcpGiven ? '' : values.socket
  const tls = tlsPair(values, warn)
  checkDirectory(values)
  if (values.redisCacheUrl !== '') {
    warn('redisCacheUrl is accepted but not needed: unfinished uploads are kept on disk')
  }
  if (values['oidc.issuer'] !== '' && values['oidc.clientId'] === '')
    warn('oidc.issuer has no effect without oidc.clientId, the name of this server at the provider')
  const absolute = (path: string) => (path === '' ? '' : resolve(cwd, path))
  return Object.freeze({
    ...values,
    root: resolve(cwd, values.root),
    roots: Object.freeze(
      Object.fromEntries(
        Object.entries(values.roots).map(([name, path]) => [name, resolve(cwd, path)]),
      ),
    ),
    address: plainAddress(values.address),
    socket: absolute(socket),
    cert: absolute(tls.cert),
    key: absolute(tls.key),
    baseURL: normalBaseURL(values.baseURL),
    database,
    log: isLogStream(values.log) ? values.log : resolve(cwd, values.log),
    audit: AUDIT_WORDS.includes(values.audit) ? values.audit : resolve(cwd, values.audit),
    auditSizeBytes: values.auditSize,
    auditAgeMs: values.auditAge,
    cacheDir: absolute(values.cacheDir),
    'ldap.ca': absolute(values['ldap.ca']),
    'ldap.bindPasswordFile': absolute(values['ldap.bindPasswordFile']),
    extractMaxSizeBytes: values.extractMaxSize,
    fetchMaxSizeBytes: values.fetchMaxSize,
    previewCacheSizeBytes: values.previewCacheSize,
    tokenExpirationMs: values.tokenExpirationTime,
    sessionIdleMs: values.sessionIdle,
    sessionMaxMs: values.sessionMax,
    tusExpiryMs: values.tusExpiry,
    drainDelayMs: values.drainDelay,
    drainTimeoutMs: values.drainTimeout,
    enableThumbnails: !values.disableThumbnails,
    resizePreview: !values.disablePreviewResize,
    enableExec: !values.disableExec,
    typeDetectionByHeader: !values.disableTypeDetectionByHeader,
    imageResolutionCalculation: !values.disableImageResolutionCalc,
    'oidc.clientSecretFile': absolute(values['oidc.clientSecretFile']),
    trustedProxies: overrides.trustedProxies ? values.trustedProxies : null,
    helpURL: values['branding.helpURL'],
    version: VERSION,
  })
}

function mergeValues(
  overrides: Overrides,
  stored: ServerOptions,
  warn: (message: string) => void,
): OptionValues {
  const merged: Record<string, unknown> = {}
  for (const key of OPTION_KEYS) {
    const given = overrides[key]
    merged[key] = given ? given.value : storedOrDefault(key, stored, warn)
  }
  return merged as OptionValues
}

// The stored record may come from an old database, so a bad value there is warned about only.
function storedOrDefault(
  key: OptionKey,
  stored: ServerOptions,
  warn: (message: string) => void,
): unknown {
  const option = optionOf(key)
  if (option.stored === undefined) return option.parse(option.default)
  const text = storedText(stored, option.stored)
  try {
    return option.parse(text)
  } catch (error) {
    warn(
      `the stored ${key} "${text}" is not valid (${(error as Error).message}), using ${option.default}`,
    )
    return option.parse(option.default)
  }
}

function storedText(stored: ServerOptions, field: StoredField): string {
  if (!field.startsWith('!')) return String(stored[field as keyof ServerOptions])
  return String(!stored[field.slice(1) as keyof ServerOptions])
}

/** The server record with the given options put in; options that are not stored are left out. */
export function withStoredValues(
  record: ServerOptions,
  given: ReadonlyMap<string, FlagValue>,
): ServerOptions {
  const next: Record<string, unknown> = { ...record }
  for (const key of OPTION_KEYS) {
    const field = optionOf(key).stored
    const flag = given.get(key)
    if (field === undefined || !flag) continue
    if (field.startsWith('!')) next[field.slice(1)] = !flag.value
    else next[field] = typeof flag.value === 'boolean' ? flag.value : flag.text
  }
  return next as unknown as ServerOptions
}

function plainAddress(address: string): string {
  const inner = /^\[(.*)\]$/.exec(address)?.[1]
  return inner !== undefined && isIPv6(inner) ? inner : address
}

function normalBaseURL(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, '')
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`
}

const AUDIT_WORDS = ['file', 'stdout', 'off']

function isLogStream(log: string): boolean {
  return log === '' || log === 'stdout' || log === 'stderr'
}

// As in the original, half a pair means plain HTTP; here a warning says so.
function tlsPair(values: OptionValues, warn: (message: string) => void) {
  const { cert, key } = values
  if ((cert === '') === (key === '')) return { cert, key }
  warn(
    `serving WITHOUT encryption: ${cert === '' ? '--key is given without --cert' : '--cert is given without --key'}`,
  )
  return { cert: '', key: '' }
}
