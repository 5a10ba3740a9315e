// What no viewer knows, bytes, and texts of any length.

import { createHash, randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { sharedSite } from './browser-steps.ts'

const NOISE = Uint8Array.from(randomBytes(100_000))
NOISE.set([0, 1, 2, 0x41, 0x42, 0xff])
const TWO_GIB = 2 * 1024 ** 3

const site = sharedSite(async () => {
  const log = Array.from(
    { length: 400_000 },
    (_, n) => `2026-11-20 line ${n} of the log, naïve`,
  ).join('\n')
  return { 'noise.dat': NOISE, 'long.log': `${log}\n`, 'windows.log': log.replaceAll('\n', '\r\n') }
})

beforeAll(async () => {
  // Sparse: two gibibytes of zero bytes with words at both ends, in one line.
  const huge = await open(site.tree.at('huge.txt'), 'w')
  await huge.write('The beginning of a very long text.\n', 0)
  await huge.write('\nThe end of it.\n', TWO_GIB - 16)
  await huge.close()
})

const shown = (page: Page) => page.locator('.big .cm-content')

it('tells the facts, calculates a checksum, and leads to bytes and text', async () => {
  await using opened = await site.open({ path: '/files/noise.dat' })
  const { page } = opened
  await page.getByText('(100,000 B)').waitFor()
  await page.getByRole('button', { name: 'Calculate SHA-256' }).click()
  await page.getByText(createHash('sha256').update(NOISE).digest('hex')).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.fb').getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('noise.dat')
  await page.getByRole('button', { name: 'Show bytes' }).click()
  await page.getByText('First 64.0 KiB of 97.7 KiB').waitFor()
  const first = page.locator('.hex-row').first()
  const bytes = async () => (await first.locator('.hex-bytes > span').allTextContents()).slice(0, 6)
  await expect.poll(bytes).toEqual(['00', '01', '02', '41', '42', 'ff'])
  await expect.poll(() => first.locator('.hex-text').textContent()).toMatch(/^···AB·/)
  const box = page.locator('.hex')
  await box.evaluate((element) => {
    element.scrollTop = element.scrollHeight
  })
  await page.getByText('00fff0').waitFor()
  await page.getByRole('button', { name: 'Open as text' }).click()
  await page.locator('.cm-content').waitFor()
  expect(opened.problems).toEqual([])
})

it('reads a long log in windows: line numbers, the end, a search, the beginning again', async () => {
  await using opened = await site.open({ path: '/files/long.log' })
  const { page } = opened
  await shown(page).getByText('line 0 of the log').waitFor()
  await page.getByText('Read only').waitFor()
  await page.locator('.cm-lineNumbers').getByText('12', { exact: true }).waitFor()
  await page.locator('.big .cm-scroller').evaluate((box) => {
    box.scrollTop = box.scrollHeight
  })
  await waitFor('more lines', () =>
    page
      .locator('.big .cm-scroller')
      .evaluate((box) => box.scrollTop + box.clientHeight < box.scrollHeight - 50),
  )
  await page.getByRole('button', { name: 'Go to end' }).click()
  await shown(page).getByText('line 399999 of the log').waitFor()
  await page.getByRole('button', { name: 'Go to start' }).click()
  await shown(page).getByText('line 0 of the log').waitFor()
  await page.getByRole('textbox', { name: 'Find in the file' }).fill('LINE 271828 of')
  await page.keyboard.press('Enter')
  await shown(page).getByText('line 271828 of the log').waitFor()
  await page.getByRole('textbox', { name: 'Find in the file' }).fill('not in there')
  await page.keyboard.press('Enter')
  await page.getByText('No matches from here to the end').waitFor()
  expect(opened.problems).toEqual([])
})

it.each(['long.log', 'windows.log'])('goes from match to match in %s', async (name) => {
  await using opened = await site.open({ path: `/files/${name}` })
  const { page } = opened
  await shown(page).getByText('line 0 of the log').waitFor()
  await page.getByRole('textbox', { name: 'Find in the file' }).fill('77 of the')
  const next = page.getByRole('button', { name: 'Find next' })
  const selected = () =>
    page.evaluate(() => {
      const range = getSelection()?.getRangeAt(0)
      return range?.startContainer.parentElement?.closest('.cm-line')?.textContent ?? ''
    })
  for (const line of [77, 177, 277, 377]) {
    await next.click()
    await waitFor(`line ${line}`, async () => (await selected()).includes(` line ${line} of`))
  }
  // Somewhere else, it goes on from there.
  await page.getByRole('button', { name: 'Go to start' }).click()
  await shown(page).getByText('line 0 of the log').waitFor()
  await next.click()
  await waitFor('line 77 again', async () => (await selected()).includes(' line 77 of'))
  expect(opened.problems).toEqual([])
})

it('asks once for what cannot be read, and goes on when it can be again', async () => {
  await using opened = await site.open()
  const { page } = opened
  let [refused, refusing] = [0, true]
  await page.route('**/api/raw/long.log*', async (route) => {
    const start = Number(/bytes=(\d+)/.exec(route.request().headers().range ?? '')?.[1] ?? 0)
    if (!refusing || start === 0) return route.continue()
    refused += 1
    await route.fulfill({ status: 503, body: '' })
  })
  await page.goto('/files/long.log')
  await shown(page).getByText('line 0 of the log').waitFor()
  await page.locator('.big .cm-content').click()
  const more = page.locator('.big .cm-scroller')
  const height = await more.evaluate((box) => box.scrollHeight)
  await page.mouse.wheel(0, height)
  await page.getByRole('alert').filter({ hasText: /./ }).waitFor()
  // Enough rounds for a few dozen requests.
  await page.evaluate(async () => {
    for (let round = 0; round < 60; round++) await fetch('/health')
  })
  expect(refused).toBeLessThan(8)
  refusing = false
  await page.mouse.wheel(0, -300)
  await page.locator('.big-problem').waitFor({ state: 'detached' })
  await waitFor('more lines', async () => (await more.evaluate((b) => b.scrollHeight)) > height)
  expect(opened.problems).toEqual([])
})

it('offers to try again when the beginning cannot be read', async () => {
  await using opened = await site.open()
  const { page } = opened
  let [refused, refusing] = [0, true]
  await page.route('**/api/raw/long.log*', async (route) => {
    if (!refusing) return route.continue()
    await route.fulfill({ status: 503, body: '' })
    refused += 1
  })
  await page.goto('/files/long.log')
  const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
  await again.waitFor()
  const before = refused
  await again.click()
  await expect.poll(() => refused).toBeGreaterThan(before)
  // By then the page has heard of it: pressed before, the button would do nothing.
  await page.evaluate(async () => {
    for (let round = 0; round < 10; round++) await fetch('/health')
  })
  await again.waitFor()
  refusing = false
  await again.click()
  await shown(page).getByText('line 0 of the log').waitFor()
  await again.waitFor({ state: 'detached' })
})

it('opens a text of two gibibytes at once, at both ends and in the middle', async () => {
  await using opened = await site.open({ path: '/files/huge.txt' })
  const { page } = opened
  let bytes = 0
  page.on('response', (response) => {
    bytes += Number(response.headers()['content-length'] ?? 0)
  })
  await shown(page).getByText('The beginning of a very long text.').waitFor()
  await page.getByRole('button', { name: 'Go to end' }).click()
  await shown(page).getByText('The end of it.').waitFor()
  await page.getByText('2.0 GiB of 2.0 GiB').waitFor()
  await page.getByRole('slider', { name: 'Position in file' }).fill('5000')
  await page
    .getByText('(50%)')
    .or(page.getByText(/\(50\.?\d*%\)/))
    .waitFor()
  expect(bytes).toBeLessThan(40 * 1024 * 1024)
  expect(opened.problems).toEqual([])
})

it('says in a share that a file is no text, whatever its name', async () => {
  await site.tree.add({ 'noise.txt': NOISE })
  const { fetch } = await loginAs(site.program.origin)
  const answer = await fetch('/api/share/noise.txt', { method: 'POST', body: '{}' })
  const path = `/share/${(await answer.json()).hash}`
  await using opened = await site.open({ path, as: null })
  const { page } = opened
  await page.getByRole('heading', { name: 'This doesn’t look like text' }).waitFor()
  await page.getByRole('button', { name: 'Open as text' }).click()
  await page.locator('.cm-content').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Show bytes' }).click()
  await page.locator('.hex-row').first().waitFor()
  expect(opened.problems).toEqual([])
})
