// A file that another one replaces while it is being read: what comes later is not taken for its rest.

import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { utils, write } from '@e965/xlsx'
import type { Page } from 'playwright-core'
import { pack } from 'tar-stream'
import { describe, expect, it } from 'vitest'
import { makePdf, zipOf } from '../../scripts/sample-documents.ts'
import { openPage } from '../support/browser.ts'
import { sharedSite } from './browser-steps.ts'
import { doubleClick, entry, showList } from './listing-steps.ts'
import { makeShare } from './share-steps.ts'
import { openViewer } from './viewer-steps.ts'

const site = sharedSite(() => ({}))
const CHANGED = 'The file has changed since you opened it.'

const message = (page: Page) => page.getByRole('alert').filter({ hasText: CHANGED })
const tryAgain = (page: Page) => message(page).getByRole('button', { name: 'Try again' })

/** Entries of several kilobytes each, by name. */
const parts = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, `the words of ${name}\n`.repeat(500)]))

async function tarOf(files: Record<string, string>): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content)
  archive.finalize()
  return Buffer.concat(await Readable.from(archive).toArray())
}

describe('an archive', () => {
  it.each([
    ['pack.zip', zipOf],
    ['pack.tar', tarOf],
    ['pack.tar.gz', async (files: Record<string, string>) => gzipSync(await tarOf(files))],
  ])('%s is opened anew when somebody tries again', async (name, write) => {
    await site.tree.add({ [name]: await write(parts('first.txt', 'second.txt', 'third.txt')) })
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, name)
    const entry = (inner: string) => page.getByRole('button', { name: inner, exact: true })
    await entry('third.txt').waitFor()
    await writeFile(site.tree.at(name), await write(parts('only.txt')))
    await entry('third.txt').click()
    await tryAgain(page).click()
    await entry('only.txt').click()
    await page.getByText('the words of only.txt').first().waitFor()
    expect(await entry('third.txt').count()).toBe(0)
  })

  it('that became smaller, also where something on the way takes the ETag out', async () => {
    await site.tree.add({ 'shrinking.tar': await tarOf(parts('first.txt', 'second.txt')) })
    await using opened = await site.open()
    const { page } = opened
    await page.route('**/api/raw/shrinking.tar*', async (route) => {
      const response = await route.fetch()
      const { etag: _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    await openViewer(page, 'shrinking.tar')
    const second = page.getByRole('button', { name: 'second.txt', exact: true })
    await second.waitFor()
    await site.tree.add({ 'shrinking.tar': await tarOf({ 'only.txt': 'few words' }) })
    await second.click()
    await tryAgain(page).click()
    await page.getByRole('button', { name: 'only.txt', exact: true }).waitFor()
  })

  it('of a share, too', async () => {
    await site.tree.add({ 'shared.zip': await zipOf(parts('first.txt', 'second.txt')) })
    const hash = await makeShare(site.program, '/shared.zip')
    await using opened = await openPage(site.browser, site.program, {
      path: `/share/${hash}`,
      as: null,
    })
    const { page } = opened
    const second = page.getByRole('button', { name: 'second.txt', exact: true })
    await second.waitFor()
    await site.tree.add({ 'shared.zip': await zipOf(parts('only.txt')) })
    await second.click()
    await tryAgain(page).click()
    await page.getByRole('button', { name: 'only.txt', exact: true }).waitFor()
  })
})

/** Too large to be fetched at once: by chapters, with something between them. */
function bookOf(chapters: string[], paddingBytes: number): Promise<Uint8Array> {
  const ids = chapters.map((_, index) => `c${index}`)
  const items = ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="x"/>`)
  const spine = ids.map((id) => `<itemref idref="${id}"/>`)
  const padding = new Uint8Array(paddingBytes)
  return zipOf(
    {
      'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
      'book.opf': `<package><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
      padding,
      ...Object.fromEntries(ids.map((id, n) => [`${id}.xhtml`, `<p>${chapters[n]}</p>`])),
    },
    ['padding'],
  )
}

