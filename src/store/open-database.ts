// What lies at the database path, and what is done about it. The old program's bbolt file is only
// ever read; ours then lives beside it as `<path>.json`.

import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, errnoOf } from '../lib/errors.ts'
import { COLLECTIONS, IMPORTED_FROM } from './collections.ts'
import type { Document, ImportedFrom } from './document.ts'
import { followLinks } from './durable-file.ts'
import { withFileLock } from './file-lock.ts'
import { cannotRead, cannotWrite, isMountOfItsOwn, requireWritable } from './folder-access.ts'
import { hasBoltMark, META_PROBE_BYTES, secondMetaOffsets } from './legacy/bolt.ts'
import { type ImportReport, importBoltFile, reportLines } from './legacy/import.ts'
import { isPostgresAddress } from './postgres/address.ts'
import type { PostgresPlace } from './postgres/open.ts'
import { createStore, openStore, type Store } from './store.ts'

type DatabaseKind = 'absent' | 'empty' | 'json' | 'bolt' | 'other'

interface Detected {
  kind: DatabaseKind
  /** For `other`: what it seems to be, for the message. */
  what: string
}

export interface OpenOptions {
  /** What a database on a server needs besides its address. */
  postgres?: PostgresPlace
  /** Makes the first document when there is none; without it a missing database is an error. */
  create?: () => Promise<Document>
  /** True for `config init`: an existing database is an error. */
  mustBeNew?: boolean
  /** Accounts and shares, where they are many, are left to `Store.rest`. */
  leavesLists?: boolean
  /** Takes lines for the operator: what was imported, what to know. */
  notice: (message: string) => void
}

export interface OpenedDatabase {
  store: Store
  /** The JSON file really used, or the address of the database. */
  file: string
  created: boolean
  /** Set when the records of the old program were taken over just now. */
  imported: ImportReport | null
}

/** The JSON file that stands in for a bbolt file. */
export function jsonBeside(path: string): string {
  return `${path}.json`
}

/**
 * Opens, creates or imports by what lies at the path, or opens what the address of a server names. Throws AppError: `not_found` when there
 * is no database and none may be made, `exists` with `mustBeNew`, `unsupported` for foreign files,
 * `forbidden` when the folder cannot be written.
 */
export async function openDatabase(path: string, options: OpenOptions): Promise<OpenedDatabase> {
  if (isPostgresAddress(path)) return openOnServer(path, options)
  const { kind, what } = await detectDatabase(path)
  if (kind === 'other') {
    throw new AppError(
      'unsupported',
      `the database path ${path} holds ${what}. Nothing was changed.`,
    )
  }
  if (options.mustBeNew && kind !== 'absent' && kind !== 'empty')
    throw new AppError('exists', `a database exists at ${path}; change it with "config set"`)
  if (kind === 'absent' || kind === 'empty') return openOrCreate(path, options)
  if (kind === 'json') return openExisting(path, options)
  return openBesideBolt(path, options)
}

async function openOnServer(database: string, options: OpenOptions): Promise<OpenedDatabase> {
  if (!options.postgres) throw new Error('a database on a server needs a folder for this node')
  const { openPostgres } = await import('./postgres/open.ts')
  const { store, created } = await openPostgres(database, options.postgres, options)
  return { store, file: database, created, imported: null }
}

async function openExisting(
  path: string,
  { leavesLists }: Pick<OpenOptions, 'leavesLists'>,
): Promise<OpenedDatabase> {
  const file = await followLinks(path)
  await requireWritable(file)
  return opened(await openStore(file, COLLECTIONS, { leavesLists }))
}

function opened(store: Store): OpenedDatabase {
  return { store, file: store.file, created: false, imported: null }
}

async function openOrCreate(path: string, options: OpenOptions): Promise<OpenedDatabase> {
  // After a move the old file may have been deleted, but the users must stay.
  const beside = jsonBeside(path)
  if (!options.mustBeNew && (await detectDatabase(beside)).kind === 'json') {
    options.notice(`${path} is gone, using ${beside}`)
    return openExisting(beside, options)
  }
  const file = await followLinks(path)
  await refuseToForget(file)
  await refuseToForget(beside)
  const { create } = options
  if (!create) {
    throw new AppError(
      'not_found',
      `there is no database at ${path}; start the server or run "filebrowser config init" to make one`,
    )
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw await cannotWrite(file, error)
  }
  await requireWritable(file)
  const doc = await create()
  return withFileLock(`${file}.lock`, async () => {
    const now = await detectDatabase(file)
    if (now.kind === 'json' && !options.mustBeNew) return opened(await openStore(file))
    if (now.kind !== 'absent' && now.kind !== 'empty')
      throw new AppError('exists', `another process made ${file} at the same moment`)
    return { store: await createStore(file, doc), file, created: true, imported: null }
  })
}

