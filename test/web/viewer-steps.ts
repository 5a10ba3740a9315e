// A program over the samples of every kind of file, and opening one of them.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { sampleTree } from '../support/pictures.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** A browser and a program over the samples, for all tests of a file. Filled while tests run. */
export function sampleSite() {
  const site = {} as { browser: Browser; tree: Tree; program: Program }
  beforeAll(async () => {
    site.browser = await launchBrowser()
    site.tree = await makeTree(await sampleTree())
    site.program = await startProgram(site.tree)
  })
  afterAll(async () => {
    await site.program[Symbol.asyncDispose]()
    await site.tree[Symbol.asyncDispose]()
    await site.browser.close()
  })
  return site
}

/** Opens a file of the root in its viewer. */
export async function openViewer(page: Page, name: string): Promise<void> {
  await page.goto(`/files/${encodeURIComponent(name)}`)
  await page.locator('.vw-head h1').getByText(name).waitFor()
}
