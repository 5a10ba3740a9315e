// One drag at a time: what is carried, where it would land, and whether it would move or copy. Fed by
// the mouse (native drag and drop) and by touch; drop targets are any elements with `data-drop-path`.

import { proxy, ref } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { goHref } from '../../lib/page/navigate.ts'
import { filesHref, queryOf } from '../../lib/paths.ts'
import { transferProblem } from '../../operations/transfer-problem.ts'
import { abilitiesIn } from '../../state/rights.ts'
import type { PathSet } from '../../state/selection.ts'

/** Hovering a folder this long while dragging opens it. */
const SPRING_MS = 800

const NOTHING: PathSet = new Set()

export const drag = proxy({
  /** `entries`: from this page; `files`: from outside. */
  kind: null as 'entries' | 'files' | null,
  entries: ref([] as FileEntry[]) as readonly FileEntry[],
  paths: ref(NOTHING) as PathSet,
  /** The folder under the pointer that would take it; null when there is none. */
  target: null as string | null,
  copy: false,
  /** How many files come from outside; 0 when the browser does not say. */
  count: 0,
  x: 0,
  y: 0,
})

let spring: ReturnType<typeof setTimeout> | undefined
let springPath: string | null = null
/** The element that shows the target, marked without React: it may belong to any part of the page. */
let marked: Element | null = null

function mark(element: Element | null): void {
  if (element === marked) return
  marked?.classList.remove('drop')
  element?.classList.add('drop')
  marked = element
}

export function startEntryDrag(entries: readonly FileEntry[], x: number, y: number): void {
  drag.kind = 'entries'
  drag.entries = ref([...entries])
  drag.paths = ref(new Set(entries.map((entry) => entry.path)))
  drag.copy = false
  drag.target = null
  drag.x = x
  drag.y = y
}

export function startFileDrag(count: number): void {
  drag.kind = 'files'
  drag.count = count
}

export function endDrag(): void {
  clearTimeout(spring)
  springPath = null
  mark(null)
  drag.kind = null
  drag.entries = ref([])
  drag.paths = ref(NOTHING)
  drag.target = null
  drag.count = 0
}

function canDropInto(folder: string): boolean {
  const can = abilitiesIn(folder)
  if (drag.kind === 'files') return can.create
  if (drag.kind !== 'entries') return false
  const kind = drag.copy ? 'copy' : 'move'
  return (
    can.takes[kind] && drag.entries.every((entry) => transferProblem(kind, entry, folder) === null)
  )
}

/** The folder if it takes what is dragged. */
export function droppable(folder: string | null): string | null {
  return folder !== null && queryOf(folder) === null && canDropInto(folder) ? folder : null
}

/**
 * The pointer is over `element`. Says which folder would take the drop, opens folders that are
 * hovered for long.
 */
export function dragOver(element: Element | null, x: number, y: number, copy: boolean): void {
  drag.x = x
  drag.y = y
  drag.copy = copy
  const holder = element?.closest<HTMLElement>('[data-drop-path]') ?? null
  const folder = holder?.dataset.dropPath ?? null
  drag.target = droppable(folder)
  mark(drag.target === null ? null : holder)
  if (folder === springPath) return
  clearTimeout(spring)
  springPath = folder
  if (folder === null || drag.paths.has(folder)) return
  spring = setTimeout(() => {
    if (drag.kind === null) return
    // A tree opens the folder in itself.
    const opened = !holder?.dispatchEvent(new Event('springopen', { cancelable: true }))
    if (!opened) void goHref(filesHref(folder, true))
  }, SPRING_MS)
}

/** Ends the drag by moving or copying into the target, if there is one. */
export function dropEntries(): void {
  const { target, copy, entries } = drag
  const items = entries.map(({ path, isDir }) => ({ path, isDir }))
  endDrag()
  if (target !== null && items.length > 0) {
    void import('../../operations/copy-and-move.ts').then(({ transferEntries }) =>
      transferEntries(copy ? 'copy' : 'move', items, target),
    )
  }
}
