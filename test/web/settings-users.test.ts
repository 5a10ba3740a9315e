// Accounts: the list, the form with its dependent switches, rules, creating, changing, deleting.
import { access } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { UserRecord } from '../../src/api-types.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { BASE, DIRECTORY_PASSWORD, group, person, startSlapd } from '../support/slapd.ts'
import { makeTree } from '../support/tree.ts'
import { boxOf, servedPages, sharedBrowser, sharedSite } from './browser-steps.ts'
import { changeSettings, confirm, createUser, PASSWORD, readUser } from './settings-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

/** For all tests that change their own user alone. */
const site = sharedSite(
  () => ({
    'a.txt': 'x',
    'team/inside.txt': 'x',
    'finance/report.pdf': 'x',
    'finance/raw.csv': 'x',
  }),
  { args: ['--loginRateLimit', '0'] },
)

/** The form of the account of a new user of the whole folder. */
async function openUser(user: Partial<UserRecord>) {
  const { program } = site
  const id = await createUser(program, { scope: '/', ...user })
  const open = await site.open({ path: `/settings/users/${id}` })
  return { ...open, program, id }
}

/** Fills in who the new user is and creates the account; gives its id. */
async function createInForm(page: Page, username: string): Promise<number> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create user' }).click()
  await confirm(page, 'Create user')
  await page.waitForURL(/\/settings\/users\/\d+$/)
  return Number(page.url().split('/').pop())
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await confirm(page, 'Save changes')
  await page.getByText('User saved').first().waitFor()
}

it('shows who comes from a directory, and who administrates by a group there', async () => {
  await using slapd = await startSlapd({ ldif: `${person('mona')}\n${group('chiefs', ['mona'])}` })
  const ldap = {
    url: slapd.url,
    base: BASE,
    create: 'true',
    allowedGroups: '*',
    adminGroup: 'chiefs',
  }
  const args = Object.entries(ldap).map(([key, value]) => `--ldap.${key}=${value}`)
  await using open = await openServed(
    {},
    {
      path: '/settings/users',
      args,
      prepare: async ({ origin }) => void (await loginAs(origin, 'mona', DIRECTORY_PASSWORD)),
    },
  )
  const row = open.page.getByRole('row', { name: 'mona' })
  await row.getByText('Directory', { exact: true }).waitFor()
  await row.getByText('Administrator', { exact: true }).waitFor()
})

