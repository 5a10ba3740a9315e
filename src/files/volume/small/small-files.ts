// Many small files are made by threads: one by one each would take a dozen calls on the event loop or in the pool, which
// cost several times as much as the files do.
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { unless } from '../../../lib/errors.ts'
import { createAskedThreads } from '../../../programs/thread-pool.ts'
import type { Threads } from '../../../programs/threads.ts'
import { inPool } from '../../disks/disk-calls.ts'
import { HAS_PROC, type OpenFolder, pathIn } from '../open-folder.ts'
import type { CommittedFile } from '../temp-file.ts'
import { TEMP_PREFIX } from '../temp-name.ts'
import type { TempNotes } from '../temp-registry.ts'
import {
  FACTS,
  LEFT,
  type MakeWork,
  type SmallBatch,
  type SmallFilesDone,
  type SmallFilesWork,
} from './small-batch.ts'

/** Fewer, within the last second, are made before a thread has started. */
export const MANY_FILES = 32
const RECENT_MS = 1_000
/** How many threads make files at a time, for all who ask. */
const THREADS = Math.min(2, availableParallelism())

/** A copy, and the time that its source had. */
export interface CopiedFile extends CommittedFile {
  sourceMtimeNs: bigint
}

/** What was made, by its name. */
export type SmallFilesMade<T = CommittedFile> = ReadonlyMap<string, T>

export interface SmallFiles {
  make(into: OpenFolder, batch: SmallBatch, how: { fileMode: number }): Promise<SmallFilesMade>
  copy(
    from: OpenFolder,
    into: OpenFolder,
    names: readonly string[],
    how: { keepsTimes: boolean },
  ): Promise<SmallFilesMade<CopiedFile>>
}

const NOTHING = new Map<string, never>()

/** Starts nothing before it is asked. `notes` are told of hidden names. Null where the system has no way to name an open folder. */
export function createSmallFiles(threads: Threads, notes?: TempNotes): SmallFiles | null {
  if (!HAS_PROC) return null
  const askThread = createAskedThreads({
    threads,
    script: new URL('./small-files.worker.ts', import.meta.url),
    limit: THREADS,
  })
  const isMany = createCount()

  const ask = async (
    into: OpenFolder,
    names: readonly string[],
    workOf: (to: Pick<MakeWork, 'into' | 'temps' | 'isSynced'>) => SmallFilesWork,
  ): Promise<SmallFilesMade<CopiedFile>> => {
    if (names.length === 0 || threads.isClosed()) return NOTHING
    const isSynced = !into.device.isMemory
    const temps = takeNames(into, isSynced ? names.length : 1, notes)
    let stuck: readonly string[] = temps
    try {
      const work = workOf({ into: into.ref, temps, isSynced })
      const done = (await askThread(work)) as SmallFilesDone
      stuck = done.stuck
      return madeOf(names, done.facts)
    } catch {
      // The thread is gone, and nobody knows how far it came.
      stuck = await unlinkAll(into, temps)
      return NOTHING
    } finally {
      for (const temp of temps) if (!stuck.includes(temp)) notes?.spare(join(into.realDir, temp))
    }
  }
  return {
    make: async (into, { content, files }, { fileMode }) => {
      const isAsked = askedIn(into)
      const asked = isMany(files.length) ? files.filter(({ name }) => isAsked(name)) : []
      const names = asked.map(({ name }) => name)
      return ask(into, names, (to) => ({ ...to, content, files: asked, fileMode }))
    },
    copy: async (from, into, names, { keepsTimes }) => {
      const [isRead, isMade] = [askedIn(from), askedIn(into)]
      const asked = isMany(names.length) ? names.filter((name) => isRead(name) && isMade(name)) : []
      return ask(into, asked, (to) => ({ ...to, from: from.ref, names: asked, keepsTimes }))
    },
  }
}

/** Nothing is asked that may fall silent, whatever is mounted there. */
function askedIn({ device, disks, realDir }: OpenFolder): (name: string) => boolean {
  if (device.kind !== 'local' || !device.isDirect) return () => false
  const mounted = disks.mountedIn(realDir)
  return (name) => !mounted.has(name)
}

/** Told of files that are to be made: true when there are many of them. */
function createCount(): (files: number) => boolean {
  let recent = 0
  let countedAtMs = 0
  return (files) => {
    const nowMs = performance.now()
    if (nowMs - countedAtMs > RECENT_MS) recent = 0
    countedAtMs = nowMs
    recent += files
    return recent >= MANY_FILES
  }
}

/** Hidden names that are free. */
function takeNames({ realDir }: OpenFolder, count: number, notes?: TempNotes): string[] {
  return Array.from({ length: count }, () => {
    const name = notes?.takeSpare(realDir) ?? TEMP_PREFIX + randomUUID()
    notes?.note(join(realDir, name))
    return name
  })
}

/** Those that are still there. */
async function unlinkAll(folder: OpenFolder, names: readonly string[]): Promise<string[]> {
  const stuck: string[] = []
  for (const name of names)
    await inPool
      .unlink(pathIn(folder, name))
      .catch(unless('ENOENT'))
      .catch(() => stuck.push(name))
  return stuck
}

function madeOf(names: readonly string[], facts: BigInt64Array): ReadonlyMap<string, CopiedFile> {
  const made = new Map<string, CopiedFile>()
  for (const [at, name] of names.entries()) {
    const [size = LEFT, mtimeNs = 0n, ino = 0n, sourceMtimeNs = 0n] = facts.subarray(FACTS * at)
    if (size === LEFT) continue
    const file = { sizeBytes: Number(size), mtimeNs, ino: BigInt.asUintN(64, ino) }
    made.set(name, { ...file, sourceMtimeNs, hasReplaced: false, version: null })
  }
  return made
}
