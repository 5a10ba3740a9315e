// The edge of a panel at the bottom, dragged or moved by arrow keys.

import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

const STEP_PX = 24
/** A drag moves the edge at most this often: each new height lays the terminal out anew. */
const DRAG_INTERVAL_MS = 32

interface Grab {
  y: number
  heightPx: number
  /** Where the pointer is by now. */
  wantedPx: number
  timer?: ReturnType<typeof setTimeout> | undefined
}

interface ResizerProps {
  label: string
  heightPx: number
  onChange: (heightPx: number) => void
  onDone: (heightPx: number) => void
}

/** At least 2.25 em, at most the window less 4 em. */
function clampHeight(px: number): number {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.round(Math.max(2.25 * em, Math.min(px, window.innerHeight - 4 * em)))
}

export function Resizer({ label, heightPx, onChange, onDone }: ResizerProps) {
  const grab = useRef<Grab | null>(null)

  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grab.current = { y: event.clientY, heightPx, wantedPx: heightPx }
  }

  function onPointerMove(event: PointerEvent) {
    const drag = grab.current
    if (!drag) return
    drag.wantedPx = clampHeight(drag.heightPx + drag.y - event.clientY)
    drag.timer ??= setTimeout(() => {
      drag.timer = undefined
      onChange(drag.wantedPx)
    }, DRAG_INTERVAL_MS)
  }

  function onPointerUp() {
    const drag = grab.current
    if (!drag) return
    grab.current = null
    clearTimeout(drag.timer)
    onChange(drag.wantedPx)
    onDone(drag.wantedPx)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step: Record<string, number> = {
      ArrowUp: heightPx + STEP_PX,
      ArrowDown: heightPx - STEP_PX,
      Home: window.innerHeight,
      End: 0,
    }
    const wanted = step[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    const next = clampHeight(wanted)
    onChange(next)
    onDone(next)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between two panes that moves is no <hr>
    <div
      className="term__grip"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={heightPx}
      aria-valuemin={36}
      aria-valuemax={window.innerHeight - 64}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onKeyDown={onKeyDown}
    />
  )
}
