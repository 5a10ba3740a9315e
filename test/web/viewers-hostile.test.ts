// Hostile and broken files in a real browser: no script of theirs runs, nothing hangs, a person sees
// a plain message or the content, and can always download.

import { createHash } from 'node:crypto'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type OpenPage, openPage } from '../support/browser.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { bombs, brokenFiles, CANARY, scriptedFiles } from '../support/hostile.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024
/** Idle the server has about 100 MiB; it must not grow with what the files claim to be. */
const MOST_SERVER_MEMORY = 350 * MIB

const scripted = await scriptedFiles()
const bombed = await bombs()
const broken = await brokenFiles()

let browser: Browser
let tree: Tree
let program: Program

beforeAll(async () => {
  browser = await launchBrowser()
  tree = await makeTree({ ...scripted, ...bombed, ...broken })
  // 2 GiB that take no room on the disk.
  await writeFile(tree.at('huge.txt'), 'The first line.\n')
  await truncate(tree.at('huge.txt'), 2 * 1024 * MIB)
  program = await startProgram(tree)
})

afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await tree[Symbol.asyncDispose]()
  await browser.close()
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

/** Something is there to look at, and the page still answers at once. */
async function settle(page: Page, name: string) {
  const shown = page.locator(
    [
      '.vw-message',
      '.vw-picture > img[data-shown=true]',
      '.vw-video',
      '.vw-audio',
      '.vw-pdf .page',
      '.vw-book-page',
      '.vw-paper',
      '.vw-sheet',
      '.vw-font',
      '.vw-archive',
      '.cm-editor',
      '.vw-content [role=alert]',
      '.vw-content :is(table, [role=grid], [role=tree], [role=treegrid], .md, article, pre, dl)',
    ].join(', '),
  )
  await shown.first().waitFor({ timeout: 25_000 })
  await withDeadline(
    `an answer of the page with ${name}`,
    3_000,
    page.evaluate(() => 1 + 1),
  )
}

describe('the canary', () => {
  it('fires where nothing guards, so that its silence means something', async () => {
    const page = await browser.newPage()
    try {
      const signs = watch(page)
      await page.goto(pathToFileURL(tree.at('evil.html')).href)
      await waitFor('the canary', () => signs.length > 0)
    } finally {
      await page.close()
    }
  })
})

describe('files with script', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openPage(browser, program)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each(Object.keys(scripted))('opens %s without running any', async (name) => {
    const { page } = opened
    const signs = watch(page)
    await open(page, name)
    await settle(page, name)
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
    opened = await openPage(browser, program)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each([...Object.keys(bombed), 'huge.txt'])('survives %s', async (name) => {
    await open(opened.page, name)
    await settle(opened.page, name)
  })

  it('refuses to unpack what is too large, and says so', async () => {
    const { page } = opened
    for (const name of ['bomb.zip', 'liar.zip']) {
      await open(page, name)
      await page.getByRole('button', { name: 'zeros.txt', exact: true }).click()
      await page
        .getByText(/“zeros\.txt” is too large/)
        .first()
        .waitFor()
    }
  })

  it.each(['bomb.docx', 'liar.docx', 'bomb.xlsx', 'bomb.odt', 'bomb.epub', 'cut.epub'])(
    'tells plainly that %s cannot be shown',
    async (name) => {
      await open(opened.page, name)
      await opened.page.getByRole('alert').getByRole('button', { name: 'Download' }).waitFor()
    },
  )
})

describe('broken files', () => {
  let opened: OpenPage
  beforeAll(async () => {
    opened = await openPage(browser, program)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  it.each(Object.keys(broken))('shows something sensible for %s', async (name) => {
    const { page, problems } = opened
    problems.length = 0
    await open(page, name)
    await settle(page, name)
    expect(problems.filter((text) => text.startsWith('script error'))).toEqual([])
  })

  it.each(['noise-film.mp4', 'words.mp4', 'page.jpg', 'noise-paper.pdf', 'half-pack.zip'])(
    'says what is wrong with %s and still downloads it unchanged',
    async (name) => {
      const { page } = opened
      await open(page, name)
      const message = page.getByRole('alert')
      await message.getByText(/can’t be (shown|played|opened)/).waitFor()
      const download = page.waitForEvent('download')
      await message.getByRole('button', { name: 'Download' }).click()
      const saved = await readFile(await (await download).path())
      const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
      expect(digest(saved)).toBe(digest(await readFile(tree.at(name))))
    },
  )
})

describe('afterwards', () => {
  it('the server has kept its memory', async () => {
    const pid = program.process.pid ?? 0
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(MOST_SERVER_MEMORY)
  })
})
