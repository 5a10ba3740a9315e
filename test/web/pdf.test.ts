// Papers as PDF: words found in them, printed, locked, and parts of them that are late.

import { join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { makePdf } from '../../scripts/sample-documents.ts'
import { SAMPLES } from '../support/pictures.ts'
import { toast } from './listing-steps.ts'
import { openViewer, sampleSite } from './viewer-steps.ts'

const site = sampleSite()

it('finds words in a PDF and follows its contents', async () => {
  await using opened = await site.open()
  const { page } = opened
  await openViewer(page, 'paper.pdf')
  await page.getByText('page 1.').waitFor()
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find in document' }).fill('lazy dog')
  await page.getByText('1 of 3').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('2 of 3').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Contents' }).click()
  await page.getByRole('button', { name: 'The end' }).click()
  await expect.poll(() => page.getByRole('textbox', { name: 'Page' }).inputValue()).toBe('3')
})

it('shows the pages as pictures that lead to them', async () => {
  await using opened = await site.open()
  const { page } = opened
  await openViewer(page, 'paper.pdf')
  await page.getByRole('button', { name: 'Pages' }).click()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await expect.poll(() => pages.locator('canvas[data-drawn]').count()).toBe(3)
  await pages.getByRole('button', { name: '3' }).click()
  await expect.poll(() => page.getByRole('textbox', { name: 'Page' }).inputValue()).toBe('3')
  await pages.locator('[aria-current=page]').getByText('3').waitFor()
})

it('prints every page of a PDF', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.addInitScript(() => {
    window.print = () => {
      const pages = document.querySelectorAll<HTMLImageElement>('.vw-print img')
      document.title = `printed ${[...pages].filter((img) => img.naturalWidth > 1000).length}`
    }
  })
  await openViewer(page, 'paper.pdf')
  await page.getByRole('button', { name: 'Print' }).click()
  await expect.poll(() => page.title()).toBe('printed 3')
  await page.locator('.vw-print').waitFor({ state: 'detached' })
})

it('prints once, however often one presses, and says when a page cannot be drawn', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.addInitScript(() => {
    let printed = 0
    window.print = () => {
      document.title = `printed ${++printed} times`
    }
  })
  await openViewer(page, 'paper.pdf')
  await page.getByText('page 1.').waitFor()
  await page.getByRole('button', { name: 'Print' }).dblclick()
  await expect.poll(() => page.title()).toBe('printed 1 times')
  await page.locator('.vw-toast').waitFor({ state: 'detached' })
  await expect.poll(() => page.title()).toBe('printed 1 times')
  await page.evaluate(() => {
    HTMLCanvasElement.prototype.toBlob = (done) => done(null)
  })
  await page.getByRole('button', { name: 'Print' }).click()
  await toast(page, /Something went wrong/).waitFor()
  expect(opened.problems).toEqual([])
})

it('says that a part of a PDF could not be read, and shows it when it can be', async () => {
  const grey = new Uint8Array(
    await sharp(join(SAMPLES, 'picture.jpg'))
      .resize(1000, 1500, { fit: 'fill' })
      .grayscale()
      .raw()
      .toBuffer(),
  )
  const picture = '/Width 1000 /Height 1500 /ColorSpace /DeviceGray /BitsPerComponent 8'
  await site.tree.add({ 'scan.pdf': makePdf(grey, '', { picture }) })
  await using opened = await site.open()
  const { page } = opened
  let refusing = true
  await page.route('**/api/raw/scan.pdf*', async (route) => {
    const start = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? '')?.[1] ?? 0)
    // The picture lies in the middle of the file.
    if (refusing && start > 200_000 && start < 1_000_000) return route.abort()
    await route.continue()
  })
  await openViewer(page, 'scan.pdf')
  const lost = page.getByRole('alert').filter({ hasText: 'Try again' })
  await lost.waitFor()
  expect(await page.locator('.page[data-page-number="1"]:not(.loading)').count()).toBe(0)
  refusing = false
  await lost.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.page[data-page-number="1"]:not(.loading) canvas').waitFor()
  await lost.waitFor({ state: 'detached' })
})

it('asks for the password of a locked PDF until it fits', async () => {
  await using opened = await site.open()
  const { page } = opened
  await openViewer(page, 'locked.pdf')
  const password = page.getByLabel('Password')
  await password.fill('wrong')
  await password.press('Enter')
  await page.getByText('Incorrect password. Try again.').waitFor()
  await password.fill('open sesame')
  await password.press('Enter')
  await page.getByText('page 1.').waitFor()
})
