// One search at a time: starts, collects what streams in, the best first, and tells a few times a second.

import type { SearchHit } from '../../src/api-types.ts'
import { isAbort } from '../api/client.ts'
import { search } from '../api/search.ts'
import { rankBy } from './query.ts'

const TELL_INTERVAL_MS = 80

export interface SearchState {
  query: string
  base: string
  /** The best first; of equal ones, as the server has sent them. */
  hits: readonly SearchHit[]
  running: boolean
  error: unknown
}

interface SearchRun {
  start(base: string, query: string): void
  stop(): void
}

/** `onChange` gets a new object each time, at most every 80 ms while hits arrive. */
export function createSearchRun(onChange: (state: SearchState) => void): SearchRun {
  let controller: AbortController | null = null

  async function run(base: string, query: string, signal: AbortSignal) {
    const rank = rankBy(query)
    const ranked: SearchHit[][] = []
    let toldAtMs = performance.now()
    const tell = (running: boolean, error: unknown = null) => {
      toldAtMs = performance.now()
      onChange({ query, base, hits: ranked.flat(), running, error })
    }
    tell(true)
    try {
      for await (const some of search(base, query, signal)) {
        if (signal.aborted) return
        for (const hit of some) {
          const at = rank(hit)
          ranked[at] ??= []
          ranked[at].push(hit)
        }
        if (performance.now() - toldAtMs >= TELL_INTERVAL_MS) tell(true)
      }
      if (!signal.aborted) tell(false)
    } catch (error) {
      if (!signal.aborted) tell(false, isAbort(error) ? null : error)
    }
  }

  return {
    start(base, query) {
      controller?.abort()
      controller = new AbortController()
      void run(base, query, controller.signal)
    },
    stop() {
      controller?.abort()
      controller = null
    },
  }
}
