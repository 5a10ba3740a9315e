// Input that comes faster than answers and drawings: nothing of it is lost, taken for something else or done twice.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../support/pictures.ts'
import { holdAnswers, servedPages, sharedBrowser } from './browser-steps.ts'
import {
  doubleClick,
  entry,
  expectNames,
  expectSelected,
  keepOffers,
  listedFolders,
  listedServers,
  toast,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)
/** With a trash. */
const openServer = listedServers(openIn)
const openServed = servedPages(openIn)

const pathOf = (page: Page) => new URL(page.url()).pathname

interface Press {
  key: string
  code?: string
  ctrlKey?: boolean
  altKey?: boolean
}

/** Presses keys where the focus is, with nothing drawn between them, after a turn of the wheel where one is given. */
async function pressAtOnce(page: Page, keys: Press[], wheel?: number): Promise<void> {
  await page.evaluate(
    async ([presses, deltaY]) => {
      const { activeElement } = document
      const at = { bubbles: true, cancelable: true }
      // What a key has asked for is done before the next, as with real ones; what waits for a turn is not.
      const settle = async () => {
        for (let n = 0; n < 100; n++) await null
      }
      if (deltaY !== undefined) {
        const middle = { clientX: innerWidth / 2, clientY: innerHeight / 2 }
        const place = document.elementFromPoint(middle.clientX, middle.clientY)
        place?.dispatchEvent(new WheelEvent('wheel', { deltaY, ...middle, ...at }))
        await settle()
      }
      for (const press of presses) {
        activeElement?.dispatchEvent(new KeyboardEvent('keydown', { ...press, ...at }))
        await settle()
      }
    },
    [keys, wheel] as const,
  )
}

/** How often the page asks for something from now on. */
function countOf(page: Page, method: string, address: RegExp): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.method() === method && address.test(request.url())) count++
  })
  return () => count
}

async function renameTo(page: Page, from: string, name: string): Promise<void> {
  await entry(page, from).click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New name' }).fill(name)
  await page.keyboard.press('Enter')
}

async function deleteEach(page: Page, names: string[]): Promise<void> {
  for (const name of names) {
    await entry(page, name).click()
    await page.keyboard.press('Delete')
    await toast(page, `Deleted “${name}”`).waitFor()
  }
}

