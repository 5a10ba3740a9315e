// Logging in at a provider, as a browser does it: there and back, out, and in a small window.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { CLIENT, startProvider } from '../support/oidc.ts'
import { ADMIN } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'

const openServed = servedPages()

/** A server with a provider; nobody is signed in. */
async function openWorld(path: string, ...more: string[]) {
  await using begun = new AsyncDisposableStack()
  const provider = begun.use(await startProvider())
  const options = {
    issuer: provider.issuer,
    clientId: CLIENT.clientId,
    clientSecret: CLIENT.clientSecret,
    label: 'Elsewhere',
    allowedGroups: '*',
    create: 'true',
  }
  const args = Object.entries(options).map(([key, value]) => `--oidc.${key}=${value}`)
  const open = begun.use(
    await openServed(
      {},
      {
        path,
        as: null,
        args: [...args, ...more],
        prepare: async ({ origin }) => provider.serve(origin),
      },
    ),
  )
  const all = begun.move()
  return { ...open, provider, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** At the provider's own pages, for the first time. */
async function signInThere(page: Page, username: string): Promise<void> {
  await enterThere(page, username)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function enterThere(page: Page, username: string): Promise<void> {
  await page.locator('input[name=login]').fill(username)
  await page.locator('input[name=password]').fill('x')
  await page.locator('button[type=submit]').click()
}

const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Elsewhere' })

describe('logging in at a provider', () => {
  it('leads there and back to what was asked for, and out at both places', async () => {
    await using open = await openWorld('/files/', '--passwordLogin=false')
    const { page, origin } = open
    await button(page).click()
    await signInThere(page, 'mona')
    await page.waitForURL(`${origin}/files/`)
    await page.getByText('mona').first().waitFor()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.waitForURL(`${origin}/login`)
    await button(page).waitFor()
    expect(await page.getByLabel('Username').count()).toBe(0)
  })

  it('begins by itself, but not after logging out, and not where the form is asked for', async () => {
    await using open = await openWorld('/files/', '--oidc.auto')
    const { page, origin } = open
    await signInThere(page, 'mona')
    await page.waitForURL(`${origin}/files/`)
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('button', { name: 'No, stay signed in' }).click()
    await page.waitForURL(`${origin}/login`)
    await button(page).waitFor()
    await page.goto('/login?local')
    await page.getByLabel('Username').waitFor()
  })

  it('says why somebody is not let in', async () => {
    await using open = await openWorld('/login', '--oidc.allowedGroups=staff')
    const { page } = open
    await button(page).click()
    await signInThere(page, 'mona')
    await page.getByRole('alert').getByText('You’re not allowed to sign in here.').waitFor()
    await page.getByLabel('Username').waitFor()
  })

  it('takes up a session in a small window, over unsaved work', async () => {
    await using open = await openWorld('/settings/profile')
    const { page, context, origin, program } = open
    await button(page).click()
    await signInThere(page, 'mona')
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    const admin = await loginAs(program.origin)
    const sessions = await (await admin.fetch('/api/sessions?all=true')).json()
    for (const { id, username } of sessions as { id: string; username: string }[])
      if (username === 'mona') await admin.fetch(`/api/sessions/${id}`, { method: 'DELETE' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const opened = context.waitForEvent('page')
    await page.getByRole('alertdialog', { name: 'Your session has ended' }).waitFor()
    await button(page).click()
    const small = await opened
    if (!small.isClosed()) await small.waitForEvent('close')
    await page.getByText('Settings saved').first().waitFor()
    expect(new URL(page.url()).origin).toBe(origin)
  })

  it('opens an account that was connected in the profile', async () => {
    await using open = await openWorld('/login')
    const { page, origin, program } = open
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${origin}/files/`)
    await page.goto('/settings/profile')
    await page.getByRole('button', { name: 'Connect' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in with Elsewhere' })
    await dialog.getByLabel('Your current password').fill(ADMIN.password)
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await signInThere(page, 'mona')
    await page.getByText('Connected as mona').waitFor()
    await page.goto('/settings/global')
    const address = page.getByLabel('redirect_uri', { exact: true })
    await expect.poll(() => address.inputValue()).toBe(`${program.origin}/api/oidc/callback`)
  })

  it('proves who has an account without a password, in a small window', async () => {
    await using open = await openWorld('/settings/profile')
    const { page, context } = open
    await button(page).click()
    await signInThere(page, 'mona')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New API token' })
    await dialog.getByLabel('Name', { exact: true }).fill('backup')
    const opened = context.waitForEvent('page')
    await dialog.getByRole('button', { name: 'Confirm with Elsewhere' }).click()
    await enterThere(await opened, 'mona')
    await dialog.getByText('You’ve just confirmed your identity.').waitFor()
    await dialog.getByLabel('Your current password').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('backup').first().waitFor()
  })
})
