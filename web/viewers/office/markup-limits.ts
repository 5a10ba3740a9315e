// How much markup becomes elements of the page. That work cannot leave the page's own thread, which
// stands still meanwhile, so what would take more than a few seconds is refused and offered as a
// download instead.

import { ZipError } from '../archive/zip-reader.ts'

/** Unpacked: some thirty novels without pictures. */
export const MAX_MARKUP_BYTES = 8 * 1024 * 1024
/** About 1,500 pages of a usual Word document, or two to four seconds on a slow machine. */
const MAX_COST = 400_000

/** Each of these is laid out as a box of its own, which costs some four times an inline element. */
const BLOCKS = new Set(
  'p h tr tc table-row table-cell td th li list-item div section br'.split(' '),
)
const BLOCK_COST = 4

export interface MarkupBudget {
  /** Takes what another part costs. @throws ZipError `too_large` when all together are too much. */
  spend(markup: string): void
}

export function createMarkupBudget(): MarkupBudget {
  let bytes = 0
  let cost = 0
  return {
    spend(markup) {
      bytes += markup.length
      for (const [, name = ''] of markup.matchAll(/<(?:[^\s/<>:!?]+:)?([^\s/<>:!?]+)/g)) {
        cost += BLOCKS.has(name) ? BLOCK_COST : 1
        if (cost > MAX_COST) break
      }
      if (bytes > MAX_MARKUP_BYTES || cost > MAX_COST) {
        throw new ZipError('too_large')
      }
    },
  }
}
