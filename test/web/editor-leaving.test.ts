// Leaving the editor with unsaved text, in every way there is, and coming back.

import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import type { Tree } from '../support/tree.ts'
import { editorSite, editorSteps } from './editor-steps.ts'
import { entry } from './listing-steps.ts'

const site = editorSite('/files/')
let tree: Tree
let page: Page

beforeEach(() => {
  ;({ tree, page } = site)
})

const { text, notes, open, atStart, onDisk, chooseInMenu } = editorSteps(() => site)

/** The first line of each draft in the browser. */
function keptDrafts(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await ask(indexedDB.open('filebrowser-drafts'))
    const drafts = await ask(database.transaction('drafts').objectStore('drafts').getAll())
    const texts = drafts.map(({ text }: { text: string | Blob }) => new Response(text).text())
    return (await Promise.all(texts)).map((text) => text.slice(0, text.indexOf('\n')))
  })
}

describe('leaving with unsaved text', () => {
  async function type(name: string) {
    await open(name, 'before\n')
    await atStart()
    await page.keyboard.type('x')
    await page.getByText('Unsaved').waitFor()
  }

  it('asks when the editor is closed, with the harmless answer first', async () => {
    await type('close.txt')
    await page.getByRole('button', { name: 'Close editor' }).click()
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => text().textContent()).toContain('xbefore')
    await page.getByRole('button', { name: 'Close editor' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await notes('close.txt').waitFor({ state: 'detached' })
    await onDisk('close.txt', 'xbefore\n')
  })

  it('gives the edits up and leads to the folder when the file was opened by its address', async () => {
    await tree.add({ 'parent #1/given-up.txt': 'before\n', 'parent #1/sibling.txt': 's' })
    await page.goto('/files/parent%20%231/given-up.txt')
    await atStart()
    await page.keyboard.type('x')
    await page.getByText('Unsaved').waitFor()
    await page.getByRole('button', { name: 'Close editor' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await entry(page, 'sibling.txt').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/parent%20%231/')
    await text().waitFor({ state: 'detached' })
    expect(await tree.read('parent #1/given-up.txt')).toBe('before\n')
  })

  it('asks on Back, stays when told to, and goes when the edits are given up', async () => {
    await page.goto('/files/')
    await tree.add({ 'back.txt': 'before\n' })
    await page.reload()
    await entry(page, 'back.txt').dblclick()
    await atStart()
    await page.keyboard.type('x')
    await page.getByText('Unsaved').waitFor()
    await page.evaluate(() => history.back())
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.waitForURL('**/files/back.txt')
    await page.evaluate(() => history.back())
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.waitForURL('**/files/')
    await text().waitFor({ state: 'detached' })
    expect(await tree.read('back.txt')).toBe('before\n')
  })

  it('warns before the tab is closed or loaded anew', async () => {
    await type('reload.txt')
    const asked = page.waitForEvent('dialog')
    const reloading = page.reload().catch(() => {})
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.accept()
    await reloading
  })

  it('does not ask when nothing is unsaved', async () => {
    await open('calm.txt', 'calm\n')
    await page.getByRole('button', { name: 'Close editor' }).click()
    await notes('calm.txt').waitFor({ state: 'detached' })
  })

  it('offers what was typed after a reload, and restores it', async () => {
    page.on('dialog', (dialog) => void dialog.accept())
    await type('draft.txt')
    await page.getByText(/Draft saved/).waitFor()
    await page.reload()
    await page.getByText('You have an unsaved draft of this file').waitFor()
    expect(await text().textContent()).not.toContain('xbefore')
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('xbefore').waitFor()
    await page.keyboard.press('Control+s')
    await onDisk('draft.txt', 'xbefore\n')
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await page.reload()
    await text().waitFor()
    await page.getByText('before').first().waitFor()
    expect(await page.getByText('You have an unsaved draft').count()).toBe(0)
  })

  it('keeps the draft that was restored, not a long text that was just being kept', async () => {
    page.on('dialog', (dialog) => void dialog.accept())
    await open('long.txt', 'before\n'.repeat(120_000))
    await atStart()
    await page.keyboard.type('x')
    await page.getByText(/Draft saved/).waitFor()
    await page.reload()
    const restore = page.getByRole('button', { name: 'Restore' })
    await restore.waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await atStart()
    await page.keyboard.type('y')
    // The keeping begins, and the clock stops between its pieces.
    await page.clock.fastForward(700)
    await restore.click()
    await page.getByText('xbefore').waitFor()
    await page.clock.runFor(100)
    await expect.poll(() => keptDrafts(page)).toEqual(['xbefore'])
  })

  it('keeps what it offers while somebody saves or types without having answered', async () => {
    page.on('dialog', (dialog) => void dialog.accept())
    const offer = page.getByText('You have an unsaved draft of this file')
    await type('offered.txt')
    await page.getByText(/Draft saved/).waitFor()
    await page.reload()
    await offer.waitFor()
    // Saved as it is, typed into and left again: two drafts now, the newer one is offered first.
    await atStart()
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PUT'),
      page.keyboard.press('Control+s'),
    ])
    await page.getByRole('button', { name: 'Discard draft' }).waitFor()
    await atStart()
    await page.keyboard.type('y')
    await page.getByText(/Draft saved/).waitFor()
    await page.reload()
    await offer.waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('ybefore').first().waitFor()
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('xbefore').waitFor()
    await page.getByRole('button', { name: 'Close editor' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await notes('offered.txt').waitFor({ state: 'detached' })
    await page.goto('/files/offered.txt')
    await text().getByText('before').waitFor()
    expect(await offer.count()).toBe(0)
  })

  it('asks before a rename, so that the text is saved under the name it still has', async () => {
    await type('old-name.txt')
    await chooseInMenu('Rename')
    const question = page.getByRole('alertdialog')
    await question.getByText('“old-name.txt” has unsaved changes').waitFor()
    await question.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('textbox', { name: 'New name' }).fill('new-name.txt')
    await page.keyboard.press('Enter')
    await notes('new-name.txt').waitFor()
    await onDisk('new-name.txt', 'xbefore\n')
    await atStart()
    await page.keyboard.type('y')
    await page.keyboard.press('Control+s')
    await onDisk('new-name.txt', 'yxbefore\n')
    expect(existsSync(tree.at('old-name.txt'))).toBe(false)
  })

  it('renames nothing when the question is dismissed, and undo brings back what was given up', async () => {
    await type('keep-name.txt')
    await chooseInMenu('Rename')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.getByText('Unsaved').waitFor()
    expect(await page.getByRole('textbox', { name: 'New name' }).count()).toBe(0)
    await chooseInMenu('Rename')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('textbox', { name: 'New name' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'New name' }).waitFor({ state: 'detached' })
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await expect.poll(() => text().textContent()).toBe('before')
    await text().click()
    await page.keyboard.press('Control+z')
    await page.getByText('xbefore').waitFor()
    await page.getByText('Unsaved').waitFor()
    expect(await tree.read('keep-name.txt')).toBe('before\n')
  })

  it('deletes nothing while the question about unsaved text is not answered', async () => {
    await type('delete.txt')
    await chooseInMenu('Delete')
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await tree.read('delete.txt')).toBe('before\n')
    await expect.poll(() => text().textContent()).toContain('xbefore')
    await chooseInMenu('Delete')
    await question.getByRole('button', { name: 'Discard' }).click()
    await question.getByRole('button', { name: 'Delete', exact: true }).click()
    await notes('delete.txt').waitFor({ state: 'detached' })
    await waitFor('the file gone', async () => !existsSync(tree.at('delete.txt')))
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
  })

  it('turns to the next and previous file from the menu, and asks about unsaved text', async () => {
    await tree.add({
      'row/a.txt': 'first\n',
      'row/b.md': '# second\n',
      'row/c.bin': Buffer.from([0, 1, 2, 3]),
    })
    await page.goto('/files/row/a.txt')
    await atStart()
    await chooseInMenu('Next file')
    await notes('b.md').waitFor()
    await atStart()
    await page.keyboard.type('x')
    await chooseInMenu('Previous file')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await notes('b.md').waitFor()
    await chooseInMenu('Next file')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('.vw-head h1').getByText('c.bin').waitFor()
    await onDisk('row/b.md', 'x# second\n')
    await page.getByRole('button', { name: 'Previous file' }).click()
    await notes('b.md').waitFor()
  })

  it('keeps Escape for the editor', async () => {
    await open('escape.txt', 'stay\n')
    await text().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await notes('escape.txt').count()).toBe(1)
  })
})
