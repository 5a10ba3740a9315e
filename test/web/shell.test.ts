// The shell panel on a server that allows commands.
import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { UserRecord } from '../../src/api-types.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { childrenOf } from '../support/process-facts.ts'
import { ADMIN, type Program } from '../support/program.ts'
import { boxOf, folderPages, servedPages, sharedSite } from './browser-steps.ts'
import { addUser, doubleClick, stillBox, twoFrames, userLogin } from './listing-steps.ts'
import { changeSettings } from './settings-steps.ts'

const args = ['--disableExec=false']

const openServed = servedPages()
const openFolder = folderPages()

async function allow(program: Program, commands: string[]): Promise<void> {
  const admin = await loginAs(program.origin)
  const user = (await (await admin.fetch('/api/users/1')).json()) as UserRecord
  const response = await admin.fetch('/api/users/1', {
    method: 'PUT',
    body: JSON.stringify({
      what: 'user',
      which: ['commands', 'perm'],
      current_password: ADMIN.password,
      data: { ...user, commands, perm: { ...user.perm, execute: true } },
    }),
  })
  expect(response.status).toBe(200)
}

const site = sharedSite(
  () => ({ 'a.txt': 'x', 'b.txt': 'b', 'log.txt': 'early line\n', 'site/one file.txt': 'x' }),
  { args },
)
beforeAll(() => allow(site.program, ['ls', 'printf', 'echo', 'sleep', 'tail']))

async function openShell(page: Page): Promise<void> {
  await openFolderMenu(page)
  await page.getByRole('menuitem', { name: 'Open in terminal' }).click()
  await page.locator('.xterm-rows').getByText('❯').first().waitFor()
  await waitFor('the focus in the shell', () => hasFocus(page))
}

const hasFocus = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('.term') != null)

/** The shell waits for the next line. */
const untilPrompt = (page: Page) =>
  waitFor('the prompt', async () => (await shown(page)).trimEnd().endsWith('❯'))

/** The context menu of the blank space below the entries. */
async function openFolderMenu(page: Page): Promise<void> {
  const listing = page.locator('#listing')
  await listing.waitFor()
  await page.locator('.skeleton').waitFor({ state: 'detached' })
  const box = await stillBox(listing)
  await page.mouse.click(box.x + box.width / 2, box.y + box.height - 20, { button: 'right' })
}

/** What the terminal shows, line by line. */
async function shown(page: Page): Promise<string> {
  const rows = await page.locator('.xterm-rows > div').allTextContents()
  return `\n${rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).join('\n')}`
}

