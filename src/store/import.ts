// Takes over the records of the old program's database: bbolt bytes in, a Document and a report
// out. Reads only. A database that cannot be taken over whole is refused whole.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Rule, UserDefaults } from '../api-types.ts'
import { AppError } from '../errors.ts'
import { ParseError, type Reader, readObject } from '../parse.ts'
import { type BoltBucket, type BoltFile, META_PROBE_BYTES, openBolt } from './bolt.ts'
import {
  type Auther,
  DEFAULT_DIR_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MINIMUM_PASSWORD_LENGTH,
  DEFAULT_TUS,
  DEFAULT_USER_HOME_BASE,
  type Document,
  defaultSettings,
  emptyDocument,
  emptyEventCommands,
  type ServerOptions,
  type Settings,
  type Share,
  type User,
} from './document.ts'
import { type ImportReport, noteStoredOff, noteUnknownKeys } from './import-report.ts'
import { parseDocument, parsePermissions, parseRule } from './parse-document.ts'

export { type ImportReport, reportLines } from './import-report.ts'

/** Databases of users and shares are some hundred kB; more than this is something else. */
const MAX_FILE_BYTES = 512 * 1024 * 1024
const READ_ATTEMPTS = 5
const AUTH_METHODS = ['json', 'proxy', 'hook', 'noauth']

export interface Imported {
  doc: Document
  report: ImportReport
}

/** Reads and converts a bbolt database file. Throws AppError that names the file and the trouble. */
export async function importBoltFile(file: string, now = Date.now()): Promise<Imported> {
  try {
    const data = await readConsistently(file)
    const sha256 = createHash('sha256').update(data).digest('hex')
    const imported = convertBolt(data, { file, sha256, nowMs: now })
    return imported
  } catch (error) {
    if (!(error instanceof AppError || error instanceof ParseError)) throw error
    throw new AppError(
      'unsupported',
      `cannot import ${file}: ${error.message}. The file was only read, nothing was changed.`,
      { cause: error },
    )
  }
}

/** Converts the bytes of a bbolt file. Throws AppError or ParseError when anything is wrong. */
export function convertBolt(
  data: Buffer,
  source: { file: string; sha256: string; nowMs: number },
): Imported {
  const bolt = openBolt(data)
  const top = bolt.readBucket(bolt.root)
  const config = recordsOf(bolt, top, 'config')
  const settingsText = config?.text('settings')
  if (!config || settingsText === undefined) throw noSettings(config)
  const report: ImportReport = {
    file: source.file,
    sizeBytes: data.length,
    sha256: source.sha256,
    pageSizeBytes: bolt.pageSizeBytes,
    authMethod: '',
    users: [],
    userRules: 0,
    globalRules: 0,
    commands: 0,
    shares: 0,
    protectedShares: 0,
    expiredShares: 0,
    orphanShares: 0,
    notes: [],
  }
  const settings = convertSettings(settingsText, config, report)
  const users = convertUsers(recordsOf(bolt, top, 'User'), report)
  const owners = new Set(users.list.map(({ id }) => id))
  const shares = convertShares(recordsOf(bolt, top, 'Link'), owners, source.nowMs, report)
  const doc: Document = {
    ...emptyDocument(settings),
    users: users.list,
    shares,
    nextUserId: users.nextId,
    importedFrom: {
      path: source.file,
      sha256: source.sha256,
      sizeBytes: data.length,
      atMs: source.nowMs,
    },
  }
  // What is written must be readable again: better refused now than at the next start.
  return { doc: parseDocument(JSON.parse(JSON.stringify(doc))), report }
}

interface Records {
  entries: { key: Buffer; value: Buffer }[]
  text(key: string): string | undefined
  metadata(key: string): Buffer | undefined
}

function recordsOf(bolt: BoltFile, top: BoltBucket, name: string): Records | null {
  const ref = top.buckets.get(name)
  if (!ref) return null
  const bucket = bolt.readBucket(ref)
  const metadataRef = bucket.buckets.get('__storm_metadata')
  const metadata = metadataRef ? bolt.readBucket(metadataRef).records : []
  const find = (list: { key: Buffer; value: Buffer }[], key: string) =>
    list.find((entry) => entry.key.toString('latin1') === key)?.value
  return {
    entries: bucket.records,
    text: (key) => find(bucket.records, key)?.toString('utf8'),
    metadata: (key) => find(metadata, key),
  }
}

