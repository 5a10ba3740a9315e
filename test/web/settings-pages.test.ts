// Who may open which page of the settings, and where the others end up.
import { describe, expect, it } from 'vitest'
import { BLANK, DESKTOP, PHONE } from '../support/browser.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { addUser, userLogin } from './listing-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

describe('addresses of the settings', () => {
  it('lead to the profile first', async () => {
    await using open = await openServed({}, { path: '/settings' })
    await open.page.waitForURL('**/settings/profile')
    await open.page.getByRole('heading', { name: 'File list' }).waitFor()
  })

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('lead to pages that have one heading above all others (%s)', async (_, viewport) => {
    await using open = await openServed({}, { path: '/settings/profile', viewport })
    const { page } = open
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Settings'])
  })

  it('that are no page are files, like any other address', async () => {
    await using open = await openServed(
      { 'settings/foo/inside.txt': 'x' },
      { path: '/settings/foo' },
    )
    await open.page.waitForURL('**/files/settings/foo')
    await open.page.getByText('inside').first().waitFor()
  })

  it('show global settings, users, a user and the form of a new one to administrators only', async () => {
    await using open = await openServed(
      {},
      {
        path: BLANK,
        as: userLogin('guest'),
        prepare: (program) => addUser(program, 'guest', ['share', 'download']),
      },
    )
    const { page } = open
    for (const place of ['global', 'users', 'users/1', 'users/new']) {
      await page.goto(`/settings/${place}`)
      await page.waitForURL('**/403')
      await page.getByRole('heading', { name: 'Access denied' }).waitFor()
    }
  })

  it('show the links to those who may share', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await addUser(program, 'guest', ['download'])
    const as = userLogin('guest')
    await using open = await openIn(program, { path: '/settings/shares', as })
    const { page } = open
    await page.waitForURL('**/403')
    await page.goto('/settings/profile')
    const menu = page.getByRole('navigation', { name: 'Settings' })
    await menu.getByRole('link', { name: 'Profile' }).waitFor()
    await expect
      .poll(() => menu.getByRole('link').allInnerTexts())
      .toEqual(['Profile', 'Trash', 'History'])
  })
})
