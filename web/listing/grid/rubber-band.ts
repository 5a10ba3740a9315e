// Selecting by drawing a box over entries with the mouse. The box is kept in content coordinates, so
// that it grows while the listing scrolls under it.

import { createAutoScroll } from './auto-scroll.ts'
import { band } from './band.ts'
import type { Box } from './geometry.ts'

/** Less movement than this is a click. */
const THRESHOLD_PX = 5

interface BandOptions {
  scroller: HTMLElement
  /** Where the entries begin: offset of the content inside the scroller. */
  content: HTMLElement
  /** Called when the box first appears, with whether it adds to the selection. */
  onStart(add: boolean): void
  onChange(box: Box): void
  onEnd(): void
}

/** Follows the pointer from a press that may become a box. */
export function followBand(down: PointerEvent, options: BandOptions): void {
  const { scroller, content } = options
  const autoScroll = createAutoScroll(() => scroller)
  const place = (x: number, y: number) => {
    const at = content.getBoundingClientRect()
    return { x: x - at.left, y: y - at.top }
  }
  const start = place(down.clientX, down.clientY)
  let last = { x: down.clientX, y: down.clientY }
  let drawing = false
  const abort = new AbortController()
  const { signal } = abort

  const update = () => {
    const now = place(last.x, last.y)
    const box = {
      left: Math.min(start.x, now.x),
      top: Math.min(start.y, now.y),
      right: Math.max(start.x, now.x),
      bottom: Math.max(start.y, now.y),
    }
    band.box = box
    options.onChange(box)
  }
  const onMove = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return
    // Released beyond the listing, which then was not told.
    if ((event.buttons & 1) === 0) {
      onEnd(event)
      return
    }
    last = { x: event.clientX, y: event.clientY }
    if (!drawing) {
      const moved = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY)
      if (moved < THRESHOLD_PX) return
      drawing = true
      scroller.setPointerCapture(down.pointerId)
      options.onStart(down.ctrlKey || down.metaKey || down.shiftKey)
    }
    autoScroll.at(event.clientY)
    update()
  }
  const onScroll = () => {
    if (drawing) update()
  }
  const onEnd = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return
    autoScroll.stop()
    abort.abort()
    if (!drawing) return
    band.box = null
    options.onEnd()
  }
  scroller.addEventListener('pointermove', onMove, { signal })
  scroller.addEventListener('pointerup', onEnd, { signal })
  scroller.addEventListener('pointercancel', onEnd, { signal })
  scroller.addEventListener('scroll', onScroll, { signal })
}
