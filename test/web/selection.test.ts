// Choosing entries with the mouse, and what the choice survives.
import { rm, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { boxOf } from './browser-steps.ts'
import {
  doubleClick,
  entry,
  expectNames,
  expectSelected,
  listedFolders,
  listedServers,
  runCommand,
  selectedNames,
  selectionBar,
  stillBox,
  toast,
  twoFrames,
} from './listing-steps.ts'

const openFolder = listedFolders()
const openServer = listedServers()

const letters = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.txt`, 'xyz']))

/** Longer than a double click: the time itself is what is being tested. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 400))

describe('selecting', () => {
  it('selects with a click, adds with Ctrl, takes a range with Shift, and counts', async () => {
    await using open = await openFolder({ ...letters, folder: null })
    const { page } = open
    await entry(page, 'b.txt').click()
    await expectSelected(page, ['b.txt'])
    const actions = entry(page, 'b.txt').getByRole('button', { name: 'Download' })
    await actions.waitFor()
    await entry(page, 'd.txt').click({ modifiers: ['Control'] })
    await expectSelected(page, ['b.txt', 'd.txt'])
    // They act on one row alone.
    await actions.waitFor({ state: 'detached' })
    await selectionBar(page).getByText('2 selected').waitFor()
    await selectionBar(page).getByText('6 B').waitFor()
    await entry(page, 'e.txt').click({ modifiers: ['Shift'] })
    await expectSelected(page, ['b.txt', 'd.txt', 'e.txt'])
    await entry(page, 'c.txt').click({ modifiers: ['Shift'] })
    await expectSelected(page, ['b.txt', 'c.txt', 'd.txt'])
    await entry(page, 'a.txt').click()
    await expectSelected(page, ['a.txt'])
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await expectSelected(page, [])
    expect(open.problems).toEqual([])
  })

  it('takes the range the eye sees when the order is turned round', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await waitFor('the order', async () => {
      const first = await page.locator('#listing [data-index="0"]').getAttribute('aria-label')
      return first === 'e.txt'
    })
    await entry(page, 'd.txt').click()
    await entry(page, 'b.txt').click({ modifiers: ['Shift'] })
    await expectSelected(page, ['d.txt', 'c.txt', 'b.txt'])
  })

  it.each(['List', 'Grid', 'Gallery'])(
    'shows the tick at once in a box that is clicked (%s)',
    async (view) => {
      await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
      const { page } = open
      await page.getByRole('radio', { name: view }).check()
      const box = (name: string) => entry(page, name).getByRole('checkbox')
      await entry(page, 'a.txt').hover()
      await box('a.txt').click()
      await expectSelected(page, ['a.txt'])
      expect(await box('a.txt').isChecked()).toBe(true)
      await box('c.txt').click({ modifiers: ['Shift'] })
      await expectSelected(page, ['a.txt', 'b.txt', 'c.txt'])
      await box('b.txt').click({ modifiers: ['Shift'] })
      await expectSelected(page, ['a.txt', 'b.txt'])
      expect(await box('b.txt').isChecked()).toBe(true)
      await box('a.txt').click()
      await expectSelected(page, ['b.txt'])
      expect(await box('a.txt').isChecked()).toBe(false)
    },
  )

  it('selects all from the column head, shows when only a part is', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    const all = page.getByRole('checkbox', { name: 'Select all' })
    await entry(page, 'a.txt').getByRole('checkbox').click()
    await expectSelected(page, ['a.txt'])
    const isPart = () => all.evaluate((box: HTMLInputElement) => box.indeterminate)
    await expect.poll(isPart).toBe(true)
    await all.click()
    await waitFor('all', async () => (await selectedNames(page)).length === 5)
    await all.click()
    await expectSelected(page, [])
  })

  it('draws a box over entries, and adds to the selection with Ctrl', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    const box = async (from: string, to: string) => {
      const a = await stillBox(entry(page, from))
      const b = await boxOf(entry(page, to))
      await page.mouse.move(a.x + a.width / 2, a.y + 10)
      await page.mouse.down()
      await page.mouse.move(b.x + b.width / 2 + 30, b.y + 10, { steps: 4 })
      await page.mouse.move(b.x + b.width / 2 + 40, b.y + b.height / 2, { steps: 2 })
      await page.locator('.band').waitFor()
      await page.mouse.up()
      await page.locator('.band').waitFor({ state: 'detached' })
    }
    await box('b.txt', 'd.txt')
    await expectSelected(page, ['b.txt', 'c.txt', 'd.txt'])
    await page.keyboard.press('Escape')
    await entry(page, 'a.txt').click()
    await page.keyboard.down('Control')
    await box('d.txt', 'e.txt')
    await page.keyboard.up('Control')
    await expectSelected(page, ['a.txt', 'd.txt', 'e.txt'])
    // In the grid the box goes around cards.
    await page.keyboard.press('Control+Shift+2')
    await page.locator('.grid--mosaic').waitFor()
    const last = await stillBox(entry(page, 'e.txt'))
    await page.mouse.move(last.x + 40, last.y + last.height + 30)
    await page.mouse.down()
    await page.mouse.move(last.x + 30, last.y + last.height - 20, { steps: 5 })
    await page.locator('.band').waitFor()
    await page.mouse.up()
    await expectSelected(page, ['e.txt'])
    expect(open.problems).toEqual([])
  })

  it('opens with a second click within 300 ms, and with one when the account says so', async () => {
    await using open = await openServer({ 'folder/in.txt': 'x' })
    const { page, program } = open
    await entry(page, 'folder').click()
    await pause()
    await entry(page, 'folder').click()
    await expectSelected(page, ['folder'])
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
    await pause()
    await doubleClick(entry(page, 'folder'))
    await entry(page, 'in.txt').waitFor()

    const admin = await loginAs(program.origin)
    const answer = await admin.fetch('/api/users/1', {
      method: 'PUT',
      body: JSON.stringify({
        what: 'user',
        which: ['singleClick'],
        data: { id: 1, singleClick: true },
      }),
    })
    expect(answer.status).toBe(200)
    await page.goto('/files/')
    await entry(page, 'folder').click({ modifiers: ['Control'] })
    await expectSelected(page, ['folder'])
    await entry(page, 'folder').click()
    await entry(page, 'in.txt').waitFor()
  })

  it('opens with a double click as slow as the system takes for one', async () => {
    await using open = await openFolder({ 'folder/in.txt': 'x' })
    await entry(open.page, 'folder').click({ clickCount: 2, delay: 400 })
    await entry(open.page, 'in.txt').waitFor()
  })

  it('takes a click with Ctrl or Shift for no double click, however fast', async () => {
    await using open = await openFolder({ 'folder/in.txt': 'x' })
    const { page } = open
    for (const held of ['Control', 'Shift'] as const) {
      await entry(page, 'folder').click()
      await page.keyboard.down(held)
      await page.mouse.down()
      await page.mouse.up()
      await page.keyboard.up(held)
      await expectSelected(page, held === 'Control' ? [] : ['folder'])
      // Nor does it begin one.
      await page.mouse.down()
      await page.mouse.up()
      await expectSelected(page, ['folder'])
      await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
      await pause()
    }
    expect(open.problems).toEqual([])
  })

  it('draws no box after a press that was released beyond the listing', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    const list = await boxOf(page.locator('#listing'))
    const row = await stillBox(entry(page, 'e.txt'))
    const y = row.bottom + 80
    // Less than a drag, over the edge.
    await page.mouse.move(list.x + 1, y)
    await page.mouse.down()
    await page.mouse.move(list.x - 2, y)
    await page.mouse.up()
    await page.mouse.move(list.x + 60, y - 20)
    await page.mouse.move(list.x + 200, row.y)
    await twoFrames(page)
    expect(await page.locator('.band').count()).toBe(0)
    await expectSelected(page, [])
    expect(open.problems).toEqual([])
  })

  it('holds what was renamed, each once, when two names are swapped and swapped back', async () => {
    await using open = await openFolder({ '1.txt': 'one', '2.txt': 'two', 'x.txt': 'x' })
    const { page, tree } = open
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await expectNames(page, ['x.txt', '2.txt', '1.txt'])
    await entry(page, '2.txt').click()
    await entry(page, '1.txt').click({ modifiers: ['Shift'] })
    await page.keyboard.press('F2')
    const dialog = page.getByRole('dialog', { name: 'Rename 2 items' })
    await dialog.getByRole('radio', { name: 'Add numbers' }).check()
    await dialog.getByRole('button', { name: 'Rename 2 items' }).click()
    const renamed = toast(page, /Renamed \d items/)
    await renamed.waitFor()
    expect(await renamed.textContent()).toContain('Renamed 2 items')
    expect(await tree.read('1.txt')).toBe('two')
    await expectSelected(page, ['2.txt', '1.txt'])
    await selectionBar(page).getByText('2 selected').waitFor()
    await entry(page, 'x.txt').click()
    await renamed.getByRole('button', { name: 'Undo' }).click()
    await expectSelected(page, ['2.txt', '1.txt'])
    await selectionBar(page).getByText('2 selected').waitFor()
    await expect.poll(() => tree.read('1.txt')).toBe('one')
    expect(open.problems).toEqual([])
  })

  it('keeps the selection by path when the folder changes elsewhere', async () => {
    await using open = await openFolder(letters)
    const { page, tree } = open
    await entry(page, 'b.txt').click()
    await entry(page, 'd.txt').click({ modifiers: ['Control'] })
    await rm(tree.at('b.txt'))
    await writeFile(tree.at('aa.txt'), 'new')
    await runCommand(page, 'Refresh')
    await entry(page, 'aa.txt').waitFor()
    await expectSelected(page, ['d.txt'])
  })

  it('inverts the selection', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    await entry(page, 'b.txt').click()
    await selectionBar(page).getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Invert selection' }).click()
    await expectSelected(page, ['a.txt', 'c.txt', 'd.txt', 'e.txt'])
  })

  it('follows links with the middle button into a new tab', async () => {
    await using open = await openFolder({ 'folder/in.txt': 'x' })
    const { page, context } = open
    const opened = context.waitForEvent('page')
    await entry(page, 'folder').locator('a').click({ button: 'middle' })
    const tab = await opened
    await entry(tab, 'in.txt').waitFor()
    await expectSelected(page, [])
  })

  it('selects several with plain clicks once asked to', async () => {
    await using open = await openFolder(letters)
    const { page } = open
    const more = page.getByRole('button', { name: 'More actions' })
    await more.click()
    await page.getByRole('menuitem', { name: 'Select', exact: true }).click()
    await selectionBar(page).getByText('0 selected').waitFor()
    // Nothing is selected yet, so nothing can be done to it.
    expect(await selectionBar(page).getByRole('button', { name: 'Download' }).count()).toBe(0)
    await selectionBar(page).getByRole('button', { name: 'More' }).click()
    await page.getByRole('menu').waitFor()
    const start = await page.getByRole('menuitem').allInnerTexts()
    expect(start.map((text) => text.split('\n')[0])).toEqual(['Select all', 'Invert selection'])
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await entry(page, 'b.txt').click()
    await entry(page, 'd.txt').click()
    await expectSelected(page, ['b.txt', 'd.txt'])
    await more.click()
    await page.getByRole('menuitem', { name: 'New folder' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Select', exact: true }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await selectionBar(page).waitFor({ state: 'detached' })
    await entry(page, 'a.txt').click()
    await entry(page, 'b.txt').click()
    await expectSelected(page, ['b.txt'])
  })
})
