// The recursive listing: facts of everything below a folder (docs/http-api.md 7.2).
import type { RecursiveEntry } from '../../api-types.ts'
import { nextTurn } from '../../lib/turns.ts'
import type { VPath } from '../../lib/vpath.ts'
import type { EntryStats } from '../disks/stat-many.ts'
import type { Scope } from '../place/scope.ts'
import type { Walked } from '../place/walk.ts'
import { formatTime } from './time-format.ts'

/** Entries read and presented at a time. */
const ENTRIES_AT_ONCE = 512

/**
 * Yields the entries below `base` in byte order, each folder before what it holds, in batches.
 * Links are reported as themselves and not followed. What a rule denies is left out with all that
 * lies below; so is what vanishes or cannot be read meanwhile. A mount that does not answer is
 * `unreachable`.
 */
export async function* listRecursive(
  scope: Scope,
  base: VPath,
  signal: AbortSignal,
): AsyncGenerator<RecursiveEntry[], void> {
  for await (const batch of scope.walk(base, { signal, intoDenied: false })) {
    for (let at = 0; at < batch.length; at += ENTRIES_AT_ONCE) {
      const entries = batch.slice(at, at + ENTRIES_AT_ONCE)
      const stats = await scope.statMany(entries, signal)
      yield entries.flatMap((entry, i) => present(entry, stats[i] ?? null))
      if (at + ENTRIES_AT_ONCE < batch.length) await nextTurn()
      signal.throwIfAborted()
    }
  }
}

function present(entry: Walked, found: EntryStats): RecursiveEntry[] {
  if (!found) return []
  const isUnreachable = found === 'unreachable'
  return [
    {
      path: entry.vpath,
      name: entry.name,
      size: isUnreachable ? 0 : Number(found.size),
      modified: formatTime(isUnreachable ? 0n : found.mtimeNs),
      isDir: entry.kind === 'dir',
      ...(isUnreachable && { unreachable: true as const }),
    },
  ]
}
