// Long texts in the editor beyond their speed: what is kept of them while somebody types, and colours
// far from their beginning.

import { expect, it } from 'vitest'
import { BLANK } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { editorSite, editorSteps } from './editor-steps.ts'
import { frameTimesMs, leastFairMs } from './main-thread.ts'

/** More than the longest frame of typing alone, in ms of the processor. */
const DRAFT_FRAME_MS = 20

const site = editorSite(BLANK)
const { open, text, atStart } = editorSteps(() => site)

it('keeps drafts of ten mebibytes between two letters, and gives one back after a crash', async () => {
  const line = 'a line of about eighty characters, as logs and tables have them, 80 with its end\n'
  await open('ten.log', line.repeat(129_000))
  const { page } = site
  await atStart()
  const kept = page.getByText(/Draft saved/)
  const type = async () => {
    await page.keyboard.type('z')
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  const longestFrameMs = async (work: () => Promise<void>) =>
    (await frameTimesMs(site.browser, page, work)).at(-1) ?? Number.NaN
  const more = await leastFairMs(site.browser, DRAFT_FRAME_MS, async () => {
    const typing = await longestFrameMs(async () => {
      for (let letters = 0; letters < 20; letters++) await type()
    })
    const keeping = await longestFrameMs(async () => {
      // Never a pause, so that the draft has to be kept while letters come.
      await waitFor('a draft', async () => {
        await type()
        return kept.isVisible()
      })
    })
    await page.keyboard.press('Control+s')
    await kept.waitFor({ state: 'hidden' })
    process.stdout.write(
      `the longest frame: ${typing.toFixed(1)} ms of typing, ${keeping.toFixed(1)} with a draft\n`,
    )
    return keeping - typing
  })
  expect(more).toBeLessThan(DRAFT_FRAME_MS)

  // At once: what is typed slowly may be kept in two parts.
  await page.keyboard.insertText('kept ')
  await kept.waitFor()
  // The page is given no time to keep anything more.
  const crashed = page.waitForEvent('crash')
  const session = await site.opened.context.newCDPSession(page)
  session.send('Page.crash').catch(() => {})
  await crashed
  const again = await site.opened.context.newPage()
  await again.goto('/files/ten.log')
  await again.getByRole('button', { name: 'Restore', exact: true }).click()
  await again.keyboard.press('Control+Home')
  await again
    .locator('.cm-line')
    .first()
    .getByText(/^z+kept a line/)
    .waitFor()
})

it('colours the middle of a long PHP file, all of which stands behind one mark', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => `function f${n}($a) { return $a; }\n`)
  await open('long.php', `<?php\n${rows.join('')}`)
  await goToLine('25000')
  await keyword('function f24998(').waitFor()
})

it('does not take the page around PHP for PHP', async () => {
  const rows = Array.from({ length: 30_000 }, (_, n) => `<p>return of ${n}</p>\n`)
  await open('page.php', `<?php $a = 1 ?>\n${rows.join('')}`)
  await goToLine('25000')
  const tag = site.page.locator('span[class]', { hasText: /^p$/ })
  await site.page.locator('.cm-line', { hasText: 'return of 24998<', has: tag }).waitFor()
  expect(await keyword('return of 24998<').count()).toBe(0)
})

/** The line with this text, once `return` has a colour in it. */
function keyword(line: string) {
  const word = site.page.locator('span[class]', { hasText: /^return$/ })
  return site.page.locator('.cm-line', { hasText: line, has: word })
}

async function goToLine(line: string) {
  const { page } = site
  await text().click()
  await page.keyboard.press('Control+g')
  await page.getByRole('textbox', { name: 'Line, or line:column' }).fill(line)
  await page.keyboard.press('Enter')
}
