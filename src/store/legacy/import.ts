// Takes over the records of the old program's database: bbolt bytes in, a Document and a report
// out. Reads only. A database that cannot be taken over whole is refused whole.
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../../lib/errors.ts'
import { ParseError } from '../../lib/parse.ts'
import { COLLECTIONS } from '../collections.ts'
import { type Document, emptyDocument, type Settings, type Share, type User } from '../document.ts'
import { composeDocument, parseDocument } from '../document-file.ts'
import {
  type BoltBucket,
  type BoltFile,
  META_PROBE_BYTES,
  openBolt,
  secondMetaOffsets,
} from './bolt.ts'
import { accountFrom, settingsFrom, shareFrom } from './records.ts'
import { type ImportReport, noteFaultyRules, noteStoredOff, noteUnknownKeys } from './report.ts'

export { type ImportReport, reportLines } from './report.ts'

/** Databases of users and shares are some hundred kB; more than this is something else. */
const MAX_FILE_BYTES = 512 * 1024 * 1024
const READ_ATTEMPTS = 5

export interface Imported {
  doc: Document
  report: ImportReport
}

/** Reads and converts a bbolt database file. Throws AppError that names the file and the trouble. */
export async function importBoltFile(file: string, now = Date.now()): Promise<Imported> {
  try {
    const data = await readWhole(file)
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
    next: { users: users.nextId },
    importedFrom: {
      path: source.file,
      sha256: source.sha256,
      sizeBytes: data.length,
      atMs: source.nowMs,
    },
  }
  // Refuses now what the next start could not read.
  const { head, tables } = parseDocument(JSON.parse(JSON.stringify(doc)), COLLECTIONS)
  return { doc: composeDocument(head, tables) as Document, report }
}

interface BoltRecords {
  entries: { key: Buffer; value: Buffer }[]
  text(key: string): string | undefined
  metadata(key: string): Buffer | undefined
}

function recordsOf(bolt: BoltFile, top: BoltBucket, name: string): BoltRecords | null {
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

function noSettings(config: BoltRecords | null): AppError {
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

function decode(text: string, at: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ParseError(`${at} is not JSON (${(error as Error).message})`)
  }
}

function convertSettings(text: string, config: BoltRecords, report: ImportReport): Settings {
  const serverText = config.text('server')
  const autherText = config.text('auther')
  if (serverText === undefined) throw new AppError('unsupported', 'it holds no server record')
  if (autherText === undefined)
    throw new AppError('unsupported', 'it holds no record of the sign-in method')
  const record = decode(text, 'settings')
  const server = decode(serverText, 'server')
  const settings = settingsFrom({
    settings: record,
    server,
    auther: decode(autherText, 'auther'),
  })
  noteUnknownKeys('settings', record, report)
  noteUnknownKeys('server', server, report)
  noteStoredOff(settings.server, report)
  report.authMethod = settings.authMethod
  report.globalRules = settings.rules.length
  noteFaultyRules('for all', settings.rules, report)
  report.commands = Object.values(settings.commands).flat().length
  return settings
}

function convertUsers(records: BoltRecords | null, report: ImportReport) {
  const list: User[] = []
  for (const { key, value } of records?.entries ?? []) {
    if (key.length !== 8) throw new ParseError('a user record has a key that is no number')
    const id = Number(key.readBigUInt64BE())
    const record = decode(value.toString('utf8'), `user ${id}`)
    const user = { ...accountFrom(record, `user ${id}`), id }
    noteUnknownKeys('user', record, report)
    if (user.username === '') {
      report.notes.push(`user ${id} has no name and is left out; the old program refuses it, too`)
      continue
    }
    if (user.password === '') {
      report.notes.push(`user ${user.username} has no password and cannot sign in`)
    }
    list.push(user)
    report.users.push(user.username)
    report.userRules += user.rules.length
    noteFaultyRules(`of ${user.username}`, user.rules, report)
  }
  const counter = records?.metadata('IDcounter')
  const last = counter?.length === 8 ? Number(counter.readBigInt64BE()) : 0
  return { list, nextId: Math.max(last, ...list.map(({ id }) => id), 0) + 1 }
}

function convertShares(
  records: BoltRecords | null,
  owners: ReadonlySet<number>,
  nowMs: number,
  report: ImportReport,
): Share[] {
  const shares: Share[] = []
  for (const { key, value } of records?.entries ?? []) {
    const hash = key.toString('utf8')
    const record = decode(value.toString('utf8'), `share ${hash}`)
    const share = shareFrom(record, hash)
    noteUnknownKeys('share', record, report)
    if (share.expire !== 0 && share.expire * 1000 <= nowMs) {
      report.expiredShares += 1
    } else if (!owners.has(share.userID)) {
      report.orphanShares += 1
    } else {
      shares.push(share)
      report.shares += 1
      if (share.passwordHash !== '') report.protectedShares += 1
    }
  }
  return shares
}

async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    return await readConsistently(handle)
  } finally {
    await handle.close()
  }
}

/**
 * Reads the whole file, again when a writer changed it meanwhile: pages are reused, so a copy taken
 * across a commit can mix two states. Node cannot take the lock the old program uses. Throws
 * AppError `locked` when the changes do not end.
 */
export async function readConsistently(handle: Pick<FileHandle, 'stat' | 'read'>): Promise<Buffer> {
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
    if (attempt === READ_ATTEMPTS)
      throw new AppError('locked', 'it keeps changing; stop the old program first')
  }
}

// Every commit rewrites one of the two head pages, in turn. The second may be at any page size.
async function readHeads(handle: Pick<FileHandle, 'read'>): Promise<Buffer> {
  const offsets = [0, ...secondMetaOffsets()]
  const heads = Buffer.alloc(META_PROBE_BYTES * offsets.length)
  for (const [i, offset] of offsets.entries()) {
    await handle.read(heads, i * META_PROBE_BYTES, META_PROBE_BYTES, offset)
  }
  return heads
}
