// A folder with a file of every type, opened in light, in dark and on a phone, and judged by the
// pixels on the screen.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DESKTOP, type OpenPage, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { brightness, expectLandscape, liveliness, sampleTree } from '../support/pictures.ts'
import { someOf } from '../support/scale.ts'
import { sampleSite } from './viewer-steps.ts'

const site = sampleSite()

const modes = [
  { name: 'in light on a desktop', scheme: 'light', device: { viewport: DESKTOP } },
  { name: 'in dark on a desktop', scheme: 'dark', device: { viewport: DESKTOP } },
  {
    name: 'on a phone',
    scheme: 'light',
    device: { viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  },
] as const

type Scheme = 'light' | 'dark'
type Look = (page: Page, scheme: Scheme) => Promise<void>

/** Something is drawn on the element, and not a single colour only. */
async function expectDrawn(target: Locator, least = 20) {
  await target.waitFor()
  await waitFor(`more than one colour on ${target}`, async () => (await liveliness(target)) > least)
}

/** Words on a ground as light or dark as the scheme. */
async function expectWords(target: Locator, scheme: Scheme) {
  await expectDrawn(target, 4)
  const light = expect.poll(() => brightness(target))
  if (scheme === 'light') await light.toBeGreaterThan(170)
  else await light.toBeLessThan(90)
}

async function plays(page: Page, kind: 'audio' | 'video') {
  await page.getByRole('button', { name: 'Play' }).first().click()
  const media = page.locator(`.vw ${kind}`)
  await waitFor('playback', () =>
    media.evaluate((element: HTMLMediaElement) => !element.paused && element.currentTime > 0.3),
  )
  if (kind === 'video') await expectDrawn(media, 30)
}

async function tone(page: Page) {
  await page.getByText('Morning Light').waitFor()
  await plays(page, 'audio')
  await expectDrawn(page.locator('.vw-audio'), 4)
}

const film: Look = (page) => plays(page, 'video')
const picture: Look = (page) => expectLandscape(page)

/** Chooses each of the subtitles in turn, which then shows exactly its own lines. */
async function subtitles(page: Page, lines: Record<string, readonly string[]>) {
  const film = page.locator('.vw video')
  await film.locator('track').first().waitFor({ state: 'attached' })
  for (const [name, expected] of Object.entries(lines)) {
    await page.getByRole('button', { name: 'Subtitles' }).click()
    await page.getByRole('menuitemradio', { name }).click()
    const shown = () =>
      film.evaluate((element: HTMLVideoElement) =>
        [...element.textTracks]
          .filter(({ mode }) => mode === 'showing')
          .flatMap(({ cues }) => [...((cues ?? []) as Iterable<VTTCue>)])
          .map((cue) => cue.getCueAsHTML().textContent),
      )
    await expect.poll(shown).toEqual(expected)
  }
}

async function sheet(page: Page, city: string) {
  await expectDrawn(page.getByRole('gridcell', { name: city }), 10)
}

async function font(page: Page) {
  await page.getByRole('heading', { name: 'DejaVu Sans Mono' }).waitFor()
  const face = page.locator('.vw-font-sizes .vw-face').last()
  await expectDrawn(face)
}

const text =
  (words: string): Look =>
  async (page, scheme) => {
    await page.locator('.cm-content').getByText(words).first().waitFor()
    await expectWords(page.locator('.cm-editor'), scheme)
  }

async function pack(page: Page) {
  await page.getByRole('button', { name: 'umlaut-ä.txt', exact: true }).waitFor()
  await expectDrawn(page.locator('.vw-archive'), 4)
  await page.getByRole('button', { name: 'pictures', exact: true }).click()
  await page.getByRole('button', { name: 'dawn.jpg', exact: true }).click()
  await expectLandscape(page)
}

/** What must be seen of each sample. */
const looks: Record<string, Look> = {
  'picture.jpg': picture,
  'picture.png': picture,
  'picture.webp': picture,
  'picture.avif': picture,
  'picture.heic': picture,
  'picture.tiff': picture,
  'picture.bmp': picture,
  'picture.ico': picture,
  'drawing.svg': picture,
  'turned.jpg': picture,
  'moving.gif': (page) => expectDrawn(page.locator('.vw-picture > img[data-shown=true]'), 30),
  'film.mp4': film,
  'film2.webm': async (page) => {
    await subtitles(page, {
      'film2.en': ['Hello from the first line', 'And the second'],
      'film2.de': ['Hallo aus der ersten Zeile'],
    })
    await plays(page, 'video')
  },
  'film3.mkv': async (page) => {
    await subtitles(page, {
      'film3.en': ['Hello from the styled line'],
      'film3.de': ['Hallo aus der alten Zeile'],
    })
    await plays(page, 'video')
  },
  'song.mp3': async (page) => {
    await plays(page, 'audio')
    await page.getByText('The Samples · Quiet Files').waitFor()
    await expectLandscape(page, '.vw-cover img')
  },
  'tone.m4a': tone,
  'tone.flac': tone,
  'tone.ogg': tone,
  'tone.wav': tone,
  'paper.pdf': async (page) => {
    await page.getByText('The quick brown fox jumps over the lazy dog, page 1.').waitFor()
    await expectDrawn(page.locator('.page').first().locator('canvas').first(), 30)
  },
  'book.epub': async (page) => {
    await page.getByRole('heading', { name: 'The first chapter' }).waitFor()
    await expectLandscape(page, '.vw-book-page img')
  },
  'letter.docx': async (page) => {
    await page.getByText('A letter of samples').waitFor()
    await page.getByText('12.00').waitFor()
    await expectLandscape(page, '.vw-paper img')
  },
  'letter.odt': async (page) => {
    await page.getByRole('heading', { name: 'An open letter' }).waitFor()
    await page.getByText('Second point').waitFor()
    await expectLandscape(page, '.vw-paper img')
  },
  'table.xlsx': async (page) => {
    await sheet(page, 'Helsinki')
    await page.getByRole('tab', { name: 'Numbers' }).click()
    await page.getByRole('gridcell', { name: '400' }).waitFor()
  },
  'table.xls': (page) => sheet(page, 'Helsinki'),
  'table.ods': (page) => sheet(page, 'New York'),
  'table.csv': async (page) => {
    await expectDrawn(page.getByText('Müller; Anna'), 10)
  },
  'table.tsv': async (page) => {
    await expectDrawn(page.getByText('Anna Müller'), 10)
  },
  'notes.md': text('# Notes'),
  'notes.md?view=markdown': async (page) => {
    await page.getByRole('heading', { name: 'Notes', exact: true }).waitFor()
    await expectLandscape(page, '.md img')
  },
  'data.json': text('"sample"'),
  'data.json?view=json': async (page) => {
    await page.getByText('sample').waitFor()
    await expectDrawn(page.getByRole('tree'), 4)
  },
  'plain.txt': text('Second line.'),
  'program.ts': text('export const greet'),
  'film3.en.ass': text('[Script Info]'),
  'letters.ttf': font,
  'letters.otf': font,
  'letters.woff': font,
  'letters.woff2': async (page) => {
    await expectDrawn(page.locator('.vw-font-sizes .vw-face').last())
  },
  'pack.zip': pack,
  'pack.tar': pack,
  'pack.tar.gz': pack,
  'pack.7z': pack,
  'pack.rar': pack,
  'unknown.bin': async (page) => {
    await page.getByText('No preview available for this kind of file.').waitFor()
    await expectDrawn(page.locator('.fb-card'), 10)
    await page.getByRole('button', { name: 'Show bytes' }).click()
    await page.getByText('00070e15').first().waitFor()
    await expectDrawn(page.locator('.hex'), 4)
  },
}

it('leaves no sample out', async () => {
  const opened = new Set(Object.keys(looks).map((name) => name.replace(/\?.*/, '')))
  // Subtitles are looked at in their films, and the locked paper has a test of its own.
  const elsewhere = /^film[23]\.|^locked\.pdf$/
  const left = Object.keys(await sampleTree()).filter((name) => !opened.has(name))
  expect(left.filter((name) => !elsewhere.test(name))).toEqual([])
})

describe.each(modes.map((mode, index) => ({ ...mode, index })))(
  '$name',
  ({ scheme, device, index }) => {
    let opened: OpenPage

    beforeAll(async () => {
      opened = await site.open({ ...device, colorScheme: scheme })
    })

    afterAll(() => opened[Symbol.asyncDispose]())

    // Each sample in one of the modes; all of them in all modes take minutes.
    it.each(someOf(Object.keys(looks), modes.length, index))('shows %s', async (name) => {
      const { page, problems } = opened
      problems.length = 0
      await page.goto(`/files/${name}`)
      await looks[name]?.(page, scheme)
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.poll(overflow).toBeLessThanOrEqual(0)
      expect(problems).toEqual([])
    })
  },
)
