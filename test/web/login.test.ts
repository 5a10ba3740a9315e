// Signing in, creating an account, losing the session and getting it back, logging out.
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, programCommand, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function allowSignup(origin: string): Promise<void> {
  const admin = await loginAs(origin)
  const settings = (await (await admin.fetch('/api/settings')).json()) as object
  const body = JSON.stringify({ ...settings, signup: true })
  const response = await admin.fetch('/api/settings', { method: 'PUT', body })
  expect(response.status).toBe(200)
}

describe('login', () => {
  it('leads to the page that was asked for', async () => {
    await using tree = await makeTree({ 'reports/a+b 100%.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/reports/', as: null })
    const { page } = open
    await page.waitForURL('**/login?redirect=*')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL('**/files/reports/')
    await page.getByText('a+b 100%').first().waitFor()
    expect(open.problems).toEqual([])
  })

  it('says that the password is wrong and keeps the username', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/login', as: null })
    const { page } = open
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill('not it')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await page.getByRole('alert').getByText('The username or the password is wrong.').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe(ADMIN.username)
    expect(new URL(page.url()).pathname).toBe('/login')
  })

  it('never redirects to another site', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const path = '/login?redirect=//example.org/files'
    await using open = await openPage(browser, program, { path })
    await open.page.waitForURL(`${program.origin}/files/`)
  })

  it('forgets the session with the browser unless it is to stay signed in', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/login', as: null })
    const { page, context } = open
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByLabel('Stay signed in').uncheck()
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL('**/files/')
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'auth', expires: -1, httpOnly: true, sameSite: 'Strict' })
  })

  it('shows and hides what is typed as password', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/login', as: null })
    const field = open.page.getByLabel('Password', { exact: true })
    await field.fill('secret')
    await open.page.getByRole('button', { name: 'Show password' }).click()
    expect(await field.getAttribute('type')).toBe('text')
    await open.page.getByRole('button', { name: 'Hide password' }).click()
    expect(await field.getAttribute('type')).toBe('password')
  })
})

describe('sign up', () => {
  it('creates an account, signs in with it, and says when a name is taken', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await allowSignup(program.origin)
    await using open = await openPage(browser, program, { path: '/login', as: null })
    const { page } = open
    await page.getByRole('button', { name: 'Create an account' }).click()
    const fill = async (name: string, password: string, repeated: string) => {
      await page.getByLabel('Username').fill(name)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByLabel('Repeat password').fill(repeated)
    }
    await fill('nora', 'a fine long sentence 8', 'a different one')
    await page.getByText('The two passwords differ.').first().waitFor()
    await fill(ADMIN.username, 'a fine long sentence 8', 'a fine long sentence 8')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This username is taken.').waitFor()
    await fill('nora', 'a fine long sentence 8', 'a fine long sentence 8')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/files/')
    await page.getByText('nora').first().waitFor()
  })

  it('is not offered unless it is allowed', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/login?signup', as: null })
    await open.page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await open.page.getByText('Create an account').count()).toBe(0)
  })
})

describe('a session that ends', () => {
  it('is taken up again in place and repeats what was refused', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/settings/profile' })
    const { page } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    const other = await loginAs(program.origin)
    expect((await other.fetch('/api/sessions', { method: 'DELETE' })).status).toBe(204)
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill('wrong')
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.getByText('The username or the password is wrong.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Settings saved').first().waitFor()
    await page.reload()
    expect(await exact.isChecked()).toBe(true)
  })

  it('is explained on the login page after a reload', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program)
    const { page } = open
    await page.getByRole('navigation', { name: 'Places' }).waitFor()
    const other = await loginAs(program.origin)
    await other.fetch('/api/sessions', { method: 'DELETE' })
    await page.reload()
    await page.waitForURL('**/login?*logout-reason=inactivity*')
    await page.getByText('You were signed out after a period of inactivity.').waitFor()
  })

  it('ends for every tab when one of them logs out', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program)
    const { page, context } = open
    const second = await context.newPage()
    await second.goto('/settings/profile')
    await second.getByRole('heading', { name: 'Browsing' }).waitFor()
    const cookie = (await context.cookies())[0]
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/login')
    await second.waitForURL('**/login')
    const headers = { Cookie: `auth=${cookie?.value}` }
    expect((await fetch(`${program.origin}/api/renew`, { headers })).status).toBe(401)
  })
})

