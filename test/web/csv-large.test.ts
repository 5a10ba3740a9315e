// A table of fifty megabytes.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'
import { leastFairMs, longestTaskMs } from './main-thread.ts'

const ROWS = 600_000
/** The longest that the page works in one piece. */
const TASK_MS = 250

/** About 50 MB. */
function largeTable(): string {
  const lines = ['number,name,amount,comment']
  for (let row = 0; row < ROWS; row++) {
    lines.push(
      `${row},Person ${row},${(row * 7919) % 100_000},"row ${row}, with a comma and some words to fill it up"`,
    )
  }
  return `${lines.join('\n')}\n`
}

const site = sharedSite(() => ({ 'large.csv': largeTable() }), { launch: launchBrowser })

const cells = (page: Page) =>
  page
    .locator('.csv-row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('.csv-cell')].map((cell) => cell.textContent)),
    )

it('shows fifty megabytes, scrolls, sorts and filters them without holding up the page', async () => {
  const longestMs = await leastFairMs(site.browser, TASK_MS, async () => {
    await using opened = await site.open({ path: '/files/large.csv' })
    const { page } = opened
    await page.getByText('600,000 rows', { exact: true }).waitFor()
    await page.locator('.csv-row').first().waitFor()
    expect(await page.locator('.csv-row').count()).toBeLessThan(80)
    const taskMs = await longestTaskMs(site.browser, page, async () => {
      await page.locator('.csv').evaluate((box) => {
        box.scrollTop = box.scrollHeight
      })
      await page.getByText(`Person ${ROWS - 1}`, { exact: true }).waitFor()
      await page.keyboard.press('Control+Home')
      await page.getByText('Person 0', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'amount' }).click()
      await waitFor('the table in order', async () => (await cells(page))[1]?.[2] === '0')
      await page.getByRole('textbox', { name: 'Filter rows' }).fill('person 599999')
      await page.getByText('Rows: 1 of 600,000').waitFor()
    })
    expect(opened.problems).toEqual([])
    return taskMs
  })
  expect(longestMs).toBeLessThan(TASK_MS)
})
