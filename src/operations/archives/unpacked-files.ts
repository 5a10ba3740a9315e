// The files of an archive, each written as it comes and put in place when it is whole.
import type { BigIntStats } from 'node:fs'
import type { ErrorCode } from '../../api-types.ts'
import type { ArchivedEntry } from '../../files/extract/wire.ts'
import type { WriteFolder } from '../../files/place/write-folder.ts'
import { isSameTime, type OnMade } from '../../files/transfer/course.ts'
import {
  addToBatch,
  contentIn,
  createBatch,
  type SmallBatch,
  type SmallFile,
} from '../../files/volume/small/small-batch.ts'
import type { CommittedFile, TempFile } from '../../files/volume/temp-file.ts'
import { AppError } from '../../lib/errors.ts'
import { baseName, parentOf, suffixOf, type VPath } from '../../lib/vpath.ts'
import type { Actor } from '../actor.ts'
import { requireUnlocked } from '../locks.ts'
import type { LongTransfer } from '../move.ts'
import { reserve } from '../write.ts'
import type { Filler } from './extract-folders.ts'

/** How often it is asked how full the disk is. */
const ROOM_STEP_BYTES = 64 * 1024 * 1024
/** Of a disk that stays free. */
const KEPT_FREE = 0.05
/** Larger ones are asked room for. */
const SMALL_BYTES = 1024 * 1024
/** Written without the pool where that is quick. */
const DIRECT_BYTES = 64 * 1024
/** What ends all of it. */
const FATAL: readonly ErrorCode[] = ['no_space', 'quota_exceeded', 'unreachable', 'too_large']

export interface Extracting {
  /** The folder for what is in it; null for a new one beside the archive, named after it. */
  to: VPath | null
  /** Of what is in it, these alone with all below them; all without any. */
  entries: readonly string[]
  conflict: 'fail' | 'skip' | 'replace' | 'rename' | 'newer'
  /** Of names that say nothing of theirs; empty where it is guessed. */
  encoding: string
  password: string | null
}

export interface LongExtract extends LongTransfer {
  /** Whether what has changed then may be of this work. */
  hasCome(changedMs: bigint): boolean
  /** Told how many further bytes of the archive are read. */
  onRead(bytes: number): void
}

/** An archive that is being unpacked. */
export interface Unpacking {
  actor: Actor
  what: Extracting
  long: LongExtract
  target: VPath
  filler: Filler
  onMade: OnMade
  /** What the new folder is not doubled by. */
  doubled: string
  bytes: number
  failures: number
  puts: Puts
}

/** Small files that are on their way to the disk. */
export interface Puts {
  /** Their paths, as disks may take them that ignore case. */
  paths: Set<string>
  /** What has come of the next ones, all in one folder. */
  filling: Filled
  folder: VPath | null
  /** What is being made; gives those that were not. */
  making: Promise<Small[]>
  /** Its memory is free once that has ended. */
  other: Filled
}

interface Small {
  vpath: VPath
  entry: ArchivedEntry
}

interface Filled {
  batch: SmallBatch
  /** Of its files, in their order. */
  entries: Small[]
}

export function createPuts(): Puts {
  const [filling, other] = [createFilled(), createFilled()]
  return { folder: null, paths: new Set(), filling, making: Promise.resolve([]), other }
}

function createFilled(): Filled {
  return { batch: createBatch(), entries: [] }
}

export function fail(state: Unpacking, vpath: VPath, error: AppError): null {
  state.failures++
  state.long.course.failed(vpath, error)
  return null
}

/** Throws what ends all of it; tells of the rest. */
export async function unlessFatal<T>(
  state: Unpacking,
  vpath: VPath,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    state.actor.signal.throwIfAborted()
    if (!(error instanceof AppError) || FATAL.includes(error.code)) throw error
    return fail(state, vpath, error)
  }
}

/** Where a file goes. */
interface Spot {
  vpath: VPath
  into: WriteFolder
  /** Something is there. */
  isTaken: boolean
}

/** Null where the file is passed over. */
async function spotFor(state: Unpacking, vpath: VPath, entry: ArchivedEntry): Promise<Spot | null> {
  const { filler, what, long } = state
  const into = await filler.open(parentOf(vpath))
  const extension = suffixOf(baseName(vpath))
  const stem = vpath.slice(0, vpath.length - extension.length)
  for (let n = filler.numberFor(vpath); ; n++) {
    const at = (n === 0 ? vpath : `${stem}(${n})${extension}`) as VPath
    const found = await into.stat(baseName(at))
    const decided = !found ? 'new' : decide(state, at, entry, found)
    if (decided === 'next') continue
    if (decided === 'pass') {
      long.course.passed(0)
      return null
    }
    if (what.conflict === 'replace' || what.conflict === 'newer') {
      if (found?.isDirectory()) throw new AppError('is_a_folder', `${at} is a folder`)
    }
    if (n > 0) filler.noteNumber(vpath, n)
    await requireUnlocked(state.actor, at, found ? 'content' : 'member')
    return { vpath: at, into, isTaken: found !== null }
  }
}

