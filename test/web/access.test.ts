// Rights in folders, all the way: an administrator makes a group and says what it may do in a folder, and a
// member sees there what is not allowed.
import { expect, it } from 'vitest'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { entry, selectionBar, showList, toast } from './listing-steps.ts'
import { confirm, createUser, PASSWORD } from './settings-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

const NOT_HERE = 'Not allowed in this folder'

it('a group is given a folder, and its members see there what they may not do, and why', async () => {
  const perm = { admin: false, execute: false, share: false }
  const may = { create: true, rename: true, modify: true, delete: true, download: true }
  await using open = await openServed(
    { 'team/plan.txt': 'plan', 'own.txt': 'mine' },
    {
      path: '/settings/groups',
      prepare: (program) =>
        createUser(program, { username: 'mona', scope: '/', perm: { ...perm, ...may } }),
    },
  )
  const { page, program } = open

  await page.getByRole('link', { name: 'New group' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Readers')
  await page.getByRole('combobox', { name: 'Find a user' }).fill('mo')
  await page.getByRole('option', { name: 'mona' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await confirm(page, 'Save changes')
  await page.waitForURL(/\/settings\/groups\/\d+$/)

  await page.getByRole('navigation', { name: 'Settings' }).getByText('Folders').click()
  await page.getByRole('link', { name: 'Add a folder' }).click()
  await page.getByRole('button', { name: 'Choose folder' }).click()
  await page.getByRole('treeitem', { name: 'team' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Choose folder' }).click()
  await expect.poll(() => page.getByLabel('Folder', { exact: true }).inputValue()).toBe('/team')
  await page.getByRole('combobox', { name: 'Add a person or group' }).fill('read')
  await page.getByRole('option', { name: 'Readers' }).waitFor()
  await page.keyboard.press('Enter')
  for (const verb of ['Create and upload', 'Edit files', 'Rename and move', 'Delete']) {
    await page.getByRole('radiogroup', { name: verb }).getByRole('radio', { name: 'Deny' }).check()
  }
  await page.getByRole('button', { name: 'Save changes' }).click()
  await confirm(page, 'Save changes')
  await page.waitForURL(/\/settings\/folders\/record/)

  const as = { username: 'mona', password: PASSWORD }
  await using member = await openIn(program, { path: '/files/team/', as })
  const { page: seen } = member
  await showList(seen)
  const upload = seen.getByRole('button', { name: 'Upload', exact: true })
  await expect.poll(() => upload.getAttribute('data-tip')).toBe(NOT_HERE)
  await entry(seen, 'plan.txt').click()
  const bar = selectionBar(seen)
  const remove = bar.getByRole('button', { name: 'Delete' })
  await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
  const download = bar.getByRole('button', { name: 'Download', exact: true })
  await expect.poll(() => download.getAttribute('aria-disabled')).toBe(null)
  await seen.keyboard.press('F2')
  await toast(seen, NOT_HERE).waitFor()

  // Beside it the account's own permissions count.
  await seen.goto(`${program.origin}/files/`)
  await entry(seen, 'own.txt').click()
  await expect.poll(() => remove.getAttribute('aria-disabled')).toBe(null)
})
