// Signing in, creating an account, losing the session and getting it back, logging out.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, runProgram, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import {
  boxOf,
  followLink,
  goOffline,
  servedPages,
  sharedBrowser,
  sharedSite,
} from './browser-steps.ts'
import { addUser, entry, userLogin } from './listing-steps.ts'
import { changeSettings, createUser, PASSWORD } from './settings-steps.ts'
import { pickFiles, slowUploads } from './upload-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)
const site = sharedSite(() => ({
  'notes/a.txt': 'x',
  'old.txt': 'x',
  'reports/a+b 100%.txt': 'x',
}))

function isFocused(element: Element): boolean {
  return element === document.activeElement
}

async function fillIn(page: Page, login: { username: string; password: string }): Promise<void> {
  await page.getByLabel('Username').fill(login.username)
  await page.getByLabel('Password', { exact: true }).fill(login.password)
}

describe('login', () => {
  it('leads to the page that was asked for', async () => {
    await using open = await site.open({ path: '/files/reports/', as: null })
    const { page } = open
    await page.waitForURL('**/login?redirect=*')
    await fillIn(page, ADMIN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/files/reports/')
    await page.getByText('a+b 100%').first().waitFor()
    expect(open.problems).toEqual([])
  })

  it('says that the password is wrong and keeps the username', async () => {
    await using open = await site.open({ path: '/login', as: null })
    const { page } = open
    const password = page.getByLabel('Password', { exact: true })
    const stay = page.getByRole('checkbox', { name: 'Stay signed in' })
    const before = await boxOf(stay)
    await page.getByLabel('Username').fill(ADMIN.username)
    await password.fill('not it')
    await password.press('Enter')
    const wrong = page.getByRole('alert')
    await wrong.getByText('Incorrect username or password.').waitFor()
    // In room that was there, and touching nothing.
    expect((await boxOf(stay)).y).toBe(before.y)
    expect((await boxOf(wrong)).y - (await boxOf(password)).bottom).toBeGreaterThanOrEqual(2)
    expect(before.y - (await boxOf(wrong)).bottom).toBeGreaterThanOrEqual(2)
    await expect.poll(() => page.getByLabel('Username').inputValue()).toBe(ADMIN.username)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/login')
  })

  it('says how long to wait after too many wrong passwords', async () => {
    await using open = await openServed(
      {},
      { path: '/login', as: null, args: ['--loginRateLimit', '2/15m'] },
    )
    const { page } = open
    await page.getByLabel('Username').fill(ADMIN.username)
    const field = page.getByLabel('Password', { exact: true })
    const alert = page.getByRole('alert')
    const tooMany = alert.getByText(/^Too many attempts\. Try again in \d+ minutes?\.$/)
    const wrong = alert.getByText('Incorrect username or password.')
    for (let attempt = 0; attempt < 6 && !(await tooMany.isVisible()); attempt++) {
      await field.fill(`not it ${attempt}`)
      const answer = page.waitForResponse('**/api/login')
      await field.press('Enter')
      await answer
      await page.locator('button[aria-busy="true"]').waitFor({ state: 'detached' })
      await wrong.or(tooMany).waitFor()
    }
    await tooMany.waitFor()
    await expect.poll(() => page.getByLabel('Username').inputValue()).toBe(ADMIN.username)
  })

  it('says that the server failed and works once it does not', async () => {
    await using open = await site.open({ path: '/login', as: null })
    const { page } = open
    await page.route('**/api/login', (route) => route.fulfill({ status: 500, body: '500' }))
    await fillIn(page, ADMIN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Something went wrong on the server.').waitFor()
    await page.unroute('**/api/login')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/files/')
  })

  it('never redirects to another site', async () => {
    await using open = await site.open({ path: '/login?redirect=//example.org/files' })
    await open.page.waitForURL(`${site.program.origin}/files/`)
  })

  it('forgets the session with the browser unless it is to stay signed in', async () => {
    await using open = await site.open({ path: '/login', as: null })
    const { page, context } = open
    await fillIn(page, ADMIN)
    await page.getByLabel('Stay signed in').uncheck()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/files/')
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'auth', expires: -1, httpOnly: true, sameSite: 'Strict' })
  })

  it('shows and hides what is typed as password', async () => {
    await using open = await site.open({ path: '/login', as: null })
    const field = open.page.getByLabel('Password', { exact: true })
    await field.fill('secret')
    await open.page.getByRole('button', { name: 'Show password' }).click()
    await expect.poll(() => field.getAttribute('type')).toBe('text')
    await open.page.getByRole('button', { name: 'Hide password' }).click()
    await expect.poll(() => field.getAttribute('type')).toBe('password')
  })
})

