// Earlier versions of a file: compared with what is there, and brought back.
import { expect, it } from 'vitest'
import { sharedBrowser } from './browser-steps.ts'
import { entry, listedFolders } from './listing-steps.ts'

const openFolder = listedFolders(sharedBrowser())

it('shows what a version had otherwise, and brings it back', async () => {
  await using open = await openFolder({ 'a.txt': 'one\ntwo\nthree\n' })
  const { page, tree } = open
  await page.evaluate(async () => {
    const token = await (await fetch('/api/renew')).text()
    const headers = { 'X-Auth': token }
    await fetch('/api/resources/a.txt', { method: 'PUT', headers, body: 'one\nnew words\nthree\n' })
  })
  await entry(page, 'a.txt').click()
  await page.keyboard.press('Control+i')
  await page.getByRole('complementary', { name: 'Details' }).getByText('Show').click()
  const dialog = page.getByRole('dialog', { name: 'Versions' })
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await dialog.locator('.cm-deletedLine').getByText('two').waitFor()
  await dialog.locator('.cm-changedLine').getByText('new words').waitFor()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => tree.read('a.txt')).toBe('one\ntwo\nthree\n')
  expect(open.problems).toEqual([])
})
