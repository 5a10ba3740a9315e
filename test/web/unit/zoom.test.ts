import { describe, expect, it } from 'vitest'
import {
  clampView,
  fitScale,
  fitView,
  turnedSize,
  zoomAt,
} from '../../../web/viewers/picture/zoom.ts'

const stage = { width: 1000, height: 600 }
const photo = { width: 4000, height: 3000 }

describe('looking at a picture', () => {
  it('fits large pictures and does not blow up small ones', () => {
    expect(fitScale(photo, stage)).toBe(0.2)
    expect(fitScale({ width: 50, height: 50 }, stage)).toBe(1)
  })

  it('keeps the point under the pointer where it is', () => {
    const at = { x: 120, y: -80 }
    const before = { scale: 1, x: 30, y: 10 }
    const after = zoomAt(before, 2, at, photo, stage)
    const point = (view: typeof before) => [
      (at.x - view.x) / view.scale,
      (at.y - view.y) / view.scale,
    ]
    expect(after.scale).toBe(2)
    expect(point(after)[0]).toBeCloseTo(point(before)[0] ?? 0)
    expect(point(after)[1]).toBeCloseTo(point(before)[1] ?? 0)
  })

  it('never loses the picture out of sight', () => {
    const far = clampView({ scale: 1, x: 99_999, y: -99_999 }, photo, stage)
    expect(far).toEqual({ scale: 1, x: 1500, y: -1200 })
    expect(clampView({ scale: 0.1, x: 50, y: 50 }, photo, stage)).toEqual({
      scale: 0.1,
      x: 0,
      y: 0,
    })
  })

  it('has limits in both directions', () => {
    let view = fitView(photo, stage)
    for (let i = 0; i < 100; i++) view = zoomAt(view, 2, { x: 0, y: 0 }, photo, stage)
    expect(view.scale).toBe(16)
    for (let i = 0; i < 100; i++) view = zoomAt(view, 0.5, { x: 0, y: 0 }, photo, stage)
    expect(view.scale).toBe(0.1)
  })

  it('swaps the sides for a quarter turn', () => {
    expect(turnedSize(photo, 1)).toEqual({ width: 3000, height: 4000 })
    expect(turnedSize(photo, 2)).toEqual(photo)
  })
})
