// Thousands of files at once must not hold up the page that sends them.
import { readdir } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { leastFairMs, longestTaskMs } from './main-thread.ts'
import { dropTree } from './upload-steps.ts'

const TASK_MS = 200

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('takes 1,000 dropped files without holding up the page', async () => {
  await using tree = await makeTree({ 'old.txt': 'x' })
  await using program = await startProgram(tree)
  await using open = await openPage(browser, program, { path: '/files/' })
  const { page } = open
  await page.locator('#listing').getByText('old').first().waitFor()
  const many: Record<string, string> = {}
  for (let n = 0; n < 1000; n++) many[`file ${n}.txt`] = `content ${n}`
  const panel = page.getByRole('region', { name: 'Uploads' })
  let drops = 0
  const longestMs = await leastFairMs(browser, TASK_MS, async () => {
    drops++
    // What was done before is no longer told.
    await panel.waitFor({ state: 'hidden' })
    return await longestTaskMs(browser, page, async () => {
      await dropTree(page, { [`many ${drops}`]: many })
      await panel.getByText('1,000 files uploaded').waitFor({ timeout: 150_000 })
    })
  })
  process.stdout.write(`1,000 dropped files take ${longestMs.toFixed(0)} ms in one piece at most\n`)
  expect(longestMs).toBeLessThan(TASK_MS)
  expect(await readdir(tree.at(`many ${drops}`))).toHaveLength(1000)
  expect(await tree.read(`many ${drops}/file 999.txt`)).toBe('content 999')
}, 900_000)