describe('in a folder', () => {
  it('Ctrl+Z takes back what is seen as done, not what was done before it', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page, tree } = open
    await renameTo(page, 'a.txt', 'one.txt')
    await toast(page, 'Renamed to “one.txt”').waitFor()
    const held = await holdAnswers(page, '**/api/resources/b.txt?*')
    await renameTo(page, 'b.txt', 'two.txt')
    await expectNames(page, ['one.txt', 'two.txt'])
    await page.keyboard.press('Control+z')
    held.resolve()
    await expectNames(page, ['b.txt', 'one.txt'])
    await expect.poll(async () => (await readdir(tree.root)).sort()).toEqual(['b.txt', 'one.txt'])
    expect(open.problems).toEqual([])
  })

  it('Ctrl+Z takes back nothing else where what was seen as done was refused', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page } = open
    await renameTo(page, 'a.txt', 'one.txt')
    await toast(page, 'Renamed to “one.txt”').waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/resources/b.txt?*', async (route) => {
      await answer.promise
      await route.fulfill({ status: 403 })
    })
    await renameTo(page, 'b.txt', 'two.txt')
    await expectNames(page, ['one.txt', 'two.txt'])
    await page.keyboard.press('Control+z')
    answer.resolve()
    await page.getByRole('alert').first().waitFor()
    await page.keyboard.press('Escape')
    await expectNames(page, ['b.txt', 'one.txt'])
    await toast(page, 'Renamed to “one.txt”').waitFor()
  })

  it('Delete pressed twice deletes once, and held down one entry', async () => {
    await using open = await openServer({ 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' })
    const { page } = open
    const jobs = countOf(page, 'POST', /\/api\/jobs/)
    const held = await holdAnswers(page, '**/api/preferences')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Delete')
    held.resolve()
    await toast(page, 'Deleted “a.txt”').waitFor()
    await expectSelected(page, ['b.txt'])
    await page.keyboard.down('Delete')
    await toast(page, 'Deleted “b.txt”').waitFor()
    await expectSelected(page, ['c.txt'])
    // The browser tells the second one as a repeated one.
    await page.keyboard.down('Delete')
    await page.keyboard.up('Delete')
    await page.keyboard.press('Control+z')
    await expectNames(page, ['b.txt', 'c.txt'])
    expect(jobs()).toBe(2)
    expect(open.problems).toEqual([])
  })

  it('keys pressed while a dialog is loading open no second one, and nothing behind it', async () => {
    await using open = await openFolder({ 'docs/a.txt': 'A' })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['docs'])
    const newFolder = { key: 'n', code: 'KeyN', altKey: true }
    await pressAtOnce(page, [newFolder, newFolder, { key: 'Enter' }])
    const dialog = page.getByRole('dialog', { name: 'New folder' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(pathOf(page)).toBe('/files/')
    expect(open.problems).toEqual([])
  })

  it('keys pressed right after F2 neither delete the entry nor open it', async () => {
    await using open = await openFolder({ 'docs/a.txt': 'A' })
    const { page } = open
    await page.keyboard.press('ArrowDown')
    await expectSelected(page, ['docs'])
    await pressAtOnce(page, [{ key: 'F2' }, { key: 'Delete' }, { key: 'Enter' }])
    await page.getByRole('textbox', { name: 'New name' }).fill('papers')
    await page.keyboard.press('Enter')
    await expectNames(page, ['papers'])
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    expect(pathOf(page)).toBe('/files/')
    // The listing has its keys again.
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').waitFor()
  })

  it('Backspace pressed twice goes up twice, also where the folder above is on its way', async () => {
    await using open = await openFolder({ 'x/y/z/deep.txt': '' }, { path: '/files/x/y/z/' })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/x/y')
    await page.keyboard.press('Backspace')
    await expect.poll(() => pathOf(page)).toBe('/files/x/y/')
    await page.keyboard.press('Backspace')
    await expectNames(page, ['y'])
    expect(pathOf(page)).toBe('/files/x/')
    held.resolve()
    expect(open.problems).toEqual([])
  })

  it('what was cut and is pasted twice moves once, what is duplicated twice is there twice', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'to/x.txt': 'X' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await doubleClick(entry(page, 'to'))
    await entry(page, 'x.txt').waitFor()
    const moving = await holdAnswers(page, '**/api/jobs?*')
    const asked = page.waitForRequest('**/api/jobs?*')
    await page.keyboard.press('Control+v')
    await asked
    await page.keyboard.press('Control+v')
    moving.resolve()
    await toast(page, 'Moved 1 item to “to”').waitFor()
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+d')
    await page.keyboard.press('Control+d')
    await expect
      .poll(async () => (await readdir(tree.at('to'))).sort())
      .toEqual(['a(1).txt', 'a(2).txt', 'a.txt', 'x.txt'])
    await expectNames(page, ['a.txt', 'a(1).txt', 'a(2).txt', 'x.txt'])
    expect(await page.locator('.toast--bad').count()).toBe(0)
    expect(open.problems).toEqual([])
  })
})

