// The trash as people meet it: deleting without a question, and everything that comes back.
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { servedPages } from './browser-steps.ts'
import { doubleClick, entry, expectNames, toast } from './listing-steps.ts'
import { panel, pickFiles } from './upload-steps.ts'

const openServed = servedPages()
const TREE = { 'a.txt': 'A', 'b.txt': 'B', 'docs/c.txt': 'C' }

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

async function openTrash(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).getByText('Trash').click()
}

it('deletes without a question, and Undo brings back what was deleted', async () => {
  await using open = await openServed(TREE)
  const { page, tree } = open
  await entry(page, 'a.txt').click()
  await entry(page, 'docs').click({ modifiers: ['Control'] })
  await page.keyboard.press('Delete')
  const told = toast(page, 'Deleted 2 items')
  await told.waitFor()
  expect(await page.getByRole('alertdialog').count()).toBe(0)
  expect(existsSync(join(tree.root, 'docs'))).toBe(false)
  await told.getByRole('button', { name: 'Undo' }).click()
  await expectNames(page, ['docs', 'a.txt', 'b.txt'])
  await expect.poll(() => tree.read('docs/c.txt')).toBe('C')
  await expect.poll(() => tree.read('a.txt')).toBe('A')
  expect(open.problems).toEqual([])
})

