// Ten thousand small files dropped at once: the page answers while it reads them and while they go.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { longestTaskMs, longestTaskSinceMs } from '../web/main-thread.ts'
import { dragFromOutside } from '../web/upload-steps.ts'

const COUNT = 10_000
const AT_MOST_MS = 200
/** For what a busy disk takes its time over. */
const WAIT_MS = 60_000

let browser: Browser
let source: Tree

beforeAll(async () => {
  browser = await launchBrowser()
  const files: Record<string, string> = { 'many/deeper/inside.txt': 'x' }
  for (let n = 1; n < COUNT; n++) files[`many/file ${n}.txt`] = `content ${n}`
  source = await makeTree(files)
})

afterAll(async () => {
  await source[Symbol.asyncDispose]()
  await browser.close()
})

/** From a click until an element is there, in ms by the clock of the page. */
async function answerMs(page: Page, selector: string, click: () => Promise<void>) {
  await page.evaluate((wanted) => {
    const facts = window as unknown as { answered: Promise<number> }
    facts.answered = new Promise((resolve) => {
      let clickedAt = Number.POSITIVE_INFINITY
      addEventListener('click', (event) => (clickedAt = event.timeStamp), {
        capture: true,
        once: true,
      })
      new MutationObserver((_, observer) => {
        if (document.querySelector(wanted) === null || performance.now() < clickedAt) return
        observer.disconnect()
        requestAnimationFrame(() => resolve(performance.now() - clickedAt))
      }).observe(document, { subtree: true, childList: true, characterData: true })
    })
  }, selector)
  await click()
  return page.evaluate(() => (window as unknown as { answered: Promise<number> }).answered)
}

it.each(['loose', 'in a folder'])(
  '10,000 files, %s, do not hold up the page',
  async (kind) => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await page.locator('#listing').getByText('old').first().waitFor()
    const panel = page.getByRole('region', { name: 'Uploads' })
    const many = source.at('many')
    const names = kind === 'loose' ? await readdir(many) : null
    const dropped = names?.map((name) => join(many, name)) ?? [many]

    const readMs = await longestTaskSinceMs('drop', browser, page, async () => {
      await dragFromOutside(page, { x: 700, y: 600 }, dropped)
      await panel.getByText(/of 10,000 files/).waitFor({ timeout: WAIT_MS })
    })
    expect(readMs).toBeLessThan(AT_MOST_MS)

    const scrollMs = await longestTaskMs(browser, page, async () => {
      await panel.getByRole('list').hover()
      for (let row = 100; row <= 1000; row += 100) {
        await page.mouse.wheel(0, 100 * 46)
        await panel.locator(`li[aria-posinset="${row}"]`).waitFor({ timeout: WAIT_MS })
      }
    })
    expect(scrollMs).toBeLessThan(AT_MOST_MS)

    const askMs = await answerMs(page, '[role="alertdialog"]', () =>
      panel.getByRole('button', { name: 'Cancel all' }).click(),
    )
    const cancelMs = await answerMs(page, '.up:not(:has([role="progressbar"]))', () =>
      page.getByRole('button', { name: 'Cancel uploads' }).click(),
    )
    expect(askMs).toBeLessThan(AT_MOST_MS)
    expect(cancelMs).toBeLessThan(AT_MOST_MS)
    await panel.getByText(/files uploaded/).waitFor()
  },
  300_000,
)
