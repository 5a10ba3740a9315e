// One's own settings: every field is saved, survives a reload and takes effect.
import { chmod, readdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startConfigured, startProgram } from '../support/program.ts'
import { makeTree, setModified } from '../support/tree.ts'
import { boxOf, folderPages, servedPages, sharedBrowser } from './browser-steps.ts'
import { entry, expectSelected, showList, toast } from './listing-steps.ts'

const PATH = '/settings/profile'
const FRESH = 'an entirely new sentence 5'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)
const openFolder = folderPages(openIn)

async function save(page: Page): Promise<void> {
  // A message of an earlier save may still be there.
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await stored
  await page
    .getByText(/settings saved/i)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
}

/** What colour the edges of the new password and of its repetition have, as people call it. */
async function colours(page: Page): Promise<string[]> {
  const fields = [
    page.getByLabel('New password', { exact: true }),
    page.getByLabel('Confirm new password'),
  ]
  return Promise.all(
    fields.map((field) =>
      field.evaluate((input) => {
        const edge = getComputedStyle(input.closest('.input') ?? input).borderTopColor
        const [red = 0, green = 0, blue = 0] = (edge.match(/\d+/g) ?? []).map(Number)
        if (red > 2 * Math.max(green, blue)) return 'red'
        return green > 1.5 * Math.max(red, blue) ? 'green' : edge
      }),
    ),
  )
}

