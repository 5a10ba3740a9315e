// Fingers on the screen, as the browser reports them: Playwright itself only taps.
import type { Page } from 'playwright-core'

export interface Point {
  x: number
  y: number
}

const STEPS = 6

function between(from: Point, to: Point, step: number): Point {
  const share = step / STEPS
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

/** Moves one finger for each `[from, to]` at the same time, in a few steps, and lifts them. */
export async function moveFingers(page: Page, paths: readonly (readonly [Point, Point])[]) {
  const client = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: touchPoints.map((point, id) => ({ ...point, id })),
    })
  // One after the other: two fingers never touch at the very same moment.
  for (let count = 1; count <= paths.length; count++) {
    await send(
      'touchStart',
      paths.slice(0, count).map(([from]) => from),
    )
  }
  for (let step = 1; step <= STEPS; step++) {
    await send(
      'touchMove',
      paths.map(([from, to]) => between(from, to, step)),
    )
  }
  await send('touchEnd', [])
  await client.detach()
}

export function swipe(page: Page, from: Point, to: Point): Promise<void> {
  return moveFingers(page, [[from, to]])
}
