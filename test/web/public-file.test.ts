// What visitors of a link to a single file see and can do, with a password and without.
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { setModified } from '../support/tree.ts'
import { sharedBrowser, takeHome } from './browser-steps.ts'
import { twoFrames } from './listing-steps.ts'
import {
  addresses,
  clipboard,
  copied,
  downloaded,
  expectCode,
  makePicture,
  makeShare,
  sample,
  visit,
} from './share-steps.ts'

const openIn = sharedBrowser()

describe('a shared file', () => {
  it('shows the picture, its facts, a QR code, and downloads it', async () => {
    const picture = await makePicture()
    await using home = await takeHome({ 'in/sunset#1 50%.jpg': picture })
    const hash = await makeShare(home, '/in/sunset%231%2050%25.jpg', {
      expires: '6',
      unit: 'days',
    })
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    await page.getByRole('heading', { name: 'sunset#1 50%.jpg' }).waitFor()
    await page.getByText('Link expires').first().waitFor()
    await page.waitForFunction(() =>
      [...document.images].some((image) => image.naturalWidth >= 600),
    )
    const code = page.getByRole('img', { name: 'QR code of the download link' })
    await expect.poll(async () => (await code.boundingBox())?.width).toBe(200)
    await expect.poll(() => code.getAttribute('data-text')).toMatch(/^http/)
    const direct = (await code.getAttribute('data-text')) ?? ''
    await expectCode(code, direct)
    expect(Buffer.from(await (await fetch(direct)).arrayBuffer())).toEqual(picture)
    const got = await downloaded(page, () => page.getByRole('link', { name: 'Download' }).click())
    expect(got).toEqual({ name: 'sunset#1 50%.jpg', bytes: picture })
    await expect
      .poll(() => page.getByRole('link', { name: 'Open' }).getAttribute('target'))
      .toBe('_blank')
    expect(open.problems).toEqual([])
  })

  it('opens by itself in a new tab, and says how large it is and when it changed', async () => {
    await using home = await takeHome({ 'notes.txt': 'x'.repeat(1536) })
    await setModified(home.tree.at('notes.txt'), '2024-02-03T04:05:06Z')
    const hash = await makeShare(home, '/notes.txt')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page, context } = open
    await page.getByText('1.5 KiB').first().waitFor()
    const changed = page.getByText(/^Modified /)
    await expect.poll(() => changed.getAttribute('datetime')).toMatch(/^2024-02-03T04:05:06/)
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open' }).click(),
    ])
    await tab.waitForLoadState()
    await expect.poll(() => tab.locator('body').textContent()).toBe('x'.repeat(1536))
  })

  it('answers to the keys of its viewer: seek, zoom, find', async () => {
    await using home = await takeHome({
      'film.webm': await sample('film2.webm'),
      'picture.jpg': await sample('picture.jpg'),
      'paper.pdf': await sample('paper.pdf'),
    })
    const first = await makeShare(home, '/film.webm')
    await using open = await visit(openIn, home, `/share/${first}`, clipboard)
    const { page } = open
    const film = page.locator('video')
    await waitFor('the film', () => film.evaluate((v: HTMLVideoElement) => v.readyState > 1))
    const timeOf = () => film.evaluate((v: HTMLVideoElement) => v.currentTime / v.duration)
    await page.keyboard.press('5')
    await waitFor('the middle', async () => Math.abs((await timeOf()) - 0.5) < 0.1)
    // A key that presses a control presses it, and plays nothing.
    await page.getByRole('button', { name: 'Copy link' }).press('Space')
    await page.getByText('Link copied').first().waitFor()
    expect(await film.evaluate((v: HTMLVideoElement) => v.paused)).toBe(true)

    const zoom = page.getByRole('status', { name: 'Zoom' })
    for (const name of ['picture.jpg', 'paper.pdf']) {
      await page.goto(`/share/${await makeShare(home, `/${name}`)}`)
      await waitFor('a size', async () => /^[1-9]/.test((await zoom.textContent()) ?? ''))
      const before = await zoom.textContent()
      await page.keyboard.press('+')
      await waitFor('a zoom', async () => (await zoom.textContent()) !== before)
    }
    await page.keyboard.press('Control+f')
    await page.getByRole('searchbox').or(page.getByPlaceholder(/find/i)).first().waitFor()
    expect(open.problems).toEqual([])
  })

  it('leaves page keys to the page, unless there is something to scroll where one works', async () => {
    const lines = Array.from({ length: 300 }, (_, line) => `Paragraph ${line}\n\n`)
    await using home = await takeHome({ 'long.md': lines.join('') })
    const hash = await makeShare(home, '/long.md')
    // So low that the page around the text has to be scrolled as well.
    const viewport = { width: 390, height: 500 }
    await using open = await visit(openIn, home, `/share/${hash}`, { viewport })
    const { page } = open
    const first = page.getByText('Paragraph 0', { exact: true })
    await first.waitFor()
    const box = page.locator('.pubstage :has(> .md)')
    // A key before the end of a scroll may be lost in it, also where the page has come to its place.
    const scrollBy = async (key: string) => {
      // What was scrolled at once has told its end by then.
      await twoFrames(page)
      const end = await page.evaluateHandle(() => ({
        come: new Promise((done) =>
          window.addEventListener('scrollend', done, { capture: true, once: true }),
        ).then(() => {}),
      }))
      await page.keyboard.press(key)
      await end.evaluate(({ come }) => come)
    }
    const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) =>
      scrollTop > 100 && scrollTop + clientHeight > scrollHeight - 2
    const isPageAtEnd = () => page.locator(':root').evaluate(isAtEnd)
    await page.getByRole('button', { name: 'Copy link' }).focus()
    await scrollBy('End')
    await expect.poll(isPageAtEnd).toBe(true)
    expect(await box.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await scrollBy('Home')
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
    await first.click()
    await scrollBy('End')
    await expect.poll(() => box.evaluate(isAtEnd)).toBe(true)
    await scrollBy('End')
    await expect.poll(isPageAtEnd).toBe(true)
  })

  it('of an unknown kind can be looked into as text and as bytes', async () => {
    await using home = await takeHome({
      'thing.xyz': Buffer.from('\x00\x01readable words\x00\xff'),
    })
    const hash = await makeShare(home, '/thing.xyz')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    await page.getByText('No preview available for this kind of file.').waitFor()
    expect(await page.getByText('SHA-256').count()).toBe(0)
    await page.getByRole('button', { name: 'Show bytes' }).click()
    const viewer = page.getByRole('dialog', { name: 'thing.xyz' })
    await viewer.locator('.hex-text').getByText('readable').first().waitFor()
    await page.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Open as text' }).click()
    await viewer.getByText('readable words').first().waitFor()
  })

  it('says that an unknown link leads nowhere', async () => {
    await using home = await takeHome({})
    await using open = await visit(openIn, home, '/share/nothere0')
    await open.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  })
})

describe('a protected file', () => {
  it('opens in the viewer, and its code and links lead to the page without the ticket', async () => {
    const picture = await makePicture()
    await using home = await takeHome({ 'one.jpg': picture })
    const hash = await makeShare(home, '/one.jpg', { password: 'open sesame' })
    await using open = await visit(openIn, home, `/share/${hash}`, clipboard)
    const { page } = open
    await page.getByLabel('Password', { exact: true }).fill('open sesame')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    const code = page.getByRole('img', { name: 'QR code of this page' })
    await code.waitFor()
    await expect.poll(async () => (await code.boundingBox())?.width).toBe(200)
    const address = `${home.origin}/share/${hash}`
    await expect.poll(() => code.getAttribute('data-text')).toBe(address)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    expect(await copied(page)).toBe(address)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByRole('dialog', { name: 'one.jpg' }).waitFor()
    await page.waitForFunction(() =>
      [...document.images].some((image) => image.naturalWidth >= 600),
    )
    await page.waitForURL(address)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'one.jpg' }).waitFor({ state: 'detached' })
    const got = await downloaded(page, () => page.getByRole('link', { name: 'Download' }).click())
    expect(got.bytes).toEqual(picture)
    expect(await addresses(page)).not.toContain('token')
  })
})
