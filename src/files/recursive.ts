// The recursive listing: facts of everything below a folder (http-api 7.2).
import { type BigIntStats, lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { RecursiveEntry } from '../api-types.ts'
import { isLostEntry } from '../errors.ts'
import type { Scope } from './scope.ts'
import { nextTurn } from './sort.ts'
import { formatTime } from './time-format.ts'
import type { VPath } from './vpath.ts'
import type { Walked } from './walk.ts'

/** Looks between two turns of the event loop: a few milliseconds on a local disk. */
const LOOKS_PER_TURN = 512
/** A look slower than this means that the disk answers slowly: off the main thread then. */
const SLOW_LOOK_MS = 5
const LOOKS_IN_FLIGHT = 64

/**
 * Yields the entries below `base` in byte order, each folder before what it holds, in batches.
 * Links are reported as themselves and not followed. What a rule denies is left out with all that
 * lies below; so is what vanishes or cannot be read meanwhile.
 */
export async function* listRecursive(
  scope: Scope,
  base: VPath,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry[], void> {
  let slow = false
  for await (const batch of scope.walk(base, { signal, intoDenied: false })) {
    for (let at = 0; at < batch.length; ) {
      const entries = batch.slice(at, at + (slow ? LOOKS_IN_FLIGHT : LOOKS_PER_TURN))
      at += entries.length
      const startedAt = performance.now()
      const stats = slow ? await lookLater(entries) : entries.map(lookNow)
      slow ||= performance.now() - startedAt > SLOW_LOOK_MS * Math.max(1, entries.length / 64)
      yield entries.flatMap((entry, i) => present(entry, stats[i] ?? null))
      if (at < batch.length) await nextTurn()
      signal.throwIfAborted()
    }
  }
}

function present(entry: Walked, stats: BigIntStats | null): RecursiveEntry[] {
  if (!stats) return []
  return [
    {
      path: entry.vpath,
      name: entry.name,
      size: Number(stats.size),
      modified: formatTime(stats.mtimeNs),
      isDir: entry.kind === 'dir',
    },
  ]
}

function lookNow({ realPath }: Walked): BigIntStats | null {
  try {
    return lstatSync(realPath, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    return unlessLost(error)
  }
}

function lookLater(entries: Walked[]): Promise<(BigIntStats | null)[]> {
  return Promise.all(
    entries.map(({ realPath }) => lstat(realPath, { bigint: true }).catch(unlessLost)),
  )
}

function unlessLost(error: unknown): null {
  if (isLostEntry(error)) return null
  throw error
}
