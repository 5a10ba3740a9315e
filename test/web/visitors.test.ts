// What the pages without a login offer to visitors: an account, a way in, or neither.
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { ADMIN, startConfigured, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { changeSettings } from './settings-steps.ts'
import { makeShare } from './share-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

describe('pages for visitors', () => {
  it('lead from a share to an account and back to the share', async () => {
    await using tree = await makeTree({ 'in/a.txt': 'x' })
    await using program = await startProgram(tree)
    await changeSettings(program, () => ({ signup: true }))
    const hash = await makeShare(program, '/in/')
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    const { page } = open
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to File Browser' }).waitFor()
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${program.origin}/share/${hash}`)
    await page.getByRole('link', { name: 'My files' }).waitFor()
    expect(await page.getByRole('link', { name: /^(Sign in|Sign up)$/ }).count()).toBe(0)
  })

  it('offer the login on errors, too, and no account where nobody may make one', async () => {
    await using open = await openServed(
      {},
      {
        path: '/404',
        as: null,
        prepare: (program) => changeSettings(program, () => ({ hideLoginButton: false })),
      },
    )
    const { page } = open
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sign up' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in to File Browser' }).waitFor()
  })

  it('fit a phone', async () => {
    await using open = await openServed(
      {},
      {
        path: '/404',
        as: null,
        viewport: PHONE,
        prepare: (program) =>
          changeSettings(program, () => ({ hideLoginButton: false, signup: true })),
      },
    )
    const { page } = open
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
  })

  it('hide the login link where the administrator said so', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    await changeSettings(program, () => ({ hideLoginButton: false }))
    const hash = await makeShare(program, '/a.txt')
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    const { page } = open
    const login = page.getByRole('link', { name: 'Sign in' })
    await login.waitFor()
    await changeSettings(program, () => ({ hideLoginButton: true, signup: true }))
    for (const path of [`/share/${hash}`, '/404']) {
      await page.goto(path)
      await page.getByRole('link', { name: 'Sign up' }).waitFor()
      expect(await login.count()).toBe(0)
    }
  })

  it('offer no login where there is no login page', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    let hash = ''
    await using program = await startConfigured(
      tree,
      ['--auth.method', 'proxy', '--auth.header', 'X-Name', '--hideLoginButton=false'],
      async (before) => {
        hash = await makeShare(before, '/a.txt')
      },
    )
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    await open.page.getByRole('heading', { name: 'a.txt' }).waitFor()
    expect(await open.page.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
    await using user = await openIn(program, {
      path: `/share/${hash}`,
      as: null,
      extraHTTPHeaders: { 'X-Name': ADMIN.username },
    })
    await user.page.getByRole('link', { name: 'My files' }).waitFor()
  })
})
