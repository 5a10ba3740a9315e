// The text editor as people use it: typing, saving, finding, and its limits.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { BLANK, openPage, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { ADMIN, type Program } from '../support/program.ts'
import type { Tree } from '../support/tree.ts'
import { editorSite, editorSteps } from './editor-steps.ts'
import { addUser, toast, twoFrames, userLogin } from './listing-steps.ts'

const site = editorSite(BLANK)
let browser: Browser
let tree: Tree
let program: Program
let page: Page

beforeEach(() => {
  ;({ browser, tree, program, page } = site)
})

const { text, notes, open, atStart, onDisk, chooseInMenu } = editorSteps(() => site)

/** The methods of all requests from now on. */
function methodsSent(of: Page): string[] {
  const sent: string[] = []
  of.on('request', (request) => sent.push(request.method()))
  return sent
}

describe('saving', () => {
  it('saves by button and by Ctrl+S, and says what is unsaved', async () => {
    await open('plain.txt', 'one\n')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
    await text().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('two')
    await page.getByText('Unsaved').waitFor()
    await save.click()
    await onDisk('plain.txt', 'one\ntwo')
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await text().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('!')
    await page.keyboard.press('Control+s')
    await onDisk('plain.txt', 'one\ntwo!')
    expect(await notes('plain.txt').count()).toBe(1)
  })

  it('keeps encoding and mixed line ends of what was not touched', async () => {
    const before = Buffer.from('Gr\xfc\xdfe\r\nzwei\ndrei\r\n', 'latin1')
    await open('latin.txt', before)
    await page.getByRole('button', { name: 'Windows-1252 (Latin-1)' }).waitFor()
    await page.getByRole('button', { name: 'CRLF, mixed' }).waitFor()
    await text().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('é')
    await page.keyboard.press('Control+s')
    await waitFor('the saved bytes', async () => {
      const now = await readFile(tree.at('latin.txt'))
      return now.equals(Buffer.concat([before, Buffer.from([0xe9])]))
    })
  })

  it('says which character the encoding cannot hold, and saves as UTF-8 when asked', async () => {
    await open('narrow.txt', Buffer.from('caf\xe9\n', 'latin1'))
    await text().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('→')
    await page.keyboard.press('Control+s')
    await page.getByText('can’t represent “→”').waitFor()
    expect(await readFile(tree.at('narrow.txt'), 'latin1')).toBe('caf\xe9\n')
    await page.getByRole('button', { name: 'Save as UTF-8' }).click()
    await onDisk('narrow.txt', 'café\n→')
    await page.getByRole('button', { name: 'UTF-8', exact: true }).waitFor()
  })

  it('reads the file anew in another encoding, and converts line ends', async () => {
    await open('koi.txt', Uint8Array.of(0xf0, 0xd2, 0xc9, 0x0a, 0x61, 0x0a))
    await page.getByRole('button', { name: 'Windows-1252 (Latin-1)' }).click()
    await page.getByRole('combobox').fill('koi8-r')
    await page
      .getByRole('option', { selected: true })
      .filter({ hasText: /KOI8-R/i })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('При').waitFor()
    await page.getByRole('button', { name: 'LF', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'CRLF' }).click()
    await text().click()
    await page.keyboard.press('Control+s')
    await waitFor('CRLF on disk', async () => {
      const now = await readFile(tree.at('koi.txt'))
      return now.equals(Buffer.from([0xf0, 0xd2, 0xc9, 0x0d, 0x0a, 0x61, 0x0d, 0x0a]))
    })
  })

  it('tells of a failure and keeps the text', async () => {
    await open('failing.txt', 'a\n')
    await page.route('**/api/resources/failing.txt', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 507, headers: { 'X-Error-Code': 'no_space' }, body: '507' })
        : route.continue(),
    )
    await atStart()
    await page.keyboard.type('b')
    await page.keyboard.press('Control+s')
    await toast(page, 'There isn’t enough space left on the server.').waitFor()
    await page.getByText('Unsaved').waitFor()
    expect(await tree.read('failing.txt')).toBe('a\n')
  })
})

