// Search as a person uses it: typing, filters, the keyboard, many hits, none at all.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { folderPages, holdAnswers } from './browser-steps.ts'

const openServed = folderPages()

const overlay = (page: Page) => page.getByRole('dialog', { name: 'Search', exact: true })
const everything = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })
const box = (page: Page) => overlay(page).getByRole('combobox')
const hits = (page: Page) => overlay(page).getByRole('option')

async function openSearch(page: Page) {
  await page.locator('#listing, #main').first().waitFor()
  await page.getByRole('button', { name: /Search files and folders/ }).waitFor()
  await page.keyboard.press('Control+Shift+F')
  await box(page).waitFor()
}

const files = {
  'top-dawn.jpg': 'x',
  'desk/dawn hero.jpg': 'x',
  'desk/deep/er/Dawn_0412.png': 'x',
  'desk/dawn.mp3': 'x',
  'desk/dawn#1 100%.pdf': 'x',
  'desk/other.txt': 'x',
  'desk/dusk.mp4': 'x',
  'desk/deep/meadow/x.txt': 'x',
}

describe('search', () => {
  it('finds while one types, below the open folder, and opens by keyboard', async () => {
    await using open = await openServed(files, { path: '/files/desk/' })
    const { page } = open
    await openSearch(page)
    // At once: letter by letter, what is found on the way looks like the end.
    await box(page).fill('dawn')
    await overlay(page).getByText('4 results').waitFor()
    await hits(page).filter({ hasText: 'Dawn_0412.png' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const active = await box(page).getAttribute('aria-activedescendant')
    await expect
      .poll(() => page.locator(`[id="${active}"]`).getAttribute('aria-selected'))
      .toBe('true')
    const href = await page.locator(`[id="${active}"]`).getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${href}`)
    await overlay(page).waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('the box of the header and its key find commands, folders and files together', async () => {
    await using open = await openServed(files, { path: '/files/desk/' })
    const { page } = open
    await page.locator('#listing [data-index]').first().waitFor()
    const options = everything(page).getByRole('option')
    const found = async () => {
      await everything(page).getByRole('combobox').and(page.locator(':focus')).waitFor()
      await page.keyboard.type('dawn')
      await options.filter({ hasText: 'top-dawn.jpg' }).waitFor()
      await options.filter({ hasText: 'Dawn_0412.png' }).waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('upload')
      await options.filter({ hasText: 'Upload files' }).waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('meadow')
      await options.locator('.tile--folder').waitFor()
    }
    const shown = page.getByRole('button', { name: /Search files and folders/ })
    await shown.click()
    await found()
    await page.keyboard.press('Escape')
    await everything(page).waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await found()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/files/desk/deep/meadow/')
    expect(open.problems).toEqual([])
  })

  it('runs at once on Enter and does nothing for an empty text', async () => {
    await using open = await openServed(files, { path: '/files/' })
    const { page } = open
    await openSearch(page)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/search')) asked.push(request.url())
    })
    await page.keyboard.press('Enter')
    await box(page).fill('   ')
    await page.keyboard.press('Enter')
    expect(asked).toEqual([])
    // The pause after typing never ends on this clock: only Enter can have asked.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await box(page).fill('other')
    expect(asked).toEqual([])
    await page.keyboard.press('Enter')
    await waitFor('the question', () => asked.length === 1)
    await page.clock.resume()
    await overlay(page).getByText('1 result', { exact: true }).waitFor()
    await page.clock.pauseAt(Date.now() + 600_000)
    await box(page).fill('othe')
    await expect.poll(() => hits(page).count()).toBe(0)
    await page.clock.resume()
    await page.keyboard.press('Escape')
    await overlay(page).waitFor({ state: 'detached' })
  })

  it('filters by type, by chip and by the typed word, and minds case when asked', async () => {
    await using open = await openServed(files, { path: '/files/' })
    const { page } = open
    await openSearch(page)
    const count = (text: string) => overlay(page).getByText(text, { exact: true }).waitFor()
    await overlay(page).getByRole('button', { name: 'Pictures' }).click()
    await count('3 results')
    await overlay(page).getByText('type:image').waitFor()
    const only = async (href: string) => {
      await count('1 result')
      await waitFor(
        href,
        async () => (await hits(page).first().getAttribute('href')) === `/files/desk/${href}`,
      )
    }
    await overlay(page).getByRole('button', { name: 'Music' }).click()
    await overlay(page).getByText('type:audio').waitFor()
    await only('dawn.mp3')
    await overlay(page).getByRole('button', { name: 'Video' }).click()
    await overlay(page).getByText('type:video').waitFor()
    await only('dusk.mp4')
    await overlay(page).getByRole('button', { name: 'PDF' }).click()
    await overlay(page).getByText('type:pdf').waitFor()
    await only('dawn%231%20100%25.pdf')
    await overlay(page).getByRole('button', { name: 'All', exact: true }).click()
    await box(page).pressSequentially('type:pdf dawn')
    await count('1 result')
    await expect.poll(() => box(page).inputValue()).toBe('dawn')
    await overlay(page).getByRole('button', { name: 'All', exact: true }).click()
    await count('5 results')
    await overlay(page).getByRole('button', { name: 'Match case' }).click()
    await count('4 results')
  })

  it('shows an entry in its folder and copies its address', async () => {
    await using open = await openServed(files, {
      path: '/files/',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const { page, origin } = open
    await openSearch(page)
    await box(page).fill('#1')
    await overlay(page).getByText('1 result', { exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await overlay(page).getByRole('button', { name: 'Copy link' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toBe(`${origin}/files/desk/dawn%231%20100%25.pdf`)
    await box(page).focus()
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/files/desk/')
    await page.locator('#listing [aria-selected="true"]').getByText('dawn#1 100%').first().waitFor()
  })

  it('widens to all files, says when nothing is found, and works in settings', async () => {
    await using open = await openServed(files, { path: '/files/desk/deep/' })
    const { page } = open
    await openSearch(page)
    await box(page).fill('top')
    await overlay(page).getByRole('heading', { name: 'Nothing found' }).waitFor()
    await overlay(page).getByRole('button', { name: 'Search in all files' }).click()
    await overlay(page).getByText('1 result', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto('/settings/profile')
    await openSearch(page)
    await box(page).fill('top')
    await overlay(page).getByText('1 result', { exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/files/top-dawn.jpg')
  })

  it('opens what is clicked, folders as folders', async () => {
    await using open = await openServed(files, { path: '/files/' })
    const { page } = open
    await openSearch(page)
    await box(page).fill('meadow')
    const hit = hits(page).filter({ hasText: 'meadow' })
    await hit.locator('.tile--folder').waitFor()
    await hit.click()
    await overlay(page).waitFor({ state: 'detached' })
    await page.waitForURL('**/files/desk/deep/meadow/')
    await page.locator('#listing').getByText('x').first().waitFor()
    await openSearch(page)
    await overlay(page).getByText('In: meadow').waitFor()
    await page.keyboard.press('Escape')
    expect(open.problems).toEqual([])
  })

  it('searches beside an open file, and below a folder that is still awaited', async () => {
    await using open = await openServed(files, { path: '/files/desk/other.txt' })
    const { page } = open
    await page.locator('.cm-content').waitFor()
    await openSearch(page)
    await overlay(page).getByText('In: desk').waitFor()
    await box(page).fill('dawn')
    await overlay(page).getByText('4 results').waitFor()
    const held = await holdAnswers(page, '**/api/resources/desk/deep')
    await page.goto('/files/desk/deep/')
    await openSearch(page)
    await overlay(page).getByText('In: deep').waitFor()
    held.resolve()
  })

  it('keeps thousands of hits out of the page until they are scrolled to', async () => {
    const many: Record<string, string> = {}
    for (let n = 0; n < 3000; n++) many[`many/hit ${n}.txt`] = ''
    await using open = await openServed(many, { path: '/files/' })
    const { page } = open
    await openSearch(page)
    await box(page).fill('hit')
    await overlay(page)
      .getByText(/^3,?000 results$/)
      .waitFor()
    await expect.poll(() => hits(page).count()).toBeLessThan(50)
    await page.keyboard.press('ArrowDown')
    for (let n = 0; n < 8; n++) await page.keyboard.press('PageDown')
    const active = await box(page).getAttribute('aria-activedescendant')
    await page.locator(`[id="${active}"]`).waitFor()
    await expect
      .poll(() => page.locator(`[id="${active}"]`).getAttribute('aria-posinset'))
      .toBe('65')
    await overlay(page)
      .locator('.sx__list')
      .evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await hits(page).and(page.locator('[aria-posinset="3000"]')).waitFor()
  })

  it('is closed for good when the browser closes it, as Android does on Back', async () => {
    await using open = await openServed(files, { path: '/files/' })
    const { page } = open
    for (const way of ['cancel', 'close'] as const) {
      await openSearch(page)
      await overlay(page).evaluate((dialog, how) => {
        if (how === 'close') (dialog as HTMLDialogElement).close()
        else dialog.dispatchEvent(new Event('cancel', { cancelable: true }))
      }, way)
      // By its element: one that is closed has no role any more, before the page has taken note.
      await page.locator('dialog').waitFor({ state: 'detached' })
    }
    await openSearch(page)
    await box(page).fill('meadow')
    await overlay(page).getByText('1 result', { exact: true }).waitFor()
  })

  it('is closed when the browser asks for it in the moment it is shown', async () => {
    await using open = await openServed(files, { path: '/files/' })
    const { page } = open
    await page.locator('#listing [data-index]').first().waitFor()
    await page.evaluate(() => {
      new MutationObserver((_, watching) => {
        const shown = document.querySelector('dialog[open]')
        if (shown === null) return
        watching.disconnect()
        shown.dispatchEvent(new Event('cancel', { cancelable: true }))
        document.body.dataset.asked = 'once'
      }).observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    await page.keyboard.press('Control+Shift+F')
    await page.locator('body[data-asked]').waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('takes the whole screen of a phone', async () => {
    await using open = await openServed(files, { path: '/files/', viewport: PHONE })
    const { page } = open
    await page.locator('#listing').getByText('desk').first().waitFor()
    await page.getByRole('button', { name: 'Search', exact: true }).first().click()
    await everything(page).getByRole('combobox').fill('dawn')
    await everything(page).getByRole('option', { name: 'Search for files named “dawn”' }).click()
    await overlay(page).getByText('5 results').waitFor()
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
  })
})
