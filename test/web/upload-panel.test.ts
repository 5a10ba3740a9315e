// What uploads tell while they run, and what they leave alone: other screens, dialogs, viewers.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { sampleTree } from '../support/pictures.ts'
import type { Tree } from '../support/tree.ts'
import { boxOf, folderPages, sharedBrowser } from './browser-steps.ts'
import {
  doubleClick,
  entry,
  expectSelected,
  listedFolders,
  stillBox,
  toast,
} from './listing-steps.ts'
import { dropTree, goOffline, panel, pickFiles, slowUploads } from './upload-steps.ts'

const openIn = sharedBrowser()
const openServed = folderPages(openIn)
const openFolder = listedFolders(openIn)

const MIB = 1 << 20

/** A file on the person's own disk. */
async function localFile(tree: Tree, name: string, bytes: number): Promise<string> {
  const path = join(tree.base, name)
  await writeFile(path, randomBytes(bytes))
  return path
}

/** By the sidebar, without loading the page anew. */
async function goTo(page: Page, place: 'My files' | 'Settings'): Promise<void> {
  const places = page.getByRole('navigation', { name: 'Places' })
  await places.getByRole('link', { name: place }).click()
  if (place === 'My files') await page.locator('#listing').waitFor()
  else await page.getByText('Open with a single click').waitFor()
}

async function percentOf(page: Page, name: string): Promise<number> {
  const bar = panel(page).getByRole('progressbar', { name, exact: true })
  return Number(await bar.getAttribute('aria-valuenow'))
}

/** When the panel changed, in the page's own milliseconds. */
interface Seen {
  startMs: number
  bars: number[]
  /** In MiB a second. */
  speeds: { atMs: number; told: number }[]
}

