// Large files that are copied by long work: what has come stays hidden beside the target when that is broken off, and the
// next run goes on with it.
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { unless } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { OpenFile } from '../place/folder-reader.ts'
import { readFully } from '../volume/read-handle.ts'
import type { TempFile } from '../volume/temp-file.ts'
import type { Course, HalfCopy } from './course.ts'

/** Of smaller files what has come is copied again. */
const LARGE_BYTES = 8 * 1024 * 1024
/** What was not safe is compared in pieces of this size. */
const COMPARED_BYTES = 1024 * 1024
/** As often what has come is made to outlive a power cut. */
const SAFE_EVERY_BYTES = 256 * 1024 * 1024
const SAFE_EVERY_MS = 10_000
/** At first more often, each time half as often as before: of what is broken off soon some is safe, too. */
const SAFE_FIRST_MS = 1_000

/** Opens the hidden file for a target; null where a link is there. See Scope.openTemp. */
export type OpenHidden = (how: {
  resume?: string | undefined
  label?: string | undefined
}) => Promise<TempFile | null>

export interface Copying {
  temp: TempFile
  /** What an earlier run has copied. */
  startBytes: number
  /** Told after each piece how far it is; waits where the disk is far behind. */
  reached(position: number): Promise<void>
  /** Waits until nothing is on its way to the disk. `isKept`: all that has come is to stay, hidden. */
  end(isKept: boolean): Promise<void>
}

/** Opens what an earlier run has left of a copy, while its source is as it was, or begins anew. */
export async function openCopy(
  file: OpenFile,
  target: VPath,
  open: OpenHidden,
  { course, signal }: { course?: Course | undefined; signal: AbortSignal },
): Promise<Copying | null> {
  if (!course || file.sizeBytes < LARGE_BYTES) {
    const temp = await open({})
    return temp && { temp, startBytes: 0, reached: async () => {}, end: async () => {} }
  }
  const source = {
    sizeBytes: file.sizeBytes,
    mtimeNs: String(file.mtimeNs),
    ino: String(file.ino),
  }
  const half = course.half(target)
  const left = half && (await openLeft(half, open))
  // Its name is nobody else's later.
  const temp = left ?? (await open({ label: randomUUID() }))
  if (!temp) return null
  const isSame = left && isDeepStrictEqual(half.source, source)
  const safeBytes = left ? await safeIn(left, isSame ? half.safeBytes : 0, { isCut: !isSame }) : 0
  const startBytes = left && isSame ? await sameIn(left, file, safeBytes, signal) : 0
  return { temp, startBytes, ...keepSafe(temp, startBytes, { course, target, source }, safeBytes) }
}

/**
 * Cuts off what is not as in the source and gives how much stays. What is safe is; behind it a kill leaves all that was written,
 * a power cut anything.
 */
async function sameIn(
  temp: TempFile,
  { handle, sizeBytes }: OpenFile,
  safeBytes: number,
  signal: AbortSignal,
): Promise<number> {
  const [here, there] = [Buffer.allocUnsafe(COMPARED_BYTES), Buffer.allocUnsafe(COMPARED_BYTES)]
  let sameBytes = safeBytes
  try {
    while (sameBytes < sizeBytes) {
      signal.throwIfAborted()
      const length = await temp.read(here, sameBytes)
      const sourceBytes = await readFully(handle, there, sameBytes, length)
      if (length === 0 || here.compare(there, 0, sourceBytes, 0, length) !== 0) break
      sameBytes += length
    }
    await temp.truncate(sameBytes)
    return sameBytes
  } catch (error) {
    await temp.release()
    throw error
  }
}

/** Opens what an earlier run has left; null where that is gone. */
export async function openLeft(half: HalfCopy, open: OpenHidden): Promise<TempFile | null> {
  return open({ resume: basename(half.path) }).catch(unless('not_found'))
}

/** Gives how much of it is safe; `isCut`: the rest is cut off. Closes it when that fails. */
export async function safeIn(
  temp: TempFile,
  safeBytes: number,
  { isCut }: { isCut: boolean },
): Promise<number> {
  try {
    const bytes = safeBytes <= (await temp.sizeBytes()) ? safeBytes : 0
    if (isCut) await temp.truncate(bytes)
    return bytes
  } catch (error) {
    await temp.release()
    throw error
  }
}

/** Tells the course of what is to be gone on with, from now on. `safeBytes` of what has come are safe, by default all. */
export function keepSafe(
  temp: TempFile,
  startBytes: number,
  { course, target, source }: { course: Course; target: VPath; source: HalfCopy['source'] },
  safeBytes = startBytes,
): Pick<Copying, 'reached' | 'end'> {
  const tell = (safe: number) => course.safe(target, { path: temp.path, source, safeBytes: safe })
  tell(safeBytes)
  return createSafety(temp, { startBytes, safeBytes }, tell)
}

/** The copy goes on while what has come is synced. */
function createSafety(
  temp: TempFile,
  { startBytes, safeBytes }: { startBytes: number; safeBytes: number },
  tell: (safeBytes: number) => void,
): Pick<Copying, 'reached' | 'end'> {
  let reachedBytes = startBytes
  let begunBytes = safeBytes
  let begunMs = performance.now()
  let everyMs = SAFE_FIRST_MS
  let syncing: Promise<void> = Promise.resolve()
  const begin = () => {
    const bytes = reachedBytes
    begunBytes = bytes
    begunMs = performance.now()
    syncing = temp.sync().then(() => tell(bytes))
    // Seen when it is waited for.
    syncing.catch(() => {})
  }
  return {
    async reached(position) {
      reachedBytes = position
      const isDue = performance.now() - begunMs >= everyMs
      if (!isDue && position - begunBytes < SAFE_EVERY_BYTES) return
      everyMs = Math.min(SAFE_EVERY_MS, 2 * everyMs)
      await syncing
      begin()
    },
    async end(isKept) {
      await syncing.catch(() => {})
      if (!isKept || reachedBytes === begunBytes) return
      begin()
      await syncing.catch(() => {})
    },
  }
}
