// Folders that are empty, slow, left meanwhile, or cannot be shown.
import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { BLANK, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { boxOf, folderPages, holdAnswers, sharedBrowser, takeHome } from './browser-steps.ts'
import { entry, expectNames, expectSelected, listedFolders, twoFrames } from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)
const openPlain = folderPages(openIn)

/** What is there in every folder, in the same place. */
const LASTING = '.side button, .side a, .fab'

describe('a folder', () => {
  it('says when a folder is empty, and when it does not exist', async () => {
    await using home = await takeHome({ empty: null })
    const { tree } = home
    await using open = await openIn(home, { as: home.as, path: '/files/empty/' })
    const { page } = open
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    await page.goto('/files/missing/')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    // What acts on a folder is not offered for none.
    const offered = page
      .getByRole('textbox', { name: 'Filter this folder' })
      .or(page.getByRole('radiogroup', { name: 'View' }))
      .or(page.getByRole('button', { name: 'Details' }))
    expect(await offered.count()).toBe(0)
    await mkdir(tree.at('missing'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    await expect.poll(() => offered.count()).toBe(3)
  })

  it('leads from what is gone to the nearest folder that is there', async () => {
    await using open = await openFolder({ 'here/a.txt': 'x' })
    const { page } = open
    await page.goto('/files/here/gone/too/')
    await page.getByRole('link', { name: 'Go to parent folder' }).click()
    await page.waitForURL('**/files/here/')
    await expectNames(page, ['a.txt'])
  })

  it('opens a folder of the root that is called like the recursive listing', async () => {
    await using open = await openFolder({ 'recursive/recursive/deep.txt': 'x' })
    const { page } = open
    await entry(page, 'recursive').dblclick()
    await page.waitForURL('**/files/recursive/')
    await expectNames(page, ['recursive'])
    await entry(page, 'recursive').dblclick()
    await entry(page, 'deep.txt').waitFor()
  })

  it('shows a skeleton only for folders that take their time', async () => {
    await using open = await openFolder({ 'slow/a.txt': 'x', 'fast/b.txt': 'x' })
    const { page } = open
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(window, { seenLoading: seen })
      new MutationObserver(() => {
        if (document.querySelector('.skeleton')) seen.push(location.pathname)
      }).observe(document.body, { childList: true, subtree: true })
    })
    const held = await holdAnswers(page, '**/api/resources/slow')
    await entry(page, 'slow').dblclick()
    await page.locator('.skeleton').waitFor()
    held.resolve()
    await entry(page, 'a.txt').waitFor()
    await page.goBack()
    await entry(page, 'fast').waitFor()
    const seen = await page.evaluate(() => Reflect.get(window, 'seenLoading') as string[])
    expect(new Set(seen)).toEqual(new Set(['/files/slow/']))
  })

  it('looks as it was asked to while it was still loading', async () => {
    await using home = await takeHome({ 'a.txt': 'x' }, { viewMode: 'mosaic' })
    await using open = await openIn(home, { as: home.as, path: BLANK })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/')
    await page.goto('/files/')
    await page.locator('.skeleton').first().waitFor()
    const list = page.getByRole('radio', { name: 'List' })
    expect(await list.isChecked()).toBe(false)
    await list.check()
    held.resolve()
    await entry(page, 'a.txt').waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).waitFor()
    expect(await list.isChecked()).toBe(true)
  })

  it.each([
    ['desktop', { width: 1280, height: 800 }],
    ['phone', PHONE],
  ])('keeps every control in its place while it loads (%s)', async (_, viewport) => {
    await using open = await openPlain({ 'slow/a.txt': 'x' }, { viewport })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/slow')
    const places = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll(
            '.side button, .side a, .crumbbar button:not(.crumb__beside), .fab, .tools',
          ),
        ]
          .filter((control) => control.checkVisibility())
          .map((control) => {
            const { left, top, height } = control.getBoundingClientRect()
            return `${control.className} ${left} ${top} ${height}`
          }),
      )
    await entry(page, 'slow').waitFor()
    // What is known later, such as how full the disk is, is there as well.
    await page.waitForLoadState('networkidle')
    await twoFrames(page)
    const before = await places()
    expect(before.length).toBeGreaterThan(2)
    await page.goto('/files/slow/')
    await page.locator('.skeleton').waitFor()
    await expect.poll(places).toEqual(before)
    held.resolve()
    await entry(page, 'a.txt').waitFor()
    await expect.poll(places).toEqual(before)
  })

  it('lets the rows of a list land where its skeleton had them', async () => {
    await using open = await openFolder({ 'slow/b/a.txt': 'x', 'slow/c.txt': 'x' })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/slow')
    await entry(page, 'slow').dblclick()
    const box = (selector: string) => boxOf(page.locator(selector).first())
    const places = async (list: string) => {
      const parts = ['.lhead', '.lrow', '.lrow .lrow__name', '.lhead__end']
      return Promise.all(parts.map(async (part) => (await box(`${list} ${part}`)).y))
    }
    await page.locator('.skeleton').waitFor()
    const before = await places('.skeleton')
    held.resolve()
    await entry(page, 'c.txt').waitFor()
    expect(await places('#listing')).toEqual(before)
  })

  it('draws the same lines between rows while it loads', async () => {
    await using open = await openFolder({ 'slow/a.txt': 'x', 'slow/b.txt': 'x' })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/slow')
    await entry(page, 'slow').dblclick()
    const line = (list: string) =>
      page
        .locator(`${list} .lrow + .lrow`)
        .first()
        .evaluate((row) => {
          const { width, top } = getComputedStyle(row, '::before')
          return { width, top }
        })
    await page.locator('.skeleton').waitFor()
    const before = await line('.skeleton')
    held.resolve()
    await entry(page, 'b.txt').waitFor()
    expect(before).toEqual(await line('#listing'))
  })

  it('has its icons on a phone where their places were kept while it loads', async () => {
    await using open = await openPlain(
      { 'a.txt': 'x' },
      { viewport: PHONE, profile: { viewMode: 'list' } },
    )
    const { page } = open
    const tile = page.locator('#listing .tile').first()
    await tile.waitFor()
    // What comes later may still move it.
    await page.waitForLoadState('networkidle')
    await twoFrames(page)
    const shown = await boxOf(tile)
    const held = await holdAnswers(page, '**/api/resources/')
    await page.reload()
    const kept = await boxOf(page.locator('.skeleton .sk').first())
    held.resolve()
    await tile.waitFor()
    expect([kept.x, kept.y]).toEqual([shown.x, shown.y])
  })

  it.each([
    ['mosaic', 'mosaic'],
    ['gallery', 'mosaic gallery'],
  ] as const)(
    'has as many columns on a phone while it loads as then (%s)',
    async (layout, viewMode) => {
      const options = { viewport: PHONE, profile: { viewMode } }
      await using open = await openPlain({ 'a.txt': 'x', 'b.txt': 'x' }, options)
      const { page } = open
      await page.locator(`.grid--${layout}`).waitFor()
      await entry(page, 'b.txt').waitFor()
      const lefts = async (cards: string) =>
        (await Promise.all([0, 1].map((n) => boxOf(page.locator(cards).nth(n))))).map(({ x }) => x)
      await page.waitForLoadState('networkidle')
      await twoFrames(page)
      const [first, second] = await lefts('#listing [data-index]')
      const held = await holdAnswers(page, '**/api/resources/')
      await page.reload()
      await page.locator('.skeleton').waitFor()
      const waiting = await lefts('.skeleton__card')
      expect(Math.abs((waiting[0] ?? 0) - (first ?? 0))).toBeLessThan(4)
      expect(Math.abs((waiting[1] ?? 0) - (second ?? 0))).toBeLessThan(4)
      held.resolve()
      await entry(page, 'b.txt').waitFor()
    },
  )

  it.each([
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: PHONE, hasTouch: true }],
  ])('moves and takes away nothing while a folder opens (%s)', async (_, device) => {
    await using open = await openPlain({ 'slow/b/a.txt': 'x' }, device)
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/slow')
    await entry(page, 'slow').waitFor()
    await page.waitForLoadState('networkidle')
    await twoFrames(page)
    // In every frame, also those in which what one sees is not yet the skeleton.
    await page.evaluate((selector) => {
      const seen = new Set<string>()
      Object.assign(window, { seenPlaces: seen })
      const look = () => {
        const places = [...document.querySelectorAll(selector)]
          .filter((control) => control.checkVisibility())
          .map((control) => {
            const { left, top, height } = control.getBoundingClientRect()
            return `${control.getAttribute('aria-label') ?? control.textContent} ${left} ${top} ${height}`
          })
        seen.add(places.join('\n'))
        requestAnimationFrame(look)
      }
      look()
    }, LASTING)
    // The first of two clicks selects, which puts other controls in the place of some.
    if ('hasTouch' in device) await entry(page, 'slow').tap()
    else await entry(page, 'slow').dblclick()
    await page.locator('.skeleton').waitFor()
    await twoFrames(page)
    held.resolve()
    await entry(page, 'b').waitFor()
    await twoFrames(page)
    const seen = await page.evaluate(() => [...(Reflect.get(window, 'seenPlaces') as Set<string>)])
    expect(seen).toEqual([seen[0]])
    expect(seen[0]?.split('\n').length).toBeGreaterThan(1)
  })

  it.each([
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: PHONE, hasTouch: true }],
  ])('offers no menu before it is known what can be done (%s)', async (_, device) => {
    await using open = await openPlain({ 'slow/a.txt': 'x' }, device)
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/slow')
    const more = page.locator('.folder-more')
    await more.waitFor()
    if ('hasTouch' in device) await entry(page, 'slow').tap()
    else await entry(page, 'slow').dblclick()
    await page.locator('.skeleton').waitFor()
    expect(await more.getAttribute('aria-disabled')).toBe('true')
    await more.click({ force: true })
    await twoFrames(page)
    expect(await page.getByRole('menu').count()).toBe(0)
    held.resolve()
    await entry(page, 'a.txt').waitFor()
    await more.click()
    await page.getByRole('menuitem', { name: 'New folder' }).waitFor()
  })

  it('closes menus and questions when the place changes, and forgets the selection', async () => {
    await using open = await openFolder({ 'one/a.txt': 'a', 'one/b.txt': 'b' })
    const { page, tree } = open
    await entry(page, 'one').dblclick()
    await entry(page, 'a.txt').click()
    await expectSelected(page, ['a.txt'])
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await entry(page, 'one').waitFor()
    await entry(page, 'one').dblclick()
    await entry(page, 'a.txt').waitFor()
    await expectSelected(page, [])
    await entry(page, 'b.txt').click({ button: 'right' })
    await page.getByRole('menu').waitFor()
    await page.goBack()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await entry(page, 'one').waitFor()
    expect(await tree.read('one/b.txt')).toBe('b')
    expect(open.problems).toEqual([])
  })

  it('gives up asking for a folder that is left', async () => {
    await using open = await openFolder({ 'slow/a.txt': 'x', 'fast/b.txt': 'x' })
    const { page } = open
    const held = Promise.withResolvers<void>()
    await page.route('**/api/resources/slow', async (route) => {
      await held.promise
      await route.continue().catch(() => {})
    })
    const given = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/slow'))
    await entry(page, 'slow').dblclick()
    await page.locator('.skeleton').waitFor()
    await page.goBack()
    expect((await given).failure()?.errorText).toBe('net::ERR_ABORTED')
    await entry(page, 'fast').waitFor()
    held.resolve()
  })

  it('says what is wrong when a folder cannot be shown, and tries again', async () => {
    await using open = await openFolder({ 'sub/a.txt': 'x' })
    const { page } = open
    for (const [status, title] of [
      [403, 'Access denied'],
      [500, 'Something went wrong'],
    ] as const) {
      await page.route('**/api/resources/sub', (route) =>
        route.fulfill({ status, body: `${status}` }),
      )
      await page.goto('/files/sub/')
      await page.getByRole('heading', { name: title }).waitFor()
      await page.getByText(`Error ${status}`).waitFor()
      await page.getByRole('link', { name: 'Go to parent folder' }).waitFor()
      await page.unroute('**/api/resources/sub')
      await page.getByRole('button', { name: 'Try again' }).click()
      await entry(page, 'a.txt').waitFor()
    }
    await page.route('**/api/resources/sub', (route) => route.abort('connectionrefused'))
    await page.goto('/files/sub/')
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
  })

  it('shows that a change takes its time in the place of the icon', async () => {
    await using open = await openFolder({ 'a.txt': 'x' })
    const { page } = open
    const held = await holdAnswers(page, '**/api/resources/a.txt?*')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('F2')
    await page.locator('.rename input:focus').waitFor()
    await page.keyboard.type('b')
    await page.keyboard.press('Enter')
    const busy = page.locator('.item[aria-busy="true"] .tile')
    await busy.waitFor()
    const mark = () => busy.evaluate((tile) => getComputedStyle(tile, '::after'))
    await expect.poll(async () => (await mark()).animationDelay).toBe('0.4s')
    await waitFor('the mark', async () => (await mark()).opacity === '1')
    held.resolve()
    await busy.waitFor({ state: 'detached' })
    await expectNames(page, ['b.txt'])
  })
})