function noSettings(config: Records | null): AppError {
  if (config?.text('key') !== undefined && config.text('commands') !== undefined) {
    return new AppError(
      'unsupported',
      'it was made by version 1.x; open it once with a File Browser from 2.0 to 2.46 (its "upgrade" ' +
        'command), then import the result',
    )
  }
  return new AppError(
    'unsupported',
    'it holds no settings, as after a "config init" that failed; move it away and start anew',
  )
}

function decode(text: string, at: string): Reader {
  try {
    return readObject(JSON.parse(text), at)
  } catch (error) {
    if (error instanceof ParseError) throw error
    throw new ParseError(`${at} is not JSON (${(error as Error).message})`)
  }
}

// Go's decoder knows integers that JSON numbers here cannot hold exactly: they are capped.
function integer(r: Reader, key: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = r.raw(key)
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || Math.floor(value) !== value) {
    throw new ParseError(`${r.at}.${key} must be a whole number`)
  }
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(max, value))
}

function strings(r: Reader, key: string): string[] {
  return r.list(key, (value, at) => {
    if (typeof value !== 'string') throw new ParseError(`${at} must be a string`)
    return value
  })
}

function convertSettings(text: string, config: Records, report: ImportReport): Settings {
  const r = decode(text, 'settings')
  noteUnknownKeys('settings', JSON.parse(text), report)
  const authMethod = r.str('authMethod')
  if (!AUTH_METHODS.includes(authMethod)) {
    throw new AppError('unsupported', `the sign-in method "${authMethod}" is not known`)
  }
  report.authMethod = authMethod
  const commands = convertCommands(r)
  const rules = r.list('rules', parseRule)
  report.globalRules = rules.length
  report.commands = Object.values(commands).flat().length
  const tus = r.obj('tus', (t) => ({
    chunkSize: integer(t, 'chunkSize'),
    retryCount: integer(t, 'retryCount', 65_535),
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
    auther: convertAuther(config.text('auther'), authMethod),
    fileMode: integer(r, 'fileMode', 0xffff_ffff) || DEFAULT_FILE_MODE,
    dirMode: integer(r, 'dirMode', 0xffff_ffff) || DEFAULT_DIR_MODE,
    hideDotfiles: r.bool('hideDotfiles'),
    defaults: r.obj('defaults', (d) => preferences(d, 'mosaic')),
    branding: r.obj('branding', (b) => ({
      name: b.str('name'),
      disableExternal: b.bool('disableExternal'),
      disableUsedPercentage: b.bool('disableUsedPercentage'),
      files: b.str('files'),
      theme: b.str('theme'),
      color: b.str('color'),
    })),
    tus: tus.chunkSize === 0 && tus.retryCount === 0 ? { ...DEFAULT_TUS } : tus,
    commands,
    shell: strings(r, 'shell'),
    rules,
    server: convertServer(config.text('server'), report),
  }
}

function convertCommands(r: Reader): Record<string, string[]> {
  const commands = emptyEventCommands()
  const stored = r.raw('commands')
  if (stored === undefined || stored === null) return commands
  const reader = readObject(stored, 'settings.commands')
  for (const event of Object.keys(stored)) commands[event] = strings(reader, event)
  return commands
}

// Missing means off, as in the original: there is no defaulting on read for this record.
function convertServer(text: string | undefined, report: ImportReport): ServerOptions {
  if (text === undefined) throw new AppError('unsupported', 'it holds no server record')
  const r = decode(text, 'server')
  noteUnknownKeys('server', JSON.parse(text), report)
  noteStoredOff(r, report)
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
    imageResolutionCalculation: r.bool('imageResolutionCalculation'),
    tokenExpirationTime: r.str('tokenExpirationTime'),
    followExternalSymlinks: r.bool('followExternalSymlinks'),
  }
}

function convertAuther(text: string | undefined, method: string): Auther {
  if (text === undefined)
    throw new AppError('unsupported', 'it holds no record of the sign-in method')
  const r = decode(text, 'auther')
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

function preferences(r: Reader, viewMode: string): UserDefaults {
  return {
    scope: r.str('scope'),
    locale: r.str('locale') || 'en',
    viewMode: r.str('viewMode') || viewMode,
    singleClick: r.bool('singleClick'),
    redirectAfterCopyMove: r.bool('redirectAfterCopyMove'),
    sorting: r.obj('sorting', (s) => ({ by: s.str('by'), asc: s.bool('asc') })),
    perm: r.obj('perm', parsePermissions),
    commands: strings(r, 'commands'),
    hideDotfiles: r.bool('hideDotfiles'),
    dateFormat: r.bool('dateFormat'),
    aceEditorTheme: r.str('aceEditorTheme'),
  }
}

function convertUsers(records: Records | null, report: ImportReport) {
  const list: User[] = []
  for (const { key, value } of records?.entries ?? []) {
    if (key.length !== 8) throw new ParseError('a user record has a key that is no number')
    const id = Number(key.readBigUInt64BE())
    const text = value.toString('utf8')
    const r = decode(text, `user ${id}`)
    noteUnknownKeys('user', JSON.parse(text), report)
    const username = r.str('username')
    if (username === '') {
      report.notes.push(`user ${id} has no name and is left out; the old program refuses it, too`)
      continue
    }
    const password = r.str('password')
    if (password === '') report.notes.push(`user ${username} has no password and cannot sign in`)
    const rules: Rule[] = r.list('rules', parseRule)
    const base = preferences(r, 'list')
    const sorting = { ...base.sorting, by: base.sorting.by || 'name' }
    list.push({
      id,
      username,
      password,
      ...base,
      sorting,
      lockPassword: r.bool('lockPassword'),
      rules,
    })
    report.users.push(username)
    report.userRules += rules.length
  }
  const counter = records?.metadata('IDcounter')
  const last = counter?.length === 8 ? Number(counter.readBigInt64BE()) : 0
  return { list, nextId: Math.max(last, ...list.map(({ id }) => id), 0) + 1 }
}

function convertShares(
  records: Records | null,
  owners: ReadonlySet<number>,
  nowMs: number,
  report: ImportReport,
): Share[] {
  const shares: Share[] = []
  for (const { key, value } of records?.entries ?? []) {
    const hash = key.toString('utf8')
    const text = value.toString('utf8')
    const r = decode(text, `share ${hash}`)
    noteUnknownKeys('share', JSON.parse(text), report)
    const expire = integer(r, 'expire')
    const userID = integer(r, 'userID')
    const passwordHash = r.str('password_hash')
    if (expire !== 0 && expire * 1000 <= nowMs) {
      report.expiredShares += 1
    } else if (!owners.has(userID)) {
      report.orphanShares += 1
    } else {
      const token = passwordHash === '' ? '' : r.str('token')
      shares.push({
        hash: r.str('hash') || hash,
        path: r.str('path'),
        userID,
        expire,
        passwordHash,
        token,
      })
      report.shares += 1
      if (passwordHash !== '') report.protectedShares += 1
    }
  }
  return shares
}

/**
 * Reads the whole file, again when a writer changed it meanwhile: pages are reused, so a copy taken
 * across a commit can mix two states.
 */
async function readConsistently(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    for (let attempt = 1; ; attempt++) {
      const { size } = await handle.stat()
      if (size > MAX_FILE_BYTES) throw new AppError('too_large', `it is larger than 512 MiB`)
      const before = await readHeads(handle)
      const data = Buffer.alloc(size)
      let filled = 0
      while (filled < size) {
        const { bytesRead } = await handle.read(data, filled, size - filled, filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      const after = await readHeads(handle)
      if (before.equals(after)) return data.subarray(0, filled)
      if (attempt === READ_ATTEMPTS) {
        throw new AppError('locked', 'it keeps changing; stop the old program first')
      }
    }
  } finally {
    await handle.close()
  }
}

// The first page of 4096 bytes and the second meta behind it cover the usual page sizes; for others
// the first meta alone changes with every second commit, which the retry also sees.
async function readHeads(handle: FileHandle): Promise<Buffer> {
  const heads = Buffer.alloc(META_PROBE_BYTES * 4)
  for (const [i, offset] of [0, 4096, 16_384, 65_536].entries()) {
    await handle.read(heads, i * META_PROBE_BYTES, META_PROBE_BYTES, offset)
  }
  return heads
}
