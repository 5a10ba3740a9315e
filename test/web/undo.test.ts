// Taking back: what Undo restores, how long it is offered, and where it is not.
import { readdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, setModified, type Tree } from '../support/tree.ts'
import { CHANGES, makeChanges } from '../support/undo-rows.ts'
import { folderPages, sharedBrowser } from './browser-steps.ts'
import {
  doubleClick,
  entry,
  expectNames,
  focusedName,
  listedFolders,
  selectionBar,
  showList,
  toast,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)
/** In the view that accounts begin with. */
const openAsLeft = folderPages(openIn)

/** What takes long is told in the list of activity, too. */
const undoButton = (page: Page) =>
  page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' })

async function expectTree(tree: Tree, files: Record<string, string>): Promise<void> {
  await waitFor(`the files ${Object.keys(files).join(', ')}`, async () => {
    const found: Record<string, string> = {}
    for (const item of await readdir(tree.root, { recursive: true, withFileTypes: true })) {
      if (!item.isFile()) continue
      const name = `${item.parentPath}/${item.name}`.slice(tree.root.length + 1)
      found[name] = await tree.read(name)
    }
    const sorted = (all: Record<string, string>) => JSON.stringify(Object.entries(all).sort())
    return sorted(found) === sorted(files)
  })
}

async function rename(page: Page, from: string, to: string): Promise<void> {
  await entry(page, from).click()
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill(to)
  await page.keyboard.press('Enter')
  await toast(page, `Renamed to “${to}”`).waitFor()
}

/** Copies or cuts what is selected and pastes it into a folder of the root, then goes there. */
async function pasteInto(page: Page, keys: 'Control+c' | 'Control+x', folder: string) {
  await page.keyboard.press(keys)
  await doubleClick(entry(page, folder))
  // Its own row goes when what it holds is on the screen.
  await entry(page, folder).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+v')
}