describe('in what is open', () => {
  it('a text typed while it is being saved is saved by the next Ctrl+S', async () => {
    await using open = await openServed({ 'e.txt': 'one' }, { path: '/files/e.txt' })
    const { page, tree } = open
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/resources/e.txt*', async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    const asked = page.waitForRequest((request) => request.method() === 'PUT')
    await page.keyboard.type(' two')
    await page.keyboard.press('Control+s')
    await asked
    await page.keyboard.type(' three')
    await page.keyboard.press('Control+s')
    held.resolve()
    await expect.poll(() => tree.read('e.txt')).toBe('one two three')
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('a picture is at 1:1 where that is asked for right after the wheel, and Escape leaves it once', async () => {
    const png = await readFile(join(SAMPLES, 'picture.png'))
    await using open = await openFolder({ 'a.png': png, 'sub/b.txt': '' }, { path: '/files/sub/' })
    const { page } = open
    await page.keyboard.press('Backspace')
    await doubleClick(entry(page, 'a.png'))
    await page.locator('.vw-picture > img[data-shown=true]').waitFor()
    const percent = page.getByLabel('Zoom', { exact: true })
    await expect.poll(() => percent.textContent()).toMatch(/%$/)
    await pressAtOnce(page, [{ key: '1' }], -400)
    await page.getByRole('button', { name: 'Actual size', pressed: true }).waitFor()
    await pressAtOnce(page, [{ key: 'Escape' }, { key: 'Escape' }])
    await page.locator('.vw').waitFor({ state: 'detached' })
    await expectNames(page, ['sub', 'a.png'])
    expect(pathOf(page)).toBe('/files/')
    expect(open.problems).toEqual([])
  })

  it('the first row of a table is in sight where it is asked for right after the last', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `${n},row ${n}`)
    await using open = await openServed(
      { 't.csv': `n,name\n${lines.join('\n')}` },
      { path: '/files/t.csv' },
    )
    const { page } = open
    const grid = page.getByRole('grid', { name: 't.csv' })
    await grid.getByText('row 1', { exact: true }).waitFor()
    await grid.focus()
    await pressAtOnce(page, [
      { key: 'End', ctrlKey: true },
      { key: 'Home', ctrlKey: true },
    ])
    await expect.poll(() => grid.evaluate((element) => element.scrollTop)).toBe(0)
    await grid.getByText('row 1', { exact: true }).waitFor()
  })

  it('a book is turned by as many pages as keys', async () => {
    const book = await readFile(join(SAMPLES, 'book.epub'))
    await using open = await openServed(
      { 'book.epub': book },
      { path: '/files/book.epub', viewport: { width: 500, height: 260 } },
    )
    const { page } = open
    await page.getByText('The first chapter').first().waitFor()
    const text = page.locator('.vw-book-scroll')
    const pagePx = await text.evaluate((element) => element.clientHeight - 48)
    await pressAtOnce(page, [{ key: 'PageDown' }, { key: 'PageDown' }, { key: 'PageDown' }])
    await expect.poll(() => text.evaluate(({ scrollTop }) => scrollTop)).toBe(3 * pagePx)
  })

  it('Enter goes on from the match that is being looked for', async () => {
    const values = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, 'needle']))
    await using open = await openServed(
      { 'd.json': JSON.stringify(values) },
      { path: '/files/d.json?view=json' },
    )
    const { page } = open
    await page.getByRole('treeitem').nth(5).waitFor()
    const field = page.getByRole('textbox', { name: 'Find in the tree' })
    await field.fill('needle')
    await field.focus()
    await pressAtOnce(page, [{ key: 'Enter' }, { key: 'Enter' }, { key: 'Enter' }])
    await page.getByText('4 of 5').waitFor()
    expect(open.problems).toEqual([])
  })
})

describe('a double click', () => {
  it('restores once, and asks once before the trash is emptied', async () => {
    await using open = await openServer({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page } = open
    await deleteEach(page, ['a.txt', 'b.txt'])
    await page.goto('/settings/trash')
    const restored = countOf(page, 'POST', /\/api\/trash\/restore/)
    const row = page.getByRole('row').filter({ hasText: 'a.txt' })
    await doubleClick(row.getByRole('button', { name: 'Restore', exact: true }))
    await toast(page, 'Restored: a.txt').waitFor()
    await row.waitFor({ state: 'detached' })
    expect(restored()).toBe(1)
    await doubleClick(page.getByRole('button', { name: 'Empty trash' }))
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('brings a version back once', async () => {
    await using open = await openServer({ 'a.txt': 'one' })
    const { page, tree } = open
    await page.evaluate(async () => {
      const headers = { 'X-Auth': await (await fetch('/api/renew')).text() }
      await fetch('/api/resources/a.txt', { method: 'PUT', headers, body: 'two' })
    })
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+i')
    await page.getByRole('complementary', { name: 'Details' }).getByText('Show').click()
    const dialog = page.getByRole('dialog', { name: 'Versions' })
    const restored = countOf(page, 'POST', /\/api\/versions\//)
    await doubleClick(dialog.getByRole('button', { name: 'Restore' }))
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => tree.read('a.txt')).toBe('one')
    expect(restored()).toBe(1)
  })
})

it('shows all that was taken back in the history, where that was asked for one right after the other', async () => {
  await using open = await openServer({ 'a.txt': 'A', 'b.txt': 'B' })
  const { page } = open
  await deleteEach(page, ['a.txt', 'b.txt'])
  await page.goto('/settings/history')
  await keepOffers(page)
  const rows = page.getByRole('row').filter({ hasText: 'Deleted' })
  await rows.nth(1).getByRole('button', { name: 'Undo' }).waitFor()
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  await page.route('**/api/history/*/undo', async (route) => {
    await answers[asked++]?.promise
    await route.continue()
  })
  for (const n of [0, 1]) await rows.nth(n).getByRole('button', { name: 'Undo' }).click()
  for (const [n, answer] of answers.entries()) {
    answer.resolve()
    await expect.poll(() => rows.getByText('Undone').count()).toBe(n + 1)
  }
  expect(open.problems).toEqual([])
})
