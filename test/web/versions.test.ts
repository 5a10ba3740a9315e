// Earlier versions of a file: compared with what is there, and brought back.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { sharedBrowser } from './browser-steps.ts'
import { entry, listedFolders, toast } from './listing-steps.ts'

const openFolder = listedFolders(sharedBrowser())

/** Replaces a.txt and opens the dialog with what it was before. */
async function showVersions(page: Page) {
  await page.evaluate(async () => {
    const token = await (await fetch('/api/renew')).text()
    const headers = { 'X-Auth': token }
    await fetch('/api/resources/a.txt', { method: 'PUT', headers, body: 'one\nnew words\nthree\n' })
  })
  await entry(page, 'a.txt').click()
  await page.keyboard.press('Control+i')
  await page.getByRole('complementary', { name: 'Details' }).getByText('Show').click()
  return page.getByRole('dialog', { name: 'Versions' })
}

it('shows what a version had otherwise, and brings it back', async () => {
  await using open = await openFolder({ 'a.txt': 'one\ntwo\nthree\n' })
  const { page, tree } = open
  const dialog = await showVersions(page)
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await dialog.locator('.cm-deletedLine').getByText('two').waitFor()
  await dialog.locator('.cm-changedLine').getByText('new words').waitFor()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => tree.read('a.txt')).toBe('one\ntwo\nthree\n')
  expect(open.problems).toEqual([])
})

it('puts a version beside the file, from a menu above the dialog', async () => {
  await using open = await openFolder({ 'a.txt': 'one\n' })
  const { page, tree } = open
  const dialog = await showVersions(page)
  await dialog.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Save a copy…' }).click()
  await page.getByRole('button', { name: 'Choose folder' }).click()
  await toast(page, 'Copied 1 item').waitFor()
  expect(await tree.read('a(1).txt')).toBe('one\n')
  expect(await tree.read('a.txt')).toBe('one\nnew words\nthree\n')
  expect(open.problems).toEqual([])
})

it('a save offers Undo, which the text follows, and nobody is kept from typing', async () => {
  await using open = await openFolder({ 'a.txt': 'one\n' })
  const { page, tree } = open
  await page.goto('/files/a.txt')
  const text = page.locator('.cm-content')
  await text.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('two ')
  await page.keyboard.press('Control+s')
  const saved = toast(page, 'Saved “a.txt”')
  // What is pointed at stays, however slow the machine.
  await saved.hover()
  // The key is the text's, which has kept the focus.
  await page.keyboard.press('Control+z')
  await text.getByText(/^one$/).waitFor()
  await page.keyboard.press('Control+y')
  await text.getByText('two one').waitFor()
  expect(await tree.read('a.txt')).toBe('two one\n')
  await saved.getByRole('button', { name: 'Undo' }).click()
  await text.getByText(/^one$/).waitFor()
  expect(await tree.read('a.txt')).toBe('one\n')
  expect(open.problems).toEqual([])
})
