// The folders that an archive is unpacked into: one is kept open, and all get bits and times when everything is there.
import type { BigIntStats } from 'node:fs'
import type { ArchivedEntry } from '../../files/extract/wire.ts'
import type { WriteFolder } from '../../files/place/write-folder.ts'
import type { Course, OnMade, SourceFacts } from '../../files/transfer/course.ts'
import { unless } from '../../lib/errors.ts'
import { parentOf, type VPath } from '../../lib/vpath.ts'
import type { Actor } from '../actor.ts'
import { requireUnlocked } from '../locks.ts'

export interface Filler {
  /** The folder, made with those above it where they are missing. Open until another one is asked for. */
  open(folder: VPath): Promise<WriteFolder>
  /** With what the archive says of it, at the end. */
  makeFolder(folder: VPath, entry: ArchivedEntry): Promise<void>
  /** A file has come. */
  note(vpath: VPath): void
  /** False where none has come in this run; true for a few others, too. */
  mayHaveCome(vpath: VPath): boolean
  /** True for a file that an earlier run has unpacked from this entry; true once. */
  ofEarlierRun(source: SourceFacts, vpath: VPath, found: BigIntStats): boolean
  /** Bits and times of folders. */
  end(): Promise<void>
  close(): Promise<void>
}

/** Nothing is made above `top` but what it needs to be there. */
export function createFiller(
  actor: Actor,
  top: VPath,
  onMade: OnMade,
  course: Pick<Course, 'earlier' | 'hasMade'>,
): Filler {
  const { scope } = actor
  let current: { folder: VPath; into: WriteFolder } | null = null
  const facts = new Map<VPath, ArchivedEntry>()
  const fresh = new Set<VPath>()
  const known = new Set<VPath>()
  const met = new Set<VPath>()
  const come = new Uint8Array(COME_BITS / 8)
  const make = async (folder: VPath): Promise<void> => {
    if (known.has(folder)) return
    if (folder !== top) await make(parentOf(folder))
    const found = await scope.stat(folder).catch(unless('not_found'))
    if (!found) await requireUnlocked(actor, folder, 'member')
    await scope.makeFolder(folder)
    known.add(folder)
    if (!found) {
      fresh.add(folder)
      onMade(folder, await scope.stat(folder), null)
    } else if (found.kind === 'dir') {
      using place = await scope.place(folder)
      if (place.stats && course.hasMade(folder, place.stats)) fresh.add(folder)
    }
  }
  return {
    open: async (folder) => {
      if (current?.folder === folder) return current.into
      await current?.into.close()
      current = null
      await make(folder)
      const into = await scope.openFolderToWrite(folder)
      current = { folder, into }
      return into
    },
    makeFolder: async (folder, entry) => {
      await make(folder)
      facts.set(folder, entry)
    },
    note: (vpath) => {
      const bit = bitOf(vpath)
      come[bit >>> 3] = (come[bit >>> 3] ?? 0) | (1 << (bit & 7))
    },
    mayHaveCome: (vpath) => {
      const bit = bitOf(vpath)
      return ((come[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0
    },
    ofEarlierRun: (source, vpath, found) => {
      if (met.has(vpath) || !found.isFile()) return false
      const isEarlier = course.earlier(source, vpath, found) !== null
      if (isEarlier) met.add(vpath)
      return isEarlier
    },
    end: async () => {
      await current?.into.close()
      current = null
      // From below, as one without the right to write could not be filled, and each change is one of its folder.
      for (const [folder, { mode, mtimeMs }] of [...facts].reverse()) {
        if (!fresh.has(folder)) continue
        if (mode !== null) await scope.setMode(folder, (mode & 0o777) | 0o700)
        await scope.setTime(folder, BigInt(Math.round(mtimeMs)) * 1_000_000n)
      }
    },
    close: async () => {
      await current?.into.close()
      current = null
    },
  }
}

/** All names of a million would take a hundred megabytes. */
const COME_BITS = 2 ** 23

/** The same for names that some disks take for one. */
function bitOf(vpath: VPath): number {
  let hash = 0x811c9dc5
  for (const char of vpath.normalize('NFC').toLowerCase())
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0) % COME_BITS
}
