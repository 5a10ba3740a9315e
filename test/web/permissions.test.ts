// What is on the screen for people who may not do everything (specification, section 6).
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { entry, expectSelected, selectionBar, showList, toast } from './listing-steps.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const PASSWORD = 'a long enough password 7'
const RIGHTS = ['create', 'rename', 'modify', 'delete', 'share', 'download'] as const
type Right = (typeof RIGHTS)[number]

async function addUser(
  program: Program,
  username: string,
  rights: readonly Right[],
): Promise<void> {
  const admin = await loginAs(program.origin)
  const perm = Object.fromEntries(
    ['admin', 'execute', ...RIGHTS].map((right) => [right, rights.includes(right as Right)]),
  )
  const answer = await admin.fetch('/api/users', {
    method: 'POST',
    body: JSON.stringify({
      what: 'user',
      which: [],
      current_password: ADMIN.password,
      data: {
        username,
        password: PASSWORD,
        scope: '/',
        locale: 'en',
        viewMode: 'list',
        singleClick: false,
        perm,
        commands: [],
        sorting: { by: 'name', asc: false },
        rules: [],
        lockPassword: false,
        hideDotfiles: false,
        dateFormat: false,
      },
    }),
  })
  if (answer.status !== 201) throw new Error(`user: ${answer.status} ${await answer.text()}`)
}

/** The commands offered for one selected file: bar, its More menu, and the context menu. */
async function offered(page: Page, name: string): Promise<Set<string>> {
  await entry(page, name).click({ button: 'right' })
  const menu = page.getByRole('menu')
  await menu.waitFor()
  const items = await menu.getByRole('menuitem').allInnerTexts()
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
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
  Move: ['rename'],
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
      await using open = await openPage(browser, program, {
        path: '/files/',
        as: { username, password: PASSWORD },
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
      expect(await upload.count(), 'Upload').toBe(create ? 1 : 0)
      expect(await page.getByRole('button', { name: 'New', exact: true }).count()).toBe(
        create ? 1 : 0,
      )
      // Settings of others and shared links follow the rights, too.
      const places = page.getByRole('navigation', { name: 'Places' })
      expect(await places.getByText('Shared links').count()).toBe(
        rights.includes('share') && rights.includes('download') ? 1 : 0,
      )
    }
  })

  it('takes no keys, drags or drops for what is not allowed', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', folder: null })
    await using program = await startProgram(tree)
    await addUser(program, 'reader', ['download'])
    await using open = await openPage(browser, program, {
      path: '/files/',
      as: { username: 'reader', password: PASSWORD },
    })
    const { page } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    for (const key of ['Delete', 'F2', 'Alt+n', 'Alt+Shift+N', 'Control+x', 'Control+d']) {
      await page.keyboard.press(key)
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator('.is-cut').count()).toBe(0)
    const from = await entry(page, 'a.txt').boundingBox()
    const to = await entry(page, 'folder').boundingBox()
    if (from === null || to === null) throw new Error('not on the screen')
    await page.mouse.move(from.x + 90, from.y + 20)
    await page.mouse.down()
    for (const step of [3, 10, 30]) await page.mouse.move(from.x + 90, from.y + 20 - step)
    await page.mouse.move(to.x + 90, to.y + 20)
    await page.mouse.move(to.x + 92, to.y + 21)
    expect(await page.locator('.item.drop').count()).toBe(0)
    await page.mouse.up()
    await expectSelected(page, ['a.txt'])
    const veil = await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'x.txt'))
      document
        .getElementById('listing')
        ?.dispatchEvent(
          new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data }),
        )
      return document.querySelector('.dropveil') !== null
    })
    expect(veil).toBe(false)
    expect(await tree.read('a.txt')).toBe('a')
  })

  it('follows rights that change while the page is open', async () => {
    await using tree = await makeTree({ 'a.txt': 'a' })
    await using program = await startProgram(tree)
    await addUser(program, 'changing', [...RIGHTS])
    await using open = await openPage(browser, program, {
      path: '/files/',
      as: { username: 'changing', password: PASSWORD },
    })
    const { page } = open
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
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Refresh')
    await page.keyboard.press('Enter')
    await waitFor(
      'the command to go',
      async () => (await selectionBar(page).getByRole('button', { name: 'Delete' }).count()) === 0,
    )
  })

  it('says in words when the server refuses after all', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'to/b.txt': 'b' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.route('**/api/resources/a.txt?*', (route) =>
      route.fulfill({
        status: 403,
        headers: { 'X-Error-Code': 'forbidden' },
        body: '403 Forbidden',
      }),
    )
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await entry(page, 'to').dblclick()
    await entry(page, 'b.txt').waitFor()
    await page.keyboard.press('Control+v')
    await toast(page, 'Couldn’t move “a.txt”. You don’t have permission to do this.').waitFor()
    expect(await entry(page, 'a.txt').count()).toBe(0)
    await page.goBack()
    await entry(page, 'a.txt').waitFor()
  })
})
