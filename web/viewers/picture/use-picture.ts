// Wheel, drag, pinch and double tap on a picture, as changes of one view.

import {
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import type { Size } from '../../lib/page/use-size.ts'
import { clampView, fitScale, fitView, turnedSize, type View, zoomAt } from './zoom.ts'

const DOUBLE_TAP_MS = 300
const PAN_STEP_PX = 80

/** On wide stages the fitted picture leaves room for the buttons on either side. */
const WIDE_STAGE_PX = 736
const SIDE_ROOM_PX = 144

interface Point {
  x: number
  y: number
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)

function roomIn({ width, height }: Size): Size {
  return { width: width > WIDE_STAGE_PX ? width - SIDE_ROOM_PX : width, height }
}

const PAN_STEPS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [PAN_STEP_PX, 0],
  ArrowRight: [-PAN_STEP_PX, 0],
  ArrowUp: [0, PAN_STEP_PX],
  ArrowDown: [0, -PAN_STEP_PX],
}

export function usePicture(stage: RefObject<HTMLElement | null>, stageSize: Size, size: Size) {
  const room = roomIn(stageSize)
  // Null means fitted, whatever size the stage has or gets.
  const [chosen, setChosen] = useState<View | null>(null)
  const [turns, setTurns] = useState(0)
  const turned = turnedSize(size, turns)
  const view = chosen ? clampView(chosen, turned, stageSize) : fitView(turned, room)
  const pointers = useRef(new Map<number, Point>())
  const lastTap = useRef(0)

  function place(clientX: number, clientY: number) {
    const box = stage.current?.getBoundingClientRect()
    if (!box) return { x: 0, y: 0 }
    return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 }
  }

  /** From the view as it is by then: the two fingers of a pinch move before it is drawn anew. */
  function change(next: (from: View) => View) {
    setChosen((last) => next(last ? clampView(last, turned, stageSize) : fitView(turned, room)))
  }

  function zoom(factor: number, at: Point = { x: 0, y: 0 }) {
    change((from) => zoomAt(from, factor, at, turned, stageSize))
  }

  function pan(x: number, y: number) {
    change((from) => clampView({ ...from, x: from.x + x, y: from.y + y }, turned, stageSize))
  }

  const zoomTo = (scale: number, at: Point = { x: 0, y: 0 }) =>
    change((from) => zoomAt(from, scale / from.scale, at, turned, stageSize))

  function toggleAt(at: Point) {
    const fit = fitScale(turned, room)
    if (view.scale > fit * 1.01) setChosen(null)
    else zoomTo(fit < 0.5 ? 1 : fit * 2.5, at)
  }

  useWheel(stage, (factor, event) => zoom(factor, place(event.clientX, event.clientY)))

  function drag(event: PointerEvent) {
    const before = pointers.current.get(event.pointerId)
    if (!before) return
    const now = { x: event.clientX, y: event.clientY }
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    pointers.current.set(event.pointerId, now)
    if (other) {
      const factor = distance(now, other) / distance(before, other)
      // What was between the fingers stays between them: the middle moves half as far as one.
      pan((now.x - before.x) / 2, (now.y - before.y) / 2)
      zoom(factor, place((now.x + other.x) / 2, (now.y + other.y) / 2))
    } else if (chosen) pan(now.x - before.x, now.y - before.y)
  }

  const release = (event: PointerEvent) => pointers.current.delete(event.pointerId)

  return {
    view,
    turns,
    fitted: Math.abs(view.scale - fitScale(turned, room)) < 0.001,
    zoom,
    zoomTo,
    fit: () => setChosen(null),
    turn() {
      setTurns((before) => before + 1)
      setChosen(null)
    },
    /** True when the key was an arrow. */
    panByKey(key: string): boolean {
      const step = PAN_STEPS[key]
      if (!step) return false
      pan(step[0], step[1])
      return true
    },
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return
        if (isTool(event.target)) return
        pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
        event.currentTarget.setPointerCapture(event.pointerId)
        if (event.pointerType !== 'touch') return
        // The second finger of a pinch comes as quickly as a second tap.
        const alone = pointers.current.size === 1
        const doubled = alone && event.timeStamp - lastTap.current < DOUBLE_TAP_MS
        lastTap.current = doubled || !alone ? 0 : event.timeStamp
        if (doubled) toggleAt(place(event.clientX, event.clientY))
      },
      onPointerMove: drag,
      onPointerUp: release,
      onPointerCancel: release,
      onDoubleClick(event: React.MouseEvent) {
        if (isTool(event.target)) return
        toggleAt(place(event.clientX, event.clientY))
      },
    },
  }
}

function isTool(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[role=toolbar]') !== null
}

/** Calls `zoom` with the factor of each turn of the wheel and each pinch on a touch pad. */
function useWheel(
  stage: RefObject<HTMLElement | null>,
  zoom: (factor: number, event: WheelEvent) => void,
) {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1
    // A pinch on a touch pad arrives as a wheel with Ctrl and much smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.0018
    zoom(Math.exp(-event.deltaY * lines * speed), event)
  })
  useEffect(() => {
    const element = stage.current
    if (!element) return
    const listener = (event: WheelEvent) => onWheel(event)
    // React's own wheel listener is passive and could not keep the page from zooming.
    element.addEventListener('wheel', listener, { passive: false })
    return () => element.removeEventListener('wheel', listener)
  }, [stage])
}
