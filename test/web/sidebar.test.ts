// The foot of the sidebar: how full the disk is, who is signed in, the way out, the version.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { ADMIN, runProgram, startConfigured } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { folderPages, servedPages, sharedBrowser } from './browser-steps.ts'
import { addUser, doubleClick, entry, showList, twoFrames, userLogin } from './listing-steps.ts'
import { pickFiles } from './upload-steps.ts'

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

const openIn = sharedBrowser()
const openServed = servedPages(openIn)
const openFolder = folderPages(openIn)

/** `12.3 GiB` in bytes. */
function bytesOf(text: string | undefined): number {
  const [value = '', unit = ''] = (text ?? '').split(/\s/)
  return Number(value.replaceAll(',', '')) * 1024 ** STEPS.indexOf(unit)
}

describe('the storage bar', () => {
  it('tells used, total and per cent of the disk, on file pages only', async () => {
    await using open = await openFolder({ 'a.txt': 'x' }, { path: '/settings/profile' })
    const { page } = open
    const answer = page.waitForResponse((response) => response.url().includes('/api/usage'))
    await page.goto('/files/')
    const { used, total } = (await (await answer).json()) as { used: number; total: number }
    const bar = page.getByRole('progressbar', { name: 'Storage used' })
    await bar.waitFor()
    const shown = await page.getByText(/^[\d.,]+ \w+ of [\d.,]+ \w+$/).textContent()
    const [first, second] = (shown ?? '').split(' of ')
    expect(bytesOf(second) / total).toBeCloseTo(1, 1)
    expect(bytesOf(first) / used).toBeCloseTo(1, 1)
    const percent = await page.locator('.store').getByText(/%$/).textContent()
    expect(Math.abs(Number.parseFloat(percent ?? '') - (used / total) * 100)).toBeLessThan(3)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    expect(await bar.count()).toBe(0)
    await page.getByRole('link', { name: 'My files' }).click()
    await bar.waitFor()
  })

  it('is not shown, and not asked for, where the administrator hid it', async () => {
    await using open = await openServed({ 'a.txt': 'x' }, { path: '/settings/global' })
    const { page } = open
    const bar = page.getByRole('progressbar', { name: 'Storage used' })
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/usage')) asked.push(request.url())
    })
    await page.clock.install()
    await page.goto('/files/')
    await entry(page, 'a.txt').waitFor()
    await page.clock.runFor(2000)
    await bar.waitFor()
    expect(asked.length).toBeGreaterThan(0)
    await page.goto('/settings/global')
    await page.getByRole('switch', { name: 'Hide the storage bar' }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Settings saved').first().waitFor()
    asked.length = 0
    await page.goto('/files/')
    await entry(page, 'a.txt').waitFor()
    // Longer than the page waits before it asks.
    await page.clock.runFor(2000)
    expect(asked).toEqual([])
    expect(await bar.count()).toBe(0)
  })

  it('vanishes when the figures fail or are unknown, and is asked for after files came or went', async () => {
    await using open = await openFolder({ 'a.txt': 'x', sub: null }, { path: '/files/' })
    const { page, tree } = open
    const bar = page.getByRole('progressbar', { name: 'Storage used' })
    await bar.waitFor()
    const nextAnswer = () => page.waitForResponse((answer) => answer.url().includes('/api/usage'))

    await page.route('**/api/usage/**', (route) => route.fulfill({ status: 500, body: '500' }))
    const own = join(tree.base, 'new.txt')
    await writeFile(own, 'new')
    let answer = nextAnswer()
    await pickFiles(page, [own])
    await answer
    await bar.waitFor({ state: 'detached' })

    await page.unroute('**/api/usage/**')
    answer = nextAnswer()
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await answer
    await bar.waitFor()

    await page.route('**/api/usage/**', (route) => route.fulfill({ json: { used: 0, total: 0 } }))
    await doubleClick(entry(page, 'sub'))
    await bar.waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('stands while the figures are asked for again', async () => {
    await using open = await openFolder({ one: null, two: null }, { path: '/files/' })
    const { page } = open
    const bar = page.getByRole('progressbar', { name: 'Storage used' })
    await bar.waitFor()
    const gate = Promise.withResolvers<void>()
    const asked: string[] = []
    await page.route('**/api/usage/**', async (route) => {
      asked.push(new URL(route.request().url()).pathname)
      await gate.promise
      // The page gave up all but the last.
      await route.continue().catch(() => {})
    })
    await doubleClick(entry(page, 'one'))
    await waitFor('the first question', () => asked.length === 1)
    await page.goBack()
    await doubleClick(entry(page, 'two'))
    await waitFor('another question', () => asked.length >= 2)
    await twoFrames(page)
    await expect.poll(() => bar.isVisible()).toBe(true)
    gate.resolve()
    expect(open.problems).toEqual([])
  })
})

describe('the version', () => {
  it('is that of the program', async () => {
    await using open = await openFolder({}, { path: '/files/' })
    const { stdout } = await runProgram(['version'], { cwd: open.tree.base })
    const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1]
    expect(version).toBeTruthy()
    await open.page.getByText(`File Browser ${version}`).waitFor()
  })
})

