// Choosing where to move or copy to.
import { readdir } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { boxOf, sharedBrowser } from './browser-steps.ts'
import {
  addUser,
  entry,
  expectNames,
  expectSelected,
  listedFolders,
  selectionBar,
  showList,
  toast,
  twoFrames,
  userLogin,
} from './listing-steps.ts'
import { placeToTouch } from './touch-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

/** The picker for one entry, opened from the bar of the selection. */
async function openPicker(page: Page, action: 'Move' | 'Copy', name: string): Promise<Locator> {
  await entry(page, name).click()
  await selectionBar(page).getByRole('button', { name: action }).click()
  return page.getByRole('dialog', { name: `${action} 1 item` })
}

/** Two taps as a quick finger makes them, however long the page takes for the first. */
async function doubleTap(target: Locator): Promise<void> {
  const down = [await placeToTouch(target)]
  const page = target.page()
  const finger = await page.context().newCDPSession(page)
  const nowS = Date.now() / 1000
  const touch = (type: 'touchStart' | 'touchEnd', afterS: number) =>
    finger.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchStart' ? down : [],
      timestamp: nowS + afterS,
    })
  await Promise.all([
    touch('touchStart', 0),
    touch('touchEnd', 0.02),
    touch('touchStart', 0.12),
    touch('touchEnd', 0.14),
  ])
  await finger.detach()
}

