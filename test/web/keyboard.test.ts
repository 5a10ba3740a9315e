// The whole keyboard table, without touching the mouse.
import { readdir, stat } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { folderPages, sharedBrowser } from './browser-steps.ts'
import {
  entry,
  expectNames,
  expectSelected,
  focusedName,
  listedFolders,
  showList,
  shownNames,
  toast,
  twoFrames,
  typeQuickly,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openServed = folderPages(openIn)
const openFolder = listedFolders(openIn)

async function expectFocus(page: Page, name: string): Promise<void> {
  await waitFor(`the focus on ${name}`, async () => (await focusedName(page)) === name)
}

describe('the keyboard', () => {
  it('moves, extends, toggles and jumps through a list', async () => {
    await using open = await openFolder({
      alpha: null,
      'beta.txt': 'b',
      'bravo.txt': 'b',
      'Östen.txt': 'c',
      'zulu.txt': 'z',
    })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['alpha'])
    await page.keyboard.press('End')
    await expectSelected(page, [(await shownNames(page)).at(-1) ?? ''])
    await page.keyboard.press('Home')
    await expectSelected(page, ['alpha'])
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await expectSelected(page, ['alpha', 'beta.txt', 'bravo.txt'])
    await page.keyboard.press('Shift+ArrowUp')
    await expectSelected(page, ['alpha', 'beta.txt'])
    await page.keyboard.press('Control+ArrowDown')
    await expectFocus(page, 'bravo.txt')
    await expectSelected(page, ['alpha', 'beta.txt'])
    await page.keyboard.press('Control+Space')
    await expectSelected(page, ['alpha', 'beta.txt', 'bravo.txt'])
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await typeQuickly(page, 'br')
    await expectSelected(page, ['bravo.txt'])
    await expectFocus(page, 'bravo.txt')
    // After the typing pause a letter starts anew; the accent of the name does not matter.
    await new Promise((resolve) => setTimeout(resolve, 750))
    await typeQuickly(page, 'os')
    await expectSelected(page, ['Östen.txt'])
    await page.keyboard.press('Control+a')
    await waitFor('all', async () => (await page.locator('[aria-selected="true"]').count()) >= 5)
    await page.keyboard.press('Control+a')
    await expectSelected(page, [])
    expect(open.problems).toEqual([])
  })

  it('takes a space for a letter inside a name that is typed', async () => {
    await using open = await openFolder({
      'a.txt': 'a',
      'my notes.txt': 'n',
      'my pictures.txt': 'p',
    })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    await typeQuickly(page, 'my p')
    await expectSelected(page, ['my pictures.txt'])
    expect(new URL(page.url()).pathname).toBe('/files/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator('#previewer').count()).toBe(0)
  })

  it('moves in two directions through a grid', async () => {
    await using open = await openServed(
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}.txt`, 'x'])),
      { path: '/files/' },
    )
    const { page } = open
    await page.getByRole('radio', { name: 'Grid' }).check()
    await page.locator('.grid--mosaic').waitFor()
    const count = async () => Number(await page.locator('#listing').getAttribute('aria-colcount'))
    await expect.poll(count).toBeGreaterThan(2)
    const columns = await count()
    await page.keyboard.press('ArrowRight')
    await expectSelected(page, ['f0.txt'])
    await page.keyboard.press('ArrowRight')
    await expectSelected(page, ['f1.txt'])
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, [`f${1 + columns}.txt`])
    await page.keyboard.press('ArrowUp')
    await expectSelected(page, ['f1.txt'])
    await page.keyboard.press('ArrowLeft')
    await expectSelected(page, ['f0.txt'])
  })

  it('opens with Enter, looks with Space, goes up with Alt+Up and Backspace', async () => {
    await using open = await openFolder({
      'one/two/deep.txt': 'deep text',
      'one/pic.bin': '\0\x01',
    })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['one'])
    await page.keyboard.press('Enter')
    await entry(page, 'two').waitFor()
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['two'])
    await page.keyboard.press('Enter')
    await entry(page, 'deep.txt').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await expectSelected(page, ['two'])
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['pic.bin'])
    await page.keyboard.press('Space')
    await page.getByRole('dialog', { name: 'pic.bin' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'pic.bin' }).waitFor({ state: 'detached' })
    await page.waitForURL('**/files/one/')
    await expectSelected(page, ['pic.bin'])
    await expectFocus(page, 'pic.bin')
    await page.keyboard.press('Backspace')
    await expectSelected(page, ['one'])
    expect(open.problems).toEqual([])
  })

  it('means the entry with the ring by Enter and Space, also where another is selected', async () => {
    await using open = await openFolder({ 'one/in.txt': 'x', 'a.txt': 'a', 'b.bin': '\0\x01' })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Control+ArrowDown')
    await expectFocus(page, 'b.bin')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Space')
    await page.getByRole('dialog', { name: 'b.bin' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.waitForURL('**/files/')
    await expectFocus(page, 'b.bin')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Control+ArrowUp')
    await expectFocus(page, 'one')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Enter')
    await entry(page, 'in.txt').waitFor()
    expect(open.problems).toEqual([])
  })

  it('copies, cuts, pastes and duplicates; Escape gives up a cut; a reload keeps the clipboard', async () => {
    await using open = await openFolder({ 'a.txt': 'aaa', 'b.txt': 'bbb', 'to/x.txt': 'x' })
    const { page, tree } = open
    await entry(page, 'a.txt').focus()
    await page.keyboard.press('Control+Space')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Control+C')
    await page.keyboard.press('Control+V')
    // Into its own folder: a free name, no question.
    await expectSelected(page, ['a(1).txt'])
    await page.keyboard.press('Control+d')
    // Seen before it is there: once it is, it is selected, which must not come after what follows.
    await expectSelected(page, ['a(1)(1).txt'])
    await entry(page, 'b.txt').focus()
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await page.keyboard.press('Control+Space')
    await expectSelected(page, ['b.txt'])
    await page.keyboard.press('Control+x')
    await page.locator('.is-cut').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.is-cut').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+x')
    await page.locator('.is-cut').waitFor()
    await page.reload()
    await page.locator('.is-cut').waitFor()
    await page.goto('/files/to/')
    await entry(page, 'x.txt').waitFor()
    await page.keyboard.press('Control+V')
    await entry(page, 'b.txt').waitFor()
    await waitFor('the file', async () => (await tree.read('to/b.txt')) === 'bbb')
    await waitFor(
      'the file to have moved',
      async () => !(await readdir(tree.root)).includes('b.txt'),
    )
    await expect.poll(() => tree.read('a(1).txt')).toBe('aaa')
    expect(open.problems).toEqual([])
  })

  it('makes a folder with Alt+N, a file with Alt+Shift+N, and renames with F2', async () => {
    await using open = await openFolder({ 'photo.tar.gz': 'x' })
    const { page, tree } = open
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog', { name: 'New folder' }).locator('input:focus').waitFor()
    await page.keyboard.type('x/y z/w')
    await page.keyboard.press('Enter')
    await expectSelected(page, ['x'])
    await waitFor('the folders', async () => (await stat(tree.at('x/y z/w'))).isDirectory())
    await toast(page, 'Created folder').waitFor()
    await entry(page, 'photo.tar.gz').focus()
    await page.keyboard.press('Control+Space')
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await entry(page, 'photo.tar.gz').focus()
    await page.keyboard.press('Control+Space')
    await expectSelected(page, ['photo.tar.gz'])
    await page.keyboard.press('F2')
    await page.locator('.rename input:focus').waitFor()
    // The stem is selected: typing keeps the extension.
    await page.keyboard.type('picture')
    await page.keyboard.press('Enter')
    await expectNames(page, ['x', 'picture.tar.gz'])
    await expectFocus(page, 'picture.tar.gz')
    await page.keyboard.press('Alt+Shift+N')
    await page.getByRole('dialog', { name: 'New file' }).locator('input:focus').waitFor()
    await page.keyboard.type('note.txt')
    await page.keyboard.press('Enter')
    await waitFor('the file', async () => (await stat(tree.at('note.txt'))).isFile())
    await waitFor('the editor', () => new URL(page.url()).pathname === '/files/note.txt')
    await page.getByRole('button', { name: 'Close editor' }).click()
    await expectSelected(page, ['note.txt'])
    await expectFocus(page, 'note.txt')
    expect(open.problems).toEqual([])
  })

  it('deletes with Delete after a question whose harmless answer has the focus', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    const { page, tree } = open
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['b.txt'])
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('“b.txt” will be deleted from the server.').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expectNames(page, ['a.txt', 'b.txt', 'c.txt'])
    await page.keyboard.press('Delete')
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Delete')
    await page.keyboard.press('Enter')
    await expectNames(page, ['a.txt', 'c.txt'])
    await expectFocus(page, 'c.txt')
    await toast(page, 'Deleted “b.txt”').waitFor()
    await expect.poll(async () => (await readdir(tree.root)).sort()).toEqual(['a.txt', 'c.txt'])
  })

  it.each(['F2', 'Delete'])('does nothing on %s while nothing is selected', async (key) => {
    await using open = await openFolder({ 'a.txt': 'x' })
    const { page } = open
    await entry(page, 'a.txt').focus()
    await page.keyboard.press(key)
    // What the next key opens is alone: the first had its time.
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog', { name: 'New folder' }).waitFor()
    expect(await page.locator('dialog').count()).toBe(1)
    await expectSelected(page, [])
    expect(open.problems).toEqual([])
  })

  it('takes back the last action with Ctrl+Z', async () => {
    await using open = await openFolder({ 'old.txt': 'x' })
    const { page, tree } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['old.txt'])
    await page.keyboard.press('F2')
    await page.locator('.rename input:focus').waitFor()
    await page.keyboard.type('new')
    await page.keyboard.press('Enter')
    await expectNames(page, ['new.txt'])
    await toast(page, 'Renamed to “new.txt”').waitFor()
    await page.keyboard.press('Control+z')
    await expectNames(page, ['old.txt'])
    await waitFor('the old name', async () => (await readdir(tree.root)).includes('old.txt'))
  })

  it('opens menu, details, help, palette and search, and gives the focus back', async () => {
    await using open = await openFolder(
      { 'a.txt': 'a', 'b.txt': 'b' },
      { viewport: { width: 1440, height: 900 } },
    )
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menu').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toContain('Preview')
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toContain('Open')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await expectFocus(page, 'a.txt')
    await page.keyboard.press('Control+i')
    await page.getByRole('complementary', { name: 'Details' }).getByText('a.txt').waitFor()
    await page.keyboard.press('Control+i')
    await page.getByRole('complementary', { name: 'Details' }).waitFor({ state: 'detached' })
    for (const key of ['F1', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expectFocus(page, 'a.txt')
    }
    await page.keyboard.press('Control+k')
    await page.locator('[role="combobox"]:focus').waitFor()
    await page.keyboard.type('new fol')
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual([
        expect.stringContaining('New folder'),
        expect.stringContaining('Search for files named “new fol”'),
      ])
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New folder' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('goes round the parts of the page with F6', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page } = open
    const inside = (selector: string) =>
      page.evaluate((part) => document.activeElement?.closest(part) !== null, selector)
    await page.getByRole('button', { name: 'Name' }).focus()
    await page.keyboard.press('F6')
    await waitFor('the header', () => inside('#header'))
    await page.keyboard.press('F6')
    await waitFor('the sidebar', () => inside('#sidebar'))
    for (let part = 0; part < 3; part++) await page.keyboard.press('F6')
    await expectFocus(page, 'a.txt')
  })

  it('pages, extends to both ends, shows the gallery, picks files and opens the folder menu', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
    await using open = await openFolder(Object.fromEntries(names.map((name) => [name, 'x'])))
    const { page } = open
    await page.keyboard.press('ContextMenu')
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: 'New folder' }).waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await expectSelected(page, ['f00.txt'])
    await page.keyboard.press('PageDown')
    await expect.poll(async () => names.indexOf(await focusedName(page))).toBeGreaterThan(5)
    const paged = await focusedName(page)
    const screen = names.indexOf(paged)
    await page.keyboard.press('PageDown')
    await expectFocus(page, names[screen * 2] ?? '')
    await page.keyboard.press('PageUp')
    await expectFocus(page, paged)
    await page.keyboard.press('Shift+Home')
    await expectSelected(page, names.slice(0, screen + 1))
    await page.keyboard.press('Shift+End')
    await expectSelected(page, names.slice(screen))
    const picker = page.waitForEvent('filechooser')
    // The wish to hear of it reaches the page another way than keys, which may overtake it.
    await twoFrames(page)
    await page.keyboard.press('Alt+u')
    expect((await picker).isMultiple()).toBe(true)
    await page.keyboard.press('Control+Shift+3')
    await page.locator('.grid--gallery').waitFor()
    expect(open.problems).toEqual([])
  })

  it('takes back with Ctrl+Z for as long as the offer stands', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/login' })
    const { page } = open
    await page.clock.install()
    await page.goto('/files/')
    await showList(page)
    const rename = async (name: string) => {
      await page.keyboard.press('Home')
      await page.keyboard.press('F2')
      await page.locator('.rename input:focus').waitFor()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await expectNames(page, [`${name}.txt`])
    }
    await rename('new')
    const offer = toast(page, 'Renamed to “new.txt”')
    await offer.hover()
    await page.clock.runFor(30_000)
    await page.keyboard.press('Control+z')
    await expectNames(page, ['old.txt'])
    await rename('late')
    await page.mouse.move(5, 400)
    await toast(page, 'Renamed to “late.txt”').waitFor()
    await page.clock.runFor(11_000)
    await toast(page, 'Renamed to “late.txt”').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await page.clock.runFor(1000)
    await expectNames(page, ['late.txt'])
  })
})