describe('working on text', () => {
  it('renames by F2 and shows the details by Ctrl+I while the text has the focus', async () => {
    await open('keys.txt', 'function f() { return (1) }\n')
    await text().click()
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'New name' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'New name' }).waitFor({ state: 'detached' })
    await text().click()
    await page.keyboard.press('Control+i')
    await page.getByRole('dialog', { name: 'Details' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Details' }).waitFor({ state: 'detached' })
    // Delete stays a key of the text.
    await atStart()
    await page.keyboard.press('Delete')
    await page.getByText('Unsaved').waitFor()
    await expect.poll(() => text().textContent()).toBe('unction f() { return (1) }')
  })

  it('finds, counts and replaces, with expressions too', async () => {
    await open('find.txt', 'cat Cat cat\nconcat\n')
    await text().click()
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find', exact: true }).fill('cat')
    await page.getByText('1 of 4').waitFor()
    await page.getByRole('button', { name: 'Match case' }).click()
    await page.getByText('of 3').waitFor()
    await page.getByRole('button', { name: 'Whole words' }).click()
    await page.getByText('of 2').waitFor()
    await page.getByRole('button', { name: 'Regular expression' }).click()
    await page.getByRole('textbox', { name: 'Find', exact: true }).fill('c(at')
    await page.getByText('Invalid regular expression').waitFor()
    await page.getByRole('textbox', { name: 'Find', exact: true }).fill('c(at)')
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByRole('textbox', { name: 'Replace with' }).fill('b$1')
    await page.getByRole('button', { name: 'Replace all' }).click()
    await page.getByText('bat Cat bat').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Find', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('cat Cat cat').waitFor()
  })

  it('goes to a line and column', async () => {
    await open('lines.txt', Array.from({ length: 500 }, (_, n) => `line ${n + 1}`).join('\n'))
    await text().click()
    await page.keyboard.press('Control+g')
    await page.getByRole('textbox', { name: 'Line, or line:column' }).fill('321:3')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Ln 321, Col 3' }).waitFor()
    await page.getByText('line 321', { exact: true }).waitFor()
  })

  it('colours by language, and takes another when told', async () => {
    await open('script', '#!/usr/bin/env python3\ndef hello():\n    return 1\n')
    await page.getByRole('button', { name: 'Python', exact: true }).click()
    await page.getByRole('combobox').fill('ruby')
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Ruby' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Ruby', exact: true }).waitFor()
    await waitFor('coloured words', () => page.locator('.cm-line span[class]').count())
  })

  it('types at several places at once', async () => {
    await open('many.txt', 'a\na\na\n')
    await text().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+Alt+ArrowDown')
    await page.keyboard.press('Control+Alt+ArrowDown')
    await page.getByText('Cursors: 3').waitFor()
    await page.keyboard.type('- ')
    await page.keyboard.press('Control+s')
    await onDisk('many.txt', '- a\n- a\n- a\n')
  })

  it('remembers text size, wrapping and line numbers', async () => {
    await open('looks.txt', 'looks\n')
    await page.getByRole('button', { name: 'Larger text' }).click()
    await page.getByText('15 px').waitFor()
    await page.getByRole('button', { name: 'Wrap lines' }).click()
    await chooseInMenu('Line numbers', 'menuitemradio')
    await page.locator('.cm-lineNumbers').waitFor({ state: 'detached' })
    await page.reload()
    await text().waitFor()
    await page.getByText('15 px').waitFor()
    const wrap = page.getByRole('button', { name: 'Wrap lines' })
    await expect.poll(() => wrap.getAttribute('aria-pressed')).toBe('false')
    await page.locator('.cm-lineNumbers').waitFor({ state: 'detached' })
    const kept = () => page.evaluate(() => localStorage.getItem('editorFontSize'))
    await expect.poll(kept).toBe('15')
  })

  it('compares with the saved version and takes back a change', async () => {
    await open('compare.txt', 'first\nsecond\nthird\n')
    await text().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('fourth\n')
    await chooseInMenu('Compare with saved version')
    await page.locator('.cm-changedLine').first().waitFor()
    await page.getByRole('button', { name: 'Revert' }).click()
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await page.locator('.cm-changedLine').waitFor({ state: 'detached' })
  })

  it('wears the theme of the user record, and an unknown one as the default', async () => {
    const { fetch } = await loginAs(program.origin)
    for (const [theme, colour] of [
      ['monokai', 'rgb(39, 40, 34)'],
      ['no such theme', 'rgb(255, 255, 255)'],
    ]) {
      const user = await (await fetch('/api/users/1')).json()
      const body = JSON.stringify({
        what: 'user',
        which: ['aceEditorTheme'],
        current_password: ADMIN.password,
        data: { ...user, aceEditorTheme: theme },
      })
      expect((await fetch('/api/users/1', { method: 'PUT', body })).status).toBe(200)
      await open('themed.txt', 'colours\n')
      await waitFor(`the colours of ${theme}`, async () => {
        return (
          (await page
            .locator('.cm-editor')
            .evaluate((box) => getComputedStyle(box).backgroundColor)) === colour
        )
      })
    }
  })
})

