// Films and songs: where one was, what comes next, the small window.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { launchBrowser } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'

// Safari has it without a switch.
const site = sharedSite(
  async () => ({
    // Forty seconds of a black picture, 2 KiB.
    'film.webm': await readFile(join(ROOT, 'test/data/long.webm')),
    // Six seconds of two tones, one for each language.
    'two-sounds.webm': await readFile(join(ROOT, 'test/data/two-sounds.webm')),
    'songs/1.wav': silence(40),
    'songs/2.wav': silence(40),
    'songs/3.wav': silence(40),
    'songs/cover.txt': 'between them',
  }),
  { launch: () => launchBrowser(['--enable-blink-features=AudioVideoTracks']) },
)

const RATE = 8000

/** A WAV file of nothing: one channel, eight bits. */
function silence(seconds: number): Buffer {
  const head = Buffer.alloc(44)
  const length = RATE * seconds
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(length, 40)
  return Buffer.concat([head, Buffer.alloc(length, 128)])
}

const media = (page: Page) => page.locator('.vw :is(video, audio)')
const timeOf = (page: Page) =>
  media(page).evaluate((element: HTMLMediaElement) => element.currentTime)
const isPlaying = (page: Page) =>
  media(page).evaluate((element: HTMLMediaElement) => !element.paused)

async function loaded(page: Page) {
  await waitFor('the length of it', () =>
    media(page).evaluate((element: HTMLMediaElement) => element.duration > 30),
  )
}

for (const path of ['/files/film.webm', '/files/songs/2.wav']) {
  it(`goes on where one was in ${path.slice(7)}, unless that was the end`, async () => {
    await using opened = await site.open({ path })
    const { page } = opened
    await loaded(page)
    await page.keyboard.press('5')
    await waitFor('the middle', async () => Math.abs((await timeOf(page)) - 20) < 2)
    await page.getByText('0:20 / 0:40').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.vw').waitFor({ state: 'detached' })
    await page.goto(path)
    await loaded(page)
    await waitFor('the middle again', async () => Math.abs((await timeOf(page)) - 20) < 2)
    await page.keyboard.press('End')
    await waitFor('the end', async () => (await timeOf(page)) > 38)
    // The player has heard of it, too.
    await page.getByText(/0:(39|40) \/ 0:40/).waitFor()
    await page.reload()
    await loaded(page)
    await page.getByText('0:00 / 0:40').waitFor()
    expect(opened.problems).toEqual([])
  })
}

it('plays and pauses a film by the main button of the mouse alone', async () => {
  await using opened = await site.open({ path: '/files/film.webm' })
  const { page } = opened
  await loaded(page)
  const film = media(page)
  const position = { x: 20, y: 20 }
  await film.click({ button: 'right', position })
  await film.click({ position })
  await waitFor('the film', () => isPlaying(page))
  await film.click({ button: 'middle', position })
  await film.click({ position })
  await waitFor('a pause', async () => !(await isPlaying(page)))
  expect(opened.problems).toEqual([])
})

it('plays the songs of the folder one after the other, whatever lies between them', async () => {
  await using opened = await site.open({ path: '/files/songs/1.wav' })
  const { page } = opened
  const title = page.locator('.vw-head h1')
  await loaded(page)
  const list = page.locator('.vw-playlist')
  await waitFor('three songs', async () => (await list.getByRole('button').count()) === 3)
  await expect
    .poll(() => page.getByRole('button', { name: 'Previous track' }).isDisabled())
    .toBe(true)
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await waitFor('sound', () => isPlaying(page))
  await page.getByRole('slider', { name: 'Position' }).fill('39.8')
  await title.getByText('2.wav').waitFor()
  await loaded(page)
  await waitFor('sound of the next', () => isPlaying(page))
  await page.getByRole('button', { name: 'Next track' }).click()
  await title.getByText('3.wav').waitFor()
  await list.getByRole('button', { name: '1.wav' }).click()
  await title.getByText('1.wav').waitFor()
  await waitFor('sound of the first', () => isPlaying(page))
  expect(opened.problems).toEqual([])
})

it('adds up keys that follow each other faster than the page is drawn', async () => {
  await using opened = await site.open({ path: '/files/film.webm' })
  const { page } = opened
  await loaded(page)
  await page.evaluate(() => {
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'j'])
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  })
  await expect.poll(() => timeOf(page)).toBe(5)
})

