// Remembers each temporary file from before it is made until it is gone, so that what a crash or an
// abandoned upload left behind is found without walking the whole tree, and nothing else is ever
// removed. The list is a log beside the database, one line of JSON for each that came or went; files
// that follow each other into a folder share a name, and its line.
import { readFileSync, realpathSync } from 'node:fs'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { createLocks, type Locks } from '../../lib/locks.ts'
import { createLiveLog, readLogSync } from '../../store/log.ts'
import type { Disks } from '../disks/disks.ts'
import { inFolder } from './open-folder.ts'
import { declaredIn, isTempName } from './temp-name.ts'

const SWEEP_EVERY_MS = 10 * 60_000
/** Once so many files are remembered no further upload is begun. What is made all the same is noted. */
export const MAX_NOTED = 20_000
/** How long the name of a file that is in place is kept for the next one, and in how many folders. */
const SPARE_MS = 1_000
const MAX_SPARE_FOLDERS = 100
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
  /** Like forget, but for a moment the name stays noted, to be taken again. */
  spare(path: string): void
  /** A name in this folder that is noted and free. */
  takeSpare(folder: string): string | undefined
  /** In the order of the last note of each. */
  noted(): ReadonlyMap<string, TempFacts>
  /** Waits until a power cut leaves what was noted; throws when it cannot be written. */
  sync(): Promise<void>
  /** The folder for what cannot be made beside its target; made by who needs it. */
  readonly stagingFolder: string
  /** Held by device and inode while a file is written in place. */
  readonly targets: Locks
}

export interface TempRegistry extends TempNotes {
  /** Removes temporary files untouched for longer than the limit. */
  sweep(): Promise<void>
  /** Removes a noted one that nobody will go on with. */
  drop(path: string): Promise<void>
  /** Saves and stops the timers. */
  close(): Promise<void>
}

/**
 * `file` (`<database>.uploads`) keeps the log; `maxAgeMs` is how long an unfinished upload may rest.
 * `onGone` is told of each file that is gone.
 */
export function createTempRegistry(
  disks: Disks,
  file: string,
  maxAgeMs: number,
  onGone: (path: string) => void = () => {},
): TempRegistry {
  const startedAtMs = Date.now()
  const { notes, folders } = read(file)
  const log = createLiveLog(file, () => linesOf(notes, folders), MAX_STALE_BYTES)
  const stagingFolder = join(realFolderOf(file), `${basename(file, '.uploads')}.staging`)

  // When a file was first found missing: its disk may be mounted again before it expires.
  const missingSince = new Map<string, number>()
  const forget = (path: string) => {
    missingSince.delete(path)
    if (!notes.delete(path)) return
    log.add({ gone: path }, { waits: true })
    onGone(path)
  }
  /** By their folder. */
  const spares = new Map<string, string[]>()
  let spareTimer: NodeJS.Timeout | undefined
  const forgetSpares = () => {
    clearTimeout(spareTimer)
    spareTimer = undefined
    for (const [folder, names] of spares) for (const name of names) forget(join(folder, name))
    spares.clear()
  }
  const spare = (path: string) => {
    const folder = dirname(path)
    const names = spares.get(folder) ?? []
    if (spares.size >= MAX_SPARE_FOLDERS || !notes.has(path)) return forget(path)
    missingSince.delete(path)
    names.push(basename(path))
    spares.set(folder, names)
    spareTimer ??= setTimeout(forgetSpares, SPARE_MS).unref()
  }
  const note = (path: string, facts?: TempFacts) => {
    if (!facts && notes.has(path)) return
    const all = { ...notes.get(path), ...facts }
    notes.delete(path)
    notes.set(path, all)
    log.add({ temp: path, ...all })
  }
  const isOver = (path: string, nowMs: number) => {
    const sinceMs = missingSince.get(path) ?? nowMs
    missingSince.set(path, sinceMs)
    return nowMs - sinceMs > maxAgeMs
  }
  // Nothing but it has the content that is being written.
  const mayRemove = (path: string) => notes.has(path) && !notes.get(path)?.writesTo
  const sweepFile = async (path: string, olderThanMs = Date.now() - maxAgeMs) => {
    if (!mayRemove(path)) return
    const times = { olderThanMs, startedAtMs }
    const end = await removeExpired(disks, path, times, () => mayRemove(path))
    if (end === 'stays') missingSince.delete(path)
    else if (end === 'removed' || isOver(path, Date.now())) forget(path)
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
    for (const path of [...notes.keys()]) await sweepFile(path)
  }
  // What the last run left behind is old enough to go at once.
  sweep().catch(() => {})
  const timer = setInterval(() => sweep().catch(() => {}), SWEEP_EVERY_MS).unref()

  return {
    note,
    forget,
    spare,
    takeSpare: (folder) => spares.get(folder)?.pop(),
    sync: () => log.sync(),
    stagingFolder,
    targets: createLocks(),
    noted: () => notes,
    sweep,
    drop: (path) => sweepFile(path, Number.POSITIVE_INFINITY),
    close: async () => {
      clearInterval(timer)
      forgetSpares()
      await sweep().catch(() => {})
      await rmdir(stagingFolder).catch(() => {})
      log.close(notes.size + folders.size === 0)
    },
  }
}

/** `missing` as well where its folder is, or could not be read. */
async function removeExpired(
  disks: Disks,
  path: string,
  { olderThanMs, startedAtMs }: { olderThanMs: number; startedAtMs: number },
  mayRemove: () => boolean,
): Promise<'removed' | 'stays' | 'missing'> {
  try {
    return await inFolder(disks, dirname(path), async (ref, device) => {
      const entry = join(ref, basename(path))
      const found = await device.query(() => lstat(entry))
      if (!found.isFile()) return 'removed'
      // All of it has come: whoever sent it has the whole time to come back after a start.
      const isComplete = found.size === declaredIn(basename(path))?.lengthBytes
      const touchedAtMs = isComplete ? Math.max(found.mtimeMs, startedAtMs) : found.mtimeMs
      if (touchedAtMs >= olderThanMs || !mayRemove()) return 'stays'
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
  try {
    let lines = 0
    for (const { value } of readLogSync(file)) {
      lines++
      readLine(known, value ?? {})
    }
    // Version 3.0.0 wrote one list, without an end of line.
    if (lines === 0) readLine(known, JSON.parse(readFileSync(file, 'utf8')))
  } catch {}
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
  notes.delete(temp)
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

function linesOf(notes: Known['notes'], folders: Known['folders']): object[] {
  return [
    ...[...folders].map((folder) => ({ folder })),
    ...[...notes].map(([temp, facts]) => ({ temp, ...facts })),
  ]
}
