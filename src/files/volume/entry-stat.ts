// Facts about one entry, for the entry itself and for what it leads to.
import { type BigIntStats, constants } from 'node:fs'

export type EntryKind = 'file' | 'dir' | 'brokenLink' | 'fifo' | 'other'

export interface EntryStat {
  /** What the entry is after following links inside the scope. */
  kind: EntryKind
  isSymlink: boolean
  sizeBytes: number
  mtimeNs: bigint
  /** POSIX st_mode of the target; of the link itself when it dangles. */
  mode: number
  ino: bigint
  dev: bigint
  /** The link's own facts when the entry is a link. */
  ownMtimeNs: bigint
  ownMode: number
}

/** Converts stats of target and entry; both are the same unless the entry is a link. */
export function toEntryStat(target: BigIntStats, own: BigIntStats, isSymlink: boolean): EntryStat {
  const mode = Number(target.mode)
  return {
    kind: kindOf(mode),
    isSymlink,
    sizeBytes: Number(target.size),
    mtimeNs: target.mtimeNs,
    mode,
    ino: target.ino,
    dev: target.dev,
    ownMtimeNs: own.mtimeNs,
    ownMode: own === target ? mode : Number(own.mode),
  }
}

/** What stands for the facts of an entry whose disk does not answer. */
export function unreachableStat(isFolder: boolean, isSymlink: boolean): EntryStat {
  const mode = isFolder ? constants.S_IFDIR : 0
  return {
    kind: isFolder ? 'dir' : 'other',
    isSymlink,
    sizeBytes: 0,
    mtimeNs: 0n,
    mode,
    ino: 0n,
    dev: 0n,
    ownMtimeNs: 0n,
    ownMode: mode,
  }
}

/** What is told of a folder of which nothing may be known but its name. */
export const WAY = {
  sizeBytes: 0,
  mtimeNs: 0n,
  mode: constants.S_IFDIR,
  ownMtimeNs: 0n,
  ownMode: constants.S_IFDIR,
} as const

/** True for the facts of such a folder. */
export function isBare({ mode, mtimeNs }: EntryStat): boolean {
  return mode === WAY.mode && mtimeNs === WAY.mtimeNs
}

/** What a POSIX st_mode says an entry is. */
export function kindOf(mode: number): EntryKind {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file'
    case constants.S_IFDIR:
      return 'dir'
    case constants.S_IFLNK:
      return 'brokenLink'
    case constants.S_IFIFO:
      return 'fifo'
    default:
      return 'other'
  }
}
