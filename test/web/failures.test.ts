// Messages at the bottom: what failed stays and can be reported, what went well leaves by itself.
import { rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import {
  asksFor,
  entry,
  expectNames,
  expectSelected,
  listedFolders,
  showList,
  toast,
} from './listing-steps.ts'

const HELP = ['--branding.helpURL', 'https://files.example/help', '--trash', 'off']

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

/** Lets the server refuse to delete what is called so. */
async function refuseDeleting(page: Page, name: string): Promise<void> {
  await page.route('**/api/jobs?*', (route) =>
    asksFor(route.request(), 'delete', name)
      ? route.fulfill({ status: 403, headers: { 'X-Error-Code': 'forbidden' }, body: '' })
      : route.continue(),
  )
}

async function deleteEntry(page: Page, name: string): Promise<void> {
  await entry(page, name).click()
  await deleteSelected(page)
}

async function deleteSelected(page: Page): Promise<void> {
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
}

async function forbidExternalLinks(program: Program): Promise<void> {
  const admin = await loginAs(program.origin)
  const settings = await (await admin.fetch('/api/settings')).json()
  settings.branding.disableExternal = true
  const saved = await admin.fetch('/api/settings', {
    method: 'PUT',
    body: JSON.stringify(settings),
  })
  expect(saved.status).toBe(200)
}

describe('messages', () => {
  it('offer to report a refused call, stay until dismissed, and a success leaves after 4 s', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'b.txt': 'b' })
    await using program = await startProgram(tree, { args: HELP })
    await using open = await openIn(program, { path: '/files/' })
    const { page, context } = open
    await page.clock.install()
    await page.reload()
    await showList(page)
    await refuseDeleting(page, 'a.txt')
    await deleteEntry(page, 'a.txt')
    const failed = toast(page, 'Couldn’t delete “a.txt”.')
    await failed.waitFor()
    await context.route('https://files.example/**', (route) => route.fulfill({ body: 'issues' }))
    const [report] = await Promise.all([
      context.waitForEvent('page'),
      failed.getByRole('button', { name: 'Report a problem' }).click(),
    ])
    await expect.poll(() => report.url()).toBe('https://files.example/help')
    await report.close()

    await page.bringToFront()
    // The seconds of a slow machine do not count.
    await page.clock.pauseAt(Date.now() + 60_000)
    await deleteEntry(page, 'b.txt')
    const deleted = toast(page, 'Deleted “b.txt”')
    await deleted.waitFor()
    await page.mouse.move(5, 5)
    await page.clock.fastForward(2_000)
    expect(await deleted.count()).toBe(1)
    await page.clock.fastForward(2_500)
    await deleted.waitFor({ state: 'detached' })
    await page.clock.fastForward('10:00')
    expect(await failed.count()).toBe(1)
    await failed.getByRole('button', { name: 'Dismiss' }).click()
    await failed.waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('offer to report that a checksum could not be calculated', async () => {
    await using tree = await makeTree({ 'noise.dat': Uint8Array.of(0, 1, 2) })
    await using program = await startProgram(tree, { args: HELP })
    await using open = await openIn(program, { path: '/files/noise.dat' })
    const { page } = open
    await page.route('**/api/resources/noise.dat?checksum=*', (route) =>
      route.fulfill({ status: 500, body: '500' }),
    )
    await page.getByRole('button', { name: 'Calculate MD5' }).click()
    const failed = toast(page, 'Couldn’t calculate the checksum.')
    await failed.getByRole('button', { name: 'Report a problem' }).waitFor()
  })

  it('offer no report when links to elsewhere are switched off', async () => {
    await using tree = await makeTree({ 'a.txt': 'a' })
    await using program = await startProgram(tree, { args: HELP })
    await forbidExternalLinks(program)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await refuseDeleting(page, 'a.txt')
    await deleteEntry(page, 'a.txt')
    const failed = toast(page, 'Couldn’t delete “a.txt”.')
    await failed.getByRole('button', { name: 'Dismiss' }).waitFor()
    expect(await failed.getByRole('button', { name: 'Report a problem' }).count()).toBe(0)
  })

  it('are ten at most, the newest on top', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
    await using open = await openFolder(Object.fromEntries(names.map((name) => [name, ''])))
    const { page } = open
    await refuseDeleting(page, '.txt')
    await page.locator('#listing').focus()
    for (const name of names) {
      // With the keyboard: the messages cover the rows below.
      await page.keyboard.press('ArrowDown')
      await expectSelected(page, [name])
      await deleteSelected(page)
      await toast(page, `“${name}”`).waitFor()
      await expectNames(page, names)
    }
    const all = page.locator('.toast')
    await expect.poll(() => all.count()).toBe(10)
    await expect.poll(() => all.first().textContent()).toContain('f11.txt')
    await expect.poll(() => all.last().textContent()).toContain('f02.txt')
  })
})

describe('a rename that fails', () => {
  it('keeps the entry selected, as one that succeeds does', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page } = open
    await page.route('**/api/resources/a.txt?**', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 500 }) : route.continue(),
    )
    await entry(page, 'a.txt').click()
    await page.keyboard.press('F2')
    const field = page.getByLabel('New name')
    await field.fill('c.txt')
    await page.keyboard.press('Enter')
    await page.locator('#listing').getByText('Something went wrong on the server.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('c.txt')
    await page.keyboard.press('Escape')
    await expectNames(page, ['a.txt', 'b.txt'])
    await expectSelected(page, ['a.txt'])
  })

  it('shows the folder as it is when the entry has gone meanwhile', async () => {
    await using open = await openFolder({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await rm(tree.at('a.txt'))
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('c.txt')
    await page.keyboard.press('Enter')
    await toast(page, /This item no longer exists/).waitFor()
    await expectNames(page, ['b.txt'])
  })
})
