// Fingers on the listing: press and hold selects, holding and then moving drags, a sideways swipe
// reveals actions, pulling down at the top refreshes. The page itself scrolls as usual until one of
// these has clearly begun.

import { createAutoScroll } from './auto-scroll.ts'

const HOLD_MS = 450
const SLOP_PX = 10
/** A swipe must go further sideways than down by this factor. */
const SWIPE_SLOPE = 1.6
const PULL_REFRESH_PX = 72
const PULL_MAX_PX = 110

export interface GestureHandlers {
  /** Held on an entry: select it. */
  onHold(cell: HTMLElement): void
  /** Two fingers moved over entries: select what lies between. */
  onTwoFingers(from: HTMLElement, to: HTMLElement): void
  canDrag(): boolean
  onDragStart(x: number, y: number): void
  onDragMove(element: Element | null, x: number, y: number): void
  onDragEnd(cancelled: boolean): void
  canSwipe(): boolean
  /** Sideways distance in px; positive is towards the right edge of the screen. */
  onSwipe(cell: HTMLElement, px: number): void
  onSwipeEnd(cell: HTMLElement, px: number): void
  canPull(): boolean
  /** How far the page is pulled, 0 to 1 and beyond; null when let go without refreshing. */
  onPull(share: number | null): void
  onRefresh(): void
}

type Phase = 'none' | 'undecided' | 'held' | 'drag' | 'swipe' | 'pull' | 'two' | 'scroll'

/** Attaches to the scroller; the result detaches. */
export function attachGestures(scroller: HTMLElement, handlers: GestureHandlers): () => void {
  const autoScroll = createAutoScroll(() => scroller)
  let phase: Phase = 'none'
  let cell: HTMLElement | null = null
  let start = { x: 0, y: 0 }
  let moved = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const cellAt = (x: number, y: number) =>
    document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-index]') ?? null

  const reset = () => {
    clearTimeout(timer)
    autoScroll.stop()
    phase = 'none'
    cell = null
    moved = 0
  }

  const onStart = (event: TouchEvent) => {
    const [first, second] = event.touches
    if (first === undefined) return
    if (second !== undefined) {
      if (phase === 'drag') handlers.onDragEnd(true)
      clearTimeout(timer)
      const from = cellAt(first.clientX, first.clientY)
      const to = cellAt(second.clientX, second.clientY)
      phase = from !== null && to !== null ? 'two' : 'scroll'
      return
    }
    reset()
    const target = event.target instanceof Element ? event.target : null
    if (target?.closest('button, input') != null) return
    phase = 'undecided'
    start = { x: first.clientX, y: first.clientY }
    cell = target?.closest<HTMLElement>('[data-index]') ?? null
    if (cell === null) return
    timer = setTimeout(() => {
      if (phase !== 'undecided' || cell === null) return
      phase = 'held'
      navigator.vibrate?.(12)
      handlers.onHold(cell)
    }, HOLD_MS)
  }

  const decide = (dx: number, dy: number) => {
    if (Math.hypot(dx, dy) < SLOP_PX) return
    clearTimeout(timer)
    if (cell !== null && Math.abs(dx) > Math.abs(dy) * SWIPE_SLOPE && handlers.canSwipe()) {
      phase = 'swipe'
    } else if (dy > 0 && scroller.scrollTop <= 0 && handlers.canPull()) phase = 'pull'
    else phase = 'scroll'
  }

  const onMove = (event: TouchEvent) => {
    const [first, second] = event.touches
    if (first === undefined) return
    const { clientX: x, clientY: y } = first
    const dx = x - start.x
    const dy = y - start.y
    if (phase === 'two') {
      if (second === undefined) return
      const from = cellAt(x, y)
      const to = cellAt(second.clientX, second.clientY)
      if (from !== null && to !== null) handlers.onTwoFingers(from, to)
      event.preventDefault()
      return
    }
    if (phase === 'undecided') decide(dx, dy)
    if (phase === 'held' && Math.hypot(dx, dy) >= SLOP_PX && handlers.canDrag()) {
      phase = 'drag'
      handlers.onDragStart(x, y)
    }
    if (phase === 'held' || phase === 'drag' || phase === 'swipe' || phase === 'pull') {
      // From here on the finger is ours, not the page's.
      if (event.cancelable) event.preventDefault()
    }
    if (phase === 'drag') {
      handlers.onDragMove(document.elementFromPoint(x, y), x, y)
      autoScroll.at(y)
    } else if (phase === 'swipe' && cell !== null) {
      moved = dx
      handlers.onSwipe(cell, dx)
    } else if (phase === 'pull') {
      // The further, the harder.
      moved = Math.min(PULL_MAX_PX, Math.max(0, dy) * 0.55)
      handlers.onPull(moved / PULL_REFRESH_PX)
    }
  }

  const onEnd = (event: TouchEvent) => {
    if (event.touches.length > 0) return
    const cancelled = event.type === 'touchcancel'
    if (phase === 'drag') handlers.onDragEnd(cancelled)
    if (phase === 'swipe' && cell !== null) handlers.onSwipeEnd(cell, cancelled ? 0 : moved)
    if (phase === 'pull') {
      if (!cancelled && moved >= PULL_REFRESH_PX) handlers.onRefresh()
      else handlers.onPull(null)
    }
    // The click that follows a press and hold would open or toggle what was just selected.
    if (phase === 'held' || phase === 'drag' || phase === 'swipe') event.preventDefault()
    reset()
  }

  scroller.addEventListener('touchstart', onStart, { passive: true })
  scroller.addEventListener('touchmove', onMove, { passive: false })
  scroller.addEventListener('touchend', onEnd)
  scroller.addEventListener('touchcancel', onEnd)
  return () => {
    reset()
    scroller.removeEventListener('touchstart', onStart)
    scroller.removeEventListener('touchmove', onMove)
    scroller.removeEventListener('touchend', onEnd)
    scroller.removeEventListener('touchcancel', onEnd)
  }
}