it('lists what was deleted in a folder, restores it, and deletes the rest for good when asked', async () => {
  await using open = await openServed(TREE)
  const { page, tree } = open
  for (const name of ['a.txt', 'b.txt', 'docs']) {
    await entry(page, name).click()
    await page.keyboard.press('Delete')
    await toast(page, `Deleted “${name}”`).waitFor()
  }
  await openTrash(page)
  await row(page, 'b.txt').waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('docs')
  await row(page, 'b.txt').waitFor({ state: 'detached' })
  await row(page, 'docs').getByRole('button', { name: 'Restore', exact: true }).click()
  await toast(page, 'Restored: docs').waitFor()
  expect(await tree.read('docs/c.txt')).toBe('C')
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await row(page, 'b.txt').getByRole('checkbox').check()
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await row(page, 'b.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Empty trash' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('1 item · 1 B').waitFor()
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('The trash is empty').waitFor()
  expect(open.problems).toEqual([])
})

it('a deleted folder is looked into, level by level, its files are shown, and one of them comes back', async () => {
  await using open = await openServed({ 'docs/deep/a.txt': 'words of a', 'docs/deep/b.txt': 'B' })
  const { page, tree } = open
  await entry(page, 'docs').click()
  await page.keyboard.press('Delete')
  await toast(page, 'Deleted “docs”').waitFor()
  await openTrash(page)
  await row(page, 'docs').getByRole('link').click()
  const way = page.getByRole('navigation', { name: 'Breadcrumb' })
  await way.getByText('docs').waitFor()
  // The keyboard goes on in the list that has come.
  await row(page, 'deep').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('deep')
  await page.keyboard.press('Enter')
  await row(page, 'a.txt').getByRole('link').click()
  const viewer = page.getByRole('dialog', { name: 'a.txt' })
  await viewer.getByText('words of a').waitFor()
  const saved = page.waitForEvent('download')
  await viewer.getByRole('button', { name: 'Download' }).click()
  expect(await readFile(await (await saved).path(), 'utf8')).toBe('words of a')
  await viewer.locator('.vw-film').getByRole('button', { name: 'b.txt' }).click()
  await page.getByRole('dialog', { name: 'b.txt' }).getByText('B', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await row(page, 'b.txt').getByRole('button', { name: 'Restore' }).click()
  await toast(page, 'Restored: b.txt').waitFor()
  await row(page, 'b.txt').waitFor({ state: 'detached' })
  expect(await tree.read('docs/deep/b.txt')).toBe('B')
  await rm(tree.at('docs'), { recursive: true })
  await way.getByText('docs').click()
  await row(page, 'deep').waitFor()
  await page.locator('.trash__head').getByRole('button', { name: 'Restore', exact: true }).click()
  await toast(page, 'Restored: docs').waitFor()
  await page.getByText('The trash is empty').waitFor()
  expect(await tree.read('docs/deep/a.txt')).toBe('words of a')
  expect(open.problems).toEqual([])
})

it('takes back an upload, and a copy that has replaced something', async () => {
  await using open = await openServed({ ...TREE, 'docs/a.txt': 'old' })
  const { page, tree } = open
  const own = join(tree.base, 'new.txt')
  await writeFile(own, 'new')
  await pickFiles(page, [own])
  const uploaded = panel(page).filter({ hasText: '1 file uploaded' })
  await uploaded.waitFor()
  expect(await tree.read('new.txt')).toBe('new')
  // Once is enough.
  expect(await page.locator('.toast').count()).toBe(0)
  await uploaded.getByRole('button', { name: 'Undo' }).click()
  await entry(page, 'new.txt').waitFor({ state: 'detached' })
  await uploaded.waitFor({ state: 'detached' })
  await pickFiles(page, [own])
  await uploaded.getByRole('button', { name: 'Undo' }).waitFor()
  await entry(page, 'new.txt').waitFor()
  await entry(page, 'a.txt').click()
  await page.keyboard.press('Control+z')
  await entry(page, 'new.txt').waitFor({ state: 'detached' })
  await uploaded.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+c')
  await doubleClick(entry(page, 'docs'))
  await entry(page, 'c.txt').waitFor()
  await page.keyboard.press('Control+v')
  const dialog = page.getByRole('dialog', { name: /already exists/ })
  await dialog.getByRole('radio', { name: 'Replace' }).check()
  await dialog.getByRole('button').last().click()
  const copied = toast(page, 'Copied 1 item')
  await copied.waitFor()
  expect(await tree.read('docs/a.txt')).toBe('A')
  await copied.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => tree.read('docs/a.txt')).toBe('old')
  await expect.poll(() => existsSync(join(tree.root, 'new.txt'))).toBe(false)
  expect(open.problems).toEqual([])
})

it('a file that is shown goes into the trash as well, and for good when Shift says so', async () => {
  await using open = await openServed({ 'a.bin': '\0', 'b.bin': '\0', 'c.bin': '\0' })
  const { page, tree } = open
  await entry(page, 'a.bin').dblclick()
  const title = page.locator('.vw-head h1')
  await title.getByText('a.bin').waitFor()
  await page.keyboard.press('Delete')
  await toast(page, 'Deleted “a.bin”').getByRole('button', { name: 'Undo' }).waitFor()
  await title.getByText('b.bin').waitFor()
  await page.keyboard.press('Shift+Delete')
  const question = page.getByRole('alertdialog')
  await question.getByText('This can’t be undone.').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await toast(page, 'Deleted “b.bin”').waitFor()
  expect(await toast(page, 'Deleted “b.bin”').getByRole('button', { name: 'Undo' }).count()).toBe(0)
  expect(existsSync(join(tree.root, 'b.bin'))).toBe(false)
  expect(open.problems).toEqual([])
})

it('asks first where the profile says so', async () => {
  await using open = await openServed({ 'a.txt': 'A' })
  const { page, tree } = open
  await page.goto('/settings/profile')
  await page
    .getByRole('combobox', { name: 'Delete' })
    .selectOption({ label: 'Ask first, then move to the trash' })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await toast(page, 'Settings saved').waitFor()
  await page.goto('/files/')
  await entry(page, 'a.txt').click()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await toast(page, 'Deleted “a.txt”').getByRole('button', { name: 'Undo' }).waitFor()
  expect(existsSync(join(tree.root, 'a.txt'))).toBe(false)
  expect(open.problems).toEqual([])
})

it('versions of a file that is gone are found, brought back, and counted', async () => {
  await using open = await openServed({ 'a.txt': 'before' })
  const { page, tree } = open
  await page.evaluate(async () => {
    const token = await (await fetch('/api/renew')).text()
    const headers = { 'X-Auth': token }
    await fetch('/api/resources/a.txt', { method: 'PUT', headers, body: 'after it' })
    await fetch('/api/resources/a.txt?trash=false', { method: 'DELETE', headers })
  })
  await page.goto('/settings/trash')
  await page.getByRole('button', { name: 'Storage' }).click()
  const account = row(page, 'admin')
  await account.getByText('1 version', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Versions without a file' }).click()
  await row(page, 'a.txt').getByRole('button', { name: 'Show' }).click()
  const dialog = page.getByRole('dialog', { name: 'Versions' })
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await row(page, 'a.txt').waitFor({ state: 'detached' })
  expect(await tree.read('a.txt')).toBe('before')
  expect(open.problems).toEqual([])
})
