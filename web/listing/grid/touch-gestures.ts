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

/** In these the page does not scroll. */
const OURS: ReadonlySet<Phase> = new Set<Phase>(['held', 'drag', 'swipe', 'pull'])

/** Attaches to the scroller; the result detaches. */
export function attachGestures(scroller: HTMLElement, handlers: GestureHandlers): () => void {
  const fingers = new Fingers(scroller, handlers)
  const abort = new AbortController()
  const { signal } = abort
  const onEnd = (event: TouchEvent) => fingers.end(event)
  scroller.addEventListener('touchstart', (event) => fingers.start(event), {
    passive: true,
    signal,
  })
  scroller.addEventListener('touchmove', (event) => fingers.move(event), {
    passive: false,
    signal,
  })
  scroller.addEventListener('touchend', onEnd, { signal })
  scroller.addEventListener('touchcancel', onEnd, { signal })
  return () => {
    fingers.reset()
    abort.abort()
  }
}

class Fingers {
  readonly #scroller: HTMLElement
  readonly #handlers: GestureHandlers
  readonly #autoScroll
  #phase: Phase = 'none'
  #cell: HTMLElement | null = null
  #from = { x: 0, y: 0 }
  /** How far a swipe or a pull has come, in px. */
  #movedPx = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(scroller: HTMLElement, handlers: GestureHandlers) {
    this.#scroller = scroller
    this.#handlers = handlers
    this.#autoScroll = createAutoScroll(() => scroller)
  }

  reset(): void {
    clearTimeout(this.#timer)
    this.#autoScroll.stop()
    this.#phase = 'none'
    this.#cell = null
    this.#movedPx = 0
  }

  start(event: TouchEvent): void {
    const [first, second] = event.touches
    if (first === undefined) return
    if (second !== undefined) {
      if (this.#phase === 'drag') this.#handlers.onDragEnd(true)
      clearTimeout(this.#timer)
      this.#phase = cellAt(first) !== null && cellAt(second) !== null ? 'two' : 'scroll'
      return
    }
    this.reset()
    const target = event.target instanceof Element ? event.target : null
    if (target?.closest('button, input') != null) return
    this.#phase = 'undecided'
    this.#from = { x: first.clientX, y: first.clientY }
    const cell = target?.closest<HTMLElement>('[data-index]') ?? null
    this.#cell = cell
    if (cell === null) return
    this.#timer = setTimeout(() => {
      if (this.#phase !== 'undecided') return
      this.#phase = 'held'
      navigator.vibrate?.(12)
      this.#handlers.onHold(cell)
    }, HOLD_MS)
  }

  move(event: TouchEvent): void {
    const [first, second] = event.touches
    if (first === undefined) return
    const { clientX: x, clientY: y } = first
    const dx = x - this.#from.x
    const dy = y - this.#from.y
    if (this.#phase === 'two') {
      if (second === undefined) return
      const [from, to] = [cellAt(first), cellAt(second)]
      if (from !== null && to !== null) this.#handlers.onTwoFingers(from, to)
      event.preventDefault()
      return
    }
    if (this.#phase === 'undecided') this.#decide(dx, dy)
    const held = this.#phase === 'held'
    if (held && Math.hypot(dx, dy) >= SLOP_PX && this.#handlers.canDrag()) {
      this.#phase = 'drag'
      this.#handlers.onDragStart(x, y)
    }
    // From here on the finger is ours, not the page's.
    if (OURS.has(this.#phase) && event.cancelable) event.preventDefault()
    if (this.#phase === 'drag') {
      this.#handlers.onDragMove(document.elementFromPoint(x, y), x, y)
      this.#autoScroll.at(y)
    } else if (this.#phase === 'swipe' && this.#cell !== null) {
      this.#movedPx = dx
      this.#handlers.onSwipe(this.#cell, dx)
    } else if (this.#phase === 'pull') {
      // The further, the harder.
      this.#movedPx = Math.min(PULL_MAX_PX, Math.max(0, dy) * 0.55)
      this.#handlers.onPull(this.#movedPx / PULL_REFRESH_PX)
    }
  }

  #decide(dx: number, dy: number): void {
    if (Math.hypot(dx, dy) < SLOP_PX) return
    clearTimeout(this.#timer)
    const sideways = Math.abs(dx) > Math.abs(dy) * SWIPE_SLOPE
    if (this.#cell !== null && sideways && this.#handlers.canSwipe()) this.#phase = 'swipe'
    else if (dy > 0 && this.#scroller.scrollTop <= 0 && this.#handlers.canPull()) {
      this.#phase = 'pull'
    } else this.#phase = 'scroll'
  }

  end(event: TouchEvent): void {
    if (event.touches.length > 0) return
    const cancelled = event.type === 'touchcancel'
    const phase = this.#phase
    if (phase === 'drag') this.#handlers.onDragEnd(cancelled)
    if (phase === 'swipe' && this.#cell !== null) {
      this.#handlers.onSwipeEnd(this.#cell, cancelled ? 0 : this.#movedPx)
    }
    if (phase === 'pull') {
      if (!cancelled && this.#movedPx >= PULL_REFRESH_PX) this.#handlers.onRefresh()
      else this.#handlers.onPull(null)
    }
    // The click that follows a press and hold would open or toggle what was just selected.
    if (OURS.has(phase) && phase !== 'pull') event.preventDefault()
    this.reset()
  }
}

function cellAt({ clientX, clientY }: Touch): HTMLElement | null {
  return document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-index]') ?? null
}