describe('the upload panel', () => {
  it('tells speed, time left, bytes and each file, and draws a line on top', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 24 * MIB)
    await slowUploads(page, MIB / 2)
    await pickFiles(page, [path])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    await panel(page)
      .getByText(/^\d+(\.\d)? [KM]iB\/s · \d+ (sec|min) left · \d+%$/)
      .waitFor()
    await panel(page)
      .getByText(/^\d+\.\d MiB of 24\.0 MiB$/)
      .waitFor()
    const before = await percentOf(page, 'big.bin')
    const line = page.locator('.upline')
    const width = async () => (await line.boundingBox())?.width ?? 0
    const widthBefore = await width()
    expect((await line.boundingBox())?.y).toBe(0)
    await waitFor('progress', async () => (await percentOf(page, 'big.bin')) > before)
    await waitFor('a longer line', async () => (await width()) > widthBefore)
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    await line.waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('moves its bars ten times a second at most, and its speed every second, gently', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 96 * MIB)
    await slowUploads(page, 8 * MIB)
    await pickFiles(page, [path])
    const speed = panel(page).getByText(/ MiB\/s · /)
    await speed.waitFor()
    await panel(page).evaluate((region) => {
      const seen: Seen = { startMs: performance.now(), bars: [], speeds: [] }
      Object.assign(window, { seen })
      new MutationObserver((changes) => {
        const atMs = performance.now()
        if (changes.some(({ attributeName }) => attributeName === 'aria-valuenow'))
          seen.bars.push(atMs)
        const told = Number(/([\d.]+) MiB\/s/.exec(region.textContent ?? '')?.[1] ?? 0)
        if (told > 0 && told !== seen.speeds.at(-1)?.told) seen.speeds.push({ atMs, told })
      }).observe(region, { attributes: true, characterData: true, childList: true, subtree: true })
    })
    await slowUploads(page, MIB / 2)
    const seen = () =>
      page.evaluate(() => ({
        ...(window as unknown as { seen: Seen }).seen,
        nowMs: performance.now(),
      }))
    await waitFor('five speeds', async () => (await seen()).speeds.length >= 5)
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    const { startMs, nowMs, bars, speeds } = await seen()
    expect(bars.length).toBeGreaterThan(0)
    // Both bars, that of the file and that of all, are drawn together.
    expect(bars.length).toBeLessThanOrEqual((nowMs - startMs) / 100 + 2)
    for (const [i, { atMs, told }] of speeds.entries()) {
      const before = speeds[i - 1]
      if (before === undefined || i >= 5) continue
      // A busy page tells one late, but none too many.
      expect(i).toBeLessThanOrEqual((atMs - (speeds[0]?.atMs ?? 0)) / 1000 + 1.5)
      // The line became sixteen times slower; four fifths of what was told stay each second.
      const seconds = Math.max(1, (atMs - before.atMs) / 1000)
      expect(told).toBeGreaterThan(before.told * 0.7 ** seconds)
    }
  })

  it('asks no longer whether to cancel when all is uploaded', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    await slowUploads(page, MIB / 4)
    await pickFiles(page, [await localFile(tree, 'big.bin', 24 * MIB)])
    await panel(page).getByRole('button', { name: 'Cancel all' }).click()
    const question = page.getByRole('alertdialog', { name: 'Cancel all uploads?' })
    await question.waitFor()
    await slowUploads(page, 0)
    await question.waitFor({ state: 'detached' })
    await panel(page).getByText('1 file uploaded').waitFor()
  })

  it('is covered by no message, and covers none', async () => {
    await using open = await openFolder({ 'old.txt': 'x' })
    const { page, tree } = open
    await slowUploads(page, MIB / 4)
    await pickFiles(page, [await localFile(tree, 'a.bin', 24 * MIB)])
    await panel(page).waitFor()
    await entry(page, 'old.txt').click()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('new.txt')
    await page.keyboard.press('Enter')
    await toast(page, 'Renamed to “new.txt”').waitFor()
    const messages = page.locator('.toasts')
    for (const width of [1440, 1000, 820, 390]) {
      await page.setViewportSize({ width, height: 700 })
      // As long a message as there is room for.
      await messages.evaluate((element) => {
        element.style.inlineSize = '60rem'
      })
      const isApart = async () => {
        const [up, told] = [await boxOf(page.locator('.up')), await boxOf(messages)]
        return told.right <= up.x || told.bottom <= up.y
      }
      await expect.poll(isApart, { message: `${width} px` }).toBe(true)
      expect((await boxOf(messages)).x).toBeGreaterThanOrEqual(0)
    }
  })

  it('keeps paused uploads across other screens', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 24 * MIB)
    await slowUploads(page, MIB / 2)
    await pickFiles(page, [path])
    await waitFor('some of it sent', async () => (await percentOf(page, 'big.bin')) > 2)
    await panel(page).getByRole('button', { name: 'Pause all' }).click()
    await panel(page).getByText('Uploads paused').waitFor()
    const before = await percentOf(page, 'big.bin')
    await goTo(page, 'Settings')
    await panel(page).getByText('Uploads paused').waitFor()
    // Bars are drawn some time after what they tell.
    const paused = await percentOf(page, 'big.bin')
    expect(paused).toBeGreaterThanOrEqual(before)
    await goTo(page, 'My files')
    await panel(page).getByText('Uploads paused').waitFor()
    await expect.poll(() => percentOf(page, 'big.bin')).toBe(paused)
    await slowUploads(page, 0)
    await panel(page).getByRole('button', { name: 'Resume all' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect((await readFile(tree.at('big.bin'))).equals(await readFile(path))).toBe(true)
  })

  it('keeps uploads that wait for the connection across other screens', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 12 * MIB)
    // Its code comes from the server, which will not be there.
    await goTo(page, 'Settings')
    await goTo(page, 'My files')
    await slowUploads(page, MIB / 2)
    await pickFiles(page, [path])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    await goOffline(page)
    await panel(page).getByText('Waiting for the connection').waitFor()
    await goTo(page, 'Settings')
    await panel(page).getByText('Waiting for the connection').waitFor()
    await goTo(page, 'My files')
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    expect((await readFile(tree.at('big.bin'))).equals(await readFile(path))).toBe(true)
  })

  it('keeps the screen awake while it sends, and no longer', async () => {
    await using open = await openServed({ 'old.txt': 'x' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 12 * MIB)
    // The browser's own lock cannot be asked about.
    await page.addInitScript(() => {
      Object.assign(window, { locks: 0 })
      const counter = window as unknown as { locks: number }
      const request = async () => {
        counter.locks++
        return { release: async () => void counter.locks-- }
      }
      Object.defineProperty(navigator, 'wakeLock', { value: { request } })
    })
    const locks = () => page.evaluate(() => (window as unknown as { locks: number }).locks)
    await page.goto('/files/')
    await page.locator('#listing').waitFor()
    expect(await locks()).toBe(0)
    await slowUploads(page, MIB / 2)
    await pickFiles(page, [path])
    await waitFor('the lock', async () => (await locks()) === 1)
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    await waitFor('the release', async () => (await locks()) === 0)
  })

  it('names what could not be read on this computer, and uploads the rest', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    await page.locator('#listing').waitFor()
    await dropTree(page, { trip: { 'secret.txt': null, 'open.txt': 'open' } })
    await panel(page).getByText('1 upload failed').waitFor()
    await panel(page).getByText('secret.txt').waitFor()
    await panel(page).getByText('Can’t be read').waitFor()
    await waitFor('the other file', async () => {
      return (await readFile(tree.at('trip/open.txt'), 'utf8').catch(() => '')) === 'open'
    })
    await expect.poll(() => readdir(tree.at('trip'))).toEqual(['open.txt'])
    expect(open.problems).toEqual([])
  })
})

