// Who did what: the page for administrators, and the visits to one's own link.
import { expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { ADMIN } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'

const openServed = servedPages()
const TREE = { 'docs/in.txt': 'inside', 'out.txt': 'outside' }

it('shows who did what, filters it, and gives it as a table', async () => {
  await using open = await openServed(TREE, { path: '/settings/profile' })
  const { page, program } = open
  const { origin } = program
  const admin = await loginAs(origin)
  await admin.fetch('/api/resources/out.txt?action=rename&destination=/docs/moved.txt', {
    method: 'PATCH',
  })
  await fetch(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'mallory', password: 'guess' }),
  })
  await page.getByRole('navigation', { name: 'Settings' }).getByText('Activity').click()
  const rows = page.getByRole('row')
  const moved = rows.filter({ hasText: 'Moved' })
  await moved.getByText('/out.txt', { exact: true }).waitFor()
  await moved.getByText('/docs/moved.txt').waitFor()
  await moved.getByText(ADMIN.username, { exact: true }).waitFor()
  await page.getByRole('columnheader', { name: 'Who' }).waitFor()

  await page.getByLabel('Result').selectOption({ label: 'Refused' })
  await moved.waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'Signed in' }).getByText('mallory').waitFor()
  await expect.poll(() => rows.count()).toBe(2)

  await page.getByLabel('Result').selectOption({ label: 'All results' })
  await page.getByLabel('Part of a path').fill('moved')
  await expect.poll(() => rows.count()).toBe(2)

  await page.getByLabel('Last day').fill('2001-01-01')
  await moved.waitFor({ state: 'detached' })
  await page.getByLabel('Last day').fill('2999-01-01')
  await page.getByLabel('First day').fill('2001-01-01')
  await moved.waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as table' }).click()
  expect((await saving).suggestedFilename()).toBe('audit.csv')
  expect(open.problems).toEqual([])
})

it('shows older lines when they are asked for', async () => {
  await using open = await openServed(TREE, { path: '/settings/profile' })
  const { page, program } = open
  const admin = await loginAs(program.origin)
  for (let i = 0; i < 120; i++) await admin.fetch(`/api/resources/folder-${i}/`, { method: 'POST' })
  await page.getByRole('navigation', { name: 'Settings' }).getByText('Activity').click()
  await page.getByText('/folder-119', { exact: true }).waitFor()
  expect(await page.getByText('/folder-3', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Show older' }).click()
  await page.getByText('/folder-3', { exact: true }).waitFor()
  expect(open.problems).toEqual([])
})

it('shows whoever made a link what its visitors did', async () => {
  await using open = await openServed(TREE, { path: '/settings/shares' })
  const { page, program } = open
  const { origin } = program
  const admin = await loginAs(origin)
  const made = await admin.fetch('/api/share/docs/', { method: 'POST', body: '{}' })
  const { hash } = await made.json()
  await fetch(`${origin}/api/public/dl/${hash}/in.txt`)
  await page.reload()
  await page.getByRole('button', { name: 'Visits' }).click()
  await page.waitForURL(`**/settings/shares/${hash}`)
  const row = page.getByRole('row').filter({ hasText: 'Downloaded' })
  await row.getByText('/docs/in.txt').waitFor()
  await row.getByText('Visitor').waitFor()
  const pages = page.getByRole('navigation', { name: 'Settings' })
  await pages.getByRole('link', { name: 'Shared links' }).click()
  await page.getByRole('button', { name: 'Visits' }).waitFor()
  expect(open.problems).toEqual([])
})
