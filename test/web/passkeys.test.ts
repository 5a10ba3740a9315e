// Passkeys in Chromium, with an authenticator that the browser plays: added, used to log in both ways, to confirm, removed.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { toast } from './listing-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages()

/** A server by its name, which passkeys need, and a page of its profile with an authenticator. */
async function openByName() {
  await using begun = new AsyncDisposableStack()
  const tree = begun.use(await makeTree({ 'in.txt': 'x' }))
  const program = begun.use(await startProgram(tree))
  const origin = program.origin.replace('127.0.0.1', 'localhost')
  const open = begun.use(await openIn({ origin }, { path: '/settings/profile' }))
  const { page } = open
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const all = begun.move()
  const authenticator = { cdp, authenticatorId }
  return {
    ...open,
    program,
    origin,
    authenticator,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function add(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name').fill('Blue key')
  await dialog.getByLabel('Your current password').fill(ADMIN.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await toast(page, 'Passkey added').waitFor()
}

/** The login page; without autofill, as in browsers that know none, the authenticator waits for the button. */
async function toLogin(page: Page, path: '/login' | '/login#no-autofill'): Promise<void> {
  await page.context().clearCookies()
  await page.addInitScript(() => {
    if (location.hash === '#no-autofill')
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  await page.goto('/health')
  await page.goto(path)
}

const button = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

describe('a passkey', () => {
  it('is added in the profile, logs in by the button and by autofill, and is removed', async () => {
    await using open = await openByName()
    const { page } = open
    await add(page)
    const own = page.getByRole('listitem').filter({ hasText: 'Blue key' })
    await own.getByText('Never used').waitFor()

    await toLogin(page, '/login#no-autofill')
    await expect
      .poll(() => page.getByLabel('Username').getAttribute('autocomplete'))
      .toBe('username webauthn')
    await button(page).click()
    await page.getByText('in.txt').waitFor()

    // The authenticator chooses at once what the browser offers at the field.
    await toLogin(page, '/login')
    await page.getByText('in.txt').waitFor()

    await page.goto('/settings/profile')
    await own.getByRole('button', { name: 'Rename Blue key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    const laptop = page.getByRole('listitem').filter({ hasText: 'Laptop' })
    await laptop.getByText('Last used').waitFor()
    await laptop.getByRole('button', { name: 'Remove Laptop' }).click()
    const question = page.getByRole('dialog', { name: 'Remove this passkey?' })
    await question.getByRole('button', { name: 'Use a passkey' }).click()
    await toast(page, 'Passkey removed').waitFor()
    await laptop.waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('takes the second step where there has to be one', async () => {
    await using open = await openByName()
    const { page, program } = open
    await add(page)
    const admin = await loginAs(program.origin)
    const body = JSON.stringify({ required: true, current_password: ADMIN.password })
    await admin.fetch('/api/second-factors/1', { method: 'PUT', body })
    await toLogin(page, '/login#no-autofill')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Two-step sign-in' }).waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('in.txt').waitFor()
  })

  it('that is not given is no error: the page waits for the next try', async () => {
    await using open = await openByName()
    const { page, authenticator } = open
    const { cdp, authenticatorId } = authenticator
    const verify = (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    await add(page)
    await toLogin(page, '/login#no-autofill')
    await verify(false)
    const asked = page.waitForResponse('**/api/login/passkey/options')
    await button(page).click()
    await asked
    await page.locator('button[aria-busy="true"]').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
    await verify(true)
    await button(page).click()
    await page.getByText('in.txt').waitFor()
  })

  it('cannot be had at an address without a name, and the profile says why', async () => {
    await using open = await openServed({}, { path: '/settings/profile' })
    await open.page.getByText('Passkeys need a host name.').waitFor()
    expect(await open.page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
  })

  it('is not spoken of at the login page, nor loaded for, as long as nobody has one', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    const origin = program.origin.replace('127.0.0.1', 'localhost')
    await using open = await openIn({ origin }, { path: '/login', as: null })
    await open.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await button(open.page).count()).toBe(0)
    await expect
      .poll(() => open.page.getByLabel('Username').getAttribute('autocomplete'))
      .toBe('username')
    const loaded = await open.page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    )
    expect(loaded.filter((name) => /passkey/i.test(name))).toEqual([])
  })
})
