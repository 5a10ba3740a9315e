// Small pictures of files in the listing and in shares: of every kind that has one, drawn, and never
// more at once than was set.

import { existsSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it, type TestContext } from 'vitest'
import { openPage, workerBrowser } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { liveliness, SAMPLES } from '../support/pictures.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { entry, showList } from './listing-steps.ts'
import { makeShare } from './share-steps.ts'

const folders = (process.env.PATH ?? '').split(delimiter)
const FFMPEG = folders.map((folder) => join(folder, 'ffmpeg')).find((file) => existsSync(file))

function needFfmpeg({ skip }: TestContext) {
  skip(FFMPEG === undefined, 'ffmpeg is missing: sudo apt-get install ffmpeg')
}

/** Six at a time is what the page asks for (web/listing/grid/thumbnail-queue.ts). */
const MOST_ASKED = 6
const MOST_MADE = 2

const stills = ['picture.jpg', 'picture.heic', 'picture.tiff', 'drawing.svg', 'paper.pdf']
const films = Array.from({ length: 8 }, (_, n) => `film${n}.mp4`)

let browser: Browser
let tree: Tree
let program: Program
let hash = ''

beforeAll(async () => {
  browser = await workerBrowser()
  const sample = (name: string) => readFile(join(SAMPLES, name))
  const film = await sample('film.mp4')
  const many = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const colour = { r: n * 5, g: 200 - n * 5, b: 90 }
      const image = sharp({ create: { width: 400, height: 300, channels: 3, background: colour } })
      return [`files/many/${n}.png`, await image.png().toBuffer()] as const
    }),
  )
  const all = await Promise.all(
    stills.map(async (name) => [`files/all/${name}`, await sample(name)] as const),
  )
  tree = await makeTree({
    ...Object.fromEntries([...all, ...many]),
    ...Object.fromEntries(films.map((name) => [`files/films/${name}`, film])),
    // Notes when it begins and ends, and does its work by the real one.
    'ffmpeg.sh': `#!/bin/sh\necho + >> "$0.log"\n${FFMPEG} "$@"\ncode=$?\necho - >> "$0.log"\nexit $code\n`,
  })
  await chmod(tree.at('ffmpeg.sh'), 0o755)
  program = await startProgram(tree, {
    args: ['--ffmpegPath', tree.at('ffmpeg.sh'), '--imageProcessors', String(MOST_MADE)],
  })
  hash = await makeShare(program, '/files/')
})

afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await tree[Symbol.asyncDispose]()
})

/** The small picture is there, made by the server where it makes one, and has something on it. */
async function expectThumbnail(name: string, picture: Locator) {
  const made = name.endsWith('.svg') ? 1200 : 256
  await waitFor(`a thumbnail of ${name}`, () =>
    picture.evaluate((image: HTMLImageElement, width) => image.naturalWidth === width, made),
  )
  await waitFor(`something on the thumbnail of ${name}`, async () => {
    return (await liveliness(picture)) > 15
  })
}

const inListing = (page: Page, name: string) => entry(page, name).locator('img.thumb')
const inShare = (page: Page, name: string) =>
  page.getByRole('row').filter({ hasText: name }).locator('.tile img')

it('are drawn in the listing of every kind that has one', async () => {
  await using opened = await openPage(browser, program, { path: '/files/files/all/' })
  const { page } = opened
  for (const view of ['List', 'Grid', 'Gallery']) {
    await page.getByRole('radio', { name: view, exact: true }).check()
    for (const name of stills) await expectThumbnail(name, inListing(page, name))
  }
  await showList(page)
  expect(opened.problems).toEqual([])
})

it('are drawn in a share of every kind that has one', async () => {
  await using opened = await openPage(browser, program, { path: `/share/${hash}/all`, as: null })
  for (const name of stills) await expectThumbnail(name, inShare(opened.page, name))
  expect(opened.problems).toEqual([])
})

it('of films are drawn, and no more of them made at once than is set', async (context) => {
  needFfmpeg(context)
  await using opened = await openPage(browser, program, { path: '/files/files/films/' })
  for (const name of films) await expectThumbnail(name, inListing(opened.page, name))
  await opened.page.goto(`/share/${hash}/films`)
  // Films alone are an album, which begins as pictures.
  await opened.page.getByRole('radio', { name: 'List', exact: true }).check()
  await expectThumbnail('film0.mp4', inShare(opened.page, 'film0.mp4'))
  const log = (await readFile(tree.at('ffmpeg.sh.log'), 'utf8')).trim().split('\n')
  let running = 0
  const most = Math.max(...log.map((sign) => (running += sign === '+' ? 1 : -1)))
  expect(log.filter((sign) => sign === '+').length).toBeGreaterThanOrEqual(films.length)
  expect(most).toBeLessThanOrEqual(MOST_MADE)
})

it('are asked for a few at a time', async () => {
  await using opened = await openPage(browser, program, { path: '/files/files/' })
  const { page } = opened
  let asking = 0
  let most = 0
  let asked = 0
  // Over before the page has the answer: told of the end afterwards, one would count the next one, too.
  await page.route('**/api/preview/thumb/**', async (route) => {
    asked++
    asking++
    most = Math.max(most, asking)
    const response = await route.fetch()
    asking--
    await route.fulfill({ response })
  })
  await page.goto('/files/files/many/')
  await page.getByRole('radio', { name: 'Grid', exact: true }).check()
  await waitFor('thumbnails of a whole screen', () => asked >= 12 && asking === 0)
  expect(most).toBeLessThanOrEqual(MOST_ASKED)
})
