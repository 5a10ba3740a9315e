// The frame around an opened file: turning to others, zooming, closing, and what one may do there.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { expectLandscape, SAMPLES } from '../support/pictures.ts'
import { ADMIN } from '../support/program.ts'
import { entry, focusedName, twoFrames } from './listing-steps.ts'
import { swipe } from './touch-steps.ts'
import { openViewer, sampleSite } from './viewer-steps.ts'

const site = sampleSite()

/** The smallest picture there is. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('the frame', () => {
  it('turns to neighbours by keys and by the strip, and closes to the folder', async () => {
    await using opened = await site.open()
    const { page } = opened
    const title = page.locator('.vw-head h1')
    await openViewer(page, 'picture.jpg')
    await page.locator('.vw-frame[aria-current=true]').waitFor()
    await page.keyboard.press('ArrowRight')
    await title.getByText('picture.png').waitFor()
    await page.keyboard.press('ArrowLeft')
    await title.getByText('picture.jpg').waitFor()
    await page.locator('.vw-frame[aria-label="picture.heic"]').click()
    await title.getByText('picture.heic').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.vw').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
  })

  it('turns to the next file by Enter, which buttons keep for themselves', async () => {
    await using opened = await site.open()
    const { page } = opened
    const title = page.locator('.vw-head h1')
    await openViewer(page, 'picture.jpg')
    await page.locator('.vw-frame[aria-current=true]').waitFor()
    await page.keyboard.press('Enter')
    await title.getByText('picture.png').waitFor()
    await page.getByRole('button', { name: 'Previous file' }).focus()
    await page.keyboard.press('Enter')
    await title.getByText('picture.jpg').waitFor()
    expect(opened.problems).toEqual([])
  })

  it('opens the file itself in a new tab, where nothing in it acts', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'picture.jpg')
    const [tab] = await Promise.all([
      opened.context.waitForEvent('page'),
      page.getByRole('button', { name: 'Open file' }).click(),
    ])
    await tab.waitForURL('**/api/raw/picture.jpg?inline=true')
    const answer = await tab.reload()
    expect(answer?.headers()['content-security-policy']).toContain('sandbox')
    expect(answer?.headers()['content-type']).toBe('image/jpeg')
  })

  it('opens files themselves from the listing, by the menu and by the middle button', async () => {
    await using opened = await site.open()
    const { page } = opened
    const link = entry(page, 'picture.jpg').locator('a').first()
    const [byButton] = await Promise.all([
      opened.context.waitForEvent('page'),
      link.click({ button: 'middle' }),
    ])
    await byButton.waitForURL('**/api/raw/picture.jpg?inline=true')
    await link.click({ button: 'right' })
    const [byMenu] = await Promise.all([
      opened.context.waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Open file' }).click(),
    ])
    await byMenu.waitForURL('**/api/raw/picture.jpg?inline=true')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
    expect(opened.problems).toEqual([])
  })

  it('swipes to the next file on a phone and closes by a swipe down', async () => {
    await using opened = await site.open({
      viewport: PHONE,
      hasTouch: true,
    })
    const { page } = opened
    await openViewer(page, 'picture.jpg')
    await page.locator('.vw-frame[aria-current=true]').waitFor()
    await swipe(page, { x: 300, y: 400 }, { x: 120, y: 405 })
    await page.locator('.vw-head h1').getByText('picture.png').waitFor()
    await page.locator('.vw-picture > img[data-shown=true]').waitFor()
    await swipe(page, { x: 200, y: 300 }, { x: 205, y: 520 })
    await page.locator('.vw').waitFor({ state: 'detached' })
  })

  it('offers only what a person may do', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'picture.jpg')
    for (const name of ['Share', 'Download', 'Rename', 'Details', 'Delete']) {
      await page.locator('.vw-head').getByRole('button', { name, exact: true }).waitFor()
    }
    const download = page.waitForEvent('download')
    await page.keyboard.press('Control+s')
    expect((await download).suggestedFilename()).toBe('picture.jpg')
  })

  it('renames and deletes without leaving the viewer', async () => {
    await site.tree.add({ 'own/a.png': PIXEL, 'own/b.png': PIXEL, 'own/c.png': PIXEL })
    await using opened = await site.open({ path: '/files/own/' })
    const { page } = opened
    const title = page.locator('.vw-head h1')
    await page.goto('/files/own/b.png')
    await title.getByText('b.png').waitFor()
    await page.keyboard.press('F2')
    const name = page.getByRole('dialog').getByRole('textbox')
    await name.fill('bb.png')
    await name.press('Enter')
    await title.getByText('bb.png').waitFor()
    await page.locator('.vw-frame[aria-label="c.png"]').waitFor()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await title.getByText('c.png').waitFor()
    await waitFor('the file gone', async () => !existsSync(site.tree.at('own/bb.png')))
    await page.keyboard.press('Escape')
    await page.locator('.vw').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/own/')
  })

  it('leaves page keys, Home and End to documents', async () => {
    const lines = Array.from({ length: 400 }, (_, line) => `Paragraph ${line}\n\n`)
    const manual = sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
    await site.tree.add({
      'papers/a.png': await manual.png().toBuffer(),
      'papers/b.md': lines.join(''),
      'papers/c.bin': Buffer.alloc(40_000, 7),
      'papers/d.ttf': await readFile(join(SAMPLES, 'letters.ttf')),
      'papers/e.docx': await readFile(join(SAMPLES, 'letter.docx')),
      'papers/f.pdf': await readFile(join(SAMPLES, 'paper.pdf')),
      'papers/g.png': await manual.png().toBuffer(),
    })
    await using opened = await site.open({
      viewport: { width: 900, height: 500 },
    })
    const { page } = opened
    for (const [path, scroller] of [
      ['b.md?view=markdown', '.md-page'],
      ['c.bin?view=hex', '.hex'],
      ['d.ttf', '.vw-font'],
      ['e.docx', '.vw-paper-scroll'],
      ['f.pdf', '.vw-pdf-scroll'],
    ] as const) {
      await page.goto(`/files/papers/${path}`)
      const box = page.locator(scroller)
      const top = () => box.evaluate(({ scrollTop }) => scrollTop)
      // A key amid a movement may be taken for its end.
      const stopped = () =>
        waitFor(`${path} to stand still`, async () => {
          const before = await top()
          await twoFrames(page)
          await twoFrames(page)
          return (await top()) === before
        })
      await waitFor(`${path} long enough to scroll`, () =>
        box.evaluate((element) => element.scrollHeight > element.clientHeight * 1.5),
      )
      await page.getByText(/\d of 7/).waitFor()
      await page.keyboard.press('PageDown')
      await expect.poll(top, { message: path }).toBeGreaterThan(50)
      await stopped()
      const once = await top()
      await page.keyboard.press('End')
      await expect.poll(top, { message: path }).toBeGreaterThan(once)
      await stopped()
      const end = await top()
      await page.keyboard.press('PageUp')
      await expect.poll(top, { message: path }).toBeLessThan(end)
      await stopped()
      await page.keyboard.press('Home')
      await expect.poll(top, { message: path }).toBeLessThan(20)
      await expect
        .poll(() => new URL(page.url()).pathname)
        .toBe(`/files/papers/${path.replace(/\?.*/, '')}`)
    }
    await openViewer(page, 'pack.zip')
    await page.getByRole('button', { name: 'readme.txt', exact: true }).waitFor()
    await page.getByText(/\d of \d\d/).waitFor()
    for (const key of ['PageDown', 'End', 'PageUp', 'Home']) await page.keyboard.press(key)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/pack.zip')
    await page.goto('/files/papers/a.png')
    await page.getByText('1 of 7').waitFor()
    await page.keyboard.press('End')
    await page.locator('.vw-head h1').getByText('g.png').waitFor()
    await page.keyboard.press('PageUp')
    await page.locator('.vw-head h1').getByText('f.pdf').waitFor()
  })

  it('turns from a picture to a text beside it, and back', async () => {
    await site.tree.add({ 'mixed/a.png': PIXEL, 'mixed/b.txt': 'between\n', 'mixed/c.png': PIXEL })
    await using opened = await site.open()
    const { page } = opened
    await page.goto('/files/mixed/a.png')
    await page.getByText('1 of 3').waitFor()
    await page.getByRole('button', { name: 'Next file' }).click()
    await page.locator('.cm-content').getByText('between').waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Next file' }).click()
    await page.getByText('3 of 3').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.vw').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/mixed/')
  })

  it('fetches the editor for texts and for nothing else', async () => {
    await site.tree.add({ 'tables/a.csv': 'a,b\n1,2\n', 'plain/a.txt': 'text\n' })
    await using opened = await site.open({ path: '/files/tables/' })
    const { page } = opened
    const editors: string[] = []
    page.on('response', async (response) => {
      if (response.request().resourceType() !== 'script') return
      // What was not used before the page changed cannot be read any more.
      const script = await response.text().catch(() => '')
      if (script.includes('cm-content')) editors.push(response.url())
    })
    await page.goto('/files/tables/a.csv')
    await page.getByRole('grid', { name: 'a.csv' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(editors).toEqual([])
    await page.goto('/files/plain/a.txt')
    await page.locator('.cm-content').waitFor()
    await waitFor('the editor', () => editors.length > 0)
  })

  it('closes by Space what Space opened, and only that', async () => {
    await site.tree.add({ 'quick/a.png': PIXEL, 'quick/b.bin': Buffer.alloc(9) })
    await using opened = await site.open({ path: '/files/quick/' })
    const { page } = opened
    await entry(page, 'a.png').waitFor()
    await entry(page, 'a.png').click()
    await page.keyboard.press('Space')
    await page.locator('.vw-picture > img[data-shown=true]').waitFor()
    await page.getByText('1 of 2').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.vw-head h1').getByText('b.bin').waitFor()
    await page.keyboard.press('Space')
    await page.locator('.vw').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/quick/')
    await expect.poll(() => focusedName(page)).toMatch(/^(a\.png|b\.bin)$/)
    await page.keyboard.press('Enter')
    await page.locator('.vw-head h1').waitFor()
    await page.keyboard.press('Space')
    await page.locator('.vw-head h1').waitFor()
  })

  it('starts no slideshow while the Space that opened the picture is held', async () => {
    await site.tree.add({ 'held/a.png': PIXEL, 'held/b.png': PIXEL })
    await using opened = await site.open({ path: '/files/held/' })
    const { page } = opened
    await entry(page, 'a.png').click()
    await page.keyboard.down('Space')
    await page.locator('.vw-picture > img[data-shown=true]').waitFor()
    for (let repeat = 0; repeat < 3; repeat++) {
      await page.keyboard.down('Space')
      await expect
        .poll(() => page.getByRole('button', { name: 'Slideshow', pressed: false }).count())
        .toBe(1)
    }
    await page.keyboard.up('Space')
    await page.keyboard.press('Space')
    await page.locator('.vw').waitFor({ state: 'detached' })
  })

  it('closes to the folder after deleting a picture beside which there are only texts', async () => {
    await site.tree.add({ 'last/a.txt': 'text\n', 'last/b.png': PIXEL, 'last/c.txt': 'text\n' })
    await using opened = await site.open()
    const { page } = opened
    await page.goto('/files/last/b.png')
    await page.getByText('2 of 3').waitFor()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.locator('.vw').waitFor({ state: 'detached' })
    await waitFor('the file gone', async () => !existsSync(site.tree.at('last/b.png')))
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/last/')
  })

  it('keeps the focus inside', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'picture.jpg')
    await page.locator('.vw-frame[aria-current=true]').waitFor()
    for (let step = 0; step < 30; step++) {
      await page.keyboard.press('Tab')
      const inside = await page.evaluate(() => document.activeElement?.closest('.vw') !== null)
      expect(inside).toBe(true)
    }
  })

  it('zooms at the pointer, turns and fits again', async () => {
    await using opened = await site.open()
    const { page } = opened
    await openViewer(page, 'picture.jpg')
    await expectLandscape(page)
    const zoom = page.locator('.vw-percent')
    const before = await zoom.textContent()
    await page.mouse.move(900, 300)
    await page.mouse.wheel(0, -400)
    await waitFor('a larger picture', async () => (await zoom.textContent()) !== before)
    await page.keyboard.press('1')
    await expect.poll(() => zoom.textContent()).toBe('100%')
    await page.keyboard.press('r')
    const img = page.locator('.vw-picture > img').first()
    await expect.poll(() => img.getAttribute('style')).toContain('rotate(90deg)')
    await page.keyboard.press('0')
    await page.getByRole('button', { name: 'Fit to window', pressed: true }).waitFor()
  })
})

