// The dialogs about files, each used as a person would.
import { readdir } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { setModified } from '../support/tree.ts'
import { sharedBrowser, takeHome } from './browser-steps.ts'
import {
  asksFor,
  entry,
  expectNames,
  expectSelected,
  listedFolders,
  selectionBar,
  showList,
  toast,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

/** The dialog behind an entry of the New menu. */
async function openNew(page: Page, what: 'New folder' | 'New file'): Promise<Locator> {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: what }).click()
  return page.getByRole('dialog', { name: what })
}

describe('the dialogs about files', () => {
  it('rename, as cards: selects the stem, tells a clash while typing, gives the focus back', async () => {
    await using open = await openFolder({ 'photo.jpg': 'p', 'taken.jpg': 't' })
    const { page, tree } = open
    await page.getByRole('radio', { name: 'Grid', exact: true }).check()
    await entry(page, 'photo.jpg').click()
    await selectionBar(page).getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rename file' })
    const field = dialog.getByLabel('New name')
    const marked = () =>
      field.evaluate((input: HTMLInputElement) => {
        return input === document.activeElement && [input.selectionStart, input.selectionEnd]
      })
    await expect.poll(marked).toEqual([0, 5])
    const submit = dialog.getByRole('button', { name: 'Rename' })
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.type('taken')
    await dialog.getByText('“taken.jpg” already exists here.').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.count()).toBe(1)
    await field.fill('  a/b  ')
    await dialog.getByText('A name can’t contain a slash.').waitFor()
    await field.fill('  new name.jpg  ')
    await page.keyboard.press('Enter')
    await expectNames(page, ['new name.jpg', 'taken.jpg'])
    const undo = toast(page, 'Renamed to “new name.jpg”').getByRole('button', { name: 'Undo' })
    // The screen is ahead of the server; the message is not.
    await undo.waitFor()
    expect((await readdir(tree.root)).sort()).toEqual(['new name.jpg', 'taken.jpg'])
    await undo.click()
    await expectNames(page, ['photo.jpg', 'taken.jpg'])
    expect(open.problems).toEqual([])
  })

  it('rename: shows what only the server knows under the field', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await tree.add({ 'meanwhile.txt': 'made elsewhere' })
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('meanwhile.txt')
    await page.keyboard.press('Enter')
    await page.locator('#listing').getByText('“meanwhile.txt” already exists here.').waitFor()
    expect(await tree.read('meanwhile.txt')).toBe('made elsewhere')
    await page.keyboard.press('Escape')
    await entry(page, 'a.txt').waitFor()
  })

  it('new folder, new file: Escape and a click beside cancel, whatever was typed', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    const dialog = page.getByRole('dialog')
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 400)]) {
      for (const what of ['New folder', 'New file'] as const) {
        const field = (await openNew(page, what)).getByRole('textbox')
        await expect.poll(() => field.evaluate((box) => box === document.activeElement)).toBe(true)
        await page.keyboard.type('typed')
        await leave()
        await dialog.waitFor({ state: 'detached' })
      }
    }
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(open.problems).toEqual([])
  })

  it('rename several: keeps typed text at Escape and at a click beside, and says so', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, tree } = open
    const dialog = page.getByRole('dialog')
    await entry(page, 'a.txt').click()
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await page.keyboard.press('F2')
    const field = dialog.getByLabel('Find', { exact: true })
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('typed')
    const frame = () =>
      dialog.evaluate((element) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        return `${outlineWidth} ${outlineStyle}`
      })
    const reason = dialog.getByRole('status').filter({ hasText: 'Unsaved changes' })
    const visibility = () => reason.evaluate((element) => getComputedStyle(element).opacity)
    await page.mouse.click(5, 400)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    // These pages move nothing: a frame and words say that the dialog stays, and why.
    await expect.poll(frame).toBe('3px solid')
    await expect.poll(visibility).toBe('1')
    await expect.poll(() => field.inputValue()).toBe('typed')
    await field.click()
    await expect.poll(frame).not.toBe('3px solid')
    await expect.poll(visibility).toBe('0')
    // A phone's back gesture made twice closes without asking the page.
    await dialog.evaluate((element: HTMLDialogElement) => element.close())
    await field.waitFor()
    await expect.poll(() => field.inputValue()).toBe('typed')
    await field.fill('')
    await page.mouse.click(5, 400)
    await dialog.waitFor({ state: 'detached' })
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'b.txt'])
    expect(open.problems).toEqual([])
  })

  it('commands: opens again after the browser has closed it unasked', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page } = open
    const dialog = page.getByRole('dialog', { name: 'Commands' })
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    // A phone's back gesture made twice.
    await dialog.evaluate((element: HTMLDialogElement) => element.close())
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await dialog.waitFor()
    expect(open.problems).toEqual([])
  })

  it('rename several: previews every name, refuses clashes, and is taken back at once', async () => {
    await using open = await openFolder({
      'IMG_1.jpg': '1',
      'IMG_2.jpg': '2',
      'IMG_3.jpg': '3',
      'x.txt': 'x',
    })
    const { page, tree } = open
    await entry(page, 'IMG_1.jpg').click()
    await entry(page, 'IMG_3.jpg').click({ modifiers: ['Shift'] })
    await page.keyboard.press('F2')
    const dialog = page.getByRole('dialog', { name: 'Rename 3 items' })
    await dialog.getByLabel('Find').fill('IMG_')
    await dialog.getByLabel('Replace with').fill('Coast ')
    await dialog.getByText('Coast 2.jpg').waitFor()
    await dialog.getByRole('radio', { name: 'Add numbers' }).check()
    await dialog.getByLabel('Name', { exact: true }).fill('trip ')
    await dialog.getByLabel('Start at').fill('9')
    await dialog.getByText('trip 09.jpg').waitFor()
    await dialog.getByRole('button', { name: 'Rename 3 items' }).click()
    await expectNames(page, ['trip 09.jpg', 'trip 10.jpg', 'trip 11.jpg', 'x.txt'])
    await toast(page, 'Renamed 3 items').waitFor()
    expect(await tree.read('trip 10.jpg')).toBe('2')
    await toast(page, 'Renamed 3 items').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ['IMG_1.jpg', 'IMG_2.jpg', 'IMG_3.jpg', 'x.txt'])
    expect(open.problems).toEqual([])
  })

  it('new folder: makes folders inside each other and shows the way, Undo removes them', async () => {
    await using open = await openFolder({ 'taken/x.txt': 'x' })
    const { page, tree } = open
    const dialog = await openNew(page, 'New folder')
    const field = dialog.getByLabel('Name')
    await field.fill('taken')
    await dialog.getByText('“taken” already exists here.').waitFor()
    await field.fill('2026 #1/ü 100%')
    await dialog.locator('.new-path').getByText('ü 100%').waitFor()
    await page.keyboard.press('Enter')
    await expectNames(page, ['2026 #1', 'taken'])
    await waitFor('the folders', async () => (await readdir(tree.at('2026 #1'))).includes('ü 100%'))
    await expectSelected(page, ['2026 #1'])
    await toast(page, 'Created folder').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ['taken'])
    await waitFor('the removal', async () => (await readdir(tree.root)).join() === 'taken')
  })

  it('new folder: trims the name, and does nothing without one', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    const dialog = await openNew(page, 'New folder')
    const field = dialog.getByLabel('Name')
    for (const nothing of ['', '   ', ' / ']) {
      await field.fill(nothing)
      const create = dialog.getByRole('button', { name: 'Create' })
      await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
      await page.keyboard.press('Enter')
    }
    await field.fill('  two words  ')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expectNames(page, ['two words', 'a.txt'])
    await expect.poll(async () => (await readdir(tree.root)).sort()).toEqual(['a.txt', 'two words'])
    expect(open.problems).toEqual([])
  })

  it('new file: makes it and opens it', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    const dialog = await openNew(page, 'New file')
    await dialog.getByLabel('Name').fill('hash#.md')
    await page.keyboard.press('Enter')
    await waitFor(
      'the page of the file',
      () => new URL(page.url()).pathname === '/files/hash%23.md',
    )
    await expect.poll(() => tree.read('hash#.md')).toBe('')
  })

  it('new file: trims the name, needs one, and leaves a file alone that has it', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    const dialog = await openNew(page, 'New file')
    const field = dialog.getByLabel('Name')
    const create = dialog.getByRole('button', { name: 'Create' })
    for (const nothing of ['', '   ', ' / ']) {
      await field.fill(nothing)
      await expect.poll(() => create.getAttribute('aria-disabled')).toBe('true')
      await page.keyboard.press('Enter')
    }
    await field.fill(' a.txt ')
    await dialog.getByText('“a.txt” already exists here.').waitFor()
    await tree.add({ 'meanwhile.txt': 'made elsewhere' })
    await field.fill('meanwhile.txt')
    await page.keyboard.press('Enter')
    await dialog.getByText('“meanwhile.txt” already exists here.').waitFor()
    expect(await tree.read('meanwhile.txt')).toBe('made elsewhere')
    await field.fill('  two words .txt  ')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await waitFor('the file', async () => (await readdir(tree.root)).includes('two words .txt'))
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'meanwhile.txt', 'two words .txt'])
  })

  it('delete: names one and counts the rest, and deletes all of them', async () => {
    await using open = await openFolder({
      'a.txt': 'a',
      'b.txt': 'b',
      'dir/c.txt': 'c',
      keep: null,
    })
    const { page, tree } = open
    await entry(page, 'dir').click()
    await entry(page, 'a.txt').click({ modifiers: ['Control'] })
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await selectionBar(page).getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete 3 items?' })
    await dialog.getByText('“dir” and 2 more will be deleted from the server.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expectNames(page, ['keep'])
    await toast(page, 'Deleted 3 items').waitFor()
    expect(await readdir(tree.root)).toEqual(['keep'])
  })

  it('delete: puts back what the server refused to delete, and says so', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page } = open
    await page.route('**/api/jobs?*', (route) =>
      asksFor(route.request(), 'delete')
        ? route.fulfill({
            status: 403,
            headers: { 'X-Error-Code': 'forbidden' },
            body: '403 Forbidden',
          })
        : route.continue(),
    )
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await toast(page, 'Couldn’t delete “a.txt”. You don’t have permission to do this.').waitFor()
    await expectNames(page, ['a.txt', 'b.txt'])
    await expectSelected(page, ['a.txt'])
  })

  it('copy link: puts the address of the entry on the clipboard', async () => {
    await using open = await openFolder(
      { 'a#b %.txt': 'x' },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    )
    const { page, origin } = open
    await entry(page, 'a#b %.txt').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await toast(page, 'Link copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${origin}/files/a%23b%20%25.txt`,
    )
  })

  it('paste over a taken name: shows both sides with date and size, and the newer one wins', async () => {
    await using home = await takeHome({
      'from/a.txt': 'newer text',
      'to/a.txt': 'old',
      'from/b.txt': 'b',
    })
    const { tree } = home
    await setModified(tree.at('to/a.txt'), '2020-01-01T00:00:00Z')
    await using open = await openIn(home, { as: home.as, path: '/files/from/' })
    const { page } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    await entry(page, 'b.txt').click({ modifiers: ['Shift'] })
    await page.keyboard.press('Control+c')
    await page.goto('/files/to/')
    await entry(page, 'a.txt').waitFor()
    await page.keyboard.press('Control+v')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('10 B').waitFor()
    await dialog.getByText('3 B').waitFor()
    await dialog.getByText('Newer').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await readdir(tree.at('to'))).toEqual(['a.txt'])
    await page.keyboard.press('Control+v')
    await dialog.getByText('Newer').waitFor()
    await dialog.getByRole('button').last().click()
    await entry(page, 'b.txt').waitFor()
    await waitFor('the newer text', async () => (await tree.read('to/a.txt')) === 'newer text')
    expect(open.problems).toEqual([])
  })
})
