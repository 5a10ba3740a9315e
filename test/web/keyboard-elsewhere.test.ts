// Keys while the focus is somewhere else: in fields, editors, players, dialogs and menus.
import { readdir } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { folderPages, servedPages } from './browser-steps.ts'
import {
  entry,
  expectNames,
  expectSelected,
  focusedName,
  showList,
  toast,
  twoFrames,
} from './listing-steps.ts'
import { makeShare } from './share-steps.ts'

const openPages = folderPages()
const openServed = servedPages()

/** A tenth of a second of silence. */
const WAV = (() => {
  const wav = Buffer.alloc(44 + 800)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + 800, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(8000, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(800, 40)
  return wav.fill(128, 44)
})()

describe('the keys of the page', () => {
  it('leaves keys alone where something is typed, and letters while a dialog is open', async () => {
    await using open = await openPages({ 'a.txt': 'a', 'b.txt': 'b' }, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('/')
    await page.locator('.filter input:focus').waitFor()
    await page.keyboard.type('a')
    await expectNames(page, ['a.txt'])
    await page.keyboard.press('Delete')
    await page.keyboard.press('Control+a')
    await twoFrames(page)
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Escape')
    await expectNames(page, ['a.txt', 'b.txt'])
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Delete')
    await page.keyboard.press('b')
    await twoFrames(page)
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectSelected(page, ['a.txt'])
  })

  it('opens the filter also while the bar of the selection, which has it, is loading', async () => {
    await using open = await openPages({ 'a.txt': 'a', 'b.txt': 'b' }, { path: '/files/' })
    const { page } = open
    const held = Promise.withResolvers<void>()
    await page.route(/\/c-selection-bar-[^/]*\.js$/, (route) =>
      held.promise.then(() => route.continue()),
    )
    await page.reload()
    await entry(page, 'a.txt').click()
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('/')
    held.resolve()
    await page.locator('.filter input:focus').waitFor()
  })

  it('acts on the folder from the sidebar when held with a modifier, and stays on what it made', async () => {
    await using open = await openPages({ 'a.txt': 'a', 'b.txt': 'b' }, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['a.txt'])
    const places = page.getByRole('navigation', { name: 'Places' })
    await places.getByRole('link', { name: 'My files' }).focus()
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog', { name: 'New folder' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await entry(page, 'b.txt').click()
    await expectSelected(page, ['b.txt'])
    await page.keyboard.press('Alt+n')
    await page.getByRole('textbox', { name: 'Name' }).fill('made')
    await page.keyboard.press('Enter')
    await waitFor('the focus on the folder', async () => (await focusedName(page)) === 'made')
    await toast(page, 'Created folder “made”').waitFor()
    await page.keyboard.press('Control+z')
    await waitFor('the focus on the next one', async () => (await focusedName(page)) === 'a.txt')
  })

  it('presses with Enter the button, link or box that has the focus, whatever is selected', async () => {
    const content = { 'in/one/a.txt': 'a', 'in/two/b.txt': 'b' }
    await using open = await openPages(content, { path: '/files/in/' })
    const { page } = open
    await showList(page)
    await entry(page, 'one').click()
    await expectSelected(page, ['one'])
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').press('Enter')
    await expectNames(page, ['two', 'one'])
    await page.getByRole('button', { name: 'Upload', exact: true }).press('Enter')
    await page.getByRole('menuitem', { name: 'Upload files' }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('toolbar', { name: 'Selection' })
      .getByRole('button', { name: 'Share' })
      .press('Enter')
    await page.getByRole('dialog', { name: /one/ }).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByRole('navigation', { name: 'Breadcrumb' })
      .getByRole('link')
      .first()
      .press('Enter')
    await expectNames(page, ['in'])
  })

  it('opens help, palette and search from text, tables, trees, players and fields', async () => {
    await using open = await openPages(
      {
        'notes.txt': 'some text',
        'table.csv': 'a,b\n1,2\n',
        'tree.json': '{"a":{"b":1}}',
        'tone.wav': WAV,
      },
      { path: '/files/notes.txt' },
    )
    const { page } = open
    const opensAll = async (target: Locator) => {
      for (const [key, name] of [
        ['F1', 'Keyboard shortcuts'],
        ['Control+k', 'Search and commands'],
        ['Control+Shift+F', 'Search'],
      ] as const) {
        await target.focus()
        await page.keyboard.press(key)
        const dialog = page.getByRole('dialog', { name, exact: true })
        await dialog.waitFor()
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    }
    await opensAll(page.locator('.cm-content'))
    await page.goto('/files/table.csv')
    await opensAll(page.getByRole('grid').last())
    await page.goto('/files/tree.json?view=json')
    await opensAll(page.getByRole('tree'))
    await page.goto('/files/tone.wav')
    await opensAll(page.locator('audio, video, [role="slider"]').first())
    await page.goto('/settings/profile')
    await opensAll(page.getByLabel('New password', { exact: true }))
    expect(open.problems).toEqual([])
  })

  it('obeys a Cyrillic keyboard as a Latin one, in a listing, an editor, a player and a share', async () => {
    await using open = await openServed(
      {
        'a.txt': 'a',
        'b.txt': 'b',
        'sub/c.txt': 'c',
        'tone.wav': WAV,
      },
      { path: '/files/' },
    )
    const { page, program, tree } = open
    const devtools = await open.context.newCDPSession(page)
    const CTRL = 2
    const SHIFT = 8
    /** The key of a Latin `letter` on a keyboard that types `key` there. */
    const press = async (letter: string, key: string, modifiers = CTRL) => {
      const facts = {
        key,
        code: `Key${letter}`,
        windowsVirtualKeyCode: letter.charCodeAt(0),
        modifiers,
      }
      await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...facts })
      await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...facts })
    }
    await showList(page)
    await press('A', 'ф')
    await expectSelected(page, ['sub', 'a.txt', 'b.txt', 'tone.wav'])
    await press('K', 'л')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
    await press('K', 'л')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor({ state: 'detached' })
    await press('F', 'А', CTRL + SHIFT)
    await page.getByRole('dialog', { name: 'Search', exact: true }).waitFor()
    await page.keyboard.press('Escape')

    await page.goto('/files/a.txt')
    await page.locator('.cm-content').click()
    await page.keyboard.type('new ')
    await page.getByText('Unsaved').waitFor()
    await press('S', 'ы')
    await waitFor('the file', async () => (await tree.read('a.txt')).includes('new '))
    await page.getByText('Unsaved').waitFor({ state: 'detached' })

    await page.goto('/files/tone.wav')
    await page.getByRole('button', { name: 'Mute' }).waitFor()
    await press('M', 'ь', 0)
    await page.getByRole('button', { name: 'Unmute' }).waitFor()

    await page.goto(`/share/${await makeShare(program, '/sub')}`)
    await page.getByText('c.txt').first().waitFor()
    await press('A', 'ф')
    await page.getByRole('toolbar', { name: 'Selection' }).getByText('1 selected').waitFor()
    expect(open.problems).toEqual([])
  })

  it('never lets the browser save the page, wherever the focus is', async () => {
    await using open = await openPages({ 'a.txt': 'a' }, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.evaluate(() => {
      const refused: boolean[] = []
      Object.assign(window, { refused })
      window.addEventListener('keydown', (event) => {
        if (event.key === 's') refused.push(event.defaultPrevented)
      })
    })
    const places = page.getByRole('navigation', { name: 'Places' })
    for (const target of [
      places.getByRole('link', { name: 'Settings' }),
      page.getByRole('button', { name: 'Help' }).first(),
      page.getByRole('searchbox').or(page.getByPlaceholder('Filter')).first(),
    ]) {
      await target.focus()
      await page.keyboard.press('Control+s')
    }
    const refused = () => page.evaluate(() => Reflect.get(window, 'refused'))
    await expect.poll(refused).toEqual([true, true, true])
    // Dialogs and menus keep keys to themselves: what the browser would do is seen on the way in.
    await page.evaluate(() => {
      const inside: boolean[] = []
      Object.assign(window, { inside })
      document.addEventListener(
        'keydown',
        (event) => {
          if (event.key === 's') inside.push(event.defaultPrevented)
        },
        true,
      )
    })
    await entry(page, 'a.txt').focus()
    for (const [keys, layer] of [
      ['Control+k', page.getByRole('dialog', { name: 'Commands' })],
      ['F1', page.getByRole('dialog')],
      ['Control+Shift+f', page.getByRole('dialog')],
      ['Shift+F10', page.getByRole('menu')],
    ] as const) {
      await page.keyboard.press(keys)
      await layer.waitFor()
      await page.keyboard.press('Control+s')
      await page.keyboard.press('Escape')
      await layer.waitFor({ state: 'detached' })
    }
    const inside = () => page.evaluate(() => Reflect.get(window, 'inside'))
    await expect.poll(inside).toEqual([true, true, true, true])
    // In the listing, with nothing selected, it is the folder that is downloaded.
    await entry(page, 'a.txt').focus()
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    const [whole] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Control+s'),
    ])
    expect(whole.suggestedFilename()).toMatch(/\.zip$/)
    await whole.cancel()
  })

  it('takes Cmd for Ctrl on a Mac', async () => {
    await using open = await openPages({ 'a.txt': 'a', 'b.txt': 'b' }, { path: '/login' })
    const { page } = open
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
    )
    await page.goto('/files/')
    await showList(page)
    await page
      .getByRole('button', { name: /Search files and folders/ })
      .getByText('⌘')
      .waitFor()
    await page.keyboard.press('Meta+a')
    await expectSelected(page, ['a.txt', 'b.txt'])
    await page.keyboard.press('Control+a')
    await expectSelected(page, ['a.txt', 'b.txt'])
    await entry(page, 'b.txt').click()
    await expectSelected(page, ['b.txt'])
    await page.keyboard.press('Meta+Backspace')
    const question = page.getByRole('alertdialog')
    await question.getByText('“b.txt” will be deleted').waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await page.keyboard.press('Meta+k')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
  })
  it('copies, cuts, pastes, saves, searches and adds to the selection with Cmd on a Mac', async () => {
    await using open = await openPages(
      { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'to/x.txt': 'x' },
      { path: '/login' },
    )
    const { page, tree } = open
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
    )
    await page.goto('/files/')
    await showList(page)
    await entry(page, 'a.txt').click()
    await entry(page, 'c.txt').click({ modifiers: ['Meta'] })
    await expectSelected(page, ['a.txt', 'c.txt'])
    await entry(page, 'a.txt').click({ modifiers: ['Meta'] })
    await expectSelected(page, ['c.txt'])
    const saved = page.waitForEvent('download')
    await page.keyboard.press('Meta+s')
    expect((await saved).suggestedFilename()).toBe('c.txt')
    await page.keyboard.press('Meta+Shift+F')
    await page.getByRole('dialog', { name: 'Search', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Meta+c')
    await page.keyboard.press('Meta+v')
    await expectSelected(page, ['c(1).txt'])
    await page.keyboard.press('Meta+x')
    await page.locator('.is-cut').waitFor()
    await entry(page, 'to').dblclick()
    await entry(page, 'x.txt').waitFor()
    await page.keyboard.press('Meta+v')
    await entry(page, 'c(1).txt').waitFor()
    await waitFor('the move', async () => (await readdir(tree.at('to'))).includes('c(1).txt'))
    await waitFor(
      'the rest',
      async () => (await readdir(tree.root)).sort().join() === 'a.txt,b.txt,c.txt,to',
    )
    expect(open.problems).toEqual([])
  })
})
