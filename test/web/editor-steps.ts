// What people do in the editor, for the tests of it.
import type { Page } from 'playwright-core'
import { waitFor } from '../support/deadline.ts'
import type { Tree } from '../support/tree.ts'

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
