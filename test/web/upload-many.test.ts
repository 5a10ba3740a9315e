// Thousands of files at once must not hold up the page that sends them.
import { readdir } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { longestTaskMs, slowness } from './main-thread.ts'
import { dropTree } from './upload-steps.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('takes 2,000 dropped files without holding up the page', async () => {
  await using tree = await makeTree({ 'old.txt': 'x' })
  await using program = await startProgram(tree)
  await using open = await openPage(browser, program, { path: '/files/' })
  const { page } = open
  await page.locator('#listing').getByText('old').first().waitFor()
  const many: Record<string, string> = {}
  for (let n = 0; n < 2000; n++) many[`file ${n}.txt`] = `content ${n}`
  const longestMs = await longestTaskMs(browser, page, async () => {
    await dropTree(page, { many })
    const panel = page.getByRole('region', { name: 'Uploads' })
    await panel.getByText('2,000 files uploaded').waitFor({ timeout: 150_000 })
  })
  expect(longestMs / (await slowness(browser))).toBeLessThan(200)
  expect(await readdir(tree.at('many'))).toHaveLength(2000)
  expect(await tree.read('many/file 1999.txt')).toBe('content 1999')
}, 200_000)
