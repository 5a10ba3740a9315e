// Remembers each temporary file from before it is made until it is gone, so that what a crash or an
// abandoned upload left behind is found without walking the whole tree, and nothing else is ever
// removed. The list is a log beside the database, one line of JSON for each that came or went.
import {
  closeSync,
  fdatasync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { createLocks, type Locks } from '../../lib/locks.ts'
import type { Disks } from '../disks/disks.ts'
import { inFolder } from '../place/jail.ts'
import { declaredBytes, isTempName } from './temp-name.ts'

const syncData = promisify(fdatasync)

const SYNC_DELAY_MS = 1_000
const SWEEP_EVERY_MS = 10 * 60_000
/** Files remembered; what comes beyond them is removed by who made it, but not after a crash. */
const MAX_NOTED = 20_000
/** The log is written anew once this much of it is of no more use. */
const MAX_STALE_BYTES = 4 * 1024 * 1024

/** What is known of a temporary file. */
export interface TempFacts {
  /** The account that began the upload, and where to, as that account sees it. */
  upload?: { owner: number; vpath: string } | undefined
  /** The file it is being written into, see in-place.ts: real path and inode. */
  writesTo?: { path: string; ino: string } | undefined
}

/** What those who make temporary files tell, and where they may make them. */
export interface TempNotes {
  /** Notes a file (real host path), before it is made, or adds to what is known of it. */
  note(path: string, facts?: TempFacts): void
  /** To be told when it is gone. */
  forget(path: string): void
  /** Waits until a power cut leaves what was noted. */
  sync(): Promise<void>
  /** The folder for what cannot be made beside its target; made by who needs it. */
  readonly stagingFolder: string
  /** Held by device and inode while a file is written in place. */
  readonly targets: Locks
}

export interface TempRegistry extends TempNotes {
  noted(): ReadonlyMap<string, TempFacts>
  /** Removes temporary files untouched for longer than the limit. */
  sweep(): Promise<void>
  /** Saves and stops the timers. */
  close(): Promise<void>
}

/** `file` (`<database>.uploads`) keeps the log; `maxAgeMs` is how long an unfinished upload may rest. */
export function createTempRegistry(disks: Disks, file: string, maxAgeMs: number): TempRegistry {
  const startedAtMs = Date.now()
  const { notes, folders } = read(file)
  const log = openLog(file, () => lines(notes, folders))
  const stagingFolder = join(realFolderOf(file), `${basename(file, '.uploads')}.staging`)

  // When a file was first found missing: its disk may be mounted again before it expires.
  const missingSince = new Map<string, number>()
  const forget = (path: string) => {
    missingSince.delete(path)
    if (notes.delete(path)) log.add({ gone: path })
  }
  const note = (path: string, facts: TempFacts = {}) => {
    if (!notes.has(path) && notes.size >= MAX_NOTED) return
    const all = { ...notes.get(path), ...facts }
    notes.set(path, all)
    log.add({ temp: path, ...all })
  }
  const isOver = (path: string, nowMs: number) => {
    const sinceMs = missingSince.get(path) ?? nowMs
    missingSince.set(path, sinceMs)
    return nowMs - sinceMs > maxAgeMs
  }
  const sweepFile = async (path: string, { writesTo }: TempFacts) => {
    const nowMs = Date.now()
    // Nothing but it has the content that is being written.
    if (writesTo) return
    const end = await removeExpired(disks, path, nowMs - maxAgeMs, startedAtMs)
    if (end === 'stays') missingSince.delete(path)
    else if (end === 'removed' || isOver(path, nowMs)) forget(path)
  }
  // Version 3.0.0 noted folders.
  const adoptFrom = async (folder: string) => {
    const device = disks.of(folder)
    const names = await device.query(() => readdir(folder)).catch(() => null)
    for (const name of names ?? [])
      if (isTempName(name) && !notes.has(join(folder, name))) note(join(folder, name))
    if (isOver(folder, Date.now())) folders.delete(folder)
  }
  const sweep = async () => {
    for (const folder of [...folders]) await adoptFrom(folder)
    for (const [path, facts] of [...notes]) await sweepFile(path, facts)
  }
  // What the last run left behind is old enough to go at once.
  sweep().catch(() => {})
  const timer = setInterval(() => sweep().catch(() => {}), SWEEP_EVERY_MS)
  timer.unref()

  return {
    note,
    forget,
    sync: () => log.sync(),
    stagingFolder,
    targets: createLocks(),
    noted: () => notes,
    sweep,
    close: async () => {
      clearInterval(timer)
      await sweep().catch(() => {})
      await rmdir(stagingFolder).catch(() => {})
      log.close(notes.size + folders.size === 0)
    },
  }
}

/** `missing` as well where its folder is, or could not be looked at. */
async function removeExpired(
  disks: Disks,
  path: string,
  olderThanMs: number,
  startedAtMs: number,
): Promise<'removed' | 'stays' | 'missing'> {
  try {
    return await inFolder(disks, dirname(path), async (ref, device) => {
      const entry = join(ref, basename(path))
      const found = await device.query(() => lstat(entry))
      if (!found.isFile()) return 'removed'
      // All of it has come: whoever sent it has the whole time to come back after a start.
      const isComplete = found.size === declaredBytes(basename(path))
      const touchedAtMs = isComplete ? Math.max(found.mtimeMs, startedAtMs) : found.mtimeMs
      if (touchedAtMs >= olderThanMs) return 'stays'
      await device.run(() => unlink(entry))
      return 'removed'
    })
  } catch (error) {
    if (error instanceof AppError || errnoOf(error) !== '') return 'missing'
    throw error
  }
}

function realFolderOf(file: string): string {
  try {
    return realpathSync(dirname(file))
  } catch {
    return dirname(file)
  }
}

interface Known {
  notes: Map<string, TempFacts>
  folders: Set<string>
}

// Missing or damaged lines: what they told of is removed when its folder is.
function read(file: string): Known {
  const known: Known = { notes: new Map(), folders: new Set() }
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return known
  }
  for (const line of text.split('\n')) {
    try {
      readLine(known, JSON.parse(line))
    } catch {}
  }
  return known
}