describe('what stopped the uploads', () => {
  it('does not stop the next ones when all that was paused is cancelled', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const paths = [await localFile(tree, 'a.bin', 8 * MIB), await localFile(tree, 'b.bin', 8 * MIB)]
    await slowUploads(page, MIB / 4)
    await pickFiles(page, paths)
    await panel(page).getByText('Uploading 2 of 2 files').waitFor()
    await panel(page).getByRole('button', { name: 'Pause all' }).click()
    await panel(page).getByText('Uploads paused').waitFor()
    await panel(page).getByRole('button', { name: 'Cancel a.bin' }).click()
    await panel(page).getByRole('button', { name: 'Cancel b.bin' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await slowUploads(page, 0)
    await pickFiles(page, [await localFile(tree, 'c.bin', 1000)])
    await panel(page).getByText('1 file uploaded').waitFor()
    expect((await readdir(tree.root)).sort()).toEqual(['c.bin', 'old.txt'])
    expect(open.problems).toEqual([])
  })

  it.each(['Close', 'Remove a.bin'])(
    'does not stop the next ones after a full server and "%s"',
    async (button) => {
      await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
      const { page, tree } = open
      await page.route('**/api/tus/**', (route) => route.fulfill({ status: 507 }))
      await pickFiles(page, [await localFile(tree, 'a.bin', 1000)])
      await panel(page).getByText('1 upload failed').waitFor()
      await panel(page).getByText('Server is full').waitFor()
      await panel(page).getByRole('button', { name: button }).click()
      await panel(page).waitFor({ state: 'detached' })
      await page.unroute('**/api/tus/**')
      await pickFiles(page, [await localFile(tree, 'b.bin', 1000)])
      await panel(page).getByText('1 file uploaded').waitFor()
      expect((await readdir(tree.root)).sort()).toEqual(['b.bin', 'old.txt'])
    },
  )

  it('ends with the file of which nothing could be sent, without an empty line below it', async () => {
    await using open = await openServed({}, { path: '/files/' })
    const { page, tree } = open
    const path = await localFile(tree, 'a.bin', 20_000)
    await page.route('**/api/**', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 507 }) : route.continue(),
    )
    await pickFiles(page, [path])
    await panel(page).getByText('Server is full', { exact: true }).waitFor()
    await panel(page).locator('.up__foot').waitFor({ state: 'detached' })
  })

  it('holds the others while the server is full, until they are resumed', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const names = Array.from({ length: 8 }, (_, n) => `f${n}.bin`)
    const paths = await Promise.all(names.map((name) => localFile(tree, name, 1000)))
    await page.route('**/api/tus/**', (route) => route.fulfill({ status: 507 }))
    await pickFiles(page, paths)
    await panel(page).getByText('The server is full').waitFor()
    await waitFor('those under way', async () => {
      return (await panel(page).getByText('Server is full', { exact: true }).count()) === 5
    })
    await page.unroute('**/api/tus/**')
    await panel(page).getByRole('button', { name: 'Resume all' }).click()
    await panel(page).getByText('5 uploads failed').waitFor()
    await panel(page).getByRole('button', { name: 'Retry failed' }).click()
    await panel(page).getByText('8 files uploaded').waitFor()
    expect((await readdir(tree.root)).sort()).toEqual([...names, 'old.txt'])
  })
})

describe('the end of an upload', () => {
  it('leaves selection, scroll position and a name that is being typed alone', async () => {
    const names = Array.from({ length: 120 }, (_, i) => `f${String(i).padStart(3, '0')}.txt`)
    await using open = await openFolder(Object.fromEntries(names.map((name) => [name, name])))
    const { page, tree } = open
    const path = await localFile(tree, 'zz.bin', 6 * MIB)
    await slowUploads(page, MIB / 4)
    await pickFiles(page, [path])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    await entry(page, 'f000.txt').hover()
    await page.mouse.wheel(0, 2000)
    await entry(page, 'f060.txt').click()
    await expectSelected(page, ['f060.txt'])
    const place = async () => (await entry(page, 'f060.txt').boundingBox())?.y
    const before = (await stillBox(entry(page, 'f060.txt'))).y
    await page.keyboard.press('F2')
    const field = page.getByLabel('New name')
    await field.fill('half a na')
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    await waitFor('its row', async () => {
      const counts = await page.locator('#listing').textContent()
      return counts?.includes('121') === true
    })
    await expect.poll(() => field.inputValue()).toBe('half a na')
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await expectSelected(page, ['f060.txt'])
    await expect.poll(place).toBe(before)
    expect(open.problems).toEqual([])
  })

  it('leaves a playing video alone', async () => {
    const samples = await sampleTree()
    await using open = await openFolder({ 'film.mp4': samples['film.mp4'] ?? '' })
    const { page, tree } = open
    const path = await localFile(tree, 'big.bin', 6 * MIB)
    await slowUploads(page, MIB / 4)
    await pickFiles(page, [path])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    await doubleClick(entry(page, 'film.mp4'))
    const video = page.locator('video')
    await video.waitFor()
    await video.evaluate((element: HTMLVideoElement) => {
      element.muted = true
      element.loop = true
      Object.assign(element, { marked: true })
      return element.play()
    })
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    await waitFor('the file', async () => (await readFile(tree.at('big.bin'))).length === 6 * MIB)
    const seen = () =>
      video.evaluate((element: HTMLVideoElement) => [
        (element as unknown as { marked?: boolean }).marked,
        element.paused,
      ])
    await expect.poll(seen).toEqual([true, false])
  })
})