describe('the picker of folders', () => {
  it('move: a tree by keyboard, own subtree refused, target in words, then Undo', async () => {
    await using open = await openFolder({
      'desk/inner/x.txt': 'x',
      'archive/2026/y.txt': 'y',
      'a.txt': 'a',
    })
    const { page, tree } = open
    const dialog = await openPicker(page, 'Move', 'desk')
    const here = dialog.getByRole('button', { name: 'Move here' })
    await expect.poll(() => here.getAttribute('aria-disabled')).toBe('true')
    const item = (name: string) => dialog.getByRole('treeitem', { name, exact: true })
    await item('desk').waitFor()
    await expect.poll(() => item('desk').getAttribute('aria-disabled')).toBe('true')
    await dialog.getByRole('tree').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => item('archive').getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowRight')
    await item('2026').waitFor()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => item('2026').getAttribute('aria-selected')).toBe('true')
    await dialog.locator('.transfer__target', { hasText: 'archive / 2026' }).waitFor()
    await here.click()
    await toast(page, 'Moved 1 item to “2026”').waitFor()
    expect(await tree.read('archive/2026/desk/inner/x.txt')).toBe('x')
    await page.keyboard.press('Control+z')
    await waitFor('the way back', async () => (await tree.read('desk/inner/x.txt')) === 'x')
    expect(open.problems).toEqual([])
  })

  it('copy: finds a folder by name, makes a new one inside, and copies there', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'x/deep/target folder/y.txt': 'y' })
    const { page, tree } = open
    const dialog = await openPicker(page, 'Copy', 'a.txt')
    await dialog.getByPlaceholder('Find a folder').fill('target f')
    await dialog.getByRole('treeitem', { name: 'target folder' }).click()
    await dialog.getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').fill('new one')
    await page.keyboard.press('Enter')
    await dialog
      .locator('.transfer__target', { hasText: 'x / deep / target folder / new one' })
      .waitFor()
    await dialog.getByRole('button', { name: 'Copy here' }).click()
    await waitFor(
      'the copy',
      async () => (await tree.read('x/deep/target folder/new one/a.txt')) === 'a',
    )
    expect(await tree.read('a.txt')).toBe('a')
  })

  it('empties the search for a folder by its cross', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'x/y.txt': 'y' })
    const { page } = open
    const field = (await openPicker(page, 'Copy', 'a.txt')).getByPlaceholder('Find a folder')
    await field.fill('target f')
    const { right, y, height } = await boxOf(field)
    await page.mouse.click(right - 6, y + height / 2)
    await expect.poll(() => field.inputValue()).toBe('')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('copy: Enter takes the first folder found, and once more copies there', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'x/deep/target folder/y.txt': 'y' })
    const { page, tree } = open
    const dialog = await openPicker(page, 'Copy', 'a.txt')
    await dialog.getByPlaceholder('Find a folder').fill('target f')
    // Before anything was found.
    await page.keyboard.press('Enter')
    await dialog.locator('.transfer__target', { hasText: 'x / deep / target folder' }).waitFor()
    await page.keyboard.press('Enter')
    await waitFor('the copy', async () => (await tree.read('x/deep/target folder/a.txt')) === 'a')
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'x'])
  })

  it('move: opens a folder by double click, and makes none without the right to', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'x/deep/y.txt': 'y' })
    await using program = await startProgram(tree)
    await addUser(program, 'mover', ['rename'])
    await using open = await openIn(program, {
      path: '/files/',
      as: userLogin('mover'),
    })
    const { page } = open
    await showList(page)
    const dialog = await openPicker(page, 'Move', 'a.txt')
    await dialog.getByRole('treeitem', { name: 'x', exact: true }).dblclick()
    await dialog.getByRole('treeitem', { name: 'deep' }).click()
    expect(await dialog.getByRole('button', { name: 'New folder' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Move here' }).click()
    await waitFor('the move', async () => (await tree.read('x/deep/a.txt')) === 'a')
    expect(open.problems).toEqual([])
  })

  it('move: opens a folder by a double tap', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'x/deep/y.txt': 'y' }, { hasTouch: true })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await selectionBar(page).getByRole('button', { name: 'Move' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Move 1 item' })
    await doubleTap(dialog.getByRole('treeitem', { name: 'x', exact: true }))
    await dialog.getByRole('treeitem', { name: 'deep' }).tap()
    await dialog.getByRole('button', { name: 'Move here' }).tap()
    await waitFor('the move', async () => (await tree.read('x/deep/a.txt')) === 'a')
    expect(open.problems).toEqual([])
  })

  it('move: two slow taps choose a folder and do not open it', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'x/deep/y.txt': 'y' }, { hasTouch: true })
    const { page } = open
    await entry(page, 'a.txt').click()
    await selectionBar(page).getByRole('button', { name: 'Move' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Move 1 item' })
    const folder = dialog.getByRole('treeitem', { name: 'x', exact: true })
    await folder.tap()
    // Longer than a double tap: the time itself is what is being tested.
    await new Promise((resolve) => setTimeout(resolve, 400))
    await folder.tap()
    await expect.poll(() => folder.getAttribute('aria-selected')).toBe('true')
    await twoFrames(page)
    await expect.poll(() => folder.getAttribute('aria-expanded')).toBe('false')
    expect(await dialog.getByRole('treeitem', { name: 'deep' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it.each([
    ['Move', 'Replace', { 'a.txt': 'new' }],
    ['Move', 'Keep both', { 'a(1).txt': 'new', 'a.txt': 'old' }],
    ['Copy', 'Replace', { 'a.txt': 'new' }],
    ['Copy', 'Keep both', { 'a(1).txt': 'new', 'a.txt': 'old' }],
  ] as const)('%s: asks when the name is taken there: %s', async (action, choice, there) => {
    await using open = await openFolder({ 'a.txt': 'new', 'x/a.txt': 'old' })
    const { page, tree } = open
    const dialog = await openPicker(page, action, 'a.txt')
    await dialog.getByRole('treeitem', { name: 'x', exact: true }).click()
    await dialog.getByRole('button', { name: `${action} here` }).click()
    await page.getByRole('radio', { name: choice }).check()
    expect(await tree.read('x/a.txt')).toBe('old')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Continue|Move|Copy/ })
      .click()
    await toast(page, action === 'Move' ? 'Moved 1 item to “x”' : 'Copied 1 item to “x”').waitFor()
    expect((await readdir(tree.at('x'))).sort()).toEqual(Object.keys(there))
    for (const [name, content] of Object.entries(there)) {
      expect(await tree.read(`x/${name}`), name).toBe(content)
    }
    expect((await readdir(tree.root)).sort()).toEqual(action === 'Move' ? ['x'] : ['a.txt', 'x'])
    expect(open.problems).toEqual([])
  })

  it('move: goes to a pinned folder with one click, and shows it in the tree', async () => {
    await using open = await openFolder(
      { 'a.txt': 'a', 'x/deep/far/y.txt': 'y' },
      { path: '/files/x/deep/' },
    )
    const { page, tree } = open
    await entry(page, 'far').click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Pin/ }).click()
    await page.goto('/files/')
    const dialog = await openPicker(page, 'Move', 'a.txt')
    const pins = dialog.getByRole('group', { name: 'Pinned folders' })
    await pins.getByRole('button', { name: 'far' }).click()
    const row = dialog.getByRole('treeitem', { name: 'far' })
    await row.waitFor()
    await expect.poll(() => row.getAttribute('aria-selected')).toBe('true')
    await dialog.getByRole('button', { name: 'Move here' }).click()
    await waitFor('the move', async () => (await tree.read('x/deep/far/a.txt')) === 'a')
    expect(open.problems).toEqual([])
  })

  it('shows the folder one comes from with what is in it', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, null]))
    const path = '/files/f15/'
    await using open = await openFolder({ ...many, 'f15/a.txt': 'a', 'f15/in': null }, { path })
    const dialog = await openPicker(open.page, 'Move', 'a.txt')
    const tree = dialog.getByRole('tree')
    const room = async () => {
      const inside = await boxOf(tree.getByRole('treeitem', { name: 'in', exact: true }))
      return (await boxOf(tree)).bottom - inside.bottom
    }
    await expect.poll(room).toBeGreaterThanOrEqual(0)
  })

  // `redirectAfterCopyMove` of the account is on, as it is for the first one of a new server.
  it.each([
    ['Copy', 'Copied', ['x', 'a.txt']],
    ['Move', 'Moved', ['x']],
  ] as const)(
    '%s: stays, and the message leads there, from where Undo leads back',
    async (verb, done, left) => {
      await using open = await openFolder({ 'a.txt': 'a', 'x/y.txt': 'y' })
      const { page, tree } = open
      const dialog = await openPicker(page, verb, 'a.txt')
      await dialog.getByRole('treeitem', { name: 'x', exact: true }).click()
      await dialog.getByRole('button', { name: `${verb} here` }).click()
      const message = toast(page, `${done} 1 item to “x”`)
      const [show, undo] = [
        message.getByRole('button', { name: 'Show' }),
        message.getByRole('button', { name: 'Undo' }),
      ]
      await show.waitFor()
      await expectNames(page, [...left])
      expect(new URL(page.url()).pathname).toBe('/files/')
      await show.click()
      await page.waitForURL('**/files/x/')
      await expectSelected(page, ['a.txt'])
      await show.waitFor({ state: 'detached' })
      await undo.click()
      await page.waitForURL('**/files/')
      await expectSelected(page, ['a.txt'])
      await expectNames(page, ['x', 'a.txt'])
      expect(await readdir(tree.at('x'))).toEqual(['y.txt'])
      expect(open.problems).toEqual([])
    },
  )
})
