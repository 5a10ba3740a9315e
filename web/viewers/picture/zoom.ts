// The geometry of looking at a picture: pure functions over a view, so that wheel, pinch, keys and
// buttons share one set of rules.

import type { Size } from '../../lib/page/use-size.ts'

export interface View {
  /** Screen pixels per picture pixel. */
  scale: number
  /** Centre of the picture from the centre of the stage, in px. */
  x: number
  y: number
}

/** Largest magnification of a picture pixel, unless the picture is smaller still when fitted. */
const MAX_SCALE = 16

/** The scale at which the picture just fits; small pictures are not blown up. */
export function fitScale(picture: Size, stage: Size): number {
  if (picture.width === 0 || picture.height === 0) return 1
  return Math.min(1, stage.width / picture.width, stage.height / picture.height)
}

export function fitView(picture: Size, stage: Size): View {
  return { scale: fitScale(picture, stage), x: 0, y: 0 }
}

/** Zooms so that the picture's point under `at` (from the stage's centre, px) stays there. */
export function zoomAt(
  view: View,
  factor: number,
  at: { x: number; y: number },
  picture: Size,
  stage: Size,
): View {
  const fit = fitScale(picture, stage)
  const scale = clamp(view.scale * factor, fit * 0.5, Math.max(MAX_SCALE, fit))
  const real = scale / view.scale
  return clampView(
    { scale, x: at.x - (at.x - view.x) * real, y: at.y - (at.y - view.y) * real },
    picture,
    stage,
  )
}

/** Keeps the picture in sight: centred while it fits, its edges not inside the stage otherwise. */
export function clampView(view: View, picture: Size, stage: Size): View {
  const spareX = Math.max(0, (picture.width * view.scale - stage.width) / 2)
  const spareY = Math.max(0, (picture.height * view.scale - stage.height) / 2)
  return {
    scale: view.scale,
    x: clamp(view.x, -spareX, spareX),
    y: clamp(view.y, -spareY, spareY),
  }
}

/** The picture's size on its side after an odd number of quarter turns. */
export function turnedSize(size: Size, quarterTurns: number): Size {
  return quarterTurns % 2 === 0 ? size : { width: size.height, height: size.width }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