describe('Undo', () => {
  it('takes back several things one by one, the newest first, with Ctrl+Z', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page, tree } = open
    await rename(page, 'a.txt', 'one.txt')
    await rename(page, 'b.txt', 'two.txt')
    await rename(page, 'one.txt', 'three.txt')
    await expectTree(tree, { 'three.txt': 'A', 'two.txt': 'B' })
    await page.keyboard.press('Control+z')
    await expectTree(tree, { 'one.txt': 'A', 'two.txt': 'B' })
    await expectNames(page, ['one.txt', 'two.txt'])
    await page.keyboard.press('Control+z')
    await expectTree(tree, { 'one.txt': 'A', 'b.txt': 'B' })
    await expectNames(page, ['b.txt', 'one.txt'])
    await page.keyboard.press('Control+z')
    await expectTree(tree, { 'a.txt': 'A', 'b.txt': 'B' })
    await expectNames(page, ['a.txt', 'b.txt'])
    await undoButton(page).waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('takes back what is still offered when a newer offer was dismissed', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page, tree } = open
    await rename(page, 'a.txt', 'one.txt')
    await rename(page, 'b.txt', 'two.txt')
    const newer = toast(page, 'Renamed to “two.txt”')
    await newer.getByRole('button', { name: 'Dismiss' }).click()
    await newer.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await expectTree(tree, { 'a.txt': 'A', 'two.txt': 'B' })
    expect(open.problems).toEqual([])
  })

  it('moves everything back to where it came from, and deletes the copies alone', async () => {
    const files = { 'a.txt': 'A', 'dir/deep/b.txt': 'B', 'to/there.txt': 'T' }
    await using open = await openFolder(files)
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await entry(page, 'dir').click({ modifiers: ['Control'] })
    await pasteInto(page, 'Control+x', 'to')
    await toast(page, 'Moved 2 items').waitFor()
    await expectTree(tree, { 'to/a.txt': 'A', 'to/dir/deep/b.txt': 'B', 'to/there.txt': 'T' })
    await undoButton(page).click()
    await expectTree(tree, files)
    await expectNames(page, ['there.txt'])

    await page.keyboard.press('Alt+ArrowUp')
    await entry(page, 'a.txt').click()
    await entry(page, 'dir').click({ modifiers: ['Control'] })
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 2 items').waitFor()
    await expectTree(tree, { ...files, 'to/a.txt': 'A', 'to/dir/deep/b.txt': 'B' })
    await expect.poll(() => focusedName(page)).toBe('dir')
    await page.keyboard.press('Control+z')
    await expectTree(tree, files)
    await expectNames(page, ['there.txt'])
    // The keyboard stays in the list when what it was on goes.
    await expect.poll(() => focusedName(page)).toBe('there.txt')
    expect(open.problems).toEqual([])
  })

  it('keeps a new folder that something was moved into since', async () => {
    await using open = await openFolder({ 'a.txt': 'A' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await selectionBar(page).getByRole('button', { name: 'Move' }).click()
    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').fill('for/later')
    await page.keyboard.press('Enter')
    await page.getByRole('treeitem', { name: 'later', selected: true }).waitFor()
    await page.getByRole('button', { name: 'Move here' }).click()
    await toast(page, 'Moved 1 item').waitFor()
    const created = toast(page, 'Created folder “for/later”')
    await created.getByRole('button', { name: 'Undo' }).click()
    await toast(page, '“for” wasn’t removed because it has changed since.').waitFor()
    await expectTree(tree, { 'for/later/a.txt': 'A' })
    await expectNames(page, ['for'])
    await toast(page, 'Moved 1 item').getByRole('button', { name: 'Undo' }).click()
    await expectTree(tree, { 'a.txt': 'A' })
    expect(open.problems).toEqual([])
  })

  it('keeps copies that were changed since, and removes the others', async () => {
    const files = { 'a.txt': 'A', 'b.txt': 'B', 'dir/deep/c.txt': 'C', 'same/d.txt': 'D' }
    await using open = await openFolder({ ...files, to: null })
    const { page, tree } = open
    await entry(page, 'dir').click()
    for (const name of ['same', 'a.txt', 'b.txt']) {
      await entry(page, name).click({ modifiers: ['Control'] })
    }
    // Looked at once when they were made, and again for Undo.
    const looks = Promise.all(
      ['dir', 'same'].map((name) => {
        return page.waitForResponse((response) => response.url().endsWith(`recursive/to/${name}`))
      }),
    )
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 4 items').waitFor()
    await looks
    await tree.add({ 'to/dir/deep/new.txt': 'new', 'to/b.txt': 'changed' })
    await undoButton(page).click()
    await toast(page, '2 items weren’t removed because they have changed since.').waitFor()
    await expectTree(tree, {
      ...files,
      'to/b.txt': 'changed',
      'to/dir/deep/c.txt': 'C',
      'to/dir/deep/new.txt': 'new',
    })
    await expectNames(page, ['dir', 'b.txt'])
    expect(open.problems).toEqual([])
  })

  it('keeps what comes into a folder in the moment between the look and the deletion', async () => {
    await using open = await openFolder({ 'dir/a.txt': 'A', to: null })
    const { page, tree } = open
    await entry(page, 'dir').click()
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 1 item').waitFor()
    await page.route('**/api/resources/to/dir**', async (route) => {
      if (route.request().method() === 'DELETE') await tree.add({ 'to/dir/late.txt': 'late' })
      await route.continue()
    })
    await undoButton(page).click()
    await toast(page, '“dir” wasn’t removed because it has changed since.').waitFor()
    await expectTree(tree, { 'dir/a.txt': 'A', 'to/dir/a.txt': 'A', 'to/dir/late.txt': 'late' })
    expect(open.problems).toEqual([])
  })

  it('removes a copy of many long names through a proxy that takes bodies of 1 MB', async () => {
    const deep = Array.from({ length: 8 }, () => 'long'.repeat(60)).join('/')
    const names = Array.from({ length: 600 }, (_, n) => `dir/${deep}/${n}.txt`)
    const files = Object.fromEntries(names.map((name) => [name, 'x']))
    await using open = await openFolder({ ...files, to: null })
    const { page, tree } = open
    await page.route('**/api/resources/to/dir**', async (route) => {
      const isLarge = (route.request().postDataBuffer()?.length ?? 0) > 1_000_000
      await (isLarge ? route.fulfill({ status: 413 }) : route.continue())
    })
    await entry(page, 'dir').click()
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 1 item').waitFor()
    await undoButton(page).click()
    await waitFor('the copy to go', async () => (await readdir(tree.at('to'))).length === 0)
    expect(await readdir(tree.at(`dir/${deep}`))).toHaveLength(600)
    expect(open.problems).toEqual([])
  })

  it('forgets the folders inside a copy that it removed', async () => {
    await using open = await openFolder({ 'dir/deep/a.txt': 'A', to: null })
    const { page, tree } = open
    await entry(page, 'dir').click()
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 1 item').waitFor()
    for (const name of ['dir', 'deep']) await doubleClick(entry(page, name))
    await entry(page, 'a.txt').waitFor()
    await page.goBack()
    await entry(page, 'deep').waitFor()
    await page.goBack()
    await entry(page, 'dir').waitFor()
    await undoButton(page).click()
    await waitFor('the copy to go', async () => (await readdir(tree.at('to'))).length === 0)
    // It has been told so, too.
    await entry(page, 'dir').waitFor({ state: 'detached' })
    // What is shown now is what the page remembers.
    await page.route('**/api/resources/to/dir**', () => {})
    await page.goForward()
    await page.goForward()
    await page.waitForURL('**/files/to/dir/deep/')
    await page.locator('.skeleton').waitFor()
    expect(await entry(page, 'a.txt').count()).toBe(0)
  })

  it('is offered for 10 s, and for as long as somebody points at it', async () => {
    await using tree = await makeTree({ 'a.txt': 'A' })
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await page.clock.install()
    await page.reload()
    await showList(page)
    // From before it is offered: what passes while this program works does not count.
    await page.clock.pauseAt(Date.now() + 60_000)
    await rename(page, 'a.txt', 'b.txt')
    await page.mouse.move(5, 5)
    await page.clock.runFor(9_000)
    expect(await undoButton(page).count()).toBe(1)
    await toast(page, 'Renamed').hover()
    await page.clock.runFor(60_000)
    expect(await undoButton(page).count()).toBe(1)
    await page.mouse.move(5, 5)
    await page.clock.runFor(2_000)
    await undoButton(page).waitFor({ state: 'detached' })
    await page.clock.resume()
    await page.keyboard.press('Control+z')
    // Had the key done anything, it would have come before this rename.
    await rename(page, 'b.txt', 'c.txt')
    await page.keyboard.press('Control+z')
    await expectTree(tree, { 'b.txt': 'A' })
    expect(open.problems).toEqual([])
  })

  it('is not offered without a trash when something was replaced', async () => {
    await using tree = await makeTree({ 'a.txt': 'new', 'to/a.txt': 'old' })
    await setModified(tree.at('to/a.txt'), '2020-01-01T00:00:00Z')
    await using program = await startProgram(tree, { args: ['--trash', 'off', '--versions=false'] })
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    await pasteInto(page, 'Control+x', 'to')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 to replace').waitFor()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await toast(page, 'Moved 1 item').waitFor()
    expect(await undoButton(page).count()).toBe(0)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Alt+ArrowUp')
    await expectNames(page, ['to'])
    await expectTree(tree, { 'to/a.txt': 'new' })
  })

  it('is not offered without a trash for a new folder or a copy to who does not see hidden names', async () => {
    await using tree = await makeTree({ 'a.txt': 'A', to: null })
    await using program = await startProgram(tree, { args: ['--trash', 'off'] })
    const { fetch } = await loginAs(program.origin)
    const data = { id: 1, hideDotfiles: true }
    await fetch('/api/users/1', {
      method: 'PUT',
      body: JSON.stringify({ what: 'user', which: ['hideDotfiles'], data }),
    })
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    await pasteInto(page, 'Control+c', 'to')
    await toast(page, 'Copied 1 item').waitFor()
    await page.keyboard.press('Alt+N')
    await page.getByRole('dialog').getByLabel('Name').fill('new')
    await page.keyboard.press('Enter')
    await toast(page, 'Created folder “new”').waitFor()
    expect(await undoButton(page).count()).toBe(0)
    await expectTree(tree, { 'a.txt': 'A', 'to/a.txt': 'A' })
    expect(open.problems).toEqual([])
  })

  it('says what it could not put back', async () => {
    await using open = await openFolder({ 'a.txt': 'A' })
    const { page, tree } = open
    await rename(page, 'a.txt', 'b.txt')
    await tree.add({ 'a.txt': 'somebody else' })
    await undoButton(page).click()
    await toast(page, 'Couldn’t restore “b.txt”.').waitFor()
    await expectTree(tree, { 'a.txt': 'somebody else', 'b.txt': 'A' })
    await expectNames(page, ['a.txt', 'b.txt'])
  })
})