async function openBesideBolt(path: string, options: OpenOptions): Promise<OpenedDatabase> {
  const file = await followLinks(jsonBeside(path))
  await requireWritable(file, dirname(file) === dirname(path) ? path : file)
  return withFileLock(`${file}.lock`, async () => {
    const beside = await detectDatabase(file)
    if (beside.kind === 'json') {
      const store = await openStore(file)
      await warnWhenChanged(path, store.get(IMPORTED_FROM, ''), options.notice)
      return opened(store)
    }
    if (beside.kind !== 'absent' && beside.kind !== 'empty')
      throw new AppError('unsupported', `${file} holds ${beside.what || 'no database of ours'}`)
    await refuseToForget(file)
    const { doc, report } = await importBoltFile(path)
    const store = await createStore(file, doc, path)
    for (const line of reportLines(report)) options.notice(line)
    options.notice(`Imported into ${file}; ${path} stays as it is`)
    if (await isMountOfItsOwn(path)) {
      options.notice(
        `warning: ${path} is mounted as a single file, so ${file} is in the container alone and is ` +
          `lost with it. Mount the folder ${dirname(path)} instead`,
      )
    }
    return { store, file, created: false, imported: report }
  })
}

/**
 * Throws AppError `conflict` when `file` is missing or empty but its backup copy is there: people
 * lost their database, and a new one would soon replace the copy, too.
 */
export async function refuseToForget(file: string): Promise<void> {
  const backup = `${file}.bak`
  if ((await detectDatabase(backup)).kind !== 'json') return
  throw new AppError(
    'conflict',
    `the database ${file} is missing or empty, but a copy of it is there. Nothing was changed. ` +
      `To go on with the copy: cp -p ${backup} ${file}. To begin anew: move ${backup} away.`,
  )
}

async function warnWhenChanged(
  path: string,
  importedFrom: ImportedFrom | undefined,
  notice: (message: string) => void,
): Promise<void> {
  if (!importedFrom) return
  const { size } = await stat(path)
  if (size === importedFrom.sizeBytes && (await sha256Of(path)) === importedFrom.sha256) return
  notice(
    `warning: ${path} changed after it was imported, probably by the old program. Those changes are ` +
      `not seen here: ${jsonBeside(path)} is used. To import again, move that file and its .bak away.`,
  )
}

/** SHA-256 of a file, hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Looks at the first bytes only and changes nothing. At once, as at a start there is nobody to hold up. */
export async function detectDatabase(path: string): Promise<Detected> {
  let fd: number
  try {
    const info = statSync(path)
    if (info.isDirectory()) return { kind: 'other', what: 'a folder, not a file' }
    if (!info.isFile()) return { kind: 'other', what: 'something that is not a regular file' }
    fd = openSync(path, 'r')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { kind: 'absent', what: '' }
    if (errnoOf(error) === 'ENOTDIR')
      throw new AppError('not_found', `${dirname(path)} is not a folder`, { cause: error })
    throw await cannotRead(path, error)
  }
  try {
    const { size } = fstatSync(fd)
    if (size === 0) return { kind: 'empty', what: '' }
    const head = readAt(fd, 0, 4096)
    if (/^\uFEFF?\s*\{/.test(head.toString('utf8'))) return { kind: 'json', what: '' }
    if (hasBoltMark(head)) return { kind: 'bolt', what: '' }
    for (const offset of secondMetaOffsets()) {
      if (offset >= size) break
      if (hasBoltMark(readAt(fd, offset, META_PROBE_BYTES))) return { kind: 'bolt', what: '' }
    }
    return { kind: 'other', what: describe(head) }
  } finally {
    closeSync(fd)
  }
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(fd, buffer, 0, length, offset))
}

function describe(head: Buffer): string {
  if (head.subarray(0, 15).toString('latin1') === 'SQLite format 3') return 'an SQLite database'
  if (head[0] === 0x1f && head[1] === 0x8b) return 'a gzip file'
  if (head.subarray(0, 2).toString('latin1') === 'PK') return 'a zip file'
  if (head.every((byte) => byte === 0)) return 'zero bytes only, perhaps a damaged database'
  const text = head.subarray(0, 64).toString('latin1')
  if (/^[\x20-\x7e\s]+$/.test(text))
    return `text beginning with ${JSON.stringify(text.slice(0, 24))}`
  return 'data of an unknown kind, perhaps a damaged database'
}
