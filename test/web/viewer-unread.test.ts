// What cannot be read is not called damaged: viewers say what happened, and read again when asked.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { BLANK } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { ADMIN } from '../support/program.ts'
import { someOf } from '../support/scale.ts'
import { endSessionAt } from './browser-steps.ts'
import { openViewer, sampleSite } from './viewer-steps.ts'

const site = sampleSite()
/** Where the bytes of a file come from, whichever way a viewer asks for them. */
const CONTENT = /\/api\/(raw|preview)\//

/** What reads documents, fetched by their viewer. */
const CODE = /-docx-[^/]*\.js$/

/** One of each viewer, and of each way to read a file. */
const samples = [
  ...['paper.pdf', 'book.epub', 'letter.docx', 'letter.odt', 'table.xlsx', 'table.xls'],
  ...['table.csv', 'letters.ttf', 'pack.zip', 'pack.tar', 'pack.tar.gz', 'pack.7z'],
  ...['picture.jpg', 'drawing.svg', 'picture.heic', 'film.mp4', 'song.mp3'],
]

const message = (page: Page) => page.locator('.vw-message')
const tryAgain = (page: Page) => message(page).getByRole('button', { name: 'Try again' })

/** The viewer shows the file: neither a message nor a wait is left. */
async function expectShown(page: Page) {
  await message(page).waitFor({ state: 'detached' })
  await page.locator('.vw-busy').waitFor({ state: 'detached' })
  await page.locator('.vw-content > *').first().waitFor()
}

describe('without a connection', () => {
  it.each(someOf(samples, 4))(
    '%s is not called damaged, and opens once the server is back',
    async (name) => {
      await using opened = await site.open({ path: BLANK })
      const { page } = opened
      await page.route(CONTENT, (route) => route.abort('connectionrefused'))
      await openViewer(page, name)
      await message(page).getByText('No connection to the server.').waitFor()
      // It would fail as the reading did.
      expect(await message(page).getByRole('button', { name: 'Download' }).count()).toBe(0)
      await page.unroute(CONTENT)
      await tryAgain(page).click()
      await expectShown(page)
    },
  )

  it('the bytes of a file can be asked for again, too', async () => {
    await using opened = await site.open({ path: BLANK })
    const { page } = opened
    await page.route(CONTENT, (route) => route.abort('connectionrefused'))
    await page.goto('/files/unknown.bin?view=hex')
    await message(page).getByText('No connection to the server.').waitFor()
    await page.unroute(CONTENT)
    await tryAgain(page).click()
    await page.getByRole('button', { name: 'Copy as hex' }).waitFor()
  })

  it('the code of a viewer is fetched again', async () => {
    await using opened = await site.open({ path: BLANK })
    const { page } = opened
    await page.route(CODE, (route) => route.abort('connectionrefused'))
    await openViewer(page, 'letter.docx')
    await message(page).getByText('No connection to the server.').waitFor()
    await page.unroute(CODE)
    await tryAgain(page).click()
    await expectShown(page)
  })

  it('the code of the editor, too', async () => {
    await site.tree.add({ 'words.md': '# A heading' })
    await using opened = await site.open({ path: BLANK })
    const { page } = opened
    const code = /-editor-[^/]*\.js$/
    await page.route(code, (route) => route.abort('connectionrefused'))
    await page.goto('/files/words.md')
    await page.getByText('Part of this page couldn’t be loaded').waitFor()
    await page.unroute(code)
    const again = page.getByRole('button', { name: 'Try again' })
    const text = page.locator('.cm-content')
    await waitFor('the editor', async () => {
      if (await again.isVisible()) await again.click({ timeout: 2000 })
      return text.isVisible()
    })
  })

  it.each([
    ['words.md', /-markdown-view-[^/]*\.js$/, 'Preview', '# A heading', '.md h1'],
    ['data.json', /-json-tree-[^/]*\.js$/, 'Tree', '{"colour": "blue"}', '[role=tree]'],
  ])(
    'the text of %s can be written on without its preview',
    async (name, code, side, text, part) => {
      await site.tree.add({ [name]: text })
      await using opened = await site.open({ path: BLANK })
      const { page } = opened
      await page.route(code, (route) => route.abort('connectionrefused'))
      await page.goto(`/files/${name}?view=text`)
      const source = page.locator('.cm-content')
      const show = (label: string) =>
        page.getByRole('radio', { name: label }).check({ force: true })
      await source.waitFor()
      await show(side)
      const failed = page.getByText('Couldn’t show this document')
      const preview = page.locator(`.ed-preview ${part}`)
      await failed.waitFor()
      await page.unroute(code)
      await waitFor('the preview', async () => {
        await show('Source')
        await source.waitFor()
        await show(side)
        await preview.or(failed).first().waitFor()
        return preview.isVisible()
      })
    },
  )
})

it('a file that was deleted meanwhile is said to be gone', async () => {
  await site.tree.add({ 'gone.pdf': 'x'.repeat(9000), 'gone.png': 'x'.repeat(9000) })
  await using opened = await site.open({ path: BLANK })
  const { page } = opened
  for (const name of ['gone.pdf', 'gone.png']) {
    await page.route(CONTENT, (route) => route.abort('connectionrefused'))
    await openViewer(page, name)
    await tryAgain(page).waitFor()
    await rm(join(site.tree.root, name))
    await page.unroute(CONTENT)
    await tryAgain(page).click()
    await message(page).getByText('This item no longer exists. It may have been moved').waitFor()
  }
})

it('a file that may not be read any more is said to be forbidden, and a failing server to fail', async () => {
  await using opened = await site.open({ path: BLANK })
  const { page } = opened
  let status = 403
  await page.route(CONTENT, (route) => route.fulfill({ status }))
  await openViewer(page, 'picture.png')
  await message(page).getByText('You don’t have permission to do this.').waitFor()
  status = 500
  await tryAgain(page).click()
  await message(page).getByText('Something went wrong on the server.').waitFor()
})

it.each(['paper.pdf', 'picture.png', 'song.mp3', 'pack.zip'])(
  'asks for the password in place when the session ended, and then shows %s',
  async (name) => {
    await using opened = await site.open({ path: BLANK })
    const { page } = opened
    await page.route(CONTENT, (route) => route.abort('connectionrefused'))
    await openViewer(page, name)
    await tryAgain(page).waitFor()
    await page.unroute(CONTENT)
    await endSessionAt(page, 'GET', CONTENT)
    await tryAgain(page).click()
    const again = page.getByRole('alertdialog', { name: 'Your session has ended' })
    await again.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await again.waitFor({ state: 'detached' })
    await expectShown(page)
  },
)