function readLine({ notes, folders }: Known, value: unknown): void {
  if (Array.isArray(value)) {
    for (const folder of value) if (typeof folder === 'string') folders.add(folder)
    return
  }
  const { temp, gone, folder, upload, writesTo } = value as Record<string, unknown>
  if (typeof folder === 'string') folders.add(folder)
  if (typeof gone === 'string') notes.delete(gone)
  if (typeof temp !== 'string' || !isTempName(basename(temp))) return
  notes.set(temp, {
    ...(isUpload(upload) && { upload }),
    ...(isTarget(writesTo) && { writesTo }),
  })
}

function isUpload(value: unknown): value is { owner: number; vpath: string } {
  const { owner, vpath } = (value ?? {}) as Record<string, unknown>
  return Number.isSafeInteger(owner) && typeof vpath === 'string'
}

function isTarget(value: unknown): value is { path: string; ino: string } {
  const { path, ino } = (value ?? {}) as Record<string, unknown>
  return typeof path === 'string' && typeof ino === 'string'
}

function lines(notes: Known['notes'], folders: Known['folders']): string {
  return [
    ...[...folders].map((folder) => ({ folder })),
    ...[...notes].map(([temp, facts]) => ({ temp, ...facts })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}

interface Log {
  add(line: object): void
  sync(): Promise<void>
  /** Removes it when it `isEmpty`. */
  close(isEmpty: boolean): void
}

// A line goes to the system at once, which keeps it when the process is killed. That the log cannot be
// written is no reason to refuse a file: it only saves a search after a crash.
function openLog(file: string, content: () => string): Log {
  let fd: number | undefined
  let staleBytes = 0
  let timer: NodeJS.Timeout | undefined
  const rewrite = () => {
    const temp = `${file}.tmp`
    if (fd !== undefined) closeSync(fd)
    fd = undefined
    writeFileSync(temp, content(), { mode: 0o600 })
    renameSync(temp, file)
    fd = openSync(file, 'a', 0o600)
    staleBytes = 0
  }
  const sync = async () => {
    clearTimeout(timer)
    timer = undefined
    if (fd !== undefined) await syncData(fd)
  }
  return {
    add: (line) => {
      try {
        // The first one of a run writes what is still known of earlier ones, and nothing else of them.
        if (fd === undefined || staleBytes > MAX_STALE_BYTES) rewrite()
        else staleBytes += writeSync(fd, `${JSON.stringify(line)}\n`)
      } catch {}
      timer ??= setTimeout(() => sync().catch(() => {}), SYNC_DELAY_MS).unref()
    },
    sync,
    close: (isEmpty) => {
      clearTimeout(timer)
      try {
        if (fd !== undefined) closeSync(fd)
        fd = undefined
        if (isEmpty) unlinkSync(file)
      } catch {}
    },
  }
}