describe('limits', () => {
  it('says that a film is no text, whatever its name, and changes nothing of it', async () => {
    // Its beginning: as a text the whole of it takes a slow machine a minute to draw.
    const film = (await readFile(join(SAMPLES, 'film.mp4'))).subarray(0, 8192)
    await tree.add({ 'film.txt': film, 'film.md': film })
    for (const name of ['film.txt', 'film.md']) {
      await page.goto(`/files/${name}`)
      await page.getByRole('heading', { name: 'This doesn’t look like text' }).waitFor()
      expect(await text().count()).toBe(0)
      await page.getByRole('button', { name: 'Open as text' }).click()
      await text().waitFor()
      await page.getByText('You can view it as text, but not edit it.').waitFor()
      expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
      await text().click()
      await page.keyboard.type('x')
      expect(await page.getByText('Unsaved').count()).toBe(0)
    }
    await page.goto('/files/film.txt')
    await page.getByRole('button', { name: 'Show bytes' }).click()
    await page.getByText('ftyp').waitFor()
    expect((await readFile(tree.at('film.txt'))).equals(film)).toBe(true)
  })

  it('says so of a long one, too', async () => {
    const film = Buffer.alloc(11 * 1024 * 1024, await readFile(join(SAMPLES, 'film.mp4')))
    await tree.add({ 'long-film.txt': film })
    await page.goto('/files/long-film.txt')
    await page.getByRole('note').getByText('This doesn’t look like text').waitFor()
  })

  it('shows a plain message instead of an empty editor to people who may not download', async () => {
    await addUser(program, 'blind', ['create', 'rename', 'modify', 'delete'])
    await tree.add({ 'unseen.txt': 'must stay\n' })
    const as = userLogin('blind')
    await using other = await openPage(browser, program, { path: '/files/unseen.txt', as })
    await other.page
      .getByRole('heading', { name: 'You don’t have permission to view this file' })
      .waitFor()
    expect(await other.page.locator('.cm-content').count()).toBe(0)
    expect(await other.page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    const sent = methodsSent(other.page)
    await other.page.keyboard.press('Control+s')
    await twoFrames(other.page)
    expect(sent).not.toContain('PUT')
    expect(await tree.read('unseen.txt')).toBe('must stay\n')
  })

  it('is read only without the right to modify', async () => {
    await addUser(program, 'reader', ['download'])
    await tree.add({ 'read.txt': 'only read\n' })
    const as = userLogin('reader')
    await using other = await openPage(browser, program, { path: '/files/read.txt', as })
    await other.page.getByText('only read').waitFor()
    await other.page.getByText('Read only').waitFor()
    expect(await other.page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    const sent = methodsSent(other.page)
    await other.page.locator('.cm-content').click()
    await other.page.keyboard.type('typing')
    await other.page.keyboard.press('Control+s')
    await expect.poll(() => other.page.locator('.cm-content').textContent()).toBe('only read')
    await twoFrames(other.page)
    expect(sent).not.toContain('PUT')
  })

  it('opens files by awkward names', async () => {
    for (const name of ['100%.txt', 'hash#tag?.txt', '<b>bold.txt', `quote'"x.txt`]) {
      await open(name, 'awkward\n')
      await atStart()
      await page.keyboard.type('x')
      await page.keyboard.press('Control+s')
      await onDisk(name, 'xawkward\n')
    }
  })
})

it('fits a phone: nothing scrolls sideways, everything is in reach', async () => {
  await tree.add({ 'phone.md': '# Phone\n\nA line.\n' })
  await using phone = await openPage(browser, program, {
    path: '/files/phone.md',
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
  })
  await phone.page.locator('.cm-content').waitFor()
  const width = () => phone.page.evaluate(() => document.documentElement.scrollWidth)
  await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
  await phone.page.getByRole('button', { name: 'Preview' }).tap()
  await phone.page
    .getByRole('heading', { name: 'Phone', level: 1 })
    .and(phone.page.locator('.md h1'))
    .waitFor()
  const editor = phone.page.getByRole('dialog', { name: 'phone.md' })
  await editor.getByRole('button', { name: 'More', exact: true }).tap()
  for (const item of ['Find', 'Go to line', 'Larger text', 'Download', 'Delete']) {
    await phone.page.getByRole('menuitem', { name: item, exact: true }).waitFor()
  }
  expect(phone.problems).toEqual([])
})