describe('creating a user', () => {
  it('asks for the own password, explains a wrong one, and the account works', async () => {
    await using open = await site.open({ path: '/settings/users' })
    const { page } = open
    await page.getByRole('link', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('iris')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Root folder').fill('/team')
    await page.getByRole('button', { name: 'Create user' }).click()
    await confirm(page, 'Create user', 'not mine')
    await page.getByText('Incorrect password.').waitFor()
    await confirm(page, 'Create user')
    await page.waitForURL(/\/settings\/users\/\d+$/)
    await page.getByText('User created').first().waitFor()
    const iris = await loginAs(site.program.origin, 'iris', PASSWORD)
    const listing = (await (await iris.fetch('/api/resources/')).json()) as {
      items: { name: string }[]
    }
    expect(listing.items.map((item) => item.name)).toEqual(['inside.txt'])
  })

  it('points out what is missing and what is taken', async () => {
    await using open = await site.open({ path: '/settings/users/new' })
    const { page } = open
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('Enter a username.').waitFor()
    await page.getByText('Enter a password.').waitFor()
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create user' }).click()
    await confirm(page, 'Create user')
    await page.getByText('This username is taken.').waitFor()
  })
})

describe('the form of a new user', () => {
  it('leads to what is missing when it is out of sight', async () => {
    const viewport = { width: 390, height: 600 }
    await using open = await site.open({ path: '/settings/users/new', viewport })
    const { page } = open
    const name = page.getByLabel('Username')
    await name.waitFor()
    await page.getByRole('heading', { name: 'Rules' }).scrollIntoViewIfNeeded()
    const isAbove = () => name.evaluate((field) => field.getBoundingClientRect().bottom < 0)
    await expect.poll(isAbove).toBe(true)
    await page.getByRole('button', { name: 'Create user' }).click()
    await page.getByText('Enter a username.').waitFor()
    await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
    await page.keyboard.type('iris')
    await expect.poll(() => name.inputValue()).toBe('iris')
    await waitFor('the field to be in sight', () =>
      name.evaluate((field) => field.getBoundingClientRect().top > 0),
    )
  })

  it('makes a home folder, whose place nobody types', async () => {
    await using open = await openServed(
      {},
      {
        path: '/settings/users/new',
        prepare: (program) =>
          changeSettings(program, () => ({ createUserDir: true, userHomeBasePath: '/homes' })),
      },
    )
    const { page, program, tree } = open
    const home = page.getByRole('switch', { name: 'Create a home folder' })
    const scope = page.getByLabel('Root folder')
    await expect.poll(() => home.isChecked()).toBe(true)
    await expect.poll(() => scope.isDisabled()).toBe(true)
    await home.uncheck()
    await expect.poll(() => scope.isEnabled()).toBe(true)
    await home.check()
    const id = await createInForm(page, 'hana')
    await access(tree.at('homes/hana'))
    expect((await readUser(program, id)).scope).toBe('/homes/hana')
  })

  it('starts from the defaults of the instance', async () => {
    await using tree = await makeTree({ 'shared/a.txt': 'x' })
    await using program = await startProgram(tree, { args: ['--disableExec=false'] })
    await changeSettings(program, ({ defaults }) => ({
      defaults: {
        ...defaults,
        scope: '/shared',
        locale: 'de',
        commands: ['git'],
        perm: { ...defaults.perm, create: false, rename: true },
      },
    }))
    await using open = await openIn(program, { path: '/settings/users/new' })
    const { page } = open
    await expect.poll(() => page.getByLabel('Root folder').inputValue()).toBe('/shared')
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Language' }).inputValue())
      .toBe('de')
    const named = (name: string) => page.getByRole('switch', { name, exact: true })
    await expect.poll(() => named('Create and upload').isChecked()).toBe(false)
    await expect.poll(() => named('Rename and move').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Remove git' }).waitFor()
    const id = await createInForm(page, 'dora')
    const dora = await readUser(program, id)
    expect(dora).toMatchObject({ scope: '/shared', locale: 'de', commands: ['git'] })
    expect(dora.perm).toMatchObject({ create: false, rename: true })
  })

  it('is left by Cancel without making anybody', async () => {
    await using open = await openServed({}, { path: '/settings/users' })
    const { page } = open
    await page.getByRole('link', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('nobody')
    await page.getByRole('link', { name: 'Cancel' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/settings/users')
    await page.getByText('1 user', { exact: true }).waitFor()
  })
})

describe('the form of a user', () => {
  it('shows only what fits: no Delete for a new one, no home folder for an old one, no shell', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await changeSettings(program, () => ({ createUserDir: true }))
    const id = await createUser(program, { username: 'mila', scope: '/' })
    await using open = await openIn(program, { path: '/settings/users/new' })
    const { page } = open
    const home = page.getByRole('switch', { name: 'Create a home folder' })
    const remove = page.getByRole('button', { name: 'Delete user' })
    const password = page.getByLabel('Password', { exact: true })
    const commands = page.getByLabel('Commands', { exact: true })
    await home.waitFor()
    expect(await remove.count()).toBe(0)
    await expect.poll(() => password.getAttribute('placeholder')).toBeNull()
    expect(await commands.count()).toBe(0)
    await page.goto(`/settings/users/${id}`)
    await remove.waitFor()
    expect(await home.count()).toBe(0)
    await expect
      .poll(() => password.getAttribute('placeholder'))
      .toBe('Leave blank to keep the current one')
    expect(await commands.count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('is opened from the list; language, commands and a new name take effect', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree, { args: ['--disableExec=false'] })
    const id = await createUser(program, { username: 'mila', scope: '/', locale: 'en' })
    await using open = await openIn(program, { path: '/settings/users' })
    const { page } = open
    await page.getByRole('link', { name: 'Edit mila' }).click()
    await page.waitForURL(`**/settings/users/${id}`)
    await page.getByLabel('Username').fill('mira ')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    await page.getByLabel('Commands', { exact: true }).pressSequentially('git du ')
    await page.getByRole('button', { name: 'Remove du' }).waitFor()
    await save(page)
    await page.getByRole('heading', { level: 1 }).getByText('mira').waitFor()
    await expect.poll(() => page.title()).toMatch(/^mira - /)
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByText('“mira” will no longer be able to sign in.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    const record = await readUser(program, id)
    expect(record).toMatchObject({ username: 'mira', locale: 'de', commands: ['git', 'du'] })
    // The field for the password was left blank: the old one still holds.
    const as = { username: 'mira', password: PASSWORD }
    await using hers = await openIn(program, { path: '/files/', as })
    await hers.page.waitForFunction(() => document.documentElement.lang === 'de')
  })

  it('gives somebody else a new password', async () => {
    await using open = await openUser({ username: 'olga' })
    const { page, program } = open
    const field = page.getByLabel('Password', { exact: true })
    await field.fill('short')
    await page.getByText('At least 12 characters.').waitFor()
    await field.fill('another fine sentence 8')
    await save(page)
    await expect.poll(() => field.inputValue()).toBe('')
    await loginAs(program.origin, 'olga', 'another fine sentence 8')
    await expect(loginAs(program.origin, 'olga', PASSWORD)).rejects.toThrow('403')
  })

  it('locks the password: the profile has no fields for it any more', async () => {
    const id = await createUser(site.program, { username: 'lara', scope: '/' })
    const as = { username: 'lara', password: PASSWORD }
    await using hers = await site.open({ path: '/settings/profile', as })
    await hers.page.getByLabel('New password', { exact: true }).waitFor()
    await using open = await site.open({ path: `/settings/users/${id}` })
    const { page } = open
    await page.getByRole('switch', { name: 'Prevent password changes' }).check()
    await save(page)
    await hers.page.reload()
    await hers.page.getByText('An administrator has turned off password changes.').waitFor()
    expect(await hers.page.getByLabel('New password', { exact: true }).count()).toBe(0)
  })
})

describe('permissions', () => {
  it('depend on each other: administrators have all, sharing needs downloading', async () => {
    await using open = await site.open({ path: '/settings/users/new' })
    const { page } = open
    const named = (name: string) => page.getByRole('switch', { name, exact: true })
    await named('Share').uncheck()
    await named('Download').uncheck()
    await named('Share').check()
    await expect.poll(() => named('Download').isChecked()).toBe(true)
    await expect.poll(() => named('Download').isDisabled()).toBe(true)
    await named('Delete files and folders').uncheck()
    await named('Prevent password changes').check()
    await named('Administrator').check()
    await expect.poll(() => named('Delete files and folders').isChecked()).toBe(true)
    await expect.poll(() => named('Delete files and folders').isDisabled()).toBe(true)
    await expect.poll(() => named('Prevent password changes').isChecked()).toBe(false)
    await expect.poll(() => named('Prevent password changes').isDisabled()).toBe(true)
  })

  it('take effect for the user at once', async () => {
    await using open = await openUser({ username: 'otto' })
    const { page, program } = open
    const otto = await loginAs(program.origin, 'otto', PASSWORD)
    await page.getByRole('switch', { name: 'Create and upload' }).uncheck()
    await save(page)
    expect((await otto.fetch('/api/resources/new.txt', { method: 'POST' })).status).toBe(403)
    await page.reload()
    await expect
      .poll(() => page.getByRole('switch', { name: 'Create and upload' }).isChecked())
      .toBe(false)
  })
})

describe('rules', () => {
  it('are added, judged while typing, tested, reordered by keyboard, and kept in order', async () => {
    await using open = await openUser({ username: 'rhea' })
    const { page, program, id } = open
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Effect of rule 1').selectOption('allow')
    await page.getByLabel('Kind of rule 1').selectOption('regex')
    await page.getByLabel('Expression of rule 1').fill('(?<=x)pdf')
    await page.getByText('This expression isn’t valid.').waitFor()
    await page.getByLabel('Expression of rule 1').fill('\\.pdf$')
    await page.getByText('This expression isn’t valid.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Path of rule 2').fill('finance')
    await page.getByText('Paths must start with a slash.').waitFor()
    await page.getByLabel('Path of rule 2').fill('/finance')
    await page.getByLabel('Test a path').fill('/finance/report.pdf')
    const verdict = page.locator('output')
    await verdict.getByText('Denied').waitFor()
    await verdict.getByText('Matched by rule 2.').waitFor()
    await page.getByLabel('Path of rule 2').press('Alt+ArrowUp')
    await verdict.getByText('Allowed').waitFor()
    await save(page)
    expect((await readUser(program, id)).rules).toMatchObject([
      { allow: false, regex: false, path: '/finance' },
      { allow: true, regex: true, regexp: { raw: '\\.pdf$' } },
    ])
    const rhea = await loginAs(program.origin, 'rhea', PASSWORD)
    expect((await rhea.fetch('/api/raw/finance/raw.csv')).status).toBe(403)
    expect((await rhea.fetch('/api/raw/finance/report.pdf')).status).toBe(200)
  })

  it('are reordered by dragging the handle', async () => {
    const rules = ['/a', '/b', '/c'].map((path) => {
      return { regex: false, allow: false, path, regexp: null }
    })
    await using open = await openUser({ username: 'drag', rules })
    const { page } = open
    const grip = page.getByRole('button', { name: 'Move rule 3', exact: true })
    const target = page.getByRole('button', { name: 'Move rule 1', exact: true })
    // Parts of the form that come later move what is below them.
    await page.getByRole('switch', { name: 'Require two-step sign-in' }).waitFor()
    await page.getByRole('columnheader', { name: 'Why' }).waitFor()
    await waitFor('the rule in the hand', async () => {
      await grip.hover()
      await page.mouse.down()
      if ((await page.locator('.rule.is-dragged').count()) > 0) return true
      await page.mouse.up()
      return false
    })
    const to = await boxOf(target)
    await page.mouse.move(to.x + 8, to.y + 30, { steps: 5 })
    await page.mouse.move(to.x + 8, to.y + 4, { steps: 5 })
    await page.mouse.up()
    // What a pointer drags is rendered after the event.
    const pathOf = (place: number) => page.getByLabel(`Path of rule ${place}`).inputValue()
    await expect.poll(() => Promise.all([1, 2, 3].map(pathOf))).toEqual(['/c', '/a', '/b'])
  })
})

describe('the list', () => {
  it('finds users by name and scope and sums up what they may do', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await createUser(program, { username: 'fern', scope: '/garden' })
    await using open = await openIn(program, { path: '/settings/users' })
    const { page } = open
    const rows = page.getByRole('row')
    await rows.filter({ hasText: ADMIN.username }).getByText('All permissions').waitFor()
    await rows.filter({ hasText: 'fern' }).getByRole('cell', { name: '/garden' }).waitFor()
    await page.getByLabel('Find a user').fill('GARDEN')
    await rows.filter({ hasText: 'fern' }).waitFor()
    await page.getByText('1 user', { exact: true }).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
  })

  it('is for administrators only', async () => {
    await createUser(site.program, { username: 'guest', scope: '/' })
    const as = { username: 'guest', password: PASSWORD }
    await using open = await site.open({ path: '/settings/users', as })
    await open.page.waitForURL('**/403')
    await open.page.goto('/settings/profile')
    await open.page.getByRole('link', { name: 'Profile' }).waitFor()
    expect(await open.page.getByRole('link', { name: 'User management' }).count()).toBe(0)
  })
})
