// Moving through the listing by keyboard: arrows, Home, End, pages, letters, selection with Shift and
// Ctrl. Commands such as Delete are in operations/commands/; here is what needs to know where entries
// are.

import { isRtl } from '../../lib/i18n.ts'
import { parentOf } from '../../lib/paths.ts'
import { findTyped, TypedText } from '../../lib/type-ahead.ts'
import { openFolder } from '../../operations/commands/open-entry.ts'
import { isApple } from '../../operations/commands/shortcut.ts'
import { clearClipboard, clipboard } from '../../state/clipboard.ts'
import { indexOfPath, shownFolder } from '../../state/listing.ts'
import {
  clearSelection,
  extendSelection,
  selection,
  selectOnly,
  toggleSelected,
} from '../../state/selection.ts'
import { pageNeighbour, verticalNeighbour } from './geometry.ts'
import type { Metrics } from './metrics.ts'

interface GridForKeys {
  metrics: Metrics
  viewportPx: number
  focusEntry(path: string): void
}

const typed = new TypedText()

/** Handles a key pressed in the listing or on the page itself. True when it meant something here. */
export function handleGridKey(event: KeyboardEvent, grid: GridForKeys): boolean {
  const { visible } = shownFolder()
  if (visible.length === 0 || event.altKey) return false
  const mod = isApple() ? event.metaKey : event.ctrlKey
  const at = indexOfPath(shownFolder().focus)
  const isLetter = event.key === ' ' && !mod && typed.isOpen(event.timeStamp)
  if (event.key === ' ' && !isLetter) return space(mod, at)
  const target = destination(event, at, grid)
  if (target !== null) {
    moveTo(target, event.shiftKey, mod, grid)
    return true
  }
  if (mod || event.ctrlKey || event.metaKey || event.key.length !== 1 || event.key === '/') {
    return false
  }
  return typeAhead(event, at, grid)
}

/** Clears the cut mark, else the selection, else leaves the hits of a search. False when there was none of it. */
export function handleEscape(): boolean {
  if (clipboard.kind === 'cut' && clipboard.items.length > 0) {
    clearClipboard()
    return true
  }
  if (selection.paths.size > 0 || selection.mode) {
    clearSelection()
    return true
  }
  const { folder } = shownFolder()
  if (!folder?.search) return false
  openFolder(parentOf(folder.vpath))
  return true
}

/** Space: toggles with Ctrl and while selecting. Inside a name being typed it is a letter instead. */
function space(mod: boolean, at: number): boolean {
  const entry = shownFolder().visible[at]
  if (entry === undefined) return false
  if (mod || selection.mode || selection.paths.size > 1) {
    toggleSelected(entry.path)
    return true
  }
  return false
}

function destination(event: KeyboardEvent, at: number, grid: GridForKeys): number | null {
  const last = shownFolder().visible.length - 1
  const { geometry, layout } = grid.metrics
  const tiles = layout === 'mosaic' || layout === 'gallery'
  const from = at < 0 ? null : at
  switch (event.key) {
    case 'ArrowDown':
      return from === null ? 0 : verticalNeighbour(geometry, from, 1)
    case 'ArrowUp':
      return from === null ? last : verticalNeighbour(geometry, from, -1)
    case 'ArrowRight':
    case 'ArrowLeft': {
      if (!tiles) return null
      const step = (event.key === 'ArrowRight') === isRtl() ? -1 : 1
      return from === null ? 0 : Math.min(last, Math.max(0, from + step))
    }
    case 'Home':
      return 0
    case 'End':
      return last
    case 'PageDown':
      return pageNeighbour(geometry, from ?? 0, 1, grid.viewportPx)
    case 'PageUp':
      return pageNeighbour(geometry, from ?? 0, -1, grid.viewportPx)
    default:
      return null
  }
}

function moveTo(index: number, extend: boolean, focusOnly: boolean, grid: GridForKeys) {
  const { visible, focus } = shownFolder()
  const entry = visible[index]
  if (entry === undefined) return
  if (extend) {
    // The first extension starts where the focus was.
    if (selection.anchor === null && focus !== null) selectOnly(focus)
    extendSelection(visible, entry.path)
  } else if (!focusOnly) selectOnly(entry.path)
  grid.focusEntry(entry.path)
}

function typeAhead(event: KeyboardEvent, at: number, grid: GridForKeys): boolean {
  if (event.key === '?' || !/[\p{L}\p{N}\p{P}\p{S} ]/u.test(event.key)) return false
  const text = typed.add(event.key, event.timeStamp)
  const { visible } = shownFolder()
  const names = {
    length: visible.length,
    at: (index: number) => visible[index]?.name ?? '',
  }
  const found = findTyped(names, text, at)
  if (found === null) return true
  moveTo(found, false, false, grid)
  return true
}
