// A thread that makes small files in an open folder, which stays open meanwhile: each is written under a hidden name and
// gets its own when it is whole. What stands against one is left to who asked, with nothing done.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { errnoOf } from '../../../lib/errors.ts'
import { stepBack } from '../../../programs/step-back.ts'
import { atOnce, setFileTime } from '../../disks/disk-calls.ts'
import { permissionBits } from '../file-mode.ts'
import { moveFileToFreeName } from '../free-name.ts'
import {
  type CopyWork,
  FACTS,
  LEFT,
  type MakeWork,
  SMALL_BYTES,
  type SmallFile,
  type SmallFilesDone,
  type SmallFilesWork,
} from './small-batch.ts'

/** Synced at a time: a disk takes several in the time of one. */
const SYNCS_AT_A_TIME = 8
/** Once so much is hidden it gets its names: what a kill leaves hidden is written again. */
const HIDDEN_BYTES = 1024 * 1024
/** Of large ones that many at least, which are synced together. */
const HIDDEN_FILES = 4
const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const READ =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0)
const IF_THERE = { throwIfNoEntry: false } as const

const syncFile = promisify(fsync)
/** One byte more shows what has grown. */
const scratch = Buffer.allocUnsafeSlow(SMALL_BYTES + 1)

stepBack()

parentPort?.on('message', async (work: SmallFilesWork) => {
  parentPort?.postMessage(await makeAll(work))
})

/** What is to be in a file, and with what bits and time. */
interface Wanted {
  bytes: Uint8Array
  /** To make it with. */
  fileMode: number
  /** To be had by it at the end. */
  mode: number | null
  mtimeMs: number | null
  /** 0 for one that is no copy. */
  sourceMtimeNs: bigint
}

/** A file under its hidden name, which is whole. */
interface Hidden {
  at: number
  name: string
  path: string
  fd: number
}

interface Done extends SmallFilesDone {
  stuck: string[]
}

async function makeAll(work: SmallFilesWork): Promise<Done> {
  const names = 'from' in work ? work.names : work.files.map(({ name }) => name)
  const facts = new BigInt64Array(FACTS * names.length).fill(LEFT)
  const done = { facts, stuck: [] }
  const whole: Hidden[] = []
  let hiddenBytes = 0
  for (const [at, name] of names.entries()) {
    const path = `${work.into}/${work.temps[work.isSynced ? at : 0]}`
    const hidden = await hide(work, { at, name, path }, done).catch(() => null)
    if (!hidden) continue
    if (!work.isSynced) {
      await show(work, hidden, done)
      continue
    }
    whole.push(hidden)
    hiddenBytes += Number(facts[FACTS * at])
    if (hiddenBytes < HIDDEN_BYTES || whole.length < HIDDEN_FILES) continue
    hiddenBytes = 0
    await syncAndShow(work, whole.splice(0), done)
  }
  await syncAndShow(work, whole, done)
  return done
}

async function syncAndShow(work: SmallFilesWork, files: Hidden[], done: Done): Promise<void> {
  const rest = files.values()
  const showNext = async () => {
    for (const hidden of rest)
      await syncFile(hidden.fd).then(
        () => show(work, hidden, done),
        () => drop(hidden, done),
      )
  }
  await Promise.all(Array.from({ length: SYNCS_AT_A_TIME }, showNext))
}

/** Writes a file under its hidden name; null for one that is left. */
async function hide(
  work: SmallFilesWork,
  file: Omit<Hidden, 'fd'>,
  done: Done,
): Promise<Hidden | null> {
  if (lstatSync(`${work.into}/${file.name}`, IF_THERE)) return null
  const wanted = 'from' in work ? sourceOf(work, file.name) : contentOf(work, file.at)
  if (!wanted) return null
  const hidden = { ...file, fd: openSync(file.path, CREATE, wanted.fileMode) }
  try {
    await fill(hidden.fd, wanted)
    const { size, mtimeNs, ino, mode: bits } = fstatSync(hidden.fd, { bigint: true })
    const { mode } = wanted
    // The system may have taken some away.
    if (mode !== null && permissionBits(Number(bits)) !== mode) fchmodSync(hidden.fd, mode)
    done.facts.set([size, mtimeNs, ino, wanted.sourceMtimeNs], FACTS * file.at)
    return hidden
  } catch (error) {
    drop(hidden, done)
    throw error
  }
}

function contentOf({ content, files, fileMode }: MakeWork, at: number): Wanted {
  const { offset, bytes, mode, mtimeMs } = files[at] as SmallFile
  return {
    bytes: new Uint8Array(content, offset, bytes),
    fileMode: mode ?? fileMode,
    mode,
    mtimeMs,
    sourceMtimeNs: 0n,
  }
}

/** Null for what is no regular file, or no small one. */
function sourceOf({ from, keepsTimes }: CopyWork, name: string): Wanted | null {
  const fd = openSync(`${from}/${name}`, READ)
  try {
    const stats = fstatSync(fd, { bigint: true })
    if (!stats.isFile() || stats.size > SMALL_BYTES) return null
    let filled = 0
    for (let read = -1; read !== 0 && filled <= SMALL_BYTES; filled += read)
      read = readSync(fd, scratch, filled, scratch.length - filled, filled)
    const { mtimeNs, size } = fstatSync(fd, { bigint: true })
    // Written meanwhile: part of the old and part of the new may have been read.
    if (mtimeNs !== stats.mtimeNs || size !== stats.size || BigInt(filled) !== size) return null
    const mode = permissionBits(Number(stats.mode))
    return {
      bytes: scratch.subarray(0, filled),
      fileMode: mode,
      mode,
      mtimeMs: keepsTimes ? Number(mtimeNs) / 1e6 : null,
      sourceMtimeNs: mtimeNs,
    }
  } finally {
    closeSync(fd)
  }
}

async function fill(fd: number, { bytes, mtimeMs }: Wanted): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += writeSync(fd, bytes, written, bytes.length - written, written)
  if (mtimeMs !== null) await setFileTime(fd, mtimeMs, atOnce)
}

/** Gives a file its name, unless anything has it by now. */
async function show({ into }: SmallFilesWork, hidden: Hidden, done: Done): Promise<void> {
  await moveFileToFreeName(hidden.path, `${into}/${hidden.name}`, atOnce).then(
    () => closeSync(hidden.fd),
    () => drop(hidden, done),
  )
}

function drop({ at, path, fd }: Hidden, { facts, stuck }: Done): void {
  facts.fill(LEFT, FACTS * at, FACTS * (at + 1))
  try {
    closeSync(fd)
    unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') stuck.push(basename(path))
  }
}
