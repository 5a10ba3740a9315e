// Archives of the account, unpacked into a folder of its tree. What is in them comes from a process of its own
// (files/extract/decoder.ts) and is believed nothing: names are judged here, and all is written as an upload is.
import type { BigIntStats } from 'node:fs'
import type { ErrorCode } from '../../api-types.ts'
import { bsdtarOf, decode } from '../../files/extract/decoder.ts'
import { folderNameOf, segmentsOf } from '../../files/extract/names.ts'
import { type ArchivedEntry, timed } from '../../files/extract/wire.ts'
import type { OpenFile } from '../../files/place/scope.ts'
import { freeName } from '../../files/transfer/copy.ts'
import { copyOneFile } from '../../files/transfer/copy-file.ts'
import { type Course, isSameTime, type OnMade } from '../../files/transfer/course.ts'
import type { TempFile } from '../../files/volume/temp-file.ts'
import type { Making } from '../../history/history.ts'
import type { Made } from '../../history/record.ts'
import { AppError } from '../../lib/errors.ts'
import { baseName, isWithin, joinVPath, parentOf, suffixOf, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from '../actor.ts'
import { change, type EarlierCommands, notedParents } from '../change.ts'
import { requireUnlocked } from '../locks.ts'
import { madeOf } from '../made.ts'
import { reserve } from '../write.ts'
import { createFiller, type Filler } from './extract-folders.ts'

const MAX_ENTRIES = 1_000_000
/** How often it is asked how full the disk is. */
const ROOM_STEP_BYTES = 64 * 1024 * 1024
/** Of a disk that stays free. */
const KEPT_FREE = 0.05
/** Larger ones are asked room for. */
const SMALL_BYTES = 1024 * 1024
/** Leftovers of macOS, which nobody wants. */
const OF_MACOS = /^__MACOSX(?:\/|$)/
/** Characters of a bad name, which may be long. */
const SHOWN = 255

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

export interface LongExtract {
  course: Course
  commands: EarlierCommands
  /** Where an earlier run has begun to put it; null in the first. */
  target: VPath | null
  madeBefore: readonly Made[]
  onBegin(target: VPath): Promise<void>
  onMade(made: Made, sourceMtimeNs: bigint | null): void
  /** Whether what has changed then may be of this work. */
  hasCome(changedMs: bigint): boolean
  /** Told how many further bytes of the archive are read. */
  onRead(bytes: number): void
}

/** Throws what the unpacking of an archive is refused with before anything is done: `forbidden` without the right to download it and to create, and `not_found`. */
export async function prepareExtract(
  actor: Actor,
  archive: VPath,
  to: VPath | null,
): Promise<void> {
  requireMay(actor, 'see', archive)
  const found = await actor.scope.stat(archive)
  requireMay(actor, 'download', archive)
  if (found.kind === 'dir') throw new AppError('is_a_folder', `${archive} is no archive`)
  requireMay(actor, 'create', to ?? targetOf(archive))
}

function targetOf(archive: VPath): VPath {
  return joinVPath(parentOf(archive), folderNameOf(baseName(archive)))
}

/**
 * Unpacks an archive, file by file; each comes whole or not at all. What is not unpacked is told to `course`, and
 * `incomplete` is thrown at the end. Throws `damaged`, `unsupported`, `invalid_password`, `too_large`, `no_space`; what has come by then stays.
 */
export async function extract(
  actor: Actor,
  archive: VPath,
  what: Extracting,
  long: LongExtract,
): Promise<void> {
  await prepareExtract(actor, archive, what.to)
  const target = long.target ?? what.to ?? (await freeName(actor.scope, targetOf(archive)))
  const demands = [
    requireStill(actor, archive, ['download']),
    requireStill(actor, target, ['create']),
  ]
  const demand = () => {
    for (const ask of demands) ask()
  }
  if (long.target === null) await long.onBegin(target)
  const hooked = { event: 'upload', kind: 'copy', vpath: target } as const
  const told = { vpath: archive, destination: target }
  const work = async (making: Making) => {
    for (const made of long.madeBefore) making.made(made)
    await long.course.begin()
    demand()
    await unpackInto(actor, archive, target, { what, long, making })
  }
  await notedParents(actor, target, () =>
    change(actor, hooked, (_, making) => work(making), { told, earlier: long.commands }),
  )
}

interface Unpacking {
  what: Extracting
  long: LongExtract
  making: Making
}

interface State extends Unpacking {
  actor: Actor
  target: VPath
  filler: Filler
  onMade: OnMade
  /** What the new folder is not doubled by. */
  doubled: string
  bytes: number
  failures: number
}

async function unpackInto(
  actor: Actor,
  archive: VPath,
  target: VPath,
  unpacking: Unpacking,
): Promise<void> {
  const { what, long, making } = unpacking
  const { scope, signal } = actor
  const onMade: OnMade = (vpath, found, sourceMtimeNs) => {
    const made = madeOf(found, vpath.slice(target.length))
    making.made(made)
    long.onMade(made, sourceMtimeNs)
  }
  const filler = createFiller(actor, target, onMade, long.course)
  const doubled = what.to === null ? baseName(target).replace(/\(\d+\)$/, '') : ''
  const state: State = {
    ...unpacking,
    actor,
    target,
    filler,
    onMade,
    doubled,
    bytes: 0,
    failures: 0,
  }
  const file = await scope.openRead(archive)
  try {
    await actor.services.inDecoderTurn(() => unpackAll(state, file, signal), signal)
    await filler.end()
  } finally {
    await filler.close()
    await file.handle.close()
  }
  if (state.failures > 0)
    throw new AppError('incomplete', `${state.failures} entries of ${archive} were not unpacked`)
}

async function unpackAll(state: State, file: OpenFile, signal: AbortSignal): Promise<void> {
  const { what, long, actor } = state
  const { extractMaxSizeBytes: maxBytes, bsdtarPath } = actor.services.config
  const { encoding, password } = what
  const bsdtar = await bsdtarOf(bsdtarPath)
  const task = { name: file.name, encoding, password, bsdtar, maxBytes }
  let count = 0
  let readBytes = 0
  let writing: Writing | null = null
  try {
    for await (const { head, body } of decode(file, task, signal)) {
      if ('entry' in head) {
        if (++count > MAX_ENTRIES)
          throw new AppError('too_large', `more than ${MAX_ENTRIES} entries`)
        actor.demand()
        writing = await begin(state, timed(head.entry))
        if (!head.whole) continue
        if (writing) await put(state, writing, body)
        await end(state, writing, null)
        writing = null
      } else if ('data' in head) {
        if (writing) await put(state, writing, body)
      } else if ('end' in head) {
        await end(state, writing, head.end)
        writing = null
      } else if ('read' in head) {
        long.onRead(Math.max(0, head.read - readBytes))
        readBytes = Math.max(readBytes, head.read)
      }
    }
    long.onRead(Math.max(0, file.sizeBytes - readBytes))
  } finally {
    await writing?.temp?.discard()
  }
}

/** A file that is coming; without a temporary one it is passed over. */
interface Writing {
  vpath: VPath
  entry: ArchivedEntry
  temp: TempFile | null
  replace: boolean
  bytes: number
}

function fail(state: State, vpath: VPath, error: AppError): null {
  state.failures++
  state.long.course.failed(vpath, error)
  return null
}

/** Throws what ends all of it; tells of the rest. */
async function unlessFatal<T>(
  state: State,
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

const FATAL: readonly ErrorCode[] = ['no_space', 'quota_exceeded', 'unreachable', 'too_large']

/** Where an entry goes; null for what is not asked for, undefined for a name that leads elsewhere. */
function placeOf({ what, target, doubled }: State, name: string): VPath | null | undefined {
  const segments = segmentsOf(name)
  if (segments === null) return undefined
  const path = segments.join('/')
  const isAsked =
    what.entries.length === 0 || what.entries.some((each) => isWithin(`/${each}`, `/${path}`))
  if (!isAsked || OF_MACOS.test(path)) return null
  const [first, ...rest] = segments
  const below = first === doubled ? rest : segments
  return below.reduce<VPath>((at, segment) => joinVPath(at, segment), target)
}

async function begin(state: State, entry: ArchivedEntry): Promise<Writing | null> {
  const { filler, target, long } = state
  const vpath = placeOf(state, entry.name)
  if (vpath === null) return null
  const shown = joinVPath(target, entry.name.slice(0, SHOWN).replaceAll(/[\0/]+/g, '_') || '_')
  const badName = (why: string) => fail(state, shown, new AppError('invalid_name', why))
  if (vpath === undefined) return badName(`the name ${entry.name} leads elsewhere`)
  long.course.at(vpath)
  if (entry.kind === 'dir')
    return unlessFatal(state, vpath, async () => {
      await filler.makeFolder(vpath, entry)
      return null
    })
  if (vpath === target) return badName('a file without a name')
  if (entry.kind === 'hardlink')
    return unlessFatal(state, vpath, () => copyLinked(state, vpath, entry))
  if (entry.kind !== 'file')
    return fail(state, vpath, new AppError('unsupported', `${vpath} is a link or a device`))
  return unlessFatal(state, vpath, () => openFor(state, vpath, entry))
}

/** What a hard link leads to was unpacked before, or is told as missing. */
async function copyLinked(state: State, vpath: VPath, entry: ArchivedEntry): Promise<null> {
  const { actor, filler, onMade } = state
  const source = placeOf(state, entry.linkTo ?? '')
  if (!source || source === state.target || source === vpath)
    throw new AppError('unsupported', `${vpath} is a link to elsewhere`)
  await filler.open(parentOf(vpath))
  // What was there before is none of the archive.
  using place = await actor.scope.place(source)
  if (
    !place.stats?.isFile() ||
    place.link ||
    !filler.mayHaveCome(source) ||
    !isOfJob(state, place.stats)
  )
    throw new AppError('unsupported', `${vpath} is a link to elsewhere`)
  const { signal } = actor
  await copyOneFile(actor.scope, source, vpath, { replace: false, signal, reserve, onMade })
  state.long.course.passed(0)
  return null
}

async function openFor(state: State, vpath: VPath, entry: ArchivedEntry): Promise<Writing | null> {
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
    const temp = await into.openTemp(baseName(at))
    if (!temp) throw new AppError('exists', `${at} is a link`)
    const writing = { vpath: at, entry, temp, replace: found !== null, bytes: 0 }
    try {
      if (entry.sizeBytes > SMALL_BYTES)
        await reserve(
          temp,
          Math.min(entry.sizeBytes, state.actor.services.config.extractMaxSizeBytes),
        )
    } catch (error) {
      await temp.discard()
      throw error
    }
    return writing
  }
}

/** Something of that time. */
function isOfJob({ long }: State, { birthtimeMs, ctimeMs }: BigIntStats): boolean {
  return long.hasCome(birthtimeMs > 0n ? birthtimeMs : ctimeMs)
}

/** What becomes of an entry whose place is taken. Throws `exists`. */
function decide(
  state: State,
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

async function put(state: State, writing: Writing, bytes: Buffer): Promise<void> {
  const { actor, target } = state
  const { temp } = writing
  if (!temp || bytes.length === 0) return
  const before = state.bytes
  state.bytes += bytes.length
  const { extractMaxSizeBytes } = actor.services.config
  if (state.bytes > extractMaxSizeBytes)
    throw new AppError('too_large', `more than ${extractMaxSizeBytes} bytes come out of it`)
  const step = (at: number) => Math.floor(at / ROOM_STEP_BYTES)
  if (before === 0 || step(before) !== step(state.bytes)) await requireRoom(actor, target)
  await temp.write([bytes], writing.bytes, { direct: bytes.length <= 64 * 1024 })
  writing.bytes += bytes.length
}

// Of the disk: a limit of the folder is reserved to the byte.
async function requireRoom({ scope, services }: Actor, target: VPath): Promise<void> {
  using place = await scope.place(target)
  const { totalBytes, freeBytes } = await services.volume.space(place.realPath)
  if (totalBytes > 0 && freeBytes < totalBytes * KEPT_FREE)
    throw new AppError('no_space', 'the last 5 % of the disk stay free')
}

async function end(
  state: State,
  writing: Writing | null,
  failure: ErrorCode | null,
): Promise<void> {
  if (!writing) return
  const { onMade, filler, long } = state
  const { temp, vpath, entry, replace } = writing
  try {
    await unlessFatal(state, vpath, async () => {
      if (failure !== null) throw new AppError(failure, `${vpath} is not what the archive says`)
      if (entry.mode !== null) await temp?.setMode((entry.mode & 0o777) | 0o600)
      await temp?.setTime(entry.mtimeMs)
      const made = await temp?.commit({ replace, mtimeMs: entry.mtimeMs })
      if (!made) return
      filler.note(vpath)
      onMade(vpath, made, nsOf(entry.mtimeMs))
      long.course.passed(0)
    })
  } finally {
    await temp?.discard()
  }
}

function nsOf(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n
}
