// A folder kept open, for reading many files in it. Names may be bytes here: what is not UTF-8 has
// no address, but goes along when its folder is archived.

import { AppError, fromErrno } from '../../lib/errors.ts'
import { sortByName } from '../../lib/sort-in-slices.ts'
import type { Ask } from '../../lib/verbs.ts'
import { joinVPath, type VPath } from '../../lib/vpath.ts'
import type { OpenFolder } from '../volume/open-folder.ts'

import type { ReadHandle } from '../volume/read-handle.ts'
import type { CopiedFile, SmallFilesMade } from '../volume/small/small-files.ts'
import type { Volume } from '../volume/volume.ts'
import type { DirEntry } from './list-folder.ts'
import type { May } from './path-rules.ts'
import { refusal } from './tree.ts'
import type { WriteFolder } from './write-folder.ts'

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

/** Folders open inside each other at most: each costs a descriptor. */
export const MAX_OPEN_DEPTH = 255

/** `download` for content that leaves the server, `see` for what is made known of any file, as its type. */
export type ReadVerb = 'download' | 'see'

export type Named = Pick<DirEntry, 'name' | 'rawName'>

export interface FolderReader {
  /**
   * Like Scope.openRead for a regular file in the folder; links are `forbidden`. `direct`: without
   * the pool where the disk allows it.
   */
  openRead(entry: Named, options?: { direct?: boolean; verb?: ReadVerb }): Promise<OpenFile>
  /**
   * Copies small files of these names into another folder, many at a time, and gives those that it has copied; the others,
   * also what may not be downloaded, are to be copied by openRead.
   */
  copySmall(
    names: readonly string[],
    into: WriteFolder,
    how: { keepsTimes: boolean },
  ): Promise<SmallFilesMade<CopiedFile>>
  /** Keeps a child folder open too, by whatever name; `isOpen`: it may be downloaded. Closed on its own. */
  enter(entry: Named): Promise<FolderReader & { mode: number; mtimeMs: number; isOpen: boolean }>
  /** Allowed files and folders in byte order; links are left out. */
  list(): Promise<DirEntry[]>
  /** Waits for opens that are under way. */
  close(): Promise<void>
}

/** Takes over closing `folder`, which is open at `vpath`; `may` is the test for what lies below. */
export function createFolderReader(
  volume: Volume,
  folder: OpenFolder,
  vpath: VPath,
  may: May,
): FolderReader {
  const opening = new Set<Promise<unknown>>()
  const whileOpen = async <T>(working: Promise<T>): Promise<T> => {
    opening.add(working)
    try {
      return await working
    } finally {
      opening.delete(working)
    }
  }
  const at = async <T>(
    { name, rawName }: Named,
    verb: Ask,
    work: (name: string | Buffer, child: VPath) => Promise<T>,
  ): Promise<T> => {
    const child = joinVPath(vpath, name)
    if (!may(child, verb)) throw refusal(verb, child, may(child, 'see'))
    try {
      return await whileOpen(work(rawName ?? name, child))
    } catch (error) {
      throw fromErrno(error, child)
    }
  }
  return {
    openRead: (entry, { direct = false, verb = 'download' } = {}) =>
      at(entry, verb, async (name, child) =>
        describeOpen(await volume.openFile(folder, name, { direct }), child),
      ),
    copySmall: (names, into, how) => {
      const asked = names.filter((name) => may(joinVPath(vpath, name), 'download'))
      return whileOpen(into.copySmall(folder, asked, how))
    },
    enter: (entry) =>
      at(entry, 'pass', async (name, child) => {
        const stats = await volume.stat(folder, name)
        if (!stats) throw new AppError('not_found', `${child} does not exist`)
        const opened = await volume.openChild(folder, name)
        const reader = createFolderReader(volume, opened, child, may)
        const isOpen = may(child, 'download')
        return { ...reader, mode: Number(stats.mode), mtimeMs: Number(stats.mtimeMs), isOpen }
      }),
    list: async () => {
      const { dirents, rawNames } = await volume.list(folder).catch((error) => {
        throw fromErrno(error, vpath)
      })
      const entries: DirEntry[] = []
      for (const dirent of dirents) {
        const child = joinVPath(vpath, dirent.name)
        const kind = dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : null
        const rawName = rawNames.get(dirent)
        if (kind && may(child, kind === 'dir' ? 'pass' : 'see'))
          entries.push({ name: dirent.name, vpath: child, kind, ...(rawName && { rawName }) })
      }
      return sortByName(entries)
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
