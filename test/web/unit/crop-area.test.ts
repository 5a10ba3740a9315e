import { describe, expect, it } from 'vitest'
import { dragged, firstArea } from '../../../web/viewers/picture/crop-area.ts'

const size = { width: 1000, height: 500 }
const area = { left: 100, top: 100, width: 300, height: 200 }

describe('the area that stays of a picture', () => {
  it('begins within the picture', () => {
    expect(firstArea(size)).toEqual({ left: 100, top: 50, width: 800, height: 400 })
    expect(firstArea({ width: 1, height: 1 })).toMatchObject({ width: 1, height: 1 })
  })

  it.each([
    ['moves', { x: 0, y: 0 }, { x: 20, y: -30 }, { left: 120, top: 70, width: 300, height: 200 }],
    ['stops at the edge', { x: 0, y: 0 }, { x: 900, y: 900 }, { ...area, left: 700, top: 300 }],
    ['grows to the end', { x: 1, y: 1 }, { x: 50, y: 900 }, { ...area, width: 350, height: 400 }],
    ['keeps its end', { x: -1, y: 0 }, { x: -60, y: 40 }, { ...area, left: 40, width: 360 }],
    ['does not turn over', { x: 1, y: 0 }, { x: -999, y: 0 }, { ...area, width: 16 }],
    [
      'nor from the other side',
      { x: 0, y: -1 },
      { x: 0, y: 999 },
      { ...area, top: 284, height: 16 },
    ],
  ] as const)('%s', (_, grip, by, expected) => {
    expect(dragged(area, grip, by, size)).toEqual(expected)
  })

  it('has whole pixels', () => {
    expect(dragged(area, { x: 1, y: 1 }, { x: 0.4, y: 0.6 }, size)).toEqual({
      ...area,
      height: 201,
    })
  })
})
