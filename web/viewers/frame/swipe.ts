// One-finger swipes on the stage: sideways turns to a neighbour, down closes. Parts of a viewer that
// use the finger themselves carry data-gestures="own".

import { type PointerEvent, useRef, useState } from 'react'

const TURN_PX = 56
const CLOSE_PX = 90
/** Before this the direction is not decided, so that a tap never moves anything. */
const SLOP_PX = 10

interface Swipe {
  /** How far the picture follows the finger, in px. */
  offset: { x: number; y: number }
  handlers: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(): void
  }
}

interface Actions {
  /** Physical direction: 1 when the finger moved to the left. */
  turn(direction: -1 | 1): void
  close(): void
}

export function useSwipe({ turn, close }: Actions): Swipe {
  const [offset, setOffset] = useState({ x: 0, y: 0 })
  const start = useRef<{ id: number; x: number; y: number; axis: 'x' | 'y' | null } | null>(null)

  function reset() {
    start.current = null
    setOffset({ x: 0, y: 0 })
  }

  return {
    offset,
    handlers: {
      onPointerDown(event) {
        if (start.current) return reset()
        if (event.pointerType !== 'touch') return
        if (event.target instanceof Element && event.target.closest('[data-gestures=own]')) return
        start.current = { id: event.pointerId, x: event.clientX, y: event.clientY, axis: null }
      },
      onPointerMove(event) {
        const from = start.current
        if (!from || event.pointerId !== from.id) return
        const x = event.clientX - from.x
        const y = event.clientY - from.y
        if (from.axis === null && Math.hypot(x, y) > SLOP_PX) {
          from.axis = Math.abs(x) > Math.abs(y) ? 'x' : 'y'
        }
        if (from.axis === 'x') setOffset({ x, y: 0 })
        else if (from.axis === 'y' && y > 0) setOffset({ x: 0, y })
      },
      onPointerUp(event) {
        const from = start.current
        if (!from || event.pointerId !== from.id) return
        const x = event.clientX - from.x
        const y = event.clientY - from.y
        const { axis } = from
        reset()
        if (axis === 'x' && Math.abs(x) > TURN_PX) turn(x < 0 ? 1 : -1)
        else if (axis === 'y' && y > CLOSE_PX) close()
      },
      onPointerCancel: reset,
    },
  }
}
