// What is on the screen for people who may not do everything (specification, section 6).
import { readdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { boxOf, servedPages, sharedBrowser } from './browser-steps.ts'
import {
  addUser,
  asksFor,
  doubleClick,
  entry,
  expectSelected,
  listedFolders,
  runCommand,
  selectionBar,
  showList,
  stillBox,
  toast,
  twoFrames,
  userLogin,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)
const openFolder = listedFolders(openIn)

const RIGHTS = ['create', 'rename', 'modify', 'delete', 'share', 'download'] as const
type Right = (typeof RIGHTS)[number]

/** The commands offered for one selected file: bar, its More menu, and the context menu. */
async function offered(page: Page, name: string): Promise<Set<string>> {
  await entry(page, name).click({ button: 'right' })
  const menu = page.getByRole('menu')
  await menu.waitFor()
  const items = await menu.getByRole('menuitem').allInnerTexts()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await selectionBar(page).waitFor()
  const bar = await selectionBar(page)
    .getByRole('button')
    .evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent ?? ''),
    )
  return new Set([...items.map((item) => item.split('\n')[0] ?? ''), ...bar])
}

const needs: Record<string, Right[]> = {
  Share: ['share', 'download'],
  Download: ['download'],
  Rename: ['rename'],
  'Move to…': ['rename'],
  Cut: ['rename'],
  Copy: ['create'],
  'Copy to…': ['create'],
  Duplicate: ['create'],
  Delete: ['delete'],
}

