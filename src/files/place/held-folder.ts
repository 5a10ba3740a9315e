// A folder kept open, for reading many files in it. Names may be bytes here: what is not UTF-8 has
// no address, but goes along when its folder is archived.
import { lstat } from 'node:fs/promises'
import { AppError, fromErrno } from '../../lib/errors.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import { type DirEntry, readEntries } from '../listing/list-folder.ts'
import { compareBytes } from '../listing/sort.ts'
import { deviceIn, type FolderRef, holdChild, inHeld, openHeld } from './jail.ts'
import type { Allow } from './judgement.ts'
import type { ReadHandle } from './read-handle.ts'

export interface OpenFile {
  /** Closed by whoever asked for it. */
  handle: ReadHandle
  vpath: VPath
  name: string
  sizeBytes: number
  mtimeMs: number
  mtimeNs: bigint
  mode: number
  ino: bigint
}

/** Folders held inside each other at most: each costs a descriptor. */
export const MAX_HELD_DEPTH = 255

export type Named = Pick<DirEntry, 'name' | 'rawName'>

export interface HeldFolder {
  /**
   * Like Scope.openRead for a regular file in the folder; links are `forbidden`. `seen`: it was
   * looked at just now.
   */
  openRead(entry: Named, options?: { seen?: boolean }): Promise<OpenFile>
  /** Keeps a child folder open too, by whatever name. Closed on its own. */
  enter(entry: Named): Promise<HeldFolder & { mode: number; mtimeMs: number }>
  /** Allowed files and folders in byte order; links are left out. */
  list(): Promise<DirEntry[]>
  /** Waits for opens that are under way. */
  close(): Promise<void>
}

/** Takes over closing `folder`, which is open at `vpath`; `allow` judges what lies below. */
export function createHeldFolder(folder: FolderRef, vpath: VPath, allow: Allow): HeldFolder {
  const opening = new Set<Promise<unknown>>()
  const at = async <T>(
    { name, rawName }: Named,
    work: (name: string | Buffer, child: VPath) => Promise<T>,
  ): Promise<T> => {
    const child = joinVPath(vpath, name)
    if (!allow(child)) throw new AppError('forbidden', `${child} is denied by a rule`)
    const working = work(rawName ?? name, child)
    opening.add(working)
    try {
      return await working
    } catch (error) {
      throw fromErrno(error, child)
    } finally {
      opening.delete(working)
    }
  }
  return {
    openRead: (entry, { seen = false } = {}) =>
      at(entry, async (name, child) => describeOpen(await openHeld(folder, name, { seen }), child)),
    enter: (entry) =>
      at(entry, async (name, child) => {
        const path = inHeld(folder.ref, name)
        const { mode, mtimeMs } = await deviceIn(folder, name).query(() => lstat(path))
        const held = createHeldFolder(await holdChild(folder, name), child, allow)
        return { ...held, mode, mtimeMs }
      }),
    list: async () => {
      const { dirents, rawNames } = await readEntries(folder.ref, folder.device).catch((error) => {
        throw fromErrno(error, vpath)
      })
      const entries: DirEntry[] = []
      for (const dirent of dirents) {
        const child = joinVPath(vpath, dirent.name)
        const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : null
        const rawName = rawNames.get(dirent)
        if (kind && allow(child))
          entries.push({ name: dirent.name, vpath: child, kind, ...(rawName && { rawName }) })
      }
      return entries.sort((a, b) => compareBytes(a.name, b.name))
    },
    close: async () => {
      await Promise.allSettled(opening)
      await folder.close()
    },
  }
}

/** The facts of an open regular file; anything else is closed and `unsupported`. */
export async function describeOpen(handle: ReadHandle, vpath: VPath): Promise<OpenFile> {
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new AppError('unsupported', `${vpath} is not a regular file`)
    return {
      handle,
      vpath,
      name: vpath.slice(vpath.lastIndexOf('/') + 1),
      sizeBytes: Number(stats.size),
      mtimeMs: Number(stats.mtimeNs / 1_000_000n),
      mtimeNs: stats.mtimeNs,
      mode: Number(stats.mode),
      ino: stats.ino,
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}
