// Dialogs with something typed in them whose screen goes away under them: none is left behind.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { endSessionAt } from './browser-steps.ts'
import { doubleClick, entry, listedFolders } from './listing-steps.ts'

const openFolder = listedFolders()

async function typeNewName(page: Page) {
  await entry(page, 'a.txt').click()
  await page.keyboard.press('Alt+n')
  const dialog = page.getByRole('dialog', { name: 'New folder' })
  const name = dialog.getByRole('textbox')
  await expect.poll(() => name.evaluate((field) => field === document.activeElement)).toBe(true)
  await page.keyboard.type('typed')
  await expect.poll(() => name.inputValue()).toContain('typed')
}

/** Neither a dialog nor what darkens the page behind one. */
async function expectNone(page: Page) {
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.locator('#modal-background').waitFor({ state: 'detached' })
}

describe('a dialog with unsaved text', () => {
  it('goes with its folder when the person goes back', async () => {
    await using open = await openFolder({ 'folder/a.txt': 'a' })
    const { page } = open
    await doubleClick(entry(page, 'folder'))
    await typeNewName(page)
    await page.goBack()
    await entry(page, 'folder').waitFor()
    await expectNone(page)
    // Nothing is open any more for the rest of the page, too.
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1)
    expect(open.problems).toEqual([])
  })

  it('goes when another tab logs out', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, context } = open
    await typeNewName(page)
    const other = await context.newPage()
    await other.goto('/files/')
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.bringToFront()
    await page.getByLabel('Username').fill('somebody')
    await expectNone(page)
  })

  it('goes when the session has ended and the person leaves to the login page', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page } = open
    await typeNewName(page)
    await endSessionAt(page, 'POST', /\/api\/resources\//)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Go to sign-in page' }).click()
    await page.getByLabel('Username').fill('somebody')
    await expectNone(page)
  })

  it('is asked about once, however often the person goes back', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page, tree } = open
    await doubleClick(entry(page, 'a.txt'))
    await page.locator('.cm-content').click()
    await page.keyboard.type('typed')
    const address = page.url()
    const goBack = async () => {
      await page.goBack()
      // The page has put its address back: only then is there something to go back from.
      await page.waitForURL(address)
    }
    await goBack()
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    await goBack()
    await goBack()
    await expect.poll(() => page.locator('dialog').count()).toBe(1)
    await question.getByRole('button', { name: 'Discard' }).click()
    await entry(page, 'a.txt').waitFor()
    await expectNone(page)
    expect(await tree.read('a.txt')).toBe('a')
  })
})
