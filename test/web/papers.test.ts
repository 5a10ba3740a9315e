// Reading books and papers: contents, colours, the place one is at, marking text.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeBook, makeDocx } from '../../scripts/sample-documents.ts'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES, sampleTree } from '../support/pictures.ts'
import { sharedSite } from './browser-steps.ts'
import { stillBox, twoFrames } from './listing-steps.ts'
import { swipe } from './touch-steps.ts'

/** Shows the picture that the sample has in it anyway. */
const DOCX_PICTURE =
  '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="304800" cy="203200"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:blipFill><a:blip r:embed="rId2"/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="304800" cy="203200"/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'

const site = sharedSite(async () => {
  const { 'book.epub': book = '', 'paper.pdf': paper = '' } = await sampleTree()
  const jpeg = await readFile(join(SAMPLES, 'picture.jpg'))
  const shown = ['?1', '?2', '#3'].map((end) => `<img src="../images/dawn.jpg${end}" alt="" />`)
  return {
    'book.epub': book,
    'paper.pdf': paper,
    'z.png': '',
    'often/often.epub': await makeBook(jpeg, shown.join('')),
    'often/often.docx': await makeDocx(jpeg, DOCX_PICTURE.repeat(3)),
  }
})

const scroller = (page: Page) => page.locator('.vw-book-scroll')
const scrolled = (page: Page) => scroller(page).evaluate(({ scrollTop }) => scrollTop)

/** Until the text moves no more. */
async function stopped(page: Page): Promise<void> {
  await waitFor('the end of a movement', async () => {
    const before = await scrolled(page)
    await twoFrames(page)
    await twoFrames(page)
    return (await scrolled(page)) === before
  })
}

/** Which paragraph is the first in sight, and how far its upper edge is from the window's, in px. */
function firstInSight(page: Page) {
  return page.locator('.vw-book-page').evaluate((host) => {
    const top = host.closest('.vw-book-scroll')?.getBoundingClientRect().top ?? 0
    const all = [...(host.shadowRoot?.querySelectorAll('h1, p') ?? [])]
    return all.findIndex((element) => element.getBoundingClientRect().bottom > top + 4)
  })
}

describe('a picture that is shown many times', () => {
  it.each(['often.epub', 'often.docx'])('is unpacked once for %s', async (name) => {
    await using opened = await site.open({ path: `/files/often/${name}` })
    const pictures = opened.page.locator('.vw-book-page img, .vw-paper img')
    await pictures.nth(3).waitFor()
    const seen = () =>
      pictures.evaluateAll((images: HTMLImageElement[]) => ({
        drawn: images.filter(({ naturalWidth }) => naturalWidth > 0).length,
        addresses: new Set(images.map(({ src }) => src)).size,
      }))
    await expect.poll(seen).toEqual({ drawn: 4, addresses: 1 })
    await expect.poll(() => pictures.first().getAttribute('src')).toMatch(/^blob:/)
    expect(opened.problems).toEqual([])
  })
})

describe('books', () => {
  const SMALL = { width: 600, height: 420 }

  it('go to a chapter of their contents and remember the colours one likes', async () => {
    await using opened = await site.open({ path: '/files/book.epub' })
    const { page } = opened
    await page.getByRole('heading', { name: 'The first chapter' }).waitFor()
    await page.getByRole('button', { name: 'Table of contents' }).click()
    const contents = page.getByRole('navigation', { name: 'Table of contents' })
    await contents.getByRole('button', { name: 'The second chapter' }).click()
    await page.getByRole('heading', { name: 'The second chapter' }).waitFor()
    await page.getByText('2 of 2').first().waitFor()
    const colour = () =>
      scroller(page).evaluate((element) => getComputedStyle(element).backgroundColor)
    await expect.poll(colour).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: 'Colours' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(colour).toBe('rgb(21, 25, 32)')
    await page.reload()
    await page.getByRole('heading', { name: 'The second chapter' }).waitFor()
    await expect.poll(colour).toBe('rgb(21, 25, 32)')
    expect(opened.problems).toEqual([])
  })

  it('keep the place in a chapter when the text grows and when they are opened again', async () => {
    await using opened = await site.open({
      path: '/files/book.epub',
      viewport: SMALL,
    })
    const { page } = opened
    await page.getByRole('heading', { name: 'The first chapter' }).waitFor()
    for (let step = 0; step < 60 && (await firstInSight(page)) < 5; step++) {
      await page.keyboard.press('ArrowDown')
      await twoFrames(page)
    }
    await stopped(page)
    const before = await firstInSight(page)
    for (let step = 0; step < 4; step++) {
      await page.getByRole('button', { name: 'Larger text' }).click()
    }
    await page.getByText('140%').waitFor()
    await waitFor('the same paragraph', async () => (await firstInSight(page)) === before)
    await page.reload()
    await page.getByRole('heading', { name: 'The first chapter' }).waitFor({ state: 'attached' })
    await waitFor('the place again', async () => (await firstInSight(page)) === before)
  })

  it('turn their pages by a swipe and by a tap at the side', async () => {
    await using opened = await site.open({
      path: '/files/book.epub',
      viewport: PHONE,
      hasTouch: true,
    })
    const { page } = opened
    const heading = page.getByRole('heading', { name: 'The first chapter' })
    await heading.waitFor()
    await page.getByText('1 of 3').first().waitFor()
    await swipe(page, { x: 320, y: 500 }, { x: 90, y: 505 })
    await waitFor('a page on', async () => (await scrolled(page)) > 200)
    await stopped(page)
    await swipe(page, { x: 90, y: 500 }, { x: 320, y: 505 })
    await waitFor('a page back', async () => (await scrolled(page)) === 0)
    // Chromium takes a tap while a movement still ends for a wish to stop it.
    await waitFor('a page on by a tap', async () => {
      if ((await scrolled(page)) === 0) await page.touchscreen.tap(370, 500)
      return (await scrolled(page)) > 200
    })
    await waitFor('a page back by a tap', async () => {
      await page.touchscreen.tap(20, 500)
      return (await scrolled(page)) === 0
    })
    // The middle is for the links in the text and for nothing else.
    await page.touchscreen.tap(195, 300)
    expect(await scrolled(page)).toBe(0)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/book.epub')
  })
})

describe('PDF', () => {
  it('lets text be marked with the mouse', async () => {
    await using opened = await site.open({ path: '/files/paper.pdf' })
    const { page } = opened
    const line = page.getByText('The quick brown fox jumps over the lazy dog, page 1.')
    const box = await stillBox(line)
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + 1, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 })
    await page.mouse.move(box.x + box.width - 1, y, { steps: 5 })
    await page.mouse.up()
    const marked = () => page.evaluate(() => getSelection()?.toString() ?? '')
    await expect.poll(marked).toContain('quick brown fox jumps over the lazy')
  })
})
