// What makes the interface feel quick: little to load, folders known before they are opened, and
// those seen before on the screen at once.
import { expect, it } from 'vitest'
import { BLANK, launchBrowser } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'
import { firstScreenBytes } from './first-screen.ts'
import { entry, focusedName, showList } from './listing-steps.ts'
import { leastFairMs } from './main-thread.ts'

/** Script and style together until the first row of a folder is drawn, the same in every language. */
const MAX_BYTES = 130_000
/** The texts of the page, which are those of one language. */
const MAX_TEXT_BYTES = 20_000
const PAINT_MS = 50

const site = sharedSite(
  async () => {
    const many = Array.from({ length: 500 }, (_, n) => [`many/file ${n}.txt`, ''] as const)
    return { ...Object.fromEntries(many), 'other/b.txt': 'b', 'third/c.txt': 'c' }
  },
  { launch: launchBrowser },
)

type Marked = Window & { paintedAfterMs?: number | undefined }

it('loads at most 130 kB of script and style before the first row of a folder', async () => {
  await using opened = await site.open({ path: BLANK })
  const { script, style, text } = await firstScreenBytes(opened.page, '/files/')
  process.stdout.write(
    `first screen: ${script} bytes of script, ${style} of style, ${text} of text\n`,
  )
  expect(script).toBeGreaterThan(50_000)
  expect(style).toBeGreaterThan(5_000)
  expect(script + style).toBeLessThan(MAX_BYTES)
  expect(text).toBeGreaterThan(5_000)
  expect(text).toBeLessThan(MAX_TEXT_BYTES)
})

it('asks for a folder when it is pointed at, and when it gets the focus', async () => {
  await using opened = await site.open()
  const { page } = opened
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    // Cards, which are shown first, ask how much is in each.
    if (!searchParams.has('summary')) asked.add(pathname.replace(/\/$/, ''))
  })
  await page.goto('/files/')
  await showList(page)
  await entry(page, 'other').hover()
  await waitFor('the folder pointed at', async () => asked.has('/api/resources/other'))
  expect(asked).not.toContain('/api/resources/third')
  await entry(page, 'many').click()
  await expect.poll(() => focusedName(page)).toBe('many')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => focusedName(page)).toBe('other')
  await page.keyboard.press('ArrowDown')
  await waitFor('the folder with the focus', async () => asked.has('/api/resources/third'))
  expect(opened.problems).toEqual([])
})

it(`shows a folder seen before within ${PAINT_MS} ms, whatever the server does`, async () => {
  await using opened = await site.open({ path: '/files/' })
  const { page } = opened
  await showList(page)
  const least = await leastFairMs(site.browser, PAINT_MS, async () => {
    await entry(page, 'many').dblclick()
    await entry(page, 'file 0.txt').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await entry(page, 'many').waitFor()
    // From now on the server is silent: what is shown is what was kept.
    await page.route('**/api/resources/**', () => {})
    await page.evaluate(() => {
      const place = window as Marked
      place.paintedAfterMs = undefined
      addEventListener(
        'keydown',
        ({ timeStamp }) => {
          const look = () => {
            if (!document.querySelector('[aria-label="file 0.txt"]')) requestAnimationFrame(look)
            else frameIsOver.port2.postMessage(null)
          }
          // Comes as soon as the frame is painted; the next frame would begin up to 16 ms later.
          const frameIsOver = new MessageChannel()
          frameIsOver.port1.onmessage = () => {
            place.paintedAfterMs = performance.now() - timeStamp
          }
          look()
        },
        { once: true, capture: true },
      )
    })
    await entry(page, 'many').focus()
    await page.keyboard.press('Enter')
    const painted = () => page.evaluate(() => (window as Marked).paintedAfterMs)
    await waitFor('the folder', async () => (await painted()) !== undefined)
    const ms = (await painted()) ?? Number.POSITIVE_INFINITY
    await page.unroute('**/api/resources/**')
    await page.keyboard.press('Alt+ArrowUp')
    await entry(page, 'many').waitFor()
    return ms
  })
  process.stdout.write(`a known folder is painted after ${least.toFixed(0)} ms\n`)
  expect(least).toBeLessThan(PAINT_MS)
  expect(opened.problems).toEqual([])
})
