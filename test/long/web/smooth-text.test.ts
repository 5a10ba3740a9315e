// Ten mebibytes in the editor: no frame of scrolling or typing takes so long that one would notice.
// Each figure is the best of a few tries, in the time of a machine that is not slowed down by others:
// what else the machine does is not what is measured.

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { launchBrowser } from '../../support/browser.ts'
import { sharedSite } from '../../web/browser-steps.ts'
import { frameTimesMs, leastFairMs, p95 } from '../../web/main-thread.ts'

const FRAME_MS = 16
/** The parser of a language reads the line again before the letter is drawn. */
const KEY_MS = 25
const LINES = 131_000

const site = sharedSite(
  async () => {
    const log = Array.from(
      { length: LINES },
      (_, n) =>
        `${String(n).padStart(6, '0')} a line of about eighty characters, as logs and tables have them.\n`,
    )
    const code = Array.from(
      { length: 145_000 },
      (_, n) => `export const value${n} = { id: ${n}, name: 'row ${n}', even: ${n % 2 === 0} }\n`,
    )
    return {
      'ten.log': log.join('').slice(0, 10 * 1024 * 1024 - 1),
      'ten.ts': code.join('').slice(0, 10 * 1024 * 1024 - 1),
    }
  },
  { launch: launchBrowser },
)

/** The line with `text`, once its first word has the colour of a keyword. */
const colours = (page: Page, text: string | RegExp) =>
  page.locator('.cm-line', {
    hasText: text,
    has: page.locator('span[class]', { hasText: 'export' }),
  })

const nextFrame = (page: Page) => page.evaluate(() => new Promise(requestAnimationFrame))

for (const name of ['ten.log', 'ten.ts']) {
  it(`scrolls ${name} within ${FRAME_MS} ms a frame, and takes typing in its middle within ${KEY_MS}`, async () => {
    await using opened = await site.open({ path: `/files/${name}` })
    const { page } = opened
    await page.locator('.cm-content').click()
    const scrolling = await leastFairMs(site.browser, FRAME_MS, async () => {
      const frames = await frameTimesMs(site.browser, page, async () => {
        for (let turn = 0; turn < 60; turn++) {
          await page.mouse.wheel(0, 240)
          await nextFrame(page)
        }
      })
      return p95(frames)
    })
    await page.keyboard.press('Control+g')
    await page.getByRole('textbox', { name: 'Line, or line:column' }).fill(String(LINES / 2))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Ln 65,500/ }).waitFor()
    // Far from the start of the text, and soon: what stands above is not read for it.
    if (name === 'ten.ts') await colours(page, 'value65499').waitFor()
    const typing = await leastFairMs(site.browser, KEY_MS, async () => {
      const frames = await frameTimesMs(site.browser, page, async () => {
        for (const letter of 'typed in the middle of a long file ') {
          await page.keyboard.type(letter)
          await nextFrame(page)
        }
      })
      return p95(frames)
    })
    const figures = `${scrolling.toFixed(1)} ms a frame scrolling, ${typing.toFixed(1)} typing (p95)`
    process.stdout.write(`${name}: ${figures}\n`)
    expect(scrolling).toBeLessThan(FRAME_MS)
    expect(typing).toBeLessThan(KEY_MS)
    expect(opened.problems).toEqual([])
  })
}

it('colours a long text wherever it is shown, also what was passed over before', async () => {
  await using opened = await site.open({ path: '/files/ten.ts' })
  const { page } = opened
  await page.locator('.cm-content').click()
  // Down, then up to lines that were passed over, then to where the text is read from its start.
  for (const line of [130_000, 129_000]) {
    await page.keyboard.press('Control+g')
    await page.getByRole('textbox', { name: 'Line, or line:column' }).fill(String(line))
    await page.keyboard.press('Enter')
    await colours(page, `value${line - 1}`).waitFor()
  }
  await page.keyboard.press('Control+Home')
  await colours(page, /value1 =/).waitFor()
  expect(opened.problems).toEqual([])
})
