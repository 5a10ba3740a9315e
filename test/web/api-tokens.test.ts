// API tokens: made in the profile, used by a script, removed.
import { expect, it } from 'vitest'
import { ADMIN } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'
import { toast } from './listing-steps.ts'

const openServed = servedPages()

it('a token made in the profile reads its folder alone until it is removed', async () => {
  const content = { 'docs/in.txt': 'inside', 'out.txt': 'outside' }
  await using open = await openServed(content, { path: '/settings/profile' })
  const { page, program } = open
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New API token' })
  await dialog.getByLabel('Name', { exact: true }).fill('Backup')
  await dialog.getByRole('button', { name: 'Choose folder' }).click()
  const folders = page.getByRole('dialog', { name: 'Choose folder' })
  await folders.getByRole('treeitem', { name: 'docs' }).click()
  await folders.getByRole('button', { name: 'Choose folder' }).click()
  const folder = dialog.getByLabel('Folder', { exact: true })
  await expect.poll(() => folder.inputValue()).toBe('/docs')
  await dialog.getByLabel('Your current password').fill(ADMIN.password)
  await dialog.getByRole('button', { name: 'Create token' }).click()

  const made = page.getByRole('alertdialog', { name: 'Token “Backup” is ready' })
  const token = await made.getByLabel('Your token').inputValue()
  const statusOf = async (path: string, method = 'GET') => {
    const headers = { 'X-Auth': token }
    return (await fetch(`${program.origin}/api${path}`, { method, headers })).status
  }
  expect(await statusOf('/raw/docs/in.txt')).toBe(200)
  expect(await statusOf('/raw/out.txt')).toBe(403)
  expect(await statusOf('/resources/docs/in.txt', 'DELETE')).toBe(403)
  const command = made.locator('code')
  const address = `"${program.origin}/api/resources/docs"`
  await expect.poll(() => command.textContent()).toContain(address)
  await made.getByRole('button', { name: 'Done' }).click()

  const row = page.getByRole('listitem').filter({ hasText: 'Backup' })
  await row.getByText('/docs · Download').waitFor()
  await row.getByRole('button', { name: 'Remove Backup' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove this token?' })
  await question.getByRole('button', { name: 'Remove token' }).click()
  await toast(page, 'Token removed').waitFor()
  await row.waitFor({ state: 'detached' })
  expect(await statusOf('/raw/docs/in.txt')).toBe(401)
  expect(open.problems).toEqual([])
})

it('an app password made in the profile opens the files for an app, with what is told beside it', async () => {
  await using open = await openServed({ 'a.txt': 'a' }, { path: '/settings/profile' })
  const { page } = open
  await page.getByRole('button', { name: 'New app password' }).click()
  const dialog = page.getByRole('dialog', { name: 'New app password' })
  await dialog.getByLabel('Name', { exact: true }).fill('Phone')
  await dialog.getByLabel('Your current password').fill(ADMIN.password)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const made = page.getByRole('alertdialog', { name: 'App password “Phone” is ready' })
  const [address = '', name, secret] = await Promise.all(
    ['Address', 'Username', 'App password'].map((label) =>
      made.getByLabel(label, { exact: true }).inputValue(),
    ),
  )
  const Authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
  const put = await fetch(`${address}new.txt`, {
    method: 'PUT',
    headers: { Authorization },
    body: 'new',
  })
  expect(put.status).toBe(201)
  await made.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove Phone' }).waitFor()
  expect(open.problems).toEqual([])
})
