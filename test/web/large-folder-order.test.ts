// A folder so large that the page has it sorted aside: where things are when the order comes late.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { boxOf, followLink, sharedSite } from './browser-steps.ts'
import {
  entry,
  expectSelected,
  focusedName,
  showList,
  twoFrames,
  typeQuickly,
} from './listing-steps.ts'

const FOLDERS = 300
const FILES = 20_500

function manyEntries(): Record<string, string> {
  const content: Record<string, string> = { 'small/a.txt': 'a', 'many/big.txt': 'larger than all' }
  for (let i = 0; i < FOLDERS; i++) content[`many/dir ${i}/in ${i}.txt`] = ''
  for (let i = 0; i < FILES; i++) content[`many/file ${i}.txt`] = ''
  return content
}

const site = sharedSite(manyEntries)

const head = (page: Page, column: string) =>
  page.getByRole('columnheader', { name: column }).getByRole('button')

const scrollTop = (page: Page) =>
  page.locator('#listing').evaluate((element) => Math.round(element.scrollTop))

/** Orders by a column, the smallest first; what was chosen last time holds for the account. */
async function orderBy(page: Page, column: string): Promise<void> {
  const order = () => page.getByRole('columnheader', { name: column }).getAttribute('aria-sort')
  for (let was = await order(); was !== 'ascending'; was = await order()) {
    await head(page, column).click()
    await expect.poll(order).not.toBe(was)
  }
}

/** Orders by size, which the page always does by itself, and goes to the last entry. */
async function goToBiggest(page: Page): Promise<void> {
  await orderBy(page, 'Size')
  await waitFor('the largest at the end', async () => {
    await page.keyboard.press('End')
    return (await focusedName(page)) === 'big.txt'
  })
}

/** When the worker answers here, the orders it was asked for before are all on the page. */
async function ordersCame(page: Page): Promise<void> {
  for (const worker of page.workers()) await worker.evaluate(() => {})
  await twoFrames(page)
}

/** Orders by name once the worker is there, which the order by size needs. */
async function orderByName(page: Page): Promise<void> {
  await goToBiggest(page)
  await orderBy(page, 'Name')
  await ordersCame(page)
}

/** To the first folder; from the head of a column, which was clicked, a space would click it again. */
async function goToFirst(page: Page): Promise<void> {
  await page.locator('#listing').focus()
  await page.keyboard.press('Home')
  await waitFor('the first one', async () => (await focusedName(page)).startsWith('dir'))
}

/** In sight, and the keyboard is there. */
async function expectFocusInSight(page: Page, name: string): Promise<void> {
  await waitFor(`the focus on ${name}`, async () => (await focusedName(page)) === name)
  await waitFor(`${name} in sight`, async () => {
    const row = await boxOf(entry(page, name))
    const list = await boxOf(page.locator('#listing'))
    return row.y >= list.y && row.bottom <= list.bottom + 1
  })
}

describe('a folder that is sorted aside', () => {
  it('is as it was left on the way back, and shows the folder one comes up from', async () => {
    await using open = await site.open({ path: '/files/many/' })
    const { page } = open
    await showList(page)
    await goToBiggest(page)
    await expectFocusInSight(page, 'big.txt')
    let before = 0
    await waitFor('the end of the movement there', async () => {
      before = await scrollTop(page)
      await twoFrames(page)
      return before > 100_000 && (await scrollTop(page)) === before
    })
    await followLink(page, '/files/small/')
    await entry(page, 'a.txt').waitFor()
    await page.goBack()
    await waitFor('the place', async () => (await scrollTop(page)) === before)
    await expectFocusInSight(page, 'big.txt')
    await expectSelected(page, ['big.txt'])

    await typeQuickly(page, 'dir 250')
    await expectFocusInSight(page, 'dir 250')
    await page.keyboard.press('Enter')
    await entry(page, 'in 250.txt').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await expectFocusInSight(page, 'dir 250')
    await expectSelected(page, ['dir 250'])
    expect(open.problems).toEqual([])
  })

  it('shows where an entry went with its new name', async () => {
    await using open = await site.open({ path: '/files/many/' })
    const { page } = open
    await showList(page)
    await orderByName(page)
    await goToFirst(page)
    await typeQuickly(page, 'file 30.')
    await expectFocusInSight(page, 'file 30.txt')
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('zz.txt')
    await page.keyboard.press('Enter')
    await expectFocusInSight(page, 'zz.txt')
    expect(open.problems).toEqual([])
  })

  it('keeps the order chosen last when a column head is clicked twice quickly', async () => {
    await using open = await site.open({ path: '/files/many/' })
    const { page } = open
    await showList(page)
    await orderByName(page)
    await head(page, 'Name').dblclick()
    await ordersCame(page)
    const name = page.getByRole('columnheader', { name: 'Name' })
    await expect.poll(() => name.getAttribute('aria-sort')).toBe('ascending')
    await page.locator('#listing').focus()
    await waitFor('the first of the order chosen last', async () => {
      await page.keyboard.press('Home')
      return (await focusedName(page)) === 'dir 0'
    })
    expect(open.problems).toEqual([])
  })
})
