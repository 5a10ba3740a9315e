// Who may open which page of the settings, and where the others end up.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { addUser, userLogin } from './listing-steps.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

describe('addresses of the settings', () => {
  it('lead to the profile first', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/settings' })
    await open.page.waitForURL('**/settings/profile')
    await open.page.getByRole('heading', { name: 'Browsing' }).waitFor()
  })

  it('that are no page are files, like any other address', async () => {
    await using tree = await makeTree({ 'settings/foo/inside.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/settings/foo' })
    await open.page.waitForURL('**/files/settings/foo')
    await open.page.getByText('inside').first().waitFor()
  })

  it.each(['/settings/global', '/settings/users', '/settings/users/1', '/settings/users/new'])(
    'show %s to administrators only',
    async (path) => {
      await using tree = await makeTree({})
      await using program = await startProgram(tree)
      await addUser(program, 'guest', ['share', 'download'])
      await using open = await openPage(browser, program, { path, as: userLogin('guest') })
      const { page } = open
      await page.waitForURL('**/403')
      await page.getByRole('heading', { name: 'You can’t open this location' }).waitFor()
    },
  )

  it('show the links to those who may share', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await addUser(program, 'guest', ['download'])
    const as = userLogin('guest')
    await using open = await openPage(browser, program, { path: '/settings/shares', as })
    const { page } = open
    await page.waitForURL('**/403')
    await page.goto('/settings/profile')
    const menu = page.getByRole('navigation', { name: 'Settings' })
    await menu.getByRole('link', { name: 'Profile' }).waitFor()
    expect(await menu.getByRole('link').count()).toBe(1)
  })
})
