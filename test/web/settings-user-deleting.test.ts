// Deleting an account: what is asked, what is refused, and how it ends.
import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { type Program, startConfigured } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { holdAnswers, servedPages, sharedBrowser } from './browser-steps.ts'
import { toast } from './listing-steps.ts'
import { confirm, createUser, PASSWORD, readUser } from './settings-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

/** The form of the account `gone`. */
async function openGone() {
  let id = 0
  const prepare = async (program: Program) => {
    id = await createUser(program, { username: 'gone', scope: '/' })
  }
  const open = await openServed({}, { path: '/settings/users', prepare })
  await open.page.getByRole('link', { name: 'Edit gone' }).click()
  return { ...open, id }
}

/** A proxy before the server that lets nobody delete. */
async function forbid(route: Route): Promise<void> {
  if (route.request().method() === 'DELETE') await route.fulfill({ status: 403, body: 'no' })
  else await route.continue()
}

describe('deleting a user', () => {
  it('needs the own password and ends the sessions of the account', async () => {
    await using open = await openGone()
    const { page, program, id } = open
    const gone = await loginAs(program.origin, 'gone', PASSWORD)
    await page.getByRole('button', { name: 'Delete user' }).click()
    await confirm(page, 'Delete user', 'not mine')
    await page.getByText('Incorrect password.').waitFor()
    await confirm(page, 'Delete user')
    await page.waitForURL('**/settings/users')
    await page.getByText('User deleted').first().waitFor()
    expect((await gone.fetch(`/api/users/${id}`)).status).toBe(401)
  })

  it('never takes the last administrator', async () => {
    await using open = await openServed({}, { path: '/settings/users/1' })
    const { page } = open
    await page.getByRole('button', { name: 'Delete user' }).click()
    await confirm(page, 'Delete user')
    await page.getByText(/This is the last administrator/).waitFor()
  })

  it('is not called off by leaving the question while it happens', async () => {
    await using open = await openGone()
    const { page, id } = open
    const held = await holdAnswers(page, `**/api/users/${id}`)
    await page.getByRole('button', { name: 'Delete user' }).click()
    await confirm(page, 'Delete user')
    const question = page.getByRole('dialog', { name: 'Delete this user?' })
    await question.getByRole('button', { name: 'Cancel' }).click({ force: true })
    await question.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => question.isVisible()).toBe(true)
    held.resolve()
    await page.getByText('User deleted').first().waitFor()
    await page.waitForURL('**/settings/users')
    expect(open.problems).toEqual([])
  })

  it('says in the question that it is forbidden, and leaves the account', async () => {
    await using open = await openGone()
    const { page, program, id } = open
    await page.route(`**/api/users/${id}`, forbid)
    await page.getByRole('button', { name: 'Delete user' }).click()
    await confirm(page, 'Delete user')
    const question = page.getByRole('dialog', { name: 'Delete this user?' })
    await question.getByText('You don’t have permission to do this.').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await page.getByText('User deleted').count()).toBe(0)
    expect((await readUser(program, id)).username).toBe('gone')
  })

  it('asks no password where nobody has one, and says why it is refused', async () => {
    await using tree = await makeTree({})
    let id = 0
    await using program = await startConfigured(
      tree,
      ['--auth.method', 'noauth'],
      async (before) => {
        id = await createUser(before, { username: 'gone', scope: '/' })
      },
    )
    await using open = await openIn(program, {
      path: `/settings/users/${id}`,
      as: null,
    })
    const { page } = open
    const question = page.getByRole('alertdialog', { name: 'Delete this user?' })
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete user' }).click()
      await question.getByRole('button', { name: 'Delete user' }).click()
    }
    await page.route(`**/api/users/${id}`, forbid)
    await remove()
    await toast(page, 'You don’t have permission to do this.').waitFor()
    await page.unroute(`**/api/users/${id}`)
    await remove()
    await page.getByText('User deleted').first().waitFor()
    await page.goto('/settings/users/1')
    await remove()
    await page
      .getByText(/This is the last administrator/)
      .first()
      .waitFor()
    expect(open.problems).toEqual([])
  })
})
