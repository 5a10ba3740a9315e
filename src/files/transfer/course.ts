// The course of long work: what it tells of how far it is, and what it has done in an earlier run.
import type { BigIntStats } from 'node:fs'
import type { AppError } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import { type EntryStat, toEntryStat } from '../volume/entry-stat.ts'
import type { CommittedFile } from '../volume/temp-file.ts'

/** Told of each entry that has come, by its path, and of the time that its source had. */
export type OnMade = (
  vpath: VPath,
  made: EntryStat | CommittedFile,
  sourceMtimeNs: bigint | null,
) => void

/** What decides about a target that is taken. */
export interface Taken {
  onMade?: OnMade | undefined
  /** What stays at a target that is taken: whatever it is, or a file that is as new as the source. */
  leaves?: 'all' | 'newer' | undefined
  /** Of long work, whose copies keep their times. */
  course?: Course | undefined
}

/** A source as it was when it was looked at. */
export interface SourceFacts {
  sizeBytes: number
  mtimeNs: bigint
}

/** A copy that is not whole. */
export interface HalfCopy {
  /** Real path of the hidden file. */
  path: string
  /** What it is a copy of, as that was; of what is fetched, what its server calls this content. */
  source: { sizeBytes: number; mtimeNs: string; ino: string } | { validator: string }
  /** So much of it outlives a power cut. */
  safeBytes: number
}

export interface Course {
  /** Waited for before the first byte moves: renames alone need no place on a disk. */
  begin(): Promise<void>
  /** A source that is being worked on. */
  at(source: VPath): void
  /** Of a file that is being copied, further ones. */
  bytes(count: number): void
  /** A source is done with: copied, left, moved or removed. Bytes that `bytes` was not told of. */
  passed(bytes: number): void
  failed(source: VPath, error: AppError): void
  /**
   * What an earlier run has to do with a file at a target: `done` was told by onMade then, `made` was not, because
   * that run ended before it could be.
   */
  earlier(source: SourceFacts, target: VPath, found: BigIntStats): 'done' | 'made' | null
  /** The same for a folder, whose content does not count. */
  hasMade(target: VPath, found: BigIntStats): boolean
  /** What an earlier run has copied of a large file to a target; null where nothing. */
  half(target: VPath): HalfCopy | null
  /** Told before the first byte of a large file, and when more of it is safe. */
  safe(target: VPath, half: HalfCopy): void
  /** Whether work that was broken off for this reason is gone on with: what has come of a large file stays. */
  goesOn(reason: unknown): boolean
}

/** Times are kept to a microsecond or less. */
const SAME_TIME_NS = 1_000_000n

/** True when an old time is that of the source, as far as a disk keeps it. */
export function isSameTime(a: bigint, b: bigint): boolean {
  return a - b < SAME_TIME_NS && b - a < SAME_TIME_NS
}

/** `arrived`: what is there came from this source in an earlier run. `left`: it stays as it is, by the rule for what is taken. */
export type Settled = 'arrived' | 'left' | null

/** Whether a file needs not be copied, because of what is at its target. */
export function settledBy(
  { course, leaves, onMade }: Taken,
  source: SourceFacts,
  target: VPath,
  found: BigIntStats | null,
): Settled {
  if (!found) return null
  const earlier = course && found.isFile() ? course.earlier(source, target, found) : null
  if (earlier === 'made') onMade?.(target, toEntryStat(found, found, false), source.mtimeNs)
  if (earlier) return 'arrived'
  if (leaves === 'all') return 'left'
  const isOlder = found.mtimeNs < source.mtimeNs && !isSameTime(found.mtimeNs, source.mtimeNs)
  return leaves === 'newer' && found.isFile() && !isOlder ? 'left' : null
}

/** True where it matters what is at a target. */
export function looksAtTarget({ course, leaves }: Taken): boolean {
  return course !== undefined || leaves !== undefined
}
