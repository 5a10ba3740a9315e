// The shell panel on a server that allows commands.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserRecord } from '../../src/api-types.ts'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const args = ['--disableExec=false']

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

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

async function openShell(page: Page): Promise<void> {
  await openFolderMenu(page)
  await page.getByRole('menuitem', { name: 'Open in shell' }).click()
  await page.locator('.xterm-rows').getByText('❯').first().waitFor()
}

/** The context menu of the blank space below the entries. */
async function openFolderMenu(page: Page): Promise<void> {
  const listing = page.locator('#listing')
  await listing.waitFor()
  const box = await listing.boundingBox()
  if (!box) throw new Error('the listing is not on the screen')
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

function untilShown(page: Page, text: string): Promise<boolean> {
  return waitFor(`"${text}" in the shell`, async () => (await shown(page)).includes(text), 10_000)
}

describe('the shell', () => {
  it('runs a command in the open folder and shows its colours', async () => {
    await using tree = await makeTree({ 'site/one file.txt': 'x' })
    await using program = await startProgram(tree, { args })
    await allow(program, ['ls', 'printf'])
    await using open = await openPage(browser, program, { path: '/files/site/' })
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

  it('refuses what is not allowed and names what is', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree, { args })
    await allow(program, ['ls', 'du'])
    await using open = await openPage(browser, program)
    await openShell(open.page)
    await type(open.page, 'rm a.txt')
    await untilShown(open.page, 'Command not allowed. You can run: ls')
    expect(await tree.read('a.txt')).toBe('x')
  })

  it('ends a running command with Ctrl+C', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree, { args })
    await allow(program, ['sleep', 'echo'])
    await using open = await openPage(browser, program)
    const { page } = open
    await openShell(page)
    await type(page, 'sleep 600')
    await page.keyboard.press('Control+c')
    await untilShown(page, '^C')
    await type(page, 'echo alive')
    await untilShown(page, '\nalive')
  })

  it('recalls lines, edits them, clears and exits', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree, { args })
    await allow(program, ['echo'])
    await using open = await openPage(browser, program)
    const { page } = open
    await openShell(page)
    await type(page, 'echo first')
    await untilShown(page, '\nfirst')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Control+w')
    await type(page, 'second')
    await untilShown(page, '\nsecond')
    await type(page, 'clear')
    await waitFor('an empty shell', async () => !(await shown(page)).includes('second'), 5000)
    await type(page, 'exit')
    await page.locator('.term').waitFor({ state: 'detached' })
  })

  it('is resized by keyboard and remembers its height', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree, { args })
    await allow(program, ['echo'])
    await using open = await openPage(browser, program)
    const { page } = open
    await openShell(page)
    const edge = page.getByRole('separator', { name: 'Height of the shell' })
    const before = Number(await edge.getAttribute('aria-valuenow'))
    await edge.focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 48)
    await page.reload()
    await openShell(page)
    expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(before + 48)
    await edge.focus()
    await page.keyboard.press('End')
    expect(Number(await edge.getAttribute('aria-valuenow'))).toBe(36)
  })

  it('is not there unless commands are enabled', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program)
    await open.page.getByRole('button', { name: 'New' }).waitFor()
    await openFolderMenu(open.page)
    await open.page.getByRole('menuitem', { name: 'New folder' }).waitFor()
    expect(await open.page.getByRole('menuitem', { name: /shell/i }).count()).toBe(0)
  })
})