describe('the login page', () => {
  it('says that there is no network, keeps what was typed and works once it is back', async () => {
    await using open = await site.open({ path: '/login', as: null, isAlone: true })
    const { page, context } = open
    await fillIn(page, ADMIN)
    await goOffline(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByRole('alert')
      .getByText('No connection to the server.', { exact: true })
      .waitFor()
    await page.getByText('No connection to the server. Trying again…').waitFor()
    await context.setOffline(false)
    await page.getByText('No connection to the server. Trying again…').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/files/')
  })

  it('sends people on who are signed in', async () => {
    await using open = await site.open({ path: '/login' })
    const { program } = site
    await open.page.waitForURL(`${program.origin}/files/`)
  })

  it('tells how a forgotten password is replaced, and the command does it', async () => {
    await using open = await openServed({}, { path: '/login', as: null })
    const { page, program, tree } = open
    const command = page.getByText('filebrowser users update admin --password')
    const forgot = page.getByText('Forgot your password?')
    await forgot.waitFor()
    expect(await command.isVisible()).toBe(false)
    await forgot.click()
    await command.waitFor()
    await program.stop()
    const [, ...words] = ((await command.textContent()) ?? '').split(' ')
    const fresh = 'a sentence nobody knew 4'
    const args = [...words.slice(0, -1), fresh, '-d', program.database]
    expect((await runProgram(args, { cwd: tree.base })).code).toBe(0)
    await using again = await startProgram(tree, { database: program.database })
    await loginAs(again.origin, ADMIN.username, fresh)
  })
})

describe('sign up', () => {
  it('creates an account, signs in with it, and says when a name is taken', async () => {
    await using open = await openServed(
      {},
      {
        path: '/login',
        as: null,
        prepare: (program) => changeSettings(program, () => ({ signup: true })),
      },
    )
    const { page } = open
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(await page.getByLabel('Confirm password').count()).toBe(0)
    await page.getByRole('button', { name: 'Create an account' }).click()
    const fill = async (name: string, password: string, repeated: string) => {
      await page.getByLabel('Username').fill(name)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByLabel('Confirm password').fill(repeated)
    }
    await fill('nora', 'a fine long sentence 8', 'a different one')
    await page.getByText('Passwords don’t match.').first().waitFor()
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('alert').getByText('Passwords don’t match.').nth(1).waitFor()
    expect(sent.filter((path) => path.startsWith('/api/'))).toEqual([])
    await fill(ADMIN.username, 'a fine long sentence 8', 'a fine long sentence 8')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This username is taken.').waitFor()
    await fill('nora', 'a fine long sentence 8', 'a fine long sentence 8')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/files/')
    await page.getByText('nora').first().waitFor()
  })

  it('is not offered unless it is allowed', async () => {
    await using open = await site.open({ path: '/login?signup', as: null })
    await open.page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await open.page.getByText('Create an account').count()).toBe(0)
  })
})

