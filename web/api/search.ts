// Search: the server sends one hit per line as it finds them.

import type { SearchHit } from '../../src/api-types.ts'
import { encodePath, ROOT } from '../lib/paths.ts'
import { call, lostConnection } from './client.ts'

/**
 * Yields hits in batches, as they arrive, until the server is done.
 *
 * @throws ApiError, or AbortError when `signal` was aborted.
 */
export async function* search(
  base: string,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<SearchHit[]> {
  const response = await call(`/search${base === ROOT ? '' : encodePath(base)}/`, {
    query: { query, match: 'all', details: true },
    signal,
  })
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw lostConnection(error)
      })
      const lines = (rest + (value ?? '')).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      const hits = lines.flatMap(parseLine)
      if (hits.length > 0) yield hits
      if (done) return
    }
  } finally {
    // A search that nobody reads any more must not keep the server walking.
    await reader.cancel().catch(() => {})
  }
}

/** Blank lines keep the connection alive; a line cut short by a lost connection is no hit. */
function parseLine(line: string): SearchHit[] {
  if (line.trim() === '') return []
  try {
    return [JSON.parse(line) as SearchHit]
  } catch {
    return []
  }
}
