// What a tree of files is kept on: the disk, by the functions of this folder. Code above it reaches
// content through this record, and goes by `can` where volumes differ.
import type { BigIntStats, Dirent } from 'node:fs'
import type { Logger } from '../../lib/log.ts'
import type { Space } from '../disks/free-space.ts'
import type { EntryStats } from '../disks/stat-many.ts'
import type { Descent } from './descent.ts'
import type { ReadSizes } from './folder-sizes.ts'
import type { Name, OpenFolder } from './open-folder.ts'
import type { Entries } from './read-folder.ts'
import type { ReadHandle } from './read-handle.ts'
import type { RemoveOptions } from './remove.ts'
import type { SmallFiles } from './small/small-files.ts'
import type { OpenTempOptions, TempFile } from './temp-file.ts'

/** What a volume is able to do. */
interface Abilities {
  /** An open folder stays the same one when its path is swapped; without it a small race remains. */
  readonly pinFolders: boolean
}

/** Calls reject with the system's error, and with `forbidden` where something changed its place. */
export interface Volume {
  readonly can: Abilities
  /** realpath(3). */
  realpath(path: string): Promise<string>
  /** lstat(2) of a path on which no link lies; null where nothing is. */
  statAt(realPath: string): Promise<BigIntStats | null>
  /** lstat(2) of paths that were read a moment ago, in their order. */
  statPaths(realPaths: readonly string[], signal: AbortSignal): Promise<EntryStats[]>
  /** The text of a link; `folder`: the open one that it lies in. */
  readLink(realPath: string, folder?: OpenFolder): Promise<string>
  /** The names in a folder by its real path, in byte order; at once where the disk is quick. */
  namesAt(realDir: string): Dirent[] | Promise<Dirent[]>
  /**
   * Opens the folder at a real path; `forbidden` where a link leads elsewhere by now. `direct`: without the pool where
   * that is quick.
   */
  openFolder(realDir: string, options?: { direct?: boolean }): Promise<OpenFolder>
  /** Opens a folder by a path on which no link lies; null where one does, or nothing is. */
  openPlain(path: string): Promise<OpenFolder | null>
  /** Opens a folder in an open one without following a link. */
  openChild(folder: OpenFolder, name: Name): Promise<OpenFolder>
  /** Starts going down the tree below an open folder. */
  descend(top: OpenFolder): Descent
  /** False when the folder is not where it was when it was opened. */
  isInPlace(folder: OpenFolder): boolean
  /** lstat(2) of a name in an open folder; null where nothing is. `direct`: without the pool where that is quick. */
  stat(folder: OpenFolder, name: Name, options?: { direct?: boolean }): Promise<BigIntStats | null>
  statMany(folder: OpenFolder, names: readonly Name[], signal: AbortSignal): Promise<EntryStats[]>
  /** All entries of an open folder, in the order of the disk; `direct`: without the pool where that is quick. */
  list(folder: OpenFolder, options?: { direct?: boolean }): Promise<Entries>
  /**
   * The sizes of files that are named in an open folder, added up, or of those in folders by their names, as far as that
   * is quick. Null where no thread may ask.
   */
  readSizes: ReadSizes
  /** How many may ask it at a time. */
  readonly sizeReaders: number
  /** The names alone, which is quicker; those that are not UTF-8 with U+FFFD in them. */
  names(folder: OpenFolder): Promise<string[]>
  /** Opens a file for reading, never through a link; `direct`: without the pool where that is quick. */
  openFile(folder: OpenFolder, name: Name, options: { direct: boolean }): Promise<ReadHandle>
  /** Opens a regular file by a path on which no link lies, where that is quick; null for all else. */
  openPlainFile(path: string): ReadHandle | null
  /** What small files hold, in the order of their names; null for what is no file to read of up to so many bytes. */
  readMany(
    folder: OpenFolder,
    names: readonly string[],
    maxBytes: number,
  ): Promise<(Buffer | null)[]>
  /** Makes a folder and those above it, where they are missing. */
  makeFolders(realPath: string, mode: number): Promise<void>
  /** Makes a folder in another; EEXIST when anything is there. */
  makeFolder(realDir: string, name: Name, mode: number): Promise<void>
  /** Writes and syncs a small file that is not there yet, for the server's account alone; EEXIST when anything is. */
  writeNew(folder: OpenFolder, name: string, content: Buffer): Promise<void>
  /**
   * Makes many small files as openTemp and a commit would, none in the place of another; the caller syncs the folder.
   * Gives those that it has made: nothing was done to the others, which are to be made by openTemp.
   */
  makeSmall: SmallFiles['make']
  /** The same by copies of files in another open folder, under their names, with their bits. */
  copySmall: SmallFiles['copy']
  /**
   * A new hidden sibling of a name to write to, or the one left under `resume`; takes over closing the
   * folder.
   */
  openTemp(folder: OpenFolder, name: string, options: OpenTempOptions): Promise<TempFile>
  /** Names of temporary files for entries of a folder that begin with the label. */
  findTemps(folder: OpenFolder | null, label: string): Promise<string[]>
  /** Waits until the names in an open folder are on the disk. */
  sync(folder: OpenFolder): Promise<void>
  /** To be called once at the start: finishes writes that a crash interrupted; true when there were some. */
  finishWrites(log: Logger): Promise<boolean>
  /** Moves an entry on one device; `exists` when the target is taken and not to be replaced. */
  rename(from: EntryName, to: EntryName, options: RenameOptions): Promise<void>
  /** Gives a file a further name, which may be a path below a folder of the server's own; its folders are made. */
  link(from: EntryName, to: EntryName, options: { direct: boolean }): Promise<void>
  /** Like link, by a copy that shares its blocks where the disk can; a symbolic link is copied as one. */
  copyFile(from: AnyName, to: AnyName): Promise<void>
  /** Removes an entry, a folder with all it holds; links are removed, not followed. */
  remove(folder: OpenFolder, name: Name, options: RemoveOptions): Promise<void>
  /** Removes many files and links of an open folder; a folder among them is the system's error. */
  removeFiles(folder: OpenFolder, names: readonly Name[], options: RemoveOptions): Promise<void>
  /** Removes one entry while it is as it was; false when it stays. */
  removeSingle(folder: OpenFolder, name: Name, mtimeNs: bigint | null): Promise<boolean>
  /** Sets permission bits; a link in its place is `forbidden`. */
  setMode(folder: OpenFolder, name: Name, mode: number): Promise<void>
  /** Sets the modification time of a file or folder, where the disk takes it; a link in its place is `forbidden`. */
  setTime(folder: OpenFolder, name: Name, mtimeNs: bigint): Promise<void>
  /** The space where a folder is or will be made; `folder`: the open one at this path. */
  space(realDir: string, folder?: OpenFolder | null): Promise<Space>
  /** Throws `no_space` when a file of this size does not fit where a folder is or will be made. */
  requireSpace(realDir: string, sizeBytes: number, folder?: OpenFolder | null): Promise<void>
  /** How much may be in a folder; null where only the disk limits it. */
  room(realDir: string): Promise<Room | null>
  /** What is there can be neither moved nor removed; null where nothing tells, as on other systems than Linux. */
  isMountPoint(realPath: string): boolean | null
  /** Something is mounted below a folder; null where nothing tells. */
  holdsMount(realDir: string): boolean | null
  /** True for what lies in a folder in which the server keeps something, or is a mount of that. */
  isInStore(realPath: string): boolean
  /** Real paths of all that is mounted below a folder; none where nothing tells. */
  mountsBelow(realDir: string): string[]
}

export interface RenameOptions {
  replace: boolean
  /** Id of the account that moves; null for nobody's. */
  owner?: number | null
}

/** Of all limits that hold for a folder the one of which the least is left. */
export interface Room {
  limitBytes: number
  /** What is there and what is reserved. */
  usedBytes: number
}

/** An entry by its folder and its name there. */
export interface EntryName {
  folder: OpenFolder
  name: string
}

/** The same where the name need not be text. */
export interface AnyName {
  folder: OpenFolder
  name: Name
}