describe('a session that ends', () => {
  it('is taken up again in place and repeats what was refused', async () => {
    await using open = await openServed({}, { path: '/settings/profile' })
    const { page, program } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    const other = await loginAs(program.origin)
    expect((await other.fetch('/api/sessions', { method: 'DELETE' })).status).toBe(204)
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    // Who it was is known: what one types is the password.
    const password = dialog.getByLabel('Password', { exact: true })
    await expect.poll(() => password.evaluate(isFocused)).toBe(true)
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('Incorrect username or password.').waitFor()
    await password.fill(ADMIN.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Settings saved').first().waitFor()
    await page.reload()
    await expect.poll(() => exact.isChecked()).toBe(true)
  })

  it('lets what one person began happen only as that person, who may sign in at another tab', async () => {
    await using open = await openServed(
      { 'a.txt': 'a' },
      { path: '/files/', prepare: (program) => addUser(program, 'bea', ['create', 'download']) },
    )
    const { page, context, program, tree } = open
    const makeFolderTooLate = async (
      name: string,
      login: { username: string; password: string },
    ) => {
      await entry(page, 'a.txt').waitFor()
      const other = await loginAs(program.origin, login.username, login.password)
      await other.fetch('/api/sessions', { method: 'DELETE' })
      await page.keyboard.press('Alt+n')
      await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').fill(name)
      await page.keyboard.press('Enter')
      await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor()
    }
    const signInElsewhere = async () => {
      const second = await context.newPage()
      await second.goto('/login')
      await fillIn(second, userLogin('bea'))
      await second.getByRole('button', { name: 'Sign in' }).click()
      await entry(second, 'a.txt').waitFor()
      await second.close()
    }
    await makeFolderTooLate('of the admin', ADMIN)
    await signInElsewhere()
    await page.getByText('bea').first().waitFor()
    await entry(page, 'a.txt').waitFor()
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect(await readdir(tree.root)).toEqual(['a.txt'])

    await makeFolderTooLate('of bea', userLogin('bea'))
    await signInElsewhere()
    await entry(page, 'of bea').waitFor()
    // The page shows it before the server has answered.
    await waitFor('the folder', async () => (await readdir(tree.root)).includes('of bea'))
    expect(await readdir(tree.root)).toEqual(['a.txt', 'of bea'])
  })

  it('is explained on the login page after a reload', async () => {
    await using open = await site.open()
    const { page } = open
    const { program } = site
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    const other = await loginAs(program.origin)
    await other.fetch('/api/sessions', { method: 'DELETE' })
    await page.reload()
    await page.waitForURL('**/login?*logout-reason=inactivity*')
    await page.getByText('You were signed out because of inactivity.').waitFor()
  })

  it('ends for every tab when one of them logs out', async () => {
    await using open = await site.open()
    const { page, context } = open
    const { program } = site
    const second = await context.newPage()
    await second.goto('/settings/profile')
    await second.getByRole('heading', { name: 'File list' }).waitFor()
    const cookie = (await context.cookies())[0]
    // The second tab meets the end of the session before the first one has told it.
    const [ended, met] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/logout', async (route) => {
      const response = await route.fetch()
      ended.resolve()
      await met.promise
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await ended.promise
    await followLink(second, '/files/')
    await second.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor()
    met.resolve()
    await page.waitForURL('**/login')
    await second.waitForURL('**/login')
    const headers = { Cookie: `auth=${cookie?.value}` }
    const statusOf = async () => (await fetch(`${program.origin}/api/renew`, { headers })).status
    await expect.poll(statusOf).toBe(401)
  })
})

describe('without an own login page', () => {
  it('opens the files at once and offers no way to log out', async () => {
    await using open = await openServed({ 'here.txt': 'x' }, { as: null, args: ['--noauth'] })
    await open.page.getByText('here').first().waitFor()
    expect(await open.page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })
})

describe('errors and languages', () => {
  it('has pages for 403, 404 and 500 that lead back to the files', async () => {
    await using open = await site.open({ path: '/404' })
    const { page } = open
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.goto('/403')
    await page.getByRole('heading', { level: 1, name: 'Access denied' }).waitFor()
    await page.goto('/500')
    await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor()
    await page.getByRole('link', { name: 'Go to my files' }).click()
    await page.waitForURL('**/files/')
  })

  it('takes any other address for a file', async () => {
    await using open = await site.open({ path: '/notes/' })
    await open.page.waitForURL('**/files/notes/')
  })

  it('names the pages in the title of the tab, in the language of the person', async () => {
    await using tree = await makeTree({ 'one/a.txt': 'x' })
    await using program = await startProgram(tree)
    await createUser(program, { username: 'jana', scope: '/', locale: 'de' })
    const as = { username: 'jana', password: PASSWORD }
    await using open = await openIn(program, { path: '/files/', as })
    const { page } = open
    for (const [path, title] of [
      ['/files/', 'Meine Dateien - Dateien - File Browser'],
      ['/files/one/', 'one - Dateien - File Browser'],
      ['/settings/profile', 'Profil - Einstellungen - File Browser'],
    ] as const) {
      await page.goto(path)
      await expect.poll(() => page.title()).toBe(title)
    }
    expect(open.problems).toEqual([])
  })

  it('turns the page around for a language written from the right', async () => {
    await using open = await openServed({}, { path: '/login', as: null })
    const { page } = open
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitemradio', { name: 'עברית' }).click()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl')
    await page.waitForFunction(() => document.documentElement.lang === 'he')
    await page.reload()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl')
  })
})

describe('logging out', () => {
  it('asks first while files are uploading, and they can be continued afterwards', async () => {
    await using open = await site.open({ path: '/files/' })
    const { page } = open
    const { tree } = site
    const warnings: string[] = []
    page.on('dialog', (dialog) => {
      warnings.push(dialog.type())
      void dialog.accept()
    })
    await writeFile(join(tree.base, 'big.bin'), Buffer.alloc(12 << 20, 1))
    await slowUploads(page, 1 << 17)
    await pickFiles(page, [join(tree.base, 'big.bin')])
    const panel = page.getByRole('region', { name: 'Uploads' })
    await panel.getByText('Uploading 1 of 1 file').waitFor()
    const logOut = page.getByRole('button', { name: 'Sign out', exact: true })
    const question = page.getByRole('alertdialog', { name: 'Sign out and stop the uploads?' })
    await logOut.click()
    await question.getByRole('button', { name: 'Keep uploading' }).click()
    await question.waitFor({ state: 'detached' })
    expect((await open.context.request.get('/api/renew')).status()).toBe(200)
    await panel.getByText('Uploading 1 of 1 file').waitFor()
    await logOut.click()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    // Asked once, not a second time by the browser when it is too late.
    expect(warnings).toEqual([])
    await slowUploads(page, 0)
    await fillIn(page, ADMIN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const notice = page.getByRole('region', { name: 'Interrupted upload' })
    await notice.getByText('1 file didn’t finish uploading').waitFor()
  })

  it.each([
    ['the sidebar', (page: Page) => page.getByRole('button', { name: 'Sign out', exact: true })],
    [
      'the list of devices',
      (page: Page) =>
        page.getByRole('listitem').filter({ hasText: 'This device' }).getByRole('button'),
    ],
  ])('asks first about unsaved settings, from %s', async (_, wayOut) => {
    await using open = await site.open({ path: '/settings/profile' })
    const { page } = open
    const warnings: string[] = []
    page.on('dialog', (dialog) => {
      warnings.push(dialog.type())
      void dialog.accept()
    })
    await page.getByRole('switch', { name: 'Show exact dates' }).check()
    const logOut = wayOut(page)
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await logOut.click()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect((await open.context.request.get('/api/renew')).status()).toBe(200)
    await logOut.click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/login')
    expect(warnings).toEqual([])
  })
})
