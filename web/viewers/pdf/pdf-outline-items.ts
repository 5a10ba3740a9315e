// Contents of a PDF as far as a page can show them.

export interface OutlineItem {
  title: string
  dest: unknown
  items: OutlineItem[]
}

/** Outlines of broken files can be endless; what is beyond these is left out. */
const MAX_DEPTH = 8
const MAX_ITEMS = 5000

/** The first entries in reading order, as many and as deep as the page shows. */
export function withinLimits(found: readonly OutlineItem[]): OutlineItem[] {
  let room = MAX_ITEMS
  function take(items: readonly OutlineItem[], depth: number): OutlineItem[] {
    const taken: OutlineItem[] = []
    if (depth > MAX_DEPTH) return taken
    for (const { title, dest, items: inner } of items) {
      if (room === 0) break
      room--
      taken.push({ title, dest, items: take(inner, depth + 1) })
    }
    return taken
  }
  return take(found, 0)
}
