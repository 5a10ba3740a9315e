// Fingers on the screen, as the browser reports them: Playwright itself only taps.
import type { Locator, Page } from 'playwright-core'
import { waitFor } from '../support/deadline.ts'
import { boxOf } from './browser-steps.ts'
import { twoFrames } from './listing-steps.ts'

export interface Point {
  x: number
  y: number
}

/** Whether a finger at this point meets the element; in the listing when what fingers do there has been loaded. */
function isFreeAt(target: Locator, at: Point): Promise<boolean> {
  return target.evaluate((element, { x, y }) => {
    const isListened = element.closest('.grid:not([data-gestures])') === null
    return isListened && element.contains(document.elementFromPoint(x, y))
  }, at)
}

/** The middle of what is to be touched, when it stands still, is painted and nothing lies above it. */
export async function placeToTouch(target: Locator): Promise<Point> {
  const middle = async () => {
    const { x, y, width, height } = await boxOf(target)
    return { x: x + width / 2, y: y + height / 2 }
  }
  return waitFor('nothing above what is touched', async () => {
    const at = await middle()
    // A finger lands on what was painted last.
    await twoFrames(target.page())
    const later = await middle()
    const isFree = await isFreeAt(target, at)
    return isFree && later.x === at.x && later.y === at.y ? at : null
  })
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

/** Keeps a finger on an entry of the listing until it is selected. */
export async function holdEntry(page: Page, target: Locator): Promise<void> {
  const finger = await page.context().newCDPSession(page)
  const at = await waitFor('nothing above what is held', async () => {
    const { x, y, width, height } = await boxOf(target)
    const point = { x: x + Math.min(120, width / 2), y: y + Math.min(20, height / 2) }
    // A finger lands on what was painted last.
    await twoFrames(page)
    const isFree = await isFreeAt(target, point)
    const now = await boxOf(target)
    return isFree && now.x === x && now.y === y ? point : null
  })
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await page.locator('#listing [aria-selected="true"]').first().waitFor()
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await finger.detach()
}

export function swipe(page: Page, from: Point, to: Point): Promise<void> {
  return moveFingers(page, [[from, to]])
}