it('stays mute that is made so in the moment it is shown', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.addInitScript(() => {
    new MutationObserver((_, watching) => {
      if (document.querySelector('.vw-player') === null) return
      watching.disconnect()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', bubbles: true }))
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/files/film.webm')
  await page.getByRole('button', { name: 'Unmute' }).waitFor()
  const isMuted = () => media(page).evaluate((film: HTMLMediaElement) => film.muted)
  await expect.poll(isMuted).toBe(true)
})

it('leaves the arrow keys to the slider that has the focus', async () => {
  await using opened = await site.open({ path: '/files/film.webm' })
  const { page } = opened
  await loaded(page)
  for (const name of ['Position', 'Volume']) {
    const slider = page.getByRole('slider', { name })
    await slider.focus()
    const before = await slider.inputValue()
    await page.keyboard.press(name === 'Volume' ? 'ArrowLeft' : 'ArrowRight')
    await expect.poll(() => slider.inputValue()).not.toBe(before)
  }
  await expect.poll(() => new URL(page.url()).pathname).toBe('/files/film.webm')
})

it('puts a film into a small window of its own, and back', async () => {
  await using opened = await site.open({ path: '/files/film.webm' })
  const { page } = opened
  await loaded(page)
  const inWindow = () => page.evaluate(() => document.pictureInPictureElement?.tagName ?? '')
  await page.getByRole('button', { name: 'Picture in picture' }).click()
  await expect.poll(inWindow).toBe('VIDEO')
  await page.keyboard.press('p')
  await expect.poll(inWindow).toBe('')
})

it('lets one choose among the tracks of sound, where the browser tells of them', async () => {
  await using opened = await site.open({
    path: '/files/two-sounds.webm',
  })
  const { page } = opened
  const enabled = () =>
    media(page).evaluate((film) => {
      const tracks = Reflect.get(film, 'audioTracks') as ArrayLike<{ enabled: boolean }>
      return Array.from(tracks, (track) => track.enabled)
    })
  await page.getByRole('button', { name: 'Audio track' }).click()
  await page.getByRole('menuitemradio', { name: 'Original', checked: true }).waitFor()
  await page.getByRole('menuitemradio', { name: 'German' }).click()
  await expect.poll(enabled).toEqual([false, true])
  await page.goto('/files/film.webm')
  await loaded(page)
  expect(await page.getByRole('button', { name: 'Audio track' }).count()).toBe(0)
  expect(opened.problems).toEqual([])
})

it.each(['film.webm', 'songs/1.wav'])('stops loading %s when it is closed', async (name) => {
  await using opened = await site.open({ path: `/files/${name}` })
  const { page } = opened
  const media = await page.locator('.vw :is(video, audio)').elementHandle()
  await page.getByRole('button', { name: 'Back to folder' }).click()
  await page.locator('.vw').waitFor({ state: 'detached' })
  await waitFor('an element without a file', () =>
    media?.evaluate(
      (element) =>
        element instanceof HTMLMediaElement &&
        !element.hasAttribute('src') &&
        element.networkState === HTMLMediaElement.NETWORK_EMPTY,
    ),
  )
})

const corner = (page: Page) => page.locator('.corner')
const inCorner = (page: Page) =>
  corner(page)
    .locator('video, audio')
    .evaluate((element: HTMLMediaElement) => ({ time: element.currentTime, on: !element.paused }))

it('goes on in a corner when the viewer is closed, and from there in the viewer', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.goto('/files/')
  await page.locator('[data-path="/film.webm"]').waitFor()
  await page.goto('/files/film.webm')
  await loaded(page)
  await page.keyboard.press('2')
  await page.keyboard.press('k')
  await waitFor('the film plays', () => isPlaying(page))
  await page.keyboard.press('Escape')
  const bar = page.getByRole('region', { name: 'Player' })
  await bar.waitFor()
  await waitFor('it goes on', async () => (await inCorner(page)).on)
  expect((await inCorner(page)).time).toBeGreaterThanOrEqual(8)
  // Into another folder, and back to the film.
  await page.locator('[data-path="/songs"]').dblclick()
  await page.locator('[data-path="/songs/1.wav"]').waitFor()
  expect((await inCorner(page)).on).toBe(true)
  await bar.getByRole('button', { name: 'Open', exact: true }).click()
  await loaded(page)
  await waitFor('the film plays', () => isPlaying(page))
  expect(await timeOf(page)).toBeGreaterThanOrEqual(7)
  expect(await corner(page).count()).toBe(0)

  // Closed while it is still, it is over.
  await page.keyboard.press('k')
  await page.keyboard.press('Escape')
  await page.locator('.vw').waitFor({ state: 'detached' })
  expect(await corner(page).count()).toBe(0)
  expect(opened.problems).toEqual([])
})

it('leaves the corner for another one, by its button, and with whoever signs out', async () => {
  await using opened = await site.open({ path: '/files/songs/2.wav' })
  const { page } = opened
  const leavePlaying = async () => {
    await loaded(page)
    if (!(await isPlaying(page))) await page.keyboard.press('k')
    await waitFor('it plays', () => isPlaying(page))
    await page.keyboard.press('Escape')
    await corner(page).getByRole('region', { name: 'Player' }).waitFor()
  }
  await leavePlaying()
  await page.locator('[data-path="/songs/3.wav"]').dblclick()
  await loaded(page)
  expect((await inCorner(page)).on).toBe(true)
  await page.keyboard.press('k')
  await corner(page).waitFor({ state: 'detached' })
  await leavePlaying()
  await corner(page).getByRole('button', { name: 'Close' }).click()
  await corner(page).waitFor({ state: 'detached' })

  await page.locator('[data-path="/songs/1.wav"]').dblclick()
  await leavePlaying()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('#login, form').first().waitFor()
  await corner(page).waitFor({ state: 'detached' })
})