it('a book is opened anew when somebody tries again, be it smaller now', async () => {
  const paddingBytes = 9 * 1024 * 1024
  await site.tree.add({ 'book.epub': await bookOf(['Once upon', 'The end'], paddingBytes) })
  await using opened = await site.open()
  const { page } = opened
  await openViewer(page, 'book.epub')
  await page.getByText('Once upon').waitFor()
  await site.tree.add({ 'book.epub': await bookOf(['Another time', 'Another end'], 0) })
  await page.keyboard.press('End')
  await tryAgain(page).click()
  await page.getByText(/Another (time|end)/).waitFor()
})

it('a PDF is opened anew when somebody tries again', async () => {
  const picture = '/Width 1000 /Height 1500 /ColorSpace /DeviceGray /BitsPerComponent 8'
  const scan = (sizeBytes: number) => makePdf(new Uint8Array(sizeBytes), '', { picture })
  await site.tree.add({ 'scan.pdf': scan(1_500_000) })
  await using opened = await site.open()
  const { page } = opened
  // The picture lies in the middle of the file.
  const arrived = Promise.withResolvers<void>()
  const replaced = Promise.withResolvers<void>()
  await page.route('**/api/raw/scan.pdf*', async (route) => {
    const start = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? '')?.[1] ?? 0)
    if (start > 200_000 && start < 1_000_000) {
      arrived.resolve()
      await replaced.promise
    }
    await route.continue()
  })
  await openViewer(page, 'scan.pdf')
  await arrived.promise
  await site.tree.add({ 'scan.pdf': scan(1_600_000) })
  replaced.resolve()
  await tryAgain(page).click()
  await page.locator('.page[data-page-number="1"]:not(.loading) canvas').waitFor()
  await message(page).waitFor({ state: 'detached' })
})

it('what a part of a PDF could not be read for is forgotten with the file of before', async () => {
  const picture = '/Width 1000 /Height 1500 /ColorSpace /DeviceGray /BitsPerComponent 8'
  const scan = (sizeBytes: number) => makePdf(new Uint8Array(sizeBytes), '', { picture })
  await site.tree.add({ 'refused.pdf': scan(1_500_000) })
  await using opened = await site.open()
  const { page } = opened
  await page.goto('/files/')
  await showList(page)
  await entry(page, 'refused.pdf').waitFor()
  await site.tree.add({ 'refused.pdf': scan(1_600_000) })
  // What the listing knows of the file is old until the file's own facts come.
  const known = Promise.withResolvers<void>()
  await page.route('**/api/resources/refused.pdf*', async (route) => {
    await known.promise
    await route.continue()
  })
  let refusing = true
  await page.route('**/api/raw/refused.pdf*', async (route) => {
    const start = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? '')?.[1] ?? 0)
    // The picture lies in the middle of the file.
    if (refusing && start > 200_000 && start < 1_000_000) return route.abort()
    await route.continue()
  })
  await doubleClick(entry(page, 'refused.pdf'))
  const lost = page.getByRole('alert').filter({ hasText: 'Try again' })
  await lost.waitFor()
  refusing = false
  known.resolve()
  await page.locator('.page[data-page-number="1"]:not(.loading) canvas').waitFor()
  await lost.waitFor({ state: 'detached' })
})

it('a table that became longer is shown as it is by now', async () => {
  const tableOf = (rows: number) => {
    const book = utils.book_new()
    const cells = Array.from({ length: rows }, (_, row) => [`row ${row + 1}`])
    utils.book_append_sheet(book, utils.aoa_to_sheet(cells))
    return write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer
  }
  await site.tree.add({ 'table.xls': tableOf(1) })
  await using opened = await site.open()
  const { page } = opened
  await page.route('**/api/raw/table.xls*', async (route) => {
    await site.tree.add({ 'table.xls': tableOf(2000) })
    await route.continue()
  })
  await openViewer(page, 'table.xls')
  await page.getByText('2,000 rows').waitFor()
})
