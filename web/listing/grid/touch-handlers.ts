// What fingers do in the listing. Loaded where there may be some.

import { isRtl } from '../../lib/i18n.ts'
import { currentContext } from '../../operations/commands/context.ts'
import { refreshFolder } from '../../operations/open-folder.ts'
import { setShown, shownFolder } from '../../state/listing.ts'
import {
  extendSelection,
  selection,
  selectOnly,
  startSelectionMode,
} from '../../state/selection.ts'
import { dragOver, dropEntries, endDrag, startEntryDrag } from '../drag/drag-session.ts'
import { entryOf } from './grid-pointer.ts'
import { pull } from './pull.ts'
import { closeSwipe, endSwipe, moveSwipe } from './row-swipe.tsx'
import { attachGestures, type GestureHandlers } from './touch-gestures.ts'

/** Listens to fingers on the scroller until the signal. */
export function attachTouch(scroller: HTMLElement, signal: AbortSignal): void {
  if (signal.aborted) return
  const detach = attachGestures(scroller, gesturesOf(scroller))
  scroller.dataset.gestures = 'own'
  signal.addEventListener('abort', () => {
    delete scroller.dataset.gestures
    detach()
  })
  scroller.addEventListener('pointerdown', closeSwipe, { signal })
}

function gesturesOf(element: HTMLElement): GestureHandlers {
  return {
    onHold(cell) {
      const entry = entryOf(cell)
      if (entry === null) return
      startSelectionMode(entry.path)
      setShown({ focus: entry.path })
    },
    onTwoFingers(from, to) {
      const a = entryOf(from)
      const b = entryOf(to)
      if (a === null || b === null) return
      selectOnly(a.path)
      extendSelection(shownFolder().visible, b.path)
      startSelectionMode()
    },
    canDrag: () => currentContext().can.gives.move,
    onDragStart: (x, y) => startEntryDrag(currentContext().selected, x, y),
    onDragMove: (at, x, y) => dragOver(at, x, y, false),
    onDragEnd: (cancelled) => (cancelled ? endDrag() : dropEntries()),
    canSwipe: () =>
      element.classList.contains('grid--touch') &&
      !selection.mode &&
      !matchMedia('(prefers-reduced-motion: reduce)').matches,
    onSwipe: (cell, px) => moveSwipe(cell, isRtl() ? -px : px),
    onSwipeEnd: (cell, px) => {
      const entry = entryOf(cell)
      if (entry !== null) endSwipe(cell, entry, isRtl() ? -px : px)
    },
    canPull: () => !selection.mode,
    onPull(share) {
      pull.share = share
    },
    async onRefresh() {
      pull.refreshing = true
      await refreshFolder()
      pull.refreshing = false
      pull.share = null
    },
  }
}
