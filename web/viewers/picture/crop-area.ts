// The part of a picture that stays when it is cropped: pure functions over a rectangle in its pixels.

import type { Size } from '../../lib/page/use-size.ts'

export interface Area {
  left: number
  top: number
  width: number
  height: number
}

/** Which edges a drag moves, as in CSS: -1 left or top, 1 right or bottom; both 0 moves the whole. */
export interface Grip {
  x: -1 | 0 | 1
  y: -1 | 0 | 1
}

/** No side becomes smaller, in pixels, unless the picture has fewer. */
const LEAST = 16

/** The grips around an area, clockwise from its first corner. */
export const grips: readonly Grip[] = [
  { x: -1, y: -1 },
  { x: 0, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 0 },
  { x: 1, y: 1 },
  { x: 0, y: 1 },
  { x: -1, y: 1 },
  { x: -1, y: 0 },
]

/** What is chosen at first: all but a tenth around it. */
export function firstArea({ width, height }: Size): Area {
  return whole({
    left: width * 0.1,
    top: height * 0.1,
    width: width * 0.8,
    height: height * 0.8,
  })
}

/** The area after its grip was dragged by so many pixels; it stays within the picture. */
export function dragged(area: Area, grip: Grip, by: { x: number; y: number }, size: Size): Area {
  const across = side(area.left, area.width, grip.x, by.x, {
    size: size.width,
    isMove: isMove(grip),
  })
  const down = side(area.top, area.height, grip.y, by.y, {
    size: size.height,
    isMove: isMove(grip),
  })
  return whole({ left: across.from, width: across.length, top: down.from, height: down.length })
}

function isMove({ x, y }: Grip): boolean {
  return x === 0 && y === 0
}

function side(
  from: number,
  length: number,
  edge: -1 | 0 | 1,
  by: number,
  { size, isMove }: { size: number; isMove: boolean },
) {
  const least = Math.min(LEAST, size)
  const end = from + length
  if (isMove) return { from: clamp(from + by, 0, size - length), length }
  if (edge === 1) return { from, length: clamp(end + by, from + least, size) - from }
  if (edge === 0) return { from, length }
  const moved = clamp(from + by, 0, end - least)
  return { from: moved, length: end - moved }
}

function whole({ left, top, width, height }: Area): Area {
  const [x, y] = [Math.round(left), Math.round(top)]
  return {
    left: x,
    top: y,
    width: Math.max(1, Math.round(left + width) - x),
    height: Math.max(1, Math.round(top + height) - y),
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
