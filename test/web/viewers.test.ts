// What one does inside an opened file: choosing subtitles, seeking, reading on, unpacking.

import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { twoFrames } from './listing-steps.ts'
import { openViewer, sampleSite } from './viewer-steps.ts'

const site = sampleSite()

describe('players and papers', () => {
  it('shows the subtitles one chooses', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'film2.webm')
    const showing = () =>
      page
        .locator('.vw video')
        .evaluate((film: HTMLVideoElement) =>
          [...film.textTracks].filter(({ mode }) => mode === 'showing').map(({ label }) => label),
        )
    await expect.poll(showing).toEqual(['film2.de'])
    await page.getByRole('button', { name: 'Subtitles' }).click()
    await page.getByRole('menuitemradio', { name: 'film2.en' }).click()
    await expect.poll(showing).toEqual(['film2.en'])
    const cue = () =>
      page.locator('.vw video').evaluate((film: HTMLVideoElement) => {
        const track = [...film.textTracks].find(({ mode }) => mode === 'showing')
        return (track?.cues?.[0] as VTTCue | undefined)?.text ?? ''
      })
    await expect.poll(cue).toContain('Hello from the')
  })

  it('seeks by keys and remembers speed for the next film', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'film.mp4')
    const film = page.locator('.vw video')
    const time = () => film.evaluate((element: HTMLVideoElement) => element.currentTime)
    await waitFor('the length', () =>
      film.evaluate((element: HTMLVideoElement) => element.duration > 3),
    )
    await page.keyboard.press('5')
    await expect.poll(time).toBeCloseTo(2, 0)
    await page.keyboard.press('Home')
    await expect.poll(time).toBe(0)
    await page.keyboard.press('Shift+>')
    const rate = () =>
      page.locator('.vw video').evaluate((element: HTMLVideoElement) => element.playbackRate)
    await expect.poll(rate).toBe(1.25)
    await twoFrames(page)
    await openViewer(page, 'film2.webm')
    await expect.poll(rate).toBe(1.25)
  })

  it.each([
    ['film.mp4', '.vw-player', 'k'],
    ['paper.pdf', '.vw-pdf', '+'],
    ['book.epub', '.vw-book-scroll', '+'],
    ['letter.docx', '.vw-paper', '+'],
  ])('uses its keys from the moment %s is shown', async (name, selector, key) => {
    await using opened = await site.open()
    const { page } = opened
    await page.addInitScript(
      ([shown, pressed]) => {
        new MutationObserver((_, watching) => {
          if (document.querySelector(shown) === null) return
          watching.disconnect()
          const press = { key: pressed, bubbles: true, cancelable: true }
          const isLeft = document.body.dispatchEvent(new KeyboardEvent('keydown', press))
          Object.assign(window, { isUsed: !isLeft })
        }).observe(document, { childList: true, subtree: true })
      },
      [selector, key] as const,
    )
    await openViewer(page, name)
    await expect.poll(() => page.evaluate(() => Reflect.get(window, 'isUsed'))).toBe(true)
  })

  it('keeps the place in a book', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'book.epub')
    await page.getByRole('heading', { name: 'The first chapter' }).waitFor()
    await page.getByRole('link', { name: 'On to the second' }).click()
    await page.getByRole('heading', { name: 'The second chapter' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'The second chapter' }).waitFor()
    const size = () =>
      page.locator('.vw-book-page').evaluate((host) => {
        const box = host.shadowRoot?.querySelector('.document')
        return box ? Number.parseFloat(getComputedStyle(box).fontSize) : 0
      })
    const before = await size()
    await page.getByRole('button', { name: 'Larger text' }).click()
    await expect.poll(size).toBeGreaterThan(before)
  })

  it('opens and saves single files of an archive', async () => {
    await using opened = await site.open()
    const { page } = opened
    for (const format of ['zip', '7z']) {
      await openViewer(page, `pack.${format}`)
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download readme.txt' }).click()
      const file = await (await download).createReadStream()
      const chunks: Buffer[] = []
      for await (const chunk of file) chunks.push(chunk as Buffer)
      expect(Buffer.concat(chunks).toString()).toBe('Hello from inside.\n')
      await page.getByRole('button', { name: 'readme.txt', exact: true }).click()
      await page.getByText('Hello from inside.').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'readme.txt', exact: true }).waitFor()
    }
  })
})
