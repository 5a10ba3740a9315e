// Two-step sign-in: set up in the profile, asked for at the login page, reset by an administrator.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program } from '../support/program.ts'
import { codeOf } from '../support/totp.ts'
import { servedPages } from './browser-steps.ts'
import { toast } from './listing-steps.ts'
import { changeSettings, confirm, createUser, PASSWORD } from './settings-steps.ts'

const openServed = servedPages()

/** Sets it up for an account over HTTP; gives its secret and recovery codes. */
async function enrol(program: Program, username: string, password: string) {
  const who = await loginAs(program.origin, username, password)
  const ask = async (method: string, body: object) => {
    const init = { method, body: JSON.stringify(body) }
    return (await who.fetch('/api/second-factor', init)).json()
  }
  const { secret } = (await ask('POST', { current_password: password })) as { secret: string }
  const { recovery } = (await ask('PUT', { code: codeOf(secret) })) as { recovery: string[] }
  return { secret, recovery }
}

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const digits = (page: Page) => page.getByLabel('Six-digit code')

describe('two-step sign-in', () => {
  it('is set up in the profile by scanning, and switched off with password and code', async () => {
    await using open = await openServed({}, { path: '/settings/profile' })
    const { page } = open
    await page.getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Two-step sign-in' })
    await dialog.getByLabel('Your current password').fill(ADMIN.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const qr = dialog.getByRole('img', { name: 'QR code' })
    await qr.waitFor()
    const uri = (await qr.getAttribute('data-text')) ?? ''
    const secret = new URL(uri).searchParams.get('secret') ?? ''
    expect(uri).toContain('otpauth://totp/File%20Browser:admin?')
    expect((await dialog.locator('code').textContent())?.replaceAll(' ', '')).toBe(secret)
    await digits(page).fill('12345')
    await digits(page).press('Enter')
    await dialog.getByRole('alert').getByText('Enter the code').waitFor()
    await digits(page).fill(codeOf(secret))

    const codes = page.getByRole('alertdialog', { name: 'Recovery codes' })
    await codes.getByRole('listitem').nth(9).waitFor()
    const saved = page.waitForEvent('download')
    await codes.getByRole('button', { name: 'Download' }).click()
    expect((await saved).suggestedFilename()).toBe('recovery-codes.txt')
    await codes.getByRole('button', { name: 'Done' }).click()
    await page.getByText('10 recovery codes left').waitFor()

    await page.getByRole('button', { name: 'Switch off' }).click()
    const question = page.getByRole('dialog', { name: 'Switch off two-step sign-in?' })
    await question.getByLabel('Your current password').fill(ADMIN.password)
    await digits(page).fill(codeOf(secret, 1))
    await question.getByRole('button', { name: 'Switch off' }).click()
    await toast(page, 'Two-step sign-in is off').waitFor()
    await page.getByRole('button', { name: 'Set up' }).waitFor()
    expect(open.problems).toEqual([])
  })

  it('asks for the code at the login page, says when it is wrong, and goes on by itself at six digits', async () => {
    await using open = await openServed({ 'in.txt': 'x' }, { path: '/login', as: null })
    const { page, program } = open
    const { secret } = await enrol(program, ADMIN.username, ADMIN.password)
    await logIn(page, ADMIN.username, ADMIN.password)
    await page.getByRole('heading', { name: 'Two-step sign-in' }).waitFor()
    await expect.poll(() => digits(page).getAttribute('autocomplete')).toBe('one-time-code')
    await expect.poll(() => digits(page).getAttribute('inputmode')).toBe('numeric')
    // From before it was switched on, whichever half minute it is by now.
    await digits(page).fill(codeOf(secret, -1))
    await page.getByRole('alert').getByText('This code is wrong or already used.').waitFor()
    await expect.poll(() => digits(page).inputValue()).toBe('')
    await digits(page).fill(codeOf(secret, 1))
    await page.getByText('in.txt').waitFor()
  })

  it('takes a recovery code instead, and goes back to name and password', async () => {
    await using open = await openServed({ 'in.txt': 'x' }, { path: '/login', as: null })
    const { page, program } = open
    const { recovery } = await enrol(program, ADMIN.username, ADMIN.password)
    await logIn(page, ADMIN.username, ADMIN.password)
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => page.getByLabel('Username').inputValue()).toBe(ADMIN.username)
    await logIn(page, ADMIN.username, ADMIN.password)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill((recovery[0] ?? '').toLowerCase())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('in.txt').waitFor()
  })

  it('is set up at the login page where it is required', async () => {
    await using open = await openServed({ 'in.txt': 'x' }, { path: '/login', as: null })
    const { page, program } = open
    await createUser(program, { username: 'ben', scope: '/' })
    await changeSettings(program, () => ({ secondFactor: 'everyone' }))
    await logIn(page, 'ben', PASSWORD)
    await page.getByText('This account needs a second step.').waitFor()
    const uri = (await page.getByRole('img', { name: 'QR code' }).getAttribute('data-text')) ?? ''
    await digits(page).fill(codeOf(new URL(uri).searchParams.get('secret') ?? ''))
    await page.getByText('Each code works once').waitFor()
    await page.getByRole('listitem').nth(9).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('in.txt').waitFor()
  })

  it('is asked for in place when a session ends, and what was refused is done', async () => {
    await using open = await openServed({}, { path: '/settings/profile' })
    const { page, program } = open
    const { secret, recovery } = await enrol(program, ADMIN.username, ADMIN.password)
    await page.getByRole('switch', { name: 'Show exact dates' }).check()
    const body = { username: ADMIN.username, password: ADMIN.password + codeOf(secret, 1) }
    const init = { method: 'POST', body: JSON.stringify(body) }
    const token = await (await fetch(`${program.origin}/api/login`, init)).text()
    const headers = { 'X-Auth': token }
    await fetch(`${program.origin}/api/sessions`, { method: 'DELETE', headers })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click()
    await dialog.getByLabel('Recovery code').fill(recovery[0] ?? '')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await toast(page, 'Settings saved').waitFor()
  })

  it('is seen and reset in the list of users', async () => {
    await using open = await openServed({}, { path: '/settings/users', as: null })
    const { page, program } = open
    await createUser(program, { username: 'ben' })
    await enrol(program, 'ben', PASSWORD)
    await logIn(page, ADMIN.username, ADMIN.password)
    const row = page.getByRole('row').filter({ hasText: 'ben' })
    await row.getByText('Two-step sign-in is on').waitFor({ state: 'attached' })
    await row.getByRole('button', { name: 'Reset two-step sign-in of ben' }).click()
    await confirm(page, 'Reset')
    await toast(page, 'Two-step sign-in is off').waitFor()
    await row.getByText('Two-step sign-in is on').waitFor({ state: 'detached' })
    expect((await loginAs(program.origin, 'ben', PASSWORD)).token).not.toBe('')
  })

  it('is required of one account in its form, and of all in the settings', async () => {
    await using open = await openServed({}, { path: '/settings/global' })
    const { page, program } = open
    const id = await createUser(program, { username: 'ben' })
    await page.getByLabel('Two-step sign-in').selectOption('administrators')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await toast(page, 'Settings saved').waitFor()
    await page.goto(`${program.origin}/settings/users/${id}`)
    await page.getByRole('switch', { name: 'Require two-step sign-in' }).click()
    await confirm(page, 'Save changes')
    await page.getByRole('switch', { name: 'Require two-step sign-in', checked: true }).waitFor()
    await expect(loginAs(program.origin, 'ben', PASSWORD)).rejects.toThrow('401')
    await expect(loginAs(program.origin)).rejects.toThrow('401')
  })
})
