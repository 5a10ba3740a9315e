// What people do in the editor, for the tests of it.
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect } from 'vitest'
import type { OpenPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import type { Tree } from '../support/tree.ts'
import { type SharedSite, sharedSite } from './browser-steps.ts'

/**
 * A browser and a program for all tests of a file, and a page at `path` for each test, which must end
 * without problems. `prepare` runs before the page opens. The result is filled while tests run.
 */
export function editorSite(
  path: string,
  prepare: (tree: Tree) => Promise<unknown> = async () => {},
) {
  const site = sharedSite(() => ({})) as SharedSite & { opened: OpenPage; page: Page }
  beforeEach(async () => {
    await prepare(site.tree)
    site.opened = await site.open({ path })
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