/** Something of that time. */
export function isOfJob({ long }: Unpacking, { birthtimeMs, ctimeMs }: BigIntStats): boolean {
  return long.hasCome(birthtimeMs > 0n ? birthtimeMs : ctimeMs)
}

/** What becomes of an entry whose place is taken. Throws `exists`. */
function decide(
  state: Unpacking,
  at: VPath,
  { sizeBytes, mtimeMs }: ArchivedEntry,
  found: BigIntStats,
): 'pass' | 'next' | 'replace' {
  const { filler, what } = state
  const source = { sizeBytes, mtimeNs: nsOf(mtimeMs) }
  if (filler.ofEarlierRun(source, at, found)) return 'pass'
  // Two entries of one name, or of names that a disk takes for one.
  if (filler.mayHaveCome(at) && isOfJob(state, found)) return 'next'
  if (what.conflict === 'skip') return 'pass'
  if (what.conflict === 'rename') return 'next'
  if (what.conflict === 'fail') throw new AppError('exists', `${at} exists`)
  const isOlder = found.mtimeNs < source.mtimeNs && !isSameTime(found.mtimeNs, source.mtimeNs)
  return what.conflict === 'newer' && found.isFile() && !isOlder ? 'pass' : 'replace'
}

/** A file that is coming. */
export interface Writing extends Spot {
  entry: ArchivedEntry
  temp: TempFile
  bytes: number
}

/** Begins a file; null where it is passed over. */
export async function begin(
  state: Unpacking,
  vpath: VPath,
  entry: ArchivedEntry,
): Promise<Writing | null> {
  const spot = await spotFor(state, vpath, entry)
  return spot && beginAt(state, spot, entry)
}

async function beginAt({ actor }: Unpacking, spot: Spot, entry: ArchivedEntry): Promise<Writing> {
  const temp = await spot.into.openTemp(baseName(spot.vpath))
  if (!temp) throw new AppError('exists', `${spot.vpath} is a link`)
  try {
    if (entry.sizeBytes > SMALL_BYTES)
      await reserve(temp, Math.min(entry.sizeBytes, actor.services.config.extractMaxSizeBytes))
  } catch (error) {
    await temp.discard()
    throw error
  }
  return { ...spot, entry, temp, bytes: 0 }
}

/** Makes a file of few bytes that is there as a whole, or sees to it that it is made with the next ones. */
export async function putWhole(
  state: Unpacking,
  vpath: VPath,
  entry: ArchivedEntry,
  content: readonly Buffer[],
): Promise<void> {
  const { puts, filler, actor } = state
  const folder = parentOf(vpath)
  if (isUnderWay(state, vpath)) await settlePuts(state)
  else if (puts.folder !== folder) await makePuts(state)
  await count(state, bytesOf(content))
  const into = await filler.open(folder)
  const isNew = !filler.mayHaveCome(vpath) && into.mayMake(baseName(vpath))
  if (!isNew) {
    await settlePuts(state)
    return putWholeNow(state, vpath, entry, content)
  }
  await requireUnlocked(actor, vpath, 'member')
  const file = { name: baseName(vpath), mode: modeOf(entry), mtimeMs: entry.mtimeMs }
  if (!addToBatch(puts.filling.batch, file, content)) {
    await makePuts(state)
    if (!addToBatch(puts.filling.batch, file, content))
      return putWholeNow(state, vpath, entry, content)
  }
  puts.folder = folder
  puts.paths.add(foldedPath(vpath))
  puts.filling.entries.push({ vpath, entry })
}

/** Begins to make what has come, when what was begun before is made. */
async function makePuts(state: Unpacking): Promise<void> {
  const { puts, filler } = state
  await endPuts(state)
  const { filling, folder } = puts
  if (filling.entries.length === 0 || folder === null) return
  puts.filling = puts.other
  puts.other = filling
  const into = await filler.open(folder)
  puts.making = into.makeSmall(filling.batch).then((made) =>
    filling.entries.filter(({ vpath, entry }) => {
      const file = made.get(baseName(vpath))
      if (file) arrived(state, vpath, entry, file)
      return file === undefined
    }),
  )
}

