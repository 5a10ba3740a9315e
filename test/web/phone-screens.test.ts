// What a phone's width must not cut or push aside, on screens other than the listing.
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { boxOf, sharedSite } from './browser-steps.ts'
import { entry, stillBox, twoFrames } from './listing-steps.ts'
import { makeShare } from './share-steps.ts'

const site = sharedSite(async () => {
  const create = { width: 1500, height: 1000, channels: 3, background: '#456' } as const
  const picture = await sharp({ create }).jpeg().toBuffer()
  const others = Array.from({ length: 150 }, (_, n) => [`album/a ${n}.txt`, 'x'])
  return {
    'launch-plan.md': '# Plan',
    'album/dawn.jpg': picture,
    'Screenshots/a.txt': 'a',
    'Screenshots 2023/a.txt': 'a',
    'Invoices/a.txt': 'a',
    'dawn.jpg': picture,
    ...Object.fromEntries(others),
  }
})

async function openPhone(path: string) {
  const options = { viewport: PHONE, isMobile: true, hasTouch: true }
  return site.open({ path, ...options })
}

it('the line under a picture’s name has whole facts only, however wide its letters are', async () => {
  await using open = await openPhone('/files/album/dawn.jpg')
  const { page } = open
  const line = page.locator('.vw-title p')
  await line.getByText('1500 × 1000').waitFor()
  const shownAt = async (width: number) => {
    await page.setViewportSize({ ...PHONE, width })
    await page.waitForFunction((px) => document.documentElement.clientWidth === px, width)
    await twoFrames(page)
    const facts = await line.evaluate((element) => {
      const box = element.getBoundingClientRect()
      return [...element.children].map((fact) => {
        const { top, right } = fact.getBoundingClientRect()
        const whole = right <= box.right && fact.scrollWidth <= fact.clientWidth
        return { shown: top < box.bottom - 1, whole }
      })
    })
    expect(facts).toHaveLength(3)
    const shown = facts.filter((fact) => fact.shown)
    expect(
      shown.filter(({ whole }) => !whole),
      `${width} px`,
    ).toEqual([])
    return shown.length
  }
  const counts: number[] = []
  for (let width = 360; width <= 600; width += 10) counts.push(await shownAt(width))
  // Whatever font is there, two facts fit into a phone of some width, and three into a wider one.
  expect(counts).toEqual([...counts].sort())
  expect([...new Set(counts)]).toEqual(expect.arrayContaining([2, 3]))
  expect(counts[0]).toBeGreaterThan(0)
})

it('the open folder is bold in the title, and plain in the line of breadcrumbs below', async () => {
  await using open = await openPhone('/files/album/')
  await entry(open.page, 'dawn.jpg').waitFor()
  const weightOf = (selector: string) =>
    open.page.locator(selector).evaluate((element) => Number(getComputedStyle(element).fontWeight))
  expect(await weightOf('h1:visible')).toBeGreaterThan(500)
  expect(await weightOf('.crumb[aria-current]')).toBe(400)
})

it.each([
  ['phone', PHONE],
  ['tablet', { width: 820, height: 1180 }],
])('cards of shared folders have names of usual length on one line (%s)', async (_, viewport) => {
  const path = `/share/${await makeShare(site.program, '/')}`
  const options = { viewport, isMobile: true, hasTouch: true, as: null }
  await using open = await site.open({ path, ...options })
  const { page } = open
  await page.getByRole('radio', { name: 'Grid', exact: true }).check({ force: true })
  const name = page.getByRole('list', { name: 'Folders' }).getByText('Screenshots', { exact: true })
  const { width, height } = await boxOf(name)
  expect(await name.evaluate((text) => text.scrollWidth)).toBeLessThanOrEqual(Math.ceil(width))
  expect(height).toBeLessThan(30)
})

it('the editor shows a name of usual length whole', async () => {
  await using open = await openPhone('/files/launch-plan.md')
  const name = open.page.getByRole('heading', { name: 'launch-plan.md' })
  await name.waitFor()
  await open.page.locator('.cm-content').waitFor()
  const isWhole = () => name.evaluate((element) => element.scrollWidth <= element.clientWidth)
  await expect.poll(isWhole).toBe(true)
})

it.each([
  ['phone', PHONE],
  ['tablet', { width: 820, height: 1180 }],
])(
  'the cross of a dialog is as large as a finger and on the line of the title (%s)',
  async (_, viewport) => {
    await using open = await site.open({
      path: '/files/',
      viewport,
      isMobile: true,
      hasTouch: true,
    })
    const { page } = open
    await entry(page, 'dawn.jpg').getByRole('button').last().tap()
    await page.getByRole('menuitem', { name: 'Share' }).tap()
    const dialog = page.getByRole('dialog')
    const cross = dialog.getByRole('button', { name: 'Close' }).first()
    const box = await stillBox(cross)
    const title = await boxOf(dialog.getByRole('heading', { level: 2 }))
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44)
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(Math.abs(box.y + box.height / 2 - (title.y + title.height / 2))).toBeLessThan(3)
  },
)

it('choosing a folder to move to brings no keyboard over it', async () => {
  await using open = await openPhone('/files/')
  const { page } = open
  await entry(page, 'dawn.jpg').getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Move to…' }).tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('searchbox', { name: 'Find a folder' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.tagName)
  await expect.poll(focused).toBe('BUTTON')
})