describe('without an own login page', () => {
  it('opens the files at once and offers no way to log out', async () => {
    await using tree = await makeTree({ 'here.txt': 'x' })
    await using program = await startProgram(tree, { args: ['--noauth'] })
    await using open = await openPage(browser, program, { as: null })
    await open.page.getByText('here').first().waitFor()
    expect(await open.page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })
})

describe('errors and languages', () => {
  it('has pages for 403, 404 and 500 that lead back to the files', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/404' })
    const { page } = open
    await page.getByRole('heading', { level: 1, name: 'We can’t find this location' }).waitFor()
    await page.goto('/403')
    await page.getByRole('heading', { level: 1, name: 'You can’t open this location' }).waitFor()
    await page.goto('/500')
    await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor()
    await page.getByRole('link', { name: 'Go to my files' }).click()
    await page.waitForURL('**/files/')
  })

  it('takes any other address for a file', async () => {
    await using tree = await makeTree({ 'notes/a.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/notes/' })
    await open.page.waitForURL('**/files/notes/')
  })

  it('turns the page around for a language written from the right', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/login', as: null })
    const { page } = open
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitemradio', { name: 'עברית' }).click()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl')
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('he')
    await page.reload()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl')
  })
})

describe('the human check', () => {
  it('has to be answered, and is reset after a wrong password', async () => {
    const asked: string[] = []
    // The service: its script, and the address where the server has answers verified.
    const service = createServer((request, response) => {
      if (request.url?.startsWith('/recaptcha/api.js')) {
        response.setHeader('Content-Type', 'text/javascript')
        response.end(FAKE_CHECK)
        return
      }
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () => {
        asked.push(body)
        response.end(JSON.stringify({ success: body.includes('response=human') }))
      })
    }).listen(0, '127.0.0.1')
    try {
      await using tree = await makeTree({})
      const { port } = service.address() as AddressInfo
      const first = await startProgram(tree)
      await first.stop()
      const [command, ...leading] = programCommand()
      execFileSync(command, [
        ...leading,
        ...['config', 'set', '-d', first.database, '--auth.method', 'json'],
        ...['--recaptcha.key', 'site', '--recaptcha.secret', 'hidden'],
        ...['--recaptcha.host', `http://127.0.0.1:${port}`],
      ])
      await using program = await startProgram(tree, { database: first.database })
      await using open = await openPage(browser, program, { path: '/login', as: null })
      const { page } = open
      await page.getByText('I am human').waitFor()
      await page.getByLabel('Username').fill(ADMIN.username)
      await page.getByLabel('Password', { exact: true }).fill('wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('Confirm that you are human.').waitFor()
      expect(asked).toEqual([])
      await page.getByText('I am human').click()
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('The username or the password is wrong.').waitFor()
      expect(asked[0]).toContain('secret=hidden')
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('Confirm that you are human.').waitFor()
      await page.getByText('I am human').click()
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.waitForURL('**/files/')
    } finally {
      service.close()
    }
  })
})

/** What the page needs of the service's script: a box that gives an answer once it is clicked. */
const FAKE_CHECK = `
let answer = ''
window.grecaptcha = {
  render(element) {
    const box = document.createElement('button')
    box.type = 'button'
    box.textContent = 'I am human'
    box.onclick = () => { answer = 'human' }
    element.append(box)
    return 0
  },
  getResponse: () => answer,
  reset: () => { answer = '' },
}
`
