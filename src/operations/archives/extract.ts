// Archives of the account, unpacked into a folder of its tree. What is in them comes from a process of its own
// (files/extract/decoder.ts) and is believed nothing: names are judged here, and all is written as an upload is.
import { bsdtarOf, decode } from '../../files/extract/decoder.ts'
import { folderNameOf, segmentsOf } from '../../files/extract/names.ts'
import { type ArchivedEntry, timed } from '../../files/extract/wire.ts'
import type { OpenFile } from '../../files/place/scope.ts'
import { freeName } from '../../files/transfer/copy.ts'
import { copyOneFile } from '../../files/transfer/copy-file.ts'
import type { OnMade } from '../../files/transfer/course.ts'
import type { Making } from '../../history/history.ts'
import { AppError } from '../../lib/errors.ts'
import { createTurns } from '../../lib/turns.ts'
import { baseName, isWithin, joinVPath, parentOf, type VPath } from '../../lib/vpath.ts'
import { type Actor, requireMay, requireStill } from '../actor.ts'
import { change, notedParents } from '../change.ts'
import { madeOf } from '../made.ts'
import { reserve } from '../write.ts'
import { createFiller } from './extract-folders.ts'
import {
  begin,
  createPuts,
  type Extracting,
  end,
  fail,
  isOfJob,
  isUnderWay,
  type LongExtract,
  put,
  putWhole,
  settlePuts,
  type Unpacking,
  unlessFatal,
  type Writing,
} from './unpacked-files.ts'

const MAX_ENTRIES = 1_000_000
/** Leftovers of macOS, which nobody wants. */
const OF_MACOS = /^__MACOSX(?:\/|$)/
/** Characters of a bad name, which may be long. */
const SHOWN = 255

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

async function unpackInto(
  actor: Actor,
  archive: VPath,
  target: VPath,
  { what, long, making }: Pick<Unpacking, 'what' | 'long'> & { making: Making },
): Promise<void> {
  const { scope, signal } = actor
  const onMade: OnMade = (vpath, found, sourceMtimeNs) => {
    const made = madeOf(found, vpath.slice(target.length))
    making.made(made)
    long.onMade(made, sourceMtimeNs)
  }
  const filler = createFiller(actor, target, onMade, long.course)
  const doubled = what.to === null ? baseName(target).replace(/\(\d+\)$/, '') : ''
  const begun = { actor, what, long, target, filler, onMade, doubled }
  const unpacking: Unpacking = { ...begun, bytes: 0, failures: 0, puts: createPuts() }
  const file = await scope.openRead(archive)
  try {
    await actor.services.inDecoderTurn(() => unpackAll(unpacking, file, signal), signal)
    const { failures } = unpacking
    if (failures > 0) await filler.drop()
    await filler.end()
    if (failures > 0)
      throw new AppError('incomplete', `${failures} entries of ${archive} were not unpacked`)
  } catch (error) {
    // Where it is not possible, what it failed of before is told.
    if (!signal.aborted || !long.course.goesOn(signal.reason)) await filler.drop().catch(() => {})
    throw error
  } finally {
    await filler.close()
    await file.handle.close()
  }
}

async function unpackAll(unpacking: Unpacking, file: OpenFile, signal: AbortSignal): Promise<void> {
  const { what, long, actor } = unpacking
  const { extractMaxSizeBytes: maxBytes, bsdtarPath } = actor.services.config
  const { encoding, password } = what
  const bsdtar = await bsdtarOf(bsdtarPath)
  const task = { name: file.name, encoding, password, bsdtar, maxBytes }
  const turn = createTurns()
  let count = 0
  let readBytes = 0
  let writing: Writing | null = null
  /** Of the file that is coming. */
  let unwritten: Buffer[] = []
  const write = async () => {
    const content = unwritten
    unwritten = []
    if (writing) await put(unpacking, writing, content)
  }
  try {
    for await (const frames of decode(file, task, signal)) {
      for (const { head, body } of frames) {
        if ('entry' in head) {
          if (++count > MAX_ENTRIES)
            throw new AppError('too_large', `more than ${MAX_ENTRIES} entries`)
          if (writing) throw new AppError('damaged', 'an entry within another')
          actor.demand()
          writing = await unpackEntry(unpacking, timed(head.entry), head.whole ? body : null)
        } else if ('data' in head) unwritten.push(...body)
        else if ('end' in head) {
          await write()
          if (writing) await end(unpacking, writing, head.end)
          writing = null
        } else if ('read' in head) {
          long.onRead(Math.max(0, head.read - readBytes))
          readBytes = Math.max(readBytes, head.read)
        }
        // Hundreds of small files come at a time.
        const others = turn()
        if (others) await others
      }
      await write()
    }
    await settlePuts(unpacking)
    long.onRead(Math.max(0, file.sizeBytes - readBytes))
  } catch (error) {
    // What has come by then stays.
    if (!signal.aborted) await settlePuts(unpacking).catch(() => {})
    throw error
  } finally {
    await unpacking.puts.making
    await writing?.temp.discard()
  }
}

/** Where an entry goes; null for what is not asked for, undefined for a name that leads elsewhere. */
function placeOf({ what, target, doubled }: Unpacking, name: string): VPath | null | undefined {
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

/** `content`: all of it, where it has come. Gives the file that is to come. */
async function unpackEntry(
  unpacking: Unpacking,
  entry: ArchivedEntry,
  content: readonly Buffer[] | null,
): Promise<Writing | null> {
  const { filler, target, long } = unpacking
  const vpath = placeOf(unpacking, entry.name)
  if (vpath === null) return null
  const shown = joinVPath(target, entry.name.slice(0, SHOWN).replaceAll(/[\0/]+/g, '_') || '_')
  const badName = (why: string) => fail(unpacking, shown, new AppError('invalid_name', why))
  if (vpath === undefined) return badName(`the name ${entry.name} leads elsewhere`)
  long.course.at(vpath)
  const isSmall = entry.kind === 'file' && content !== null
  const isBeside = isSmall || (entry.kind === 'dir' && !isUnderWay(unpacking, vpath))
  if (!isBeside) await settlePuts(unpacking)
  return unlessFatal(unpacking, vpath, async () => {
    if (entry.kind === 'dir') await filler.makeFolder(vpath, entry)
    else if (vpath === target) return badName('a file without a name')
    else if (entry.kind === 'hardlink') await copyLinked(unpacking, vpath, entry)
    else if (entry.kind !== 'file')
      throw new AppError('unsupported', `${vpath} is a link or a device`)
    else if (content === null) return begin(unpacking, vpath, entry)
    else await putWhole(unpacking, vpath, entry, content)
    return null
  })
}

/** What a hard link leads to was unpacked before, or is told as missing. */
async function copyLinked(unpacking: Unpacking, vpath: VPath, entry: ArchivedEntry): Promise<void> {
  const { actor, filler, onMade, long } = unpacking
  const source = placeOf(unpacking, entry.linkTo ?? '')
  if (!source || source === unpacking.target || source === vpath)
    throw new AppError('unsupported', `${vpath} is a link to elsewhere`)
  await filler.open(parentOf(vpath))
  // What was there before is none of the archive.
  using place = await actor.scope.place(source)
  if (
    !place.stats?.isFile() ||
    place.link ||
    !filler.mayHaveCome(source) ||
    !isOfJob(unpacking, place.stats)
  )
    throw new AppError('unsupported', `${vpath} is a link to elsewhere`)
  const { signal } = actor
  await copyOneFile(actor.scope, source, vpath, { replace: false, signal, reserve, onMade })
  long.course.passed(0)
}
