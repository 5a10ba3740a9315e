// All results of a search on a page of their own: an address, the rows and commands of a folder, and ways back.
import { readdir } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { boxOf, dictionary, folderPages, holdAnswers, servedPages } from './browser-steps.ts'
import {
  entry,
  expectNames,
  expectSelected,
  focusedName,
  keepOffers,
  selectionBar,
  toast,
} from './listing-steps.ts'
import { downloaded } from './share-steps.ts'
import { holdEntry } from './touch-steps.ts'

const openFolder = folderPages()
const openServer = servedPages()

const files = {
  'desk/dawn/notes.txt': 'x',
  'desk/old dawn.txt': 'old',
  'desk/deep/er/dawn.txt': 'deep',
  'desk/deep/dawn hero.png': 'x',
  'desk/dawn#1 100%?.pdf': 'x',
  'desk/other.txt': 'x',
  'dawn above.txt': 'x',
}

/** The best first: the whole name, its beginning, then words within it; folders first, then what is near. */
const ranked = ['dawn', 'dawn.txt', 'dawn#1 100%?.pdf', 'dawn hero.png', 'old dawn.txt']

const hits = '/files/desk/?search=dawn'
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search', exact: true })
const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })
const count = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

describe('all results of a search', () => {
  it('are a page to which the search leads by a button and by Shift and Enter', async () => {
    await using open = await openFolder(files, { path: '/files/desk/' })
    const { page } = open
    for (const byKey of [true, false]) {
      await entry(page, 'other.txt').waitFor()
      await page.keyboard.press('Control+Shift+F')
      await dialog(page).getByRole('combobox').fill('dawn')
      await dialog(page).getByText('5 results').waitFor()
      if (byKey) await page.keyboard.press('Shift+Enter')
      else await dialog(page).getByRole('button', { name: 'Show all results' }).click()
      await page.waitForURL(`**${hits}`)
      await expectNames(page, ranked)
      await count(page, '5 results')
      await page.goBack()
    }
    expect(open.problems).toEqual([])
  })

  it('are chosen as entries of a folder are, deleted together, and come back by Undo', async () => {
    await using open = await openServer(files, { path: hits })
    const { page, tree } = open
    await keepOffers(page)
    await expectNames(page, ranked)
    await entry(page, 'dawn.txt').click()
    await entry(page, 'dawn hero.png').click({ modifiers: ['Shift'] })
    await expectSelected(page, ranked.slice(1, 4))
    await page.keyboard.press('Delete')
    await expectNames(page, ['dawn', 'old dawn.txt'])
    await count(page, '2 results')
    const isThere = async () => (await readdir(tree.at('desk'))).includes('dawn#1 100%?.pdf')
    await expect.poll(isThere).toBe(false)
    await toast(page, 'Deleted 3 items').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ranked)
    expect(await isThere()).toBe(true)
    expect(open.problems).toEqual([])
  })

  it('of several folders are one archive, in which they have their folders', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await entry(page, 'dawn.txt').click()
    await entry(page, 'old dawn.txt').click({ modifiers: ['Control'] })
    const { bytes } = await downloaded(page, () =>
      selectionBar(page).getByRole('button', { name: 'Download', exact: true }).click(),
    )
    for (const name of ['deep/er/dawn.txt', 'old dawn.txt']) expect(bytes.includes(name)).toBe(true)
    expect(bytes.includes('other.txt')).toBe(false)
  })

  it('leave the page when they are moved, and follow a new name', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await entry(page, 'old dawn.txt').click()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('my dawn.txt')
    await page.keyboard.press('Enter')
    await entry(page, 'my dawn.txt').waitFor()
    await expect.poll(() => entry(page, 'old dawn.txt').count()).toBe(0)
    await page.keyboard.press('Control+x')
    await page.goto('/files/')
    await entry(page, 'desk').waitFor()
    await page.keyboard.press('Control+v')
    await entry(page, 'my dawn.txt').waitFor()
    await page.goBack()
    await expectNames(page, ranked.slice(0, 4))
  })

  it('have their words in the address, which opens them anew, also for somebody else', async () => {
    await using open = await openFolder(files, { path: '/files/desk/' })
    const { page } = open
    await entry(page, 'other.txt').waitFor()
    await page.keyboard.press('Control+Shift+F')
    await dialog(page).getByRole('combobox').fill('dawn #1 100%?')
    await dialog(page).getByText('1 result', { exact: true }).waitFor()
    await page.keyboard.press('Shift+Enter')
    await expectNames(page, ['dawn#1 100%?.pdf'])
    const address = page.url()
    expect(new URL(address).searchParams.get('search')).toBe('dawn #1 100%?')
    await page.reload()
    await expectNames(page, ['dawn#1 100%?.pdf'])
    await page.getByRole('heading', { level: 1, name: 'Results for “dawn #1 100%?”' }).waitFor()
    await page.keyboard.press('Control+Shift+F')
    await expect.poll(() => dialog(page).getByRole('combobox').inputValue()).toBe('dawn #1 100%?')
  })

  it('stay as they were behind a file that is opened, and its neighbours are the hits', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [
        `many/${n % 7}/hit ${String(n).padStart(3, '0')}.txt`,
        `text ${n}`,
      ]),
    )
    await using open = await openFolder(many, { path: '/files/many/?search=hit' })
    const { page } = open
    await count(page, '300 results')
    await page.locator('#listing').evaluate((list) => list.scrollTo(0, 6000))
    const row = page.locator('#listing [data-index="140"]')
    const name = (await row.getAttribute('aria-label')) ?? ''
    await row.locator('.fname').dblclick()
    await page
      .getByText(`text ${Number(name.slice(4, 7))}`)
      .first()
      .waitFor()
    await page.goBack()
    await expect.poll(() => focusedName(page)).toBe(name)
    await expect.poll(() => page.locator('#listing').evaluate((list) => list.scrollTop)).toBe(6000)
    await page.waitForURL('**/files/many/?search=hit')
  })

  it('lead to the folder of a hit by its column, and back', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await entry(page, 'dawn.txt').getByRole('link', { name: 'desk / deep / er' }).click()
    await page.waitForURL('**/files/desk/deep/er/')
    await expectSelected(page, ['dawn.txt'])
    await page.goBack()
    await expectNames(page, ranked)
  })

  it('end with Escape and the way above them in the folder that was searched', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await entry(page, 'dawn.txt').click()
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await page.keyboard.press('Escape')
    await page.waitForURL('**/files/desk/')
    await page.goBack()
    await expectNames(page, ranked)
    await page
      .getByRole('navigation', { name: 'Breadcrumb' })
      .getByRole('link', { name: 'desk' })
      .click()
    await page.waitForURL('**/files/desk/')
    await entry(page, 'other.txt').waitFor()
  })

  it('offer nothing that would put something among them', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await expectNames(page, ranked)
    await expect.poll(() => page.getByRole('button', { name: 'Upload' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Refresh' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'New folder' }).count()).toBe(0)
  })

  it('have room for their names on a tablet, beside the sidebar', async () => {
    await using open = await openFolder(files, {
      path: hits,
      viewport: { width: 820, height: 1180 },
    })
    const { page } = open
    await expectNames(page, ranked)
    const { width } = await boxOf(entry(page, 'dawn.txt').locator('.lrow__name'))
    expect(width).toBeGreaterThan(180)
  })

  it('are what the menu of a phone says it filters', async () => {
    await using open = await openFolder(files, { path: hits, viewport: PHONE })
    const { page } = open
    const inMenu = async (name: string) => {
      await page.locator('.folder-more').click()
      await page.getByRole('menuitem', { name }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
    await inMenu('Filter results')
    await page.goto('/files/desk/')
    await entry(page, 'other.txt').waitFor()
    await inMenu('Filter this folder')
  })

  it('are used by the keyboard alone', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await expectNames(page, ranked)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedName(page)).toBe('dawn')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await expectSelected(page, ranked.slice(1, 3))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Show in folder' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    await page.keyboard.press('/')
    await page.keyboard.type('hero')
    await count(page, '1 of 5 shown')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Alt+ArrowUp')
    await page.waitForURL('**/files/desk/')
  })

  it('stand in another order when a column is asked for, and by relevance again', async () => {
    await using open = await openFolder(files, { path: hits })
    const { page } = open
    await expectNames(page, ranked)
    await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click()
    await expectNames(page, [
      'dawn',
      'dawn hero.png',
      'dawn#1 100%?.pdf',
      'old dawn.txt',
      'dawn.txt',
    ])
    await page.getByRole('button', { name: 'Sort by: Size' }).click()
    await page.getByRole('menuitemradio', { name: 'Relevance' }).click()
    await expectNames(page, ranked)
  })

  it('say that there are none yet, that there are none at all, and that the search failed', async () => {
    await using open = await openFolder(files, { path: '/files/desk/' })
    const { page } = open
    await entry(page, 'other.txt').waitFor()
    const held = await holdAnswers(page, '**/api/search/**')
    await page.goto('/files/desk/?search=nowhere')
    await page.getByText('Searching…').waitFor()
    held.resolve()
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('button', { name: 'Search in all files' }).waitFor()
    await page.unroute('**/api/search/**')
    await page.route('**/api/search/**', (route) => route.abort())
    await page.goto(hits)
    await page.getByRole('heading', { name: 'Search couldn’t be completed' }).waitFor()
    await page.unroute('**/api/search/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectNames(page, ranked)
  })
  for (const locale of ['en', 'ar']) {
    it(`are used by fingers alone, in ${locale}`, async () => {
      const profile = { locale, viewMode: 'list' } as const
      const phone = { viewport: PHONE, hasTouch: true, isMobile: true }
      await using open = await openFolder(files, { path: '/files/desk/', profile, ...phone })
      const { page } = open
      const everywhere = [...ranked.slice(0, 2), 'dawn above.txt', ...ranked.slice(2)]
      const chosen = ['dawn.txt', 'old dawn.txt']
      const word = await dictionary(locale)
      await entry(page, 'other.txt').waitFor()
      await button(page, word('Search')).first().tap()
      await page.getByRole('combobox').fill('dawn')
      const further = word('Search for files named “{query}”').replace('{query}', 'dawn')
      await page.getByRole('option', { name: further }).tap()
      await page.getByRole('button', { name: word('Show all results') }).tap()
      await expectNames(page, everywhere)
      await entry(page, 'dawn').tap()
      await entry(page, 'notes.txt').waitFor()
      await page.goBack()
      await expectNames(page, everywhere)
      await holdEntry(page, entry(page, 'dawn.txt'))
      await entry(page, 'old dawn.txt').tap()
      await expectSelected(page, chosen)
      await button(page, word('Delete')).tap()
      await button(page.getByRole('alertdialog'), word('Delete')).tap()
      await expectNames(
        page,
        everywhere.filter((name) => !chosen.includes(name)),
      )
      await holdEntry(page, entry(page, 'dawn hero.png'))
      await expectSelected(page, ['dawn hero.png'])
      await page.goBack()
      await expectSelected(page, [])
      await page.goBack()
      await entry(page, 'other.txt').waitFor()
      expect(open.problems).toEqual([])
    })
  }
})

/** Whether both ends of a name are drawn, and not cut or covered. */
function isInSight(name: Locator): Promise<boolean> {
  return name.evaluate((each) => {
    const { left, right, top, height } = each.getBoundingClientRect()
    return [left + 2, right - 2].every((x) =>
      each.contains(document.elementFromPoint(x, top + height / 2)),
    )
  })
}

describe('the folder of a hit', () => {
  const way = ['Projects of the house', 'Reports of all years', '2026', 'Quarters of it']
  const far = { [`${way.join('/')}/dawn.txt`]: 'x' }

  for (const locale of ['en', 'ar'])
    for (const width of [820, 390])
      it(`is told by the nearest where there is little room: ${width} px, ${locale}`, async () => {
        const touch = { viewport: { width, height: 844 }, hasTouch: true }
        const profile = { locale, viewMode: 'list' } as const
        const path = `/files/${way[0]}/?search=dawn`
        await using open = await openFolder(far, { path, profile, ...touch })
        const { page } = open
        const row = entry(page, 'dawn.txt')
        const told = row.locator('.way')
        const nearest = told.getByText('Quarters of it', { exact: true })
        await expect.poll(() => isInSight(nearest)).toBe(true)
        expect(await isInSight(told.getByText('Projects of the house'))).toBe(false)
        const whole = (await told.getAttribute('data-tip')) ?? ''
        expect(whole.replaceAll(/[\u2068\u2069]/g, '')).toBe(way.join(' / '))

        await page.keyboard.press('Control+Shift+F')
        const hit = page.locator('dialog[open]').getByRole('option').first()
        await expect.poll(() => isInSight(hit.getByText('Quarters of it'))).toBe(true)
      })
})
