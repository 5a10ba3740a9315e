// Hostile and broken files in a real browser: no script of theirs runs, nothing hangs, a person sees
// a plain message or the content, and can always download.

import { createHash } from 'node:crypto'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeOdt } from '../../scripts/sample-documents.ts'
import { bombs } from '../support/bombs.ts'
import { launchFullBrowser, type OpenPage, openPage, workerBrowser } from '../support/browser.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { brokenFiles, CANARY, scriptedFiles } from '../support/hostile.ts'
import { SAMPLES } from '../support/pictures.ts'
import { childrenOf, peakMemoryOf } from '../support/process-facts.ts'
import { someOf } from '../support/scale.ts'
import { sharedSite } from './browser-steps.ts'

const MIB = 1024 * 1024
/** Idle the server has about 100 MiB; it must not grow with what the files claim to be. */
const MOST_SERVER_MEMORY = 350 * MIB

/** The process that decodes pictures: a photograph of 120 megapixels may take as much. */
const MOST_PREVIEW_MEMORY = 700 * MIB

/** Nothing of these can be shown, whatever a decoder tries; texts and old tables are read as they are. */
const hopeless =
  /^(?!noise-.*\.(txt|md|csv|tsv|json|srt|vtt|ass|ssa|ts|bin|xls)$)(noise-|empty\.|words|page)/

/** Too large, or without an end: a message is all that can be shown. */
const unshowable = /^((bomb|liar|endless|cut)\.(docx|xlsx|odt|epub)|bomb\.(png|gif|tiff|jpg|heic))$/

const scripted = await scriptedFiles()
const bombed = await bombs()
const broken = await brokenFiles()

const site = sharedSite(
  async () => {
    const long = `${'<text:p>A line.</text:p>'.repeat(60_000)}<text:p>the last words</text:p>`
    return {
      ...scripted,
      ...bombed,
      ...broken,
      'long.odt': await makeOdt(await readFile(join(SAMPLES, 'picture.jpg')), long),
    }
  },
  { launch: launchFullBrowser },
)

beforeAll(async () => {
  // 2 GiB that take no room on the disk.
  await writeFile(site.tree.at('huge.txt'), 'The first line.\n')
  await truncate(site.tree.at('huge.txt'), 2 * 1024 * MIB)
})