describe('preferences', () => {
  it('keep what was changed while they were being saved', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    const dotfiles = page.getByRole('switch', { name: 'Hide files that start with a dot' })
    await exact.check()
    const saving = Promise.withResolvers<void>()
    await page.route('**/api/users/*', async (route) => {
      if (route.request().method() === 'PUT') await saving.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dotfiles.check()
    saving.resolve()
    await page
      .getByText(/settings saved/i)
      .first()
      .waitFor()
    await expect.poll(() => dotfiles.isChecked()).toBe(true)
    await save(page)
    await page.reload()
    await exact.waitFor()
    await expect.poll(() => exact.isChecked()).toBe(true)
    await expect.poll(() => dotfiles.isChecked()).toBe(true)
    expect(open.problems).toEqual([])
  })

  it('are saved, survive a reload and take effect', async () => {
    await using open = await openFolder({ 'seen.txt': 'x', '.unseen.txt': 'x' }, { path: PATH })
    const { page } = open
    const names = [
      'Hide files that start with a dot',
      'Open with a single click',
      'Open the destination after copying or moving',
      'Show exact dates',
    ]
    const before: boolean[] = []
    for (const name of names) {
      const control = page.getByRole('switch', { name })
      before.push(await control.isChecked())
      await control.click()
    }
    await page.getByLabel('Editor theme').selectOption({ label: 'Dracula' })
    await save(page)
    await page.reload()
    for (const [at, name] of names.entries()) {
      await expect.poll(() => page.getByRole('switch', { name }).isChecked()).toBe(!before[at])
    }
    const chosen = page.getByLabel('Editor theme').locator('option:checked')
    await expect.poll(() => chosen.textContent()).toBe('Dracula')
    await page.getByRole('link', { name: 'Back to files' }).click()
    await page.getByText('seen').first().waitFor()
    expect(await page.getByText('unseen').count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('show exact dates, and open with one click, in the listing', async () => {
    await using tree = await makeTree({ 'desk/inner.txt': 'x', 'old.txt': 'x' })
    await setModified(tree.at('old.txt'), '2024-02-03T04:05:06Z')
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    const exactly = entry(page, 'old.txt').getByText(/^2\/3\/24, 4:05/)
    await entry(page, 'old.txt').waitFor()
    expect(await exactly.count()).toBe(0)
    await entry(page, 'desk').click()
    await expectSelected(page, ['desk'])
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('switch', { name: 'Show exact dates' }).check()
    await page.getByRole('switch', { name: 'Open with a single click' }).check()
    await save(page)
    await page.getByRole('link', { name: 'Back to files' }).click()
    await exactly.waitFor()
    await entry(page, 'desk').click()
    await entry(page, 'inner.txt').waitFor()
  })

  it('go to the target after a copy, or stay', async () => {
    await using open = await openServed(
      { 'a.txt': 'x', 'b.txt': 'x', 'target/t.txt': 'x' },
      { path: PATH },
    )
    const { page, tree } = open
    const follow = page.getByRole('switch', {
      name: 'Open the destination after copying or moving',
    })
    const copy = async (name: string) => {
      await page.goto('/files/')
      await showList(page)
      await entry(page, name).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Copy to…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Copy 1 item' })
      await dialog.getByRole('treeitem', { name: 'target' }).click()
      await dialog.getByRole('button', { name: 'Copy here' }).click()
    }
    await follow.check()
    await save(page)
    await copy('a.txt')
    await page.waitForURL('**/files/target/')
    await expectSelected(page, ['a.txt'])
    expect(await toast(page, 'Copied').getByRole('button', { name: 'Show' }).count()).toBe(0)
    await toast(page, 'Copied').getByRole('button', { name: 'Undo' }).click()
    await page.waitForURL('**/files/')
    await expectSelected(page, ['a.txt'])
    expect(await readdir(tree.at('target'))).toEqual(['t.txt'])
    await page.goto(PATH)
    await follow.uncheck()
    await save(page)
    await copy('b.txt')
    await toast(page, 'Copied').getByRole('button', { name: 'Show' }).waitFor()
    await waitFor('the copy', () => tree.read('target/b.txt'))
    expect(new URL(page.url()).pathname).toBe('/files/')
  })

  it('change the language of the page at once', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    await page.getByRole('combobox', { name: 'Language' }).selectOption('ar')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl')
    await page.reload()
    await page.waitForFunction(() => document.documentElement.lang === 'ar')
  })

  it('keep the theme in the browser, without saving', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    const themeOf = () => page.evaluate(() => document.documentElement.dataset.theme)
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    await expect.poll(themeOf).toBe('dark')
    await page.reload()
    await expect.poll(themeOf).toBe('dark')
    await page.getByRole('button', { name: 'Light theme' }).click()
    await expect.poll(themeOf).toBe('light')
  })

  it('follow the theme of the system while nothing else is chosen', async () => {
    await using open = await openFolder({}, { path: PATH, colorScheme: 'dark' })
    const { page } = open
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light')
  })
})

describe('unsaved changes', () => {
  it('ask before they are lost, also on the way back', async () => {
    await using open = await openFolder({}, { path: '/files/' })
    const { page } = open
    await page.getByRole('link', { name: 'Settings' }).click()
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    await page.getByRole('link', { name: 'My files' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe(PATH)
    await expect.poll(() => exact.isChecked()).toBe(true)
    await page.goBack()
    await question.waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(PATH)
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/files/')
  })

  it('are taken back by Discard', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => exact.isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
  })
})

describe('password', () => {
  it('changes with the current one, and every other device has to log in again', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const other = await loginAs(program.origin)
    await using open = await openIn(program, { path: PATH })
    const { page } = open
    const current = page.getByLabel('Current password')
    await current.fill('something else')
    await page.getByLabel('New password', { exact: true }).fill(FRESH)
    await page.getByLabel('Confirm new password').fill(`${FRESH}x`)
    await page.getByText('Passwords don’t match.').waitFor()
    await expect.poll(() => colours(page)).toEqual(['red', 'red'])
    await page.getByLabel('Confirm new password').fill(FRESH)
    await expect.poll(() => colours(page)).toEqual(['green', 'green'])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Incorrect password.').waitFor()
    await current.fill(ADMIN.password)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Password and settings saved').first().waitFor()
    await expect.poll(() => current.inputValue()).toBe('')
    expect((await other.fetch('/api/users/1')).status).toBe(401)
    await loginAs(program.origin, ADMIN.username, FRESH)
  })

  it('is refused in words when it is common or short', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    await page.getByLabel('Current password').fill(ADMIN.password)
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByLabel('Confirm new password').fill('short')
    await page.getByText('Password is too short.').waitFor()
    await page.getByLabel('New password', { exact: true }).fill('passwordpassword')
    await page.getByLabel('Confirm new password').fill('passwordpassword')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/too easy to guess/).waitFor()
  })
})