describe('permissions', () => {
  it('shows each command only with its right', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'b.txt': 'b', folder: null })
    await using program = await startProgram(tree)
    const sets: Right[][] = [
      [],
      ['create'],
      ['rename'],
      ['delete'],
      ['download'],
      ['share', 'download'],
      [...RIGHTS],
    ]
    for (const [at, rights] of sets.entries()) {
      const username = `user${at}`
      await addUser(program, username, rights)
      await using open = await openIn(program, {
        path: '/files/',
        as: userLogin(username),
      })
      const { page } = open
      await entry(page, 'a.txt').waitFor()
      const seen = await offered(page, 'a.txt')
      for (const [command, required] of Object.entries(needs)) {
        const may = required.every((right) => rights.includes(right))
        expect(seen.has(command), `${command} with ${rights.join(', ') || 'nothing'}`).toBe(may)
      }
      const create = rights.includes('create')
      const upload = page.getByRole('button', { name: 'Upload', exact: true })
      const make = page.getByRole('button', { name: 'New', exact: true })
      await expect.poll(() => upload.count(), { message: 'Upload' }).toBe(create ? 1 : 0)
      await expect.poll(() => make.count(), { message: 'New' }).toBe(create ? 1 : 0)
      // Settings of others and shared links follow the rights, too.
      const places = page.getByRole('navigation', { name: 'Places' })
      await expect
        .poll(() => places.getByText('Shared links').count())
        .toBe(rights.includes('share') && rights.includes('download') ? 1 : 0)
    }
  })

  it('offers Share for exactly one selected entry', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    const { page } = open
    await entry(page, 'a.txt').click()
    expect(await offered(page, 'a.txt')).toContain('Share')
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await expectSelected(page, ['a.txt', 'b.txt'])
    const forTwo = await offered(page, 'a.txt')
    expect(forTwo).toContain('Delete')
    expect(forTwo).not.toContain('Share')
    await selectionBar(page).getByRole('button', { name: 'More' }).click()
    await page.getByRole('menu').waitFor()
    expect(await page.getByRole('menuitem', { name: 'Share' }).count()).toBe(0)
    await expectSelected(page, ['a.txt', 'b.txt'])
    expect(open.problems).toEqual([])
  })

  it('takes no keys, drags or drops for what is not allowed', async () => {
    await using open = await openServed(
      { 'a.txt': 'a', folder: null },
      {
        path: '/files/',
        as: userLogin('reader'),
        prepare: (program) => addUser(program, 'reader', ['download']),
      },
    )
    const { page, tree } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    let picked = false
    page.on('filechooser', () => {
      picked = true
    })
    for (const key of [
      ...['Delete', 'F2', 'Alt+n', 'Alt+Shift+N', 'Alt+u'],
      ...['Control+x', 'Control+d', 'Control+c', 'Control+v'],
    ]) {
      await page.keyboard.press(key)
    }
    // Long enough for a paste to have been asked for, and the dialog of a later key comes.
    await page.keyboard.press('F1')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.locator('.is-cut').count()).toBe(0)
    expect(picked).toBe(false)
    const from = await stillBox(entry(page, 'a.txt'))
    const to = await boxOf(entry(page, 'folder'))
    await page.mouse.move(from.x + 90, from.y + 20)
    await page.mouse.down()
    for (const step of [3, 10, 30]) await page.mouse.move(from.x + 90, from.y + 20 - step)
    await page.mouse.move(to.x + 90, to.y + 20)
    await page.mouse.move(to.x + 92, to.y + 21)
    expect(await page.locator('.item.drop').count()).toBe(0)
    await page.mouse.up()
    await expectSelected(page, ['a.txt'])
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') asked.push(`${request.method()} ${request.url()}`)
    })
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'x.txt'))
      const init = { bubbles: true, cancelable: true, dataTransfer: data }
      const target = document.getElementById('listing')
      target?.dispatchEvent(new DragEvent('dragover', init))
    })
    await twoFrames(page)
    expect(await page.locator('.dropveil').count()).toBe(0)
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'x.txt'))
      const init = { bubbles: true, cancelable: true, dataTransfer: data }
      document.getElementById('listing')?.dispatchEvent(new DragEvent('drop', init))
    })
    await twoFrames(page)
    expect(asked).toEqual([])
    expect(await readdir(tree.root)).toEqual(['a.txt', 'folder'])
    expect(await tree.read('a.txt')).toBe('a')
  })

  it('downloads nothing by key without the right', async () => {
    await using open = await openServed(
      { 'a.txt': 'a' },
      {
        path: '/files/',
        as: userLogin('looker'),
        prepare: (program) => addUser(program, 'looker', ['create']),
      },
    )
    const { page } = open
    await showList(page)
    let downloads = 0
    page.on('download', () => downloads++)
    await page.keyboard.press('Control+s')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+s')
    await page.keyboard.press('F1')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    expect(downloads).toBe(0)
  })

  it('follows rights that change while the page is open', async () => {
    await using open = await openServed(
      { 'a.txt': 'a' },
      {
        path: '/files/',
        as: userLogin('changing'),
        prepare: (program) => addUser(program, 'changing', [...RIGHTS]),
      },
    )
    const { page, program } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    await selectionBar(page).getByRole('button', { name: 'Delete' }).waitFor()
    // Tokens know the second they were made in; the change has to come after that.
    const nowS = Math.floor(Date.now() / 1000)
    await waitFor('the next second', () => Math.floor(Date.now() / 1000) > nowS)
    const admin = await loginAs(program.origin)
    const users = (await (await admin.fetch('/api/users')).json()) as {
      id: number
      username: string
      perm: object
    }[]
    const user = users.find((each) => each.username === 'changing')
    const answer = await admin.fetch(`/api/users/${user?.id}`, {
      method: 'PUT',
      body: JSON.stringify({
        what: 'user',
        which: ['perm'],
        current_password: ADMIN.password,
        data: { id: user?.id, perm: { ...user?.perm, delete: false } },
      }),
    })
    expect(answer.status).toBe(200)
    await runCommand(page, 'Refresh')
    await waitFor(
      'the command to go',
      async () => (await selectionBar(page).getByRole('button', { name: 'Delete' }).count()) === 0,
    )
  })

  it('says in words when the server refuses after all', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'to/b.txt': 'b' })
    const { page } = open
    await page.route('**/api/jobs?*', (route) =>
      asksFor(route.request(), 'move', 'a.txt')
        ? route.fulfill({ status: 403, headers: { 'X-Error-Code': 'forbidden' }, body: '' })
        : route.continue(),
    )
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await doubleClick(entry(page, 'to'))
    await entry(page, 'b.txt').waitFor()
    await page.keyboard.press('Control+v')
    await toast(page, 'Couldn’t move “a.txt”. You don’t have permission to do this.').waitFor()
    await entry(page, 'a.txt').waitFor({ state: 'detached' })
    await page.goBack()
    await entry(page, 'a.txt').waitFor()
  })
})