describe('the page History', () => {
  it('takes back what no toast offers any more, and takes that back again', async () => {
    await using open = await openFolder({ 'a.txt': 'A' })
    const { page, tree } = open
    await rename(page, 'a.txt', 'b.txt')
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('navigation', { name: 'Settings' }).getByText('History').click()
    const rows = page.getByRole('row')
    const undone = rows.filter({ hasText: 'Undone' })
    await rows.filter({ hasText: '/b.txt' }).getByRole('button', { name: 'Undo' }).click()
    await undone.waitFor()
    await expectTree(tree, { 'a.txt': 'A' })
    await rows.filter({ hasNotText: 'Undone' }).getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => undone.count()).toBe(2)
    await expectTree(tree, { 'b.txt': 'A' })
    expect(open.problems).toEqual([])
  })

  it('takes back each kind of change after a restart, does it again, and leaves what others have changed', async () => {
    await using made = await makeChanges()
    await using program = await startProgram(made.tree)
    await using open = await openIn(program, { path: '/settings/history' })
    const { page } = open
    const undo = async (folder: string) => {
      const row = page.getByRole('row').filter({ hasText: `/${folder}/` })
      const answer = page.waitForResponse(/\/api\/history\/.+\/undo$/)
      await row.getByRole('button', { name: 'Undo' }).click()
      const status = (await answer).status()
      await row.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
      return status
    }
    const mine = async (wanted: unknown[]) => {
      for (const [i, name] of CHANGES.entries())
        expect([name, await undo(`mine/${i}`)]).toEqual([name, 200])
      expect(await made.contents('mine')).toEqual(wanted)
    }
    for (const [i, name] of CHANGES.entries())
      expect([name, await undo(`theirs/${i}`)]).toEqual([name, 409])
    expect(await made.contents('theirs')).toEqual(made.changed)
    await mine(made.before)
    await mine(made.after)
    expect(open.problems.filter((text) => !text.includes('409'))).toEqual([])
  })
})

it('leaves the focus in the listing when it is tapped on a phone', async () => {
  const phone = { viewport: PHONE, isMobile: true, hasTouch: true }
  await using open = await openAsLeft({ 'a.txt': 'a' }, { path: '/files/', ...phone })
  const { page } = open
  await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Duplicate' }).tap()
  await entry(page, 'a(1).txt').waitFor()
  await undoButton(page).tap()
  await expectNames(page, ['a.txt'])
  const isListed = () =>
    page.evaluate(() => document.activeElement?.closest('#listing, main') !== null)
  await expect.poll(isListed).toBe(true)
})
