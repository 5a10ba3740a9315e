// A search: what streams in is collected, the best first, and told a few times a second.

import type { SearchHit } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import { search } from '../../api/search.ts'
import { rankBy } from './query.ts'

const TELL_INTERVAL_MS = 80
/** So many times as long as telling took nothing is told, however many hits there are. */
const TELL_PAUSE = 8
/** Who finds more needs other words; they would only fill the memory. */
export const MOST_HITS = 50_000

export interface SearchState {
  query: string
  base: string
  /** The best first; of equal ones, as the server has sent them. */
  hits: readonly SearchHit[]
  running: boolean
  /** There are more than `MOST_HITS`. */
  isCut: boolean
  error: unknown
}

interface SearchRun {
  start(base: string, query: string): void
  stop(): void
}

/**
 * Searches below `base`. `tell` gets a new object each time, at most every 80 ms while hits arrive, and one when all
 * are there or the search failed; nothing once `signal` was aborted. Never rejects.
 */
export async function runSearch(
  base: string,
  query: string,
  signal: AbortSignal,
  tell: (state: SearchState) => void,
): Promise<void> {
  const rank = rankBy(query)
  const ranked: SearchHit[][] = []
  let count = 0
  let nextAtMs = 0
  const report = (running: boolean, error: unknown = null) => {
    const startedAtMs = performance.now()
    tell({ query, base, hits: ranked.flat(), running, isCut: count > MOST_HITS, error })
    const nowMs = performance.now()
    nextAtMs = nowMs + Math.max(TELL_INTERVAL_MS, (nowMs - startedAtMs) * TELL_PAUSE)
  }
  report(true)
  try {
    for await (const some of search(base, query, signal)) {
      if (signal.aborted) return
      for (const hit of some) {
        if (++count > MOST_HITS) break
        const at = rank(hit)
        ranked[at] ??= []
        ranked[at].push(hit)
      }
      if (count > MOST_HITS) break
      if (performance.now() >= nextAtMs) report(true)
    }
    if (!signal.aborted) report(false)
  } catch (error) {
    if (!signal.aborted) report(false, isAbort(error) ? null : error)
  }
}

/** One search at a time: a new one ends the one before. */
export function createSearchRun(onChange: (state: SearchState) => void): SearchRun {
  let controller: AbortController | null = null
  return {
    start(base, query) {
      controller?.abort()
      controller = new AbortController()
      void runSearch(base, query, controller.signal, onChange)
    },
    stop() {
      controller?.abort()
      controller = null
    },
  }
}