describe('the way to the help', () => {
  it('is beside the version', async () => {
    await using open = await openFolder({}, { path: '/files/' })
    const { page } = open
    await page.getByRole('button', { name: 'Help · F1' }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    expect(open.problems).toEqual([])
  })
})

describe('the way out', () => {
  it('is hidden from people whom a proxy signs in', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    const proxy = ['--auth.method', 'proxy', '--auth.header', 'X-Name']
    await using program = await startConfigured(tree, proxy)
    await using open = await openIn(program, {
      path: '/files/',
      as: null,
      extraHTTPHeaders: { 'X-Name': ADMIN.username },
    })
    const { page } = open
    await entry(page, 'a.txt').waitFor()
    await page.getByRole('link', { name: ADMIN.username }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  })

  it('leads to the page the administrator chose', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    const page404 = ['--auth.method', 'json', '--auth.logoutPage', '/404?bye']
    await using program = await startConfigured(tree, page404)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/404?bye')
    await page.goto('/files/')
    await page.waitForURL('**/login')
  })
})

describe('folders that an account keeps at hand', () => {
  it('are hidden from others who use the browser, and there again at the next login', async () => {
    await using open = await openServed(
      { 'pinned/a.txt': 'a', 'recent/b.txt': 'b' },
      { path: '/files/', prepare: (program) => addUser(program, 'bea', ['create']) },
    )
    const { page, context } = open
    const pins = page.getByRole('navigation', { name: 'Pinned folders' }).getByRole('link')
    const offered = async () => {
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Commands' })
      await palette.getByRole('option').first().waitFor()
      const names = await palette.getByRole('option').allTextContents()
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      return names.filter((name) => /pinned|recent/.test(name)).length
    }
    const become = async (login: { username: string; password: string }) => {
      await page.goto('about:blank')
      const data = { ...login, recaptcha: '' }
      expect((await context.request.post('/api/login', { data })).ok()).toBe(true)
      await page.goto('/files/')
      await entry(page, 'pinned').waitFor()
    }
    await showList(page)
    await entry(page, 'pinned').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Pin to sidebar' }).click()
    await pins.waitFor()
    await doubleClick(entry(page, 'recent'))
    await entry(page, 'b.txt').waitFor()
    await twoFrames(page)
    await become(userLogin('bea'))
    expect(await pins.count()).toBe(0)
    expect(await offered()).toBe(0)
    await become(ADMIN)
    await pins.getByText('pinned').waitFor()
    await expect.poll(offered).toBe(2)
    expect(open.problems).toEqual([])
  })

  it('are taken over once from where earlier versions kept them for everybody', async () => {
    await using open = await openServed(
      { 'pinned/a.txt': 'a' },
      { path: '/login', as: null, prepare: (program) => addUser(program, 'bea', ['create']) },
    )
    const { page, context } = open
    await page.evaluate(() => {
      const pinned = [{ path: '/pinned', name: 'pinned' }]
      localStorage.setItem('fb-prefs', JSON.stringify({ pinned, details: true }))
      localStorage.setItem('fb-recent-folders', '["/recent"]')
    })
    const pins = page.getByRole('navigation', { name: 'Pinned folders' }).getByRole('link')
    const details = page.getByRole('complementary', { name: 'Details' })
    for (const [login, count] of [
      [ADMIN, 1],
      [userLogin('bea'), 0],
      [ADMIN, 1],
    ] as const) {
      await page.goto('about:blank')
      const data = { ...login, recaptcha: '' }
      expect((await context.request.post('/api/login', { data })).ok()).toBe(true)
      await page.goto('/files/')
      await entry(page, 'pinned').waitFor()
      // What is the browser's stays as it is for everybody.
      await details.waitFor()
      await expect.poll(() => pins.count()).toBe(count)
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Commands' })
      await palette.getByRole('option').first().waitFor()
      await expect.poll(() => palette.getByRole('option', { name: 'recent' }).count()).toBe(count)
    }
    expect(open.problems).toEqual([])
  })
})
