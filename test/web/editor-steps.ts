// What people do in the editor, for the tests of it.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchBrowser, type OpenPage, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/**
 * A browser and a program for all tests of a file, and a page at `path` for each test, which must end
 * without problems. `prepare` runs before the page opens. The result is filled while tests run.
 */
export function editorSite(
  path: string,
  prepare: (tree: Tree) => Promise<unknown> = async () => {},
) {
  const site = {} as {
    browser: Browser
    tree: Tree
    program: Program
    opened: OpenPage
    page: Page
  }
  beforeAll(async () => {
    site.browser = await launchBrowser()
    site.tree = await makeTree({})
    site.program = await startProgram(site.tree)
  })
  afterAll(async () => {
    await site.program[Symbol.asyncDispose]()
    await site.tree[Symbol.asyncDispose]()
    await site.browser.close()
  })
  beforeEach(async () => {
    await prepare(site.tree)
    site.opened = await openPage(site.browser, site.program, { path })
    site.page = site.opened.page
  })
  afterEach(async () => {
    expect(site.opened.problems).toEqual([])
    await site.opened[Symbol.asyncDispose]()
  })
  return site
}

/** The steps in the page of the moment. */
export function editorSteps(now: () => { page: Page; tree: Tree }) {
  const text = () => now().page.locator('.cm-content')
  return {
    text,
    /** The editor with the file of that name. */
    notes: (name: string) => now().page.getByRole('dialog', { name, exact: true }),
    async open(name: string, content: string | Uint8Array, query = '') {
      await now().tree.add({ [name]: content })
      await now().page.goto(`/files/${encodeURIComponent(name)}${query}`)
      await text().waitFor()
    },
    /** Puts the cursor at the very start of the text. */
    async atStart() {
      await text().click()
      await now().page.keyboard.press('Control+Home')
    },
    async onDisk(name: string, content: string) {
      await waitFor(`“${content}” on disk`, async () => (await now().tree.read(name)) === content)
    },
    async chooseInMenu(item: string, role: 'menuitem' | 'menuitemradio' = 'menuitem') {
      await now().page.getByRole('button', { name: 'More', exact: true }).click()
      await now().page.getByRole(role, { name: item }).click()
    },
  }
}