/** Notes everything that would show that a file ran script. */
function watch(page: Page): string[] {
  const signs: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(`/${CANARY}`))
      signs.push(`request ${request.url()}`)
  })
  page.on('dialog', async (dialog) => {
    signs.push(`dialog ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('popup', (popup) => signs.push(`popup ${popup.url()}`))
  return signs
}

async function expectQuiet(page: Page, signs: string[]) {
  const fired = await page.evaluate((name) => name in window, CANARY)
  expect({ fired, signs }).toEqual({ fired: false, signs: [] })
}

async function open(page: Page, name: string) {
  await page.goto(`/files/${encodeURIComponent(name)}`)
  // The frame of a viewer, or the editor.
  await page.locator('.vw-head h1, .ed, .cm-editor').first().waitFor()
}

type Outcome = 'message' | 'content'

/**
 * Waits until the viewer has come to an end: a message, or content that was really read and not only
 * the empty frame for it. The page must answer then and not hang.
 */
async function settle(page: Page, name: string): Promise<Outcome> {
  const outcome = await waitFor<Outcome | ''>(
    `an end with ${name}`,
    () => page.evaluate(readOutcome),
    30_000,
  )
  const answer = page.evaluate(() => 1 + 1)
  await withDeadline(`an answer of the page with ${name}`, 60_000, answer)
  return outcome === 'message' ? outcome : 'content'
}

/** Runs in the page; '' while it is still loading. */
function readOutcome(): Outcome | '' {
  const one = (selector: string) => document.querySelector(selector)
  if (one('.vw-message, .vw-content [role=alert], .ed-pane--empty .void')) return 'message'
  const media = document.querySelector<HTMLMediaElement>('.vw :is(video, audio)')
  if (media) return media.readyState >= HTMLMediaElement.HAVE_METADATA ? 'content' : ''
  const paper = one('.vw-paper, .vw-book-page')
  if (paper) return paper.shadowRoot?.querySelector('.document') ? 'content' : ''
  if (one('.vw-pdf')) return one('.vw-pdf .page[data-loaded=true]') ? 'content' : ''
  const read =
    '.vw-picture > img[data-shown=true], .vw-sheet, .vw-font, .vw-archive, .cm-editor, .vw-content :is(table, [role=grid], [role=tree], [role=treegrid], .md, dl)'
  return one(read) ? 'content' : ''
}

/** Presses the Download that is nearest. */
async function pressDownload(page: Page, outcome: Outcome) {
  const button = { name: 'Download', exact: true }
  const download = page.waitForEvent('download')
  const message = page.getByRole('alert').or(page.locator('.ed-pane--empty .void'))
  if (outcome === 'message') await message.getByRole('button', button).click()
  else if (await page.locator('.ed').isVisible()) {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', button).click()
  } else await page.getByRole('button', button).first().click()
  return download
}

/** Compares what arrives with the file. */
async function expectDownload(page: Page, name: string, outcome: Outcome) {
  const download = await pressDownload(page, outcome)
  const saved = await readFile(await download.path())
  expect(digest(saved)).toBe(digest(await readFile(site.tree.at(name))))
}

/** In the worker's browser: what runs script depends on the full one, what is too large or broken does not. */
async function openPlainly(): Promise<OpenPage> {
  return openPage(await workerBrowser(), site.program)
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('the canary', () => {
  it('fires where nothing guards, so that its silence means something', async () => {
    const page = await site.browser.newPage()
    try {
      const signs = watch(page)
      await page.goto(pathToFileURL(site.tree.at('evil.html')).href)
      await waitFor('the canary', () => signs.length > 0)
    } finally {
      await page.close()
    }
  })
})

describe('files with script', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await site.open()
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each(Object.keys(scripted))('opens %s without running any', async (name) => {
    const { page } = opened
    const signs = watch(page)
    await open(page, name)
    await expectDownload(page, name, await settle(page, name))
    for (const link of await page.getByText('press me').all()) {
      // A link without an address, or covered: pressing it is what a person would try.
      await link.click({ timeout: 1_000, force: true }).catch(() => {})
    }
    await expectQuiet(page, signs)
    page.removeAllListeners('request')
  })

  it.each(['evil.svg', 'evil.html', 'evil.xhtml', 'evil.xml', 'evil.pdf', 'evil.epub', 'evil.md'])(
    'runs nothing of %s when its bytes are opened as a page',
    async (name) => {
      const page = await opened.context.newPage()
      try {
        const signs = watch(page)
        const address = `/api/raw/${encodeURIComponent(name)}?inline=true`
        // A type the browser does not show becomes a download, which ends the navigation.
        await page.goto(address).catch(() => null)
        await page.waitForLoadState()
        expect(signs).toEqual([])
      } finally {
        await page.close()
      }
    },
  )

  it('runs nothing of a drawing inside an archive', async () => {
    const { page } = opened
    const signs = watch(page)
    await open(page, 'evil.zip')
    await page.getByRole('button', { name: 'inner.svg', exact: true }).click()
    await page.getByRole('button', { name: 'Back to the archive' }).waitFor()
    await page.locator('.vw-picture > img[data-shown=true]').click()
    await expectQuiet(page, signs)
    page.removeAllListeners('request')
  })

  it('shows the markup of subtitles as words', async () => {
    const { page } = opened
    const signs = watch(page)
    await open(page, 'evil-film.webm')
    const cue = () =>
      page.locator('.vw video').evaluate((film: HTMLVideoElement) => {
        const track = [...film.textTracks].find(({ mode }) => mode === 'showing')
        return track?.cues?.length ?? 0
      })
    await expect.poll(cue).toBe(1)
    await page.getByRole('button', { name: 'Play' }).first().click()
    await waitFor('playback', () =>
      page.locator('.vw video').evaluate((film: HTMLVideoElement) => film.currentTime > 0.3),
    )
    await expectQuiet(page, signs)
    page.removeAllListeners('request')
  })

  it('does not let names inside an archive change the page', async () => {
    const { page } = opened
    await open(page, 'evil.zip')
    await page.getByRole('button', { name: 'outside.txt', exact: true }).waitFor()
    await page.getByRole('button', { name: '__proto__', exact: true }).click()
    await page.getByRole('button', { name: 'polluted.txt', exact: true }).waitFor()
    expect(await page.evaluate(() => 'polluted.txt' in {})).toBe(false)
  })
})

describe('bombs and giants', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openPlainly()
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each(someOf(Object.keys(bombed), 4))(
    'survives %s, and downloads it unchanged',
    async (name) => {
      await open(opened.page, name)
      const outcome = await settle(opened.page, name)
      if (unshowable.test(name)) expect(outcome).toBe('message')
      await expectDownload(opened.page, name, outcome)
    },
  )

  it('survives a text of 2 GiB, and downloads all of it', async () => {
    const { page } = opened
    await open(page, 'huge.txt')
    const download = await pressDownload(page, await settle(page, 'huge.txt'))
    const { pathname, search } = new URL(download.url())
    await download.cancel()
    // So many bytes would take minutes: the last one, and how many there are, have to do.
    const last = 2 * 1024 * MIB - 1
    const headers = { Range: `bytes=${last}-` }
    const answer = await page.request.get(pathname + search, { headers })
    expect(answer.headers()['content-range']).toBe(`bytes ${last}-${last}/${last + 1}`)
  })

  it('refuses to unpack what is too large, and says so', async () => {
    const { page } = opened
    for (const name of ['bomb.zip', 'liar.zip', 'bomb.tar.xz', 'bomb.7z', 'bomb.rar']) {
      await open(page, name)
      await page.getByRole('button', { name: 'zeros.txt', exact: true }).click()
      await page
        .getByText(/“zeros\.txt” is too large/)
        .first()
        .waitFor()
    }
  })

  it('shows a document with almost as much markup as it can hold', async () => {
    const { page } = opened
    await open(page, 'long.odt')
    expect(await settle(page, 'long.odt')).toBe('content')
    await page.getByText('the last words').waitFor()
  })

  it('makes thumbnails of none of the picture bombs, and says so at once', async () => {
    for (const name of ['bomb.png', 'bomb.gif', 'bomb.tiff', 'bomb.jpg', 'bomb.heic']) {
      const answer = await opened.page.request.get(`/api/preview/thumb/${name}?inline=true`)
      expect([name, answer.status()]).toEqual([name, 413])
    }
    // Drawing the large paper takes a machine that has much to do longer than a preview may.
    const answer = await opened.page.request.get('/api/preview/thumb/bomb.pdf?inline=true')
    expect([200, 501]).toContain(answer.status())
  })

  it('the server has kept its memory, and so has the process that decodes pictures', async () => {
    const { pid = 0 } = site.program.process
    const peak = await peakMemoryOf(pid)
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(MOST_SERVER_MEMORY)
    // Started anew if it was ended for taking too long.
    await opened.page.request.get('/api/preview/thumb/evil.svg?inline=true')
    const peaks = await Promise.all((await childrenOf(pid)).map(peakMemoryOf))
    expect(Math.max(...peaks)).toBeGreaterThan(0)
    expect(Math.max(...peaks)).toBeLessThan(MOST_PREVIEW_MEMORY)
  })
})

describe('broken files', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openPlainly()
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each(someOf(Object.keys(broken), 24))(
    'shows %s or says why not, and downloads it unchanged',
    async (name) => {
      const { page, problems } = opened
      problems.length = 0
      await open(page, name)
      const outcome = await settle(page, name)
      if (hopeless.test(name)) expect(outcome).toBe('message')
      await expectDownload(page, name, outcome)
      expect(problems.filter((text) => text.startsWith('script error'))).toEqual([])
    },
  )
})
