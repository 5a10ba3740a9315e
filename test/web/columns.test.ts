// Folders side by side.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { boxOf, folderPages } from './browser-steps.ts'
import { entry, expectNames, expectSelected, focusedName, listedFolders } from './listing-steps.ts'

const openFolder = listedFolders()
const openAnyView = folderPages()

const TREE = {
  'a/inner/deep.txt': 'deep',
  'a/note.txt': 'note',
  'b/other.txt': 'other',
  'top.txt': 'top',
}

const column = (page: Page, name: string) => page.getByRole('navigation', { name, exact: true })
const linkIn = (page: Page, folder: string, name: string) =>
  column(page, folder).getByRole('link', { name })

async function showColumns(page: Page) {
  await page.getByRole('radio', { name: 'Columns', exact: true }).check()
  await page.locator('.grid--column').waitFor()
}

describe('the column view', () => {
  it('shows what is selected, goes by arrows, and stays for the next folders and visits', async () => {
    await using open = await openFolder(TREE)
    const { page } = open
    await showColumns(page)
    await entry(page, 'a').click()
    await linkIn(page, 'a', 'note.txt').waitFor()
    await page.keyboard.press('ArrowRight')
    await expectNames(page, ['inner', 'note.txt'])
    await expectSelected(page, ['inner'])
    await expect.poll(() => focusedName(page)).toBe('inner')
    expect(new URL(page.url()).pathname).toBe('/files/a/')
    await linkIn(page, 'My files', 'b').waitFor()
    await linkIn(page, 'inner', 'deep.txt').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('region', { name: 'Preview' }).getByText('4 B').waitFor()
    await page.keyboard.press('ArrowLeft')
    await expectNames(page, ['a', 'b', 'top.txt'])
    await expect.poll(() => focusedName(page)).toBe('a')
    await page.reload()
    await page.locator('.grid--column').waitFor()
    await page.getByRole('radio', { name: 'List', exact: true }).check()
    await page.locator('.grid--list').waitFor()
    expect(await page.locator('.columns').count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('leads to any column by a click, takes drops there, and follows what changes', async () => {
    await using open = await openFolder(TREE, { path: '/files/a/inner/' })
    const { page, tree } = open
    await showColumns(page)
    await entry(page, 'deep.txt')
      .locator('.fname')
      .dragTo(linkIn(page, 'My files', 'b'))
    await waitFor('the file in b', async () => {
      return (await tree.read('b/deep.txt').catch(() => '')) === 'deep'
    })
    await linkIn(page, 'My files', 'b').click()
    await expectSelected(page, ['b'])
    await linkIn(page, 'b', 'deep.txt').waitFor()
    await linkIn(page, 'b', 'other.txt').click()
    await expectNames(page, ['deep.txt', 'other.txt'])
    await expectSelected(page, ['other.txt'])
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('new.txt')
    await page.keyboard.press('Enter')
    await expectNames(page, ['deep.txt', 'new.txt'])
    expect(open.problems).toEqual([])
  })

  it('names stand beside their icons whichever way they run', async () => {
    await using open = await openFolder({ 'a/x.txt': 'x', 'صور/y.txt': 'y' })
    const { page } = open
    await showColumns(page)
    await entry(page, 'a').click()
    await page.keyboard.press('ArrowRight')
    await expectNames(page, ['x.txt'])
    const starts = ['a', 'صور'].map(async (name) => {
      const { x } = await boxOf(column(page, 'My files').getByText(name, { exact: true }))
      return Math.round(x)
    })
    const [latin, arabic] = await Promise.all(starts)
    expect(arabic).toBe(latin)
  })

  it('mirrors, and is not there where there is no room for it', async () => {
    const profile = { locale: 'ar', viewMode: 'list' } as const
    await using open = await openAnyView(TREE, { path: '/files/', profile })
    const { page } = open
    await entry(page, 'a').waitFor()
    await page.keyboard.press('Control+Shift+4')
    await page.locator('.grid--column').waitFor()
    await entry(page, 'a').click()
    await page.keyboard.press('ArrowLeft')
    await expectNames(page, ['inner', 'note.txt'])
    const [open_, above] = await Promise.all([
      page.locator('.column--open').boundingBox(),
      page.locator('.column.side-column').first().boundingBox(),
    ])
    expect(open_?.x).toBeLessThan(above?.x ?? 0)
    await page.setViewportSize({ width: 1000, height: 800 })
    await page.locator('.grid--list').waitFor()
    await page.setViewportSize({ width: 1300, height: 800 })
    await page.locator('.grid--column').waitFor()
    expect(open.problems).toEqual([])
  })
})
