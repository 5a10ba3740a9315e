// The tree of folders in the sidebar, and the folders beside a breadcrumb.
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { folderPages } from './browser-steps.ts'
import { entry } from './listing-steps.ts'

const openFolder = folderPages()

describe('the tree of folders', () => {
  it('follows the folder shown, goes by keyboard, takes drops and stays open; crumbs list siblings', async () => {
    const content = { 'a/inner/deep/x.txt': 'x', 'b/note.txt': 'n', 'c/y.txt': 'y' }
    await using open = await openFolder(content, { path: '/files/a/inner/deep/' })
    const { page, tree } = open
    await entry(page, 'x.txt').waitFor()
    await page.getByRole('button', { name: 'Folders', exact: true }).click()
    const folder = (name: string) => page.getByRole('treeitem', { name, exact: true })
    await folder('deep').and(page.locator('[aria-current="page"]')).waitFor()
    expect(await folder('inner').getAttribute('aria-level')).toBe('2')

    await page.getByRole('tree').focus()
    for (const key of ['End', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await entry(page, 'note.txt').waitFor()
    await folder('b').and(page.locator('[aria-current="page"]')).waitFor()

    await entry(page, 'note.txt').locator('.fname').dragTo(folder('c'))
    await page.getByText('Moved 1 item to “c”').first().waitFor()
    await waitFor('the file in c', async () => {
      return (await tree.read('c/note.txt').catch(() => '')) === 'n'
    })

    await page.reload()
    await folder('deep').waitFor()
    await page.goto('/files/a/inner/')
    await page.getByRole('button', { name: 'Folders in “My files”' }).click()
    await page.getByRole('menuitemradio', { name: 'c' }).click()
    await entry(page, 'y.txt').waitFor()
  })
})