async function type(page: Page, line: string): Promise<void> {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** The process id of a command the server runs, 0 when it does not. */
async function runningAs(program: Program, command: string): Promise<number> {
  for (const pid of await childrenOf(program.process.pid ?? 0)) {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (name.trim() === command) return pid
  }
  return 0
}

function untilShown(page: Page, text: string): Promise<boolean> {
  return waitFor(`"${text}" in the shell`, async () => (await shown(page)).includes(text))
}

describe('the shell', () => {
  it('has a head that runs as words do, and a screen that runs from left to right', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl'
    })
    const leftOf = async (target: Locator) => (await boxOf(target)).x
    const close = page.getByRole('button', { name: 'Close terminal' })
    const title = page.locator('.term').getByText('Terminal ·')
    expect(await leftOf(close)).toBeLessThan(await leftOf(title))
    const screen = page.locator('.term__screen')
    expect(await screen.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr')
  })

  it('runs a command in the open folder and shows its colours', async () => {
    await using open = await site.open({ path: '/files/site/' })
    const { page } = open
    await openShell(page)
    await untilShown(page, '~/site ❯')
    await type(page, 'ls')
    await untilShown(page, 'one file.txt')
    await type(page, String.raw`printf '\033[31mred words\033[0m\n'`)
    await untilShown(page, '\nred words')
    const red = page.locator('.xterm-rows span', { hasText: /^red words$/ }).last()
    const colour = await red.evaluate((span) => getComputedStyle(span).color)
    expect(colour).toBe('rgb(255, 139, 134)')
    expect(open.problems).toEqual([])
  })

  it('refuses what is not allowed and names what is, and the sign that no shell is there for', async () => {
    await using open = await site.open()
    await openShell(open.page)
    await type(open.page, 'rm a.txt')
    await untilShown(open.page, 'Command not allowed. You can run: ls')
    expect(await site.tree.read('a.txt')).toBe('x')
    await type(open.page, 'ls; du')
    await untilShown(open.page, 'Command not allowed. “;” isn’t supported')
  })

  it('gives a line to the shell that is configured, whole, and says nothing of its signs', async () => {
    await using open = await openServed(
      { 'a.txt': 'one\ntwo\n' },
      {
        args,
        prepare: async (program) => {
          await changeSettings(program, () => ({ shell: ['/bin/sh', '-c'] }))
          await allow(program, ['cat', 'echo'])
        },
      },
    )
    const { page, tree } = open
    await openShell(page)
    await type(page, 'cat a.txt | tail -n 1')
    await untilShown(page, '\ntwo')
    await type(page, 'echo first; echo "sum $((20 + 3))" && echo kept > b.txt')
    await untilShown(page, '\nfirst\nsum 23')
    await expect.poll(() => tree.read('b.txt')).toBe('kept\n')
    await type(page, 'rm a.txt; echo gone')
    await untilShown(page, 'Command not allowed. You can run: cat and echo')
    const text = await shown(page)
    expect(text).not.toContain('isn’t supported')
    expect(text).not.toContain('\ngone')
    expect(await tree.read('a.txt')).toBe('one\ntwo\n')
    expect(open.problems).toEqual([])
  })

  it('ends a running command with Ctrl+C', async () => {
    await using open = await site.open()
    const { page } = open
    const { program } = site
    await openShell(page)
    await type(page, 'sleep 600')
    const pid = await waitFor('the process', () => runningAs(program, 'sleep'))
    await page.keyboard.press('Control+c')
    await untilShown(page, '^C')
    await waitFor('the end of the process', () => !existsSync(`/proc/${pid}`))
    await type(page, 'echo alive')
    await untilShown(page, '\nalive')
  })

  it('recalls lines, edits them, clears, exits, and comes and goes by the button beside the breadcrumbs', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    await type(page, 'echo first')
    await untilShown(page, '\nfirst')
    await untilPrompt(page)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Control+w')
    await type(page, 'second')
    await untilShown(page, '\nsecond')
    await untilPrompt(page)
    await type(page, 'clear')
    await waitFor('an empty shell', async () => !(await shown(page)).includes('second'))
    await type(page, 'exit')
    await page.locator('.term').waitFor({ state: 'detached' })
    const more = page.getByRole('button', { name: 'More actions' })
    await more.click()
    await page.getByRole('menuitem', { name: 'Open in terminal' }).click()
    await page.locator('.term').waitFor()
    await more.click()
    await page.getByRole('menuitem', { name: 'Close terminal' }).click()
    await page.locator('.term').waitFor({ state: 'detached' })
  })

  it('goes back and forth through the commands typed, down to the line begun', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    for (const word of ['one', 'two']) {
      await type(page, `echo ${word}`)
      await untilShown(page, `\n${word}`)
      await untilPrompt(page)
    }
    const onTheLine = (text: string) =>
      waitFor(`“${text}” on the line`, async () =>
        (await shown(page)).trimEnd().endsWith(`❯ ${text}`),
      )
    await page.keyboard.type('begun')
    await onTheLine('begun')
    for (const [key, text] of [
      ['ArrowUp', 'echo two'],
      ['ArrowUp', 'echo one'],
      ['ArrowUp', 'echo one'],
      ['ArrowDown', 'echo two'],
      ['ArrowDown', 'begun'],
    ] as const) {
      await page.keyboard.press(key)
      await onTheLine(text)
    }
    expect(open.problems).toEqual([])
  })

  it('takes what is typed ahead in its order', async () => {
    await using open = await site.open({ path: '/login' })
    const { page } = open
    // As on a busy machine: what is printed is drawn late, keys come all the time.
    await page.addInitScript(() => {
      const { setTimeout } = window
      const late = (task: () => void, ms = 0) => setTimeout(task, ms === 0 ? 250 : ms)
      Object.assign(window, { setTimeout: late })
    })
    await page.goto('/files/')
    await openShell(page)
    await type(page, 'sleep 0.3')
    await page.keyboard.type('echo letters in the order they were typed in', { delay: 25 })
    await page.keyboard.press('Enter')
    await untilShown(page, '\nletters in the order they were typed in')
  })

  it('shows the output while the command still runs', async () => {
    await using open = await site.open()
    const { page } = open
    const { program, tree } = site
    await openShell(page)
    await type(page, 'tail -f log.txt')
    await untilShown(page, '\nearly line')
    await appendFile(tree.at('log.txt'), 'late line\n')
    await untilShown(page, '\nlate line')
    expect(await runningAs(program, 'tail')).toBeGreaterThan(0)
  })

  it('ends its command and closes when the files are left', async () => {
    await using open = await site.open()
    const { page } = open
    const { program } = site
    await openShell(page)
    await type(page, 'sleep 600')
    const pid = await waitFor('the process', () => runningAs(program, 'sleep'))
    // Another folder is still the files: the shell stays.
    await doubleClick(page.locator('[data-path="/site"]'))
    await page.locator('[data-path="/site/one file.txt"]').waitFor()
    await expect.poll(() => page.locator('.term').count()).toBe(1)
    await page
      .getByRole('navigation', { name: 'Places' })
      .getByRole('link', { name: 'Settings' })
      .click()
    await page.locator('.term').waitFor({ state: 'detached' })
    await waitFor('the end of the process', () => !existsSync(`/proc/${pid}`))
  })

  it('is resized by keyboard and dragged, up to the window without its head, and remembers its height', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    const edge = page.getByRole('separator', { name: 'Terminal height' })
    const height = async () => Math.round((await page.locator('.term').boundingBox())?.height ?? 0)
    const drag = async (byPx: number) => {
      const at = await edge.boundingBox()
      if (at === null) throw new Error('no edge')
      const [x, y] = [at.x + at.width / 2, at.y + at.height / 2]
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x, y + byPx, { steps: 5 })
      await page.mouse.up()
    }
    await edge.focus()
    const first = await height()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(height).toBe(first + 48)
    await page.reload()
    await openShell(page)
    await expect.poll(height).toBe(first + 48)
    const before = first + 48
    await drag(-100)
    await waitFor('100 px more', async () => (await height()) === before + 100)
    await edge.focus()
    await page.keyboard.press('ArrowDown')
    await waitFor('one step less', async () => (await height()) === before + 76)
    await drag(-2000)
    const most = (page.viewportSize()?.height ?? 0) - 64
    await waitFor('the most', async () => (await height()) === most)
    await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe(String(most))
    await drag(2000)
    await waitFor('the least', async () => (await height()) === 36)
    await page.keyboard.press('Home')
    await waitFor('the most by keyboard', async () => (await height()) === most)
    await page.keyboard.press('End')
    await waitFor('the least by keyboard', async () => (await height()) === 36)
  })

  it('follows a drag every 32 ms, not with every move', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    const edge = page.getByRole('separator', { name: 'Terminal height' })
    const height = async () => Number(await edge.getAttribute('aria-valuenow'))
    const before = await height()
    const at = await boxOf(edge)
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.mouse.move(x, y - 100, { steps: 10 })
    await page.clock.runFor(31)
    expect(await height()).toBe(before)
    await page.clock.runFor(1)
    await waitFor('100 px more', async () => (await height()) === before + 100)
    // Let go before the time is over: the edge is where the pointer was last.
    await page.mouse.move(x, y - 150, { steps: 5 })
    await page.mouse.up()
    await waitFor('150 px more', async () => (await height()) === before + 150)
    await page.clock.resume()
    await page.reload()
    await openShell(page)
    await expect.poll(height).toBe(before + 150)
    expect(open.problems).toEqual([])
  })

  it('lets the keys of the page through and keeps those of the listing', async () => {
    await using open = await site.open()
    const { page } = open
    await openShell(page)
    const inShell = () => hasFocus(page)
    for (const [key, name] of [
      ['F1', 'Keyboard shortcuts'],
      ['Control+k', 'Search and commands'],
      ['Control+Shift+F', 'Search'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('dialog', { name, exact: true }).waitFor()
      await waitFor('the focus in the dialog', async () => !(await inShell()))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await waitFor('the focus in the shell', inShell)
    }
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await twoFrames(page)
    expect(await page.locator('#listing [aria-selected="true"]').count()).toBe(0)
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    // Round the page and back to the line that is typed.
    await page.keyboard.press('F6')
    await waitFor('the focus elsewhere', async () => !(await inShell()))
    for (let i = 0; i < 6 && !(await inShell()); i++) await page.keyboard.press('F6')
    await type(page, 'echo typed')
    await untilShown(page, '\ntyped')
    expect(open.problems).toEqual([])
  })

  it('is not there for people who may not run commands', async () => {
    const rights = ['create', 'rename', 'modify', 'delete', 'share', 'download'] as const
    await addUser(site.program, 'plain', [...rights])
    await using open = await site.open({ as: userLogin('plain') })
    const { page } = open
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'New folder' }).waitFor()
    expect(await page.getByRole('menuitem', { name: /terminal/i }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('terminal')
    await page.getByRole('option', { name: /Search for files named/ }).waitFor()
    expect(await page.getByRole('option', { name: /in terminal/i }).count()).toBe(0)
  })

  it('is not there unless commands are enabled', async () => {
    await using open = await openFolder({ 'a.txt': 'x' })
    await open.page.getByRole('button', { name: 'New' }).waitFor()
    await openFolderMenu(open.page)
    await open.page.getByRole('menuitem', { name: 'New folder' }).waitFor()
    expect(await open.page.getByRole('menuitem', { name: /terminal/i }).count()).toBe(0)
  })
})
