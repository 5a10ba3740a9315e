// Pictures by the date they were taken: as an order, as a column, and by days.

import sharp from 'sharp'
import { expect, it } from 'vitest'
import { sharedSite } from './browser-steps.ts'
import { expectNames } from './listing-steps.ts'

async function photo(taken: string | null): Promise<Buffer> {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: '#396' } })
  return (taken === null ? picture : picture.withExif({ IFD2: { DateTimeOriginal: taken } }))
    .jpeg()
    .toBuffer()
}

const site = sharedSite(async () => {
  const many = Array.from({ length: 60 }, (_, n) => 100 + n)
  const of2022 = await photo('2022:03:04 10:00:00')
  return {
    'shoot/a.jpg': await photo('2024:05:05 14:22:00'),
    'shoot/b.jpg': await photo('2023:12:31 23:59:59'),
    'shoot/c.jpg': await photo(null),
    'shoot/d.jpg': await photo('2024:05:05 09:00:00'),
    'shoot/e.txt': 'text',
    ...Object.fromEntries(many.map((n) => [`many/${n}.jpg`, of2022])),
    'many/z.jpg': await photo('2023:12:31 23:59:59'),
  }
})

it('are ordered by it, shown with it and gathered by days, once that is asked for', async () => {
  await using opened = await site.open({ path: '/files/shoot/' })
  const { page } = opened
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/taken/')) asked++
  })
  await page.getByRole('radio', { name: 'List' }).check()
  await expectNames(page, ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.txt'])
  expect(asked).toBe(0)
  await page.getByRole('button', { name: 'Sort by: Name' }).click()
  await page.getByRole('menuitemradio', { name: 'Date taken' }).click()
  await expectNames(page, ['b.jpg', 'd.jpg', 'a.jpg', 'c.jpg', 'e.txt'])
  expect(asked).toBe(1)
  await page.getByRole('columnheader', { name: 'Date taken' }).getByRole('button').click()
  await expectNames(page, ['a.jpg', 'd.jpg', 'b.jpg', 'c.jpg', 'e.txt'])
  const dates = page.locator('#listing .modified time')
  expect(await dates.first().getAttribute('datetime')).toBe('2024-05-05T14:22:00')
  expect(await dates.count()).toBe(3)

  await page.getByRole('radio', { name: 'Gallery' }).check()
  const headings = page.locator('[role=row].grid__heading')
  await expect
    .poll(() => headings.allTextContents())
    .toEqual(['May 5, 2024 2', 'Dec 31, 2023 1', 'Date unknown 2'])
  expect(asked).toBe(1)
  expect(opened.problems).toEqual([])
})

it('have the day at the upper edge while they scroll', async () => {
  await using opened = await site.open({ path: '/files/many/' })
  const { page } = opened
  await page.getByRole('radio', { name: 'Gallery' }).check()
  await page.getByRole('button', { name: 'Sort by: Name' }).click()
  await page.getByRole('menuitemradio', { name: 'Date taken' }).click()
  const mark = page.locator('.grid__day')
  await page.locator('[role=row].grid__heading').getByText('Dec 31, 2023').waitFor()
  expect(await mark.count()).toBe(0)
  await page.locator('#listing').evaluate((element) => {
    element.scrollTop = 300
  })
  await mark.getByText('Mar 4, 2022').waitFor()
  const [listing, day] = await Promise.all([
    page.locator('#listing').boundingBox(),
    mark.boundingBox(),
  ])
  expect(day?.y).toBe(listing?.y)
})
