import type { Geometry, PlacedGroup } from '../grid/geometry.ts'

/** The group whose rows cover `y`, its heading out of sight; undefined where a heading is in sight there. */
export function groupUnder(geometry: Geometry, y: number): PlacedGroup | undefined {
  const group = geometry.groups.findLast(({ topPx }) => topPx <= y)
  return group !== undefined && y > group.topPx ? group : undefined
}
