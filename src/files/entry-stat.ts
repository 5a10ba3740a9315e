// Facts about one entry, for the entry itself and for what it leads to.
import type { BigIntStats } from 'node:fs'

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
  return {
    kind: kindOf(target),
    isSymlink,
    sizeBytes: Number(target.size),
    mtimeNs: target.mtimeNs,
    mode: Number(target.mode),
    ino: target.ino,
    dev: target.dev,
    ownMtimeNs: own.mtimeNs,
    ownMode: Number(own.mode),
  }
}

function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'dir'
  if (stats.isSymbolicLink()) return 'brokenLink'
  return stats.isFIFO() ? 'fifo' : 'other'
}