describe('a current password that was filled in', () => {
  it('is no change by itself: nothing is unsaved, and the rest is saved', async () => {
    await using open = await openFolder({}, { path: PATH })
    const { page } = open
    const current = page.getByLabel('Current password')
    // As a password manager does it, without anybody asking.
    await current.fill(ADMIN.password)
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    await save(page)
    await page.reload()
    await exact.waitFor()
    await expect.poll(() => exact.isChecked()).toBe(true)
    await current.fill(ADMIN.password)
    await current.press('Enter')
    await page.getByText('Enter a new password.').waitFor()
    expect(open.problems).toEqual([])
  })

  it('is not used again when only the preferences could not be saved', async () => {
    await using open = await openServed({}, { path: PATH })
    const { page, program } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    await page.getByLabel('Current password').fill(ADMIN.password)
    await page.getByLabel('New password', { exact: true }).fill(FRESH)
    await page.getByLabel('Confirm new password').fill(FRESH)
    await page.route('**/api/users/*', async (route) => {
      const fields = route.request().postDataJSON()?.which as string[] | undefined
      if (fields?.includes('dateFormat')) await route.fulfill({ status: 500, body: '500' })
      else await route.continue()
    })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const message = toast(page, 'Something went wrong on the server.')
    const bar = page.getByRole('region', { name: 'Save', exact: true })
    const gap = async () => (await boxOf(bar)).y - (await boxOf(message)).bottom
    await expect.poll(gap).toBeGreaterThanOrEqual(0)
    await loginAs(program.origin, ADMIN.username, FRESH)
    for (const field of await page.locator('input[type=password]').all()) {
      await expect.poll(() => field.inputValue()).toBe('')
    }
    await page.unroute('**/api/users/*')
    await save(page)
    await page.reload()
    await exact.waitFor()
    await expect.poll(() => exact.isChecked()).toBe(true)
  })
})

describe('a password that is not asked for here', () => {
  it('of a program that signs people in changes without the current one', async () => {
    await using tree = await makeTree({ 'check.sh': '#!/bin/sh\necho hook.action=pass\n' })
    await chmod(tree.at('check.sh'), 0o755)
    const hook = ['--auth.method', 'hook', '--auth.command', tree.at('check.sh')]
    await using program = await startConfigured(tree, hook)
    await using open = await openIn(program, { path: PATH })
    const { page } = open
    await page.getByLabel('New password', { exact: true }).fill(FRESH)
    expect(await page.getByLabel('Current password').count()).toBe(0)
    await page.getByLabel('Confirm new password').fill(FRESH)
    await save(page)
    await loginAs(program.origin, ADMIN.username, FRESH)
  })

  it('of people whom a proxy signs in has no card', async () => {
    await using tree = await makeTree({})
    const proxy = ['--auth.method', 'proxy', '--auth.header', 'X-Name']
    await using program = await startConfigured(tree, proxy)
    await using open = await openIn(program, {
      path: PATH,
      as: null,
      extraHTTPHeaders: { 'X-Name': ADMIN.username },
    })
    const { page } = open
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0)
    await page.getByRole('switch', { name: 'Show exact dates' }).check()
    await save(page)
  })
})

describe('signed-in devices', () => {
  it('are listed, and ending the others leaves this one', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const first = await loginAs(program.origin)
    const second = await loginAs(program.origin)
    await using open = await openIn(program, { path: PATH })
    const { page } = open
    const devices = page.getByRole('listitem').filter({ hasText: 'Last active' })
    await devices.nth(2).waitFor()
    await expect.poll(() => devices.filter({ hasText: 'This device' }).count()).toBe(1)
    await devices.filter({ hasNotText: 'This device' }).first().getByRole('button').click()
    await page.getByText('Signed out of that device').first().waitFor()
    const answers = await Promise.all([first, second].map((each) => each.fetch('/api/users/1')))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401])
    await page.getByRole('button', { name: 'Sign out of other devices' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Sign out of other devices' }).click()
    await page.getByText('Signed out of all other devices').first().waitFor()
    await expect.poll(() => devices.count()).toBe(1)
    const late = await Promise.all([first, second].map((each) => each.fetch('/api/users/1')))
    expect(late.map((answer) => answer.status)).toEqual([401, 401])
    await page.reload()
    await devices.first().waitFor()
  })
})
