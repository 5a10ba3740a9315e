// A name that is typed in its row.
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { boxOf } from './browser-steps.ts'
import {
  doubleClick,
  entry,
  expectNames,
  expectSelected,
  focusedName,
  listedFolders,
  toast,
} from './listing-steps.ts'

const openFolder = listedFolders()

/** Clicks are told from double clicks by the time that the system gives them. */
async function passed(ms: number): Promise<void> {
  const until = Date.now() + ms
  await waitFor(`${ms} ms`, () => Date.now() > until)
}

describe('a name in its row', () => {
  it('is typed after F2 or a second, slower click; Enter takes it, Escape does not', async () => {
    await using open = await openFolder({ 'photo.jpg': 'p', 'taken.jpg': 't' })
    const { page, tree } = open
    const field = page.getByLabel('New name')
    const marked = () =>
      field.evaluate((input: HTMLInputElement) => {
        return input === document.activeElement && [input.selectionStart, input.selectionEnd]
      })
    await entry(page, 'photo.jpg').click()
    const place = await entry(page, 'photo.jpg').boundingBox()
    await page.keyboard.press('F2')
    // The stem is selected.
    await expect.poll(marked).toEqual([0, 5])
    await page.keyboard.type('taken')
    await page.locator('#listing').getByText('“taken.jpg” already exists here.').waitFor()
    expect(await entry(page, 'photo.jpg').boundingBox()).toEqual(place)
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('taken.jpg')
    await field.fill('  a/b  ')
    await page.locator('#listing').getByText('A name can’t contain a slash.').waitFor()
    // Keys are for the text, not for the list.
    for (const key of ['ArrowDown', 'Home', 'Delete', 'Control+a']) await page.keyboard.press(key)
    await expectSelected(page, ['photo.jpg'])
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('photo.jpg')
    expect((await readdir(tree.root)).sort()).toEqual(['photo.jpg', 'taken.jpg'])

    const name = entry(page, 'taken.jpg').locator('.fname')
    await name.click()
    await passed(400)
    await name.click()
    await expect.poll(marked).toEqual([0, 5])
    await field.fill('new name.jpg')
    await page.keyboard.press('Enter')
    await expectNames(page, ['new name.jpg', 'photo.jpg'])
    await expect.poll(() => focusedName(page)).toBe('new name.jpg')
    await toast(page, 'Renamed to “new name.jpg”').getByRole('button', { name: 'Undo' }).waitFor()
    await page.keyboard.press('Control+z')
    await expectNames(page, ['photo.jpg', 'taken.jpg'])
    expect(open.problems).toEqual([])
  })

  it('says what is wrong in sight, also in the last row', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}.txt`, 'x']))
    await using open = await openFolder(many)
    const { page } = open
    await entry(page, 'f0.txt').click()
    await page.keyboard.press('End')
    await expectSelected(page, ['f39.txt'])
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('f1.txt')
    const problem = page.locator('#listing').getByText('“f1.txt” already exists here.')
    const list = await boxOf(page.locator('#listing'))
    await expect.poll(async () => (await boxOf(problem)).bottom).toBeLessThanOrEqual(list.bottom)
  })

  it('is taken by a click elsewhere, which selects what it is on; what is no name is not', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'm.txt': 'm', 'z.txt': 'z' })
    const { page, tree } = open
    const field = page.getByLabel('New name')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('F2')
    await field.fill('n.txt')
    // Its row goes below this one with the click.
    await entry(page, 'm.txt').click()
    await expectNames(page, ['m.txt', 'n.txt', 'z.txt'])
    await expectSelected(page, ['m.txt'])
    await waitFor('the new name', async () => (await tree.read('n.txt').catch(() => '')) === 'a')

    await page.keyboard.press('F2')
    await field.fill('z.txt')
    await entry(page, 'n.txt').click()
    await toast(page, '“z.txt” already exists here.').waitFor()
    await expectNames(page, ['m.txt', 'n.txt', 'z.txt'])
    expect((await readdir(tree.root)).sort()).toEqual(['m.txt', 'n.txt', 'z.txt'])
    expect(open.problems).toEqual([])
  })

  it('stays as it is after a double click, however the second comes', async () => {
    await using open = await openFolder({ 'folder/x.txt': 'x' })
    const { page } = open
    const name = entry(page, 'folder').locator('.fname')
    await name.click()
    await passed(400)
    await doubleClick(name)
    await entry(page, 'x.txt').waitFor()
    await passed(700)
    expect(await page.getByLabel('New name').count()).toBe(0)
  })
})