describe('pictures', () => {
  it('shows a heavy one by its preview and the original when asked', async () => {
    const photo = sharp({
      create: { width: 5000, height: 3000, channels: 3, background: '#336699' },
    })
    await site.tree.add({ 'heavy/photo.jpg': await photo.jpeg().toBuffer() })
    await using opened = await site.open()
    const { page } = opened
    const sources = () =>
      page
        .locator('.vw-picture > img')
        .evaluateAll((all) =>
          all.map((img) => new URL((img as HTMLImageElement).src).pathname.split('/')[2]),
        )
    await page.goto('/files/heavy/photo.jpg')
    await page.locator('.vw-picture > img[data-shown=true]').waitFor()
    await page.getByText('5000 × 3000').waitFor()
    await expect.poll(sources).toEqual(['preview'])
    await page.getByRole('button', { name: 'Original' }).click()
    await expect.poll(sources).toEqual(['preview', 'raw'])
  })

  it('goes on by itself in a slideshow until it is stopped', async () => {
    await site.tree.add({ 'slides/1.png': PIXEL, 'slides/2.png': PIXEL, 'slides/3.png': PIXEL })
    await using opened = await site.open()
    const { page } = opened
    const title = page.locator('.vw-head h1')
    await page.goto('/files/slides/1.png')
    await page.getByRole('button', { name: 'Slideshow' }).click()
    await title.getByText('2.png').waitFor()
    await title.getByText('3.png').waitFor()
    await title.getByText('1.png').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Slideshow' }).waitFor()
  })
})

describe('without the download permission', () => {
  it('says why there is nothing to see, and asks for no bytes', async () => {
    const viewer = { username: 'viewer', password: 'Blue-Kettle-77-Window' }
    const admin = await loginAs(site.program.origin)
    const defaults = (await (await admin.fetch('/api/settings')).json()).defaults
    const perm = { ...defaults.perm, share: false, download: false }
    const data = { ...defaults, id: 0, rules: [], lockPassword: false, ...viewer, perm }
    const made = await admin.fetch('/api/users', {
      method: 'POST',
      body: JSON.stringify({
        what: 'user',
        which: [],
        current_password: ADMIN.password,
        data,
      }),
    })
    expect(made.status, await made.text()).toBe(201)
    await using opened = await site.open({ as: viewer })
    const { page } = opened
    const bytes: string[] = []
    page.on('request', (request) => {
      if (/\/api\/(raw|preview)\//.test(request.url())) bytes.push(request.url())
    })
    for (const name of ['picture.jpg', 'paper.pdf', 'film.mp4']) {
      await openViewer(page, name)
      await page.getByText('You can’t view this file').waitFor()
    }
    expect(bytes).toEqual([])
    expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(0)
  })
})