/** Waits until what was begun is made; what has something in its way, or takes another way, is made by itself. */
async function endPuts(state: Unpacking): Promise<void> {
  const { other, paths } = state.puts
  const left = await state.puts.making
  state.puts.making = Promise.resolve([])
  for (const { vpath, entry } of left) {
    const at = other.entries.findIndex((each) => each.vpath === vpath)
    const content = contentIn(other.batch, other.batch.files[at] as SmallFile)
    await unlessFatal(state, vpath, () => putWholeNow(state, vpath, entry, [content]))
  }
  // From here on it is known what has come.
  for (const { vpath } of other.entries) paths.delete(foldedPath(vpath))
  other.entries = []
  other.batch.files = []
}

/** Waits until all small files are in place that have come. */
export async function settlePuts(state: Unpacking): Promise<void> {
  await makePuts(state)
  await endPuts(state)
}

function foldedPath(vpath: VPath): string {
  return vpath.normalize('NFC').toLowerCase()
}

/** True where a small file has this path, or that of a folder above it, and is not made yet. */
export function isUnderWay({ puts, target }: Unpacking, vpath: VPath): boolean {
  if (puts.paths.size === 0) return false
  for (let at = vpath; at !== target; at = parentOf(at))
    if (puts.paths.has(foldedPath(at))) return true
  return false
}

async function putWholeNow(
  state: Unpacking,
  vpath: VPath,
  entry: ArchivedEntry,
  content: readonly Buffer[],
): Promise<void> {
  const spot = await spotFor(state, vpath, entry)
  state.bytes -= bytesOf(content)
  if (!spot) return
  const writing = await beginAt(state, spot, entry)
  try {
    await put(state, writing, content)
    await settle(state, writing)
  } finally {
    await writing.temp.discard()
  }
}

/** Further content of a file. */
export async function put(
  state: Unpacking,
  writing: Writing,
  content: readonly Buffer[],
): Promise<void> {
  const bytes = bytesOf(content)
  if (bytes === 0) return
  await count(state, bytes)
  await writing.temp.write(content, writing.bytes, { direct: bytes <= DIRECT_BYTES })
  writing.bytes += bytes
}

/** Lets so many bytes in. Throws `too_large`, and `no_space` where the disk is nearly full. */
async function count(state: Unpacking, bytes: number): Promise<void> {
  const { actor, target } = state
  const before = state.bytes
  state.bytes += bytes
  const { extractMaxSizeBytes } = actor.services.config
  if (state.bytes > extractMaxSizeBytes)
    throw new AppError('too_large', `more than ${extractMaxSizeBytes} bytes come out of it`)
  const step = (at: number) => Math.floor(at / ROOM_STEP_BYTES)
  if (before === 0 || step(before) !== step(state.bytes)) await requireRoom(actor, target)
}

// Of the disk: a limit of the folder is reserved to the byte.
async function requireRoom({ scope, services }: Actor, target: VPath): Promise<void> {
  using place = await scope.place(target)
  const { totalBytes, freeBytes } = await services.volume.space(place.realPath)
  if (totalBytes > 0 && freeBytes < totalBytes * KEPT_FREE)
    throw new AppError('no_space', 'the last 5 % of the disk stay free')
}

/** Puts a file in place that has come; with a code it is not what the archive says. */
export async function end(
  state: Unpacking,
  writing: Writing,
  failure: ErrorCode | null,
): Promise<void> {
  const { temp, vpath } = writing
  try {
    await unlessFatal(state, vpath, async () => {
      if (failure !== null) throw new AppError(failure, `${vpath} is not what the archive says`)
      await settle(state, writing)
    })
  } finally {
    await temp.discard()
  }
}

async function settle(state: Unpacking, writing: Writing): Promise<void> {
  const { temp, vpath, entry, isTaken } = writing
  const { mtimeMs } = entry
  const mode = modeOf(entry)
  if (mode !== null) await temp.setMode(mode)
  await temp.setTime(mtimeMs)
  arrived(state, vpath, entry, await temp.commit({ replace: isTaken, mtimeMs }))
}

function arrived(
  { filler, onMade, long }: Unpacking,
  vpath: VPath,
  { mtimeMs }: ArchivedEntry,
  made: CommittedFile,
): void {
  filler.note(vpath)
  onMade(vpath, made, nsOf(mtimeMs))
  long.course.passed(0)
}

function modeOf({ mode }: ArchivedEntry): number | null {
  return mode === null ? null : (mode & 0o777) | 0o600
}

function bytesOf(content: readonly Buffer[]): number {
  return content.reduce((sum, { length }) => sum + length, 0)
}

function nsOf(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n
}
