// Looking at pictures closely: with the mouse, with fingers, and one after the other.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { openPage, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { expectLandscape, SAMPLES } from '../support/pictures.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedSite } from './browser-steps.ts'
import { twoFrames } from './listing-steps.ts'
import { moveFingers, type Point } from './touch-steps.ts'

const site = sharedSite(async () => {
  const grey = sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#888' } })
  const png = await grey.png().toBuffer()
  return { 'a.png': png, 'b.png': png, 'c.png': png, 'd.png': png, 'e.png': png }
})

const picture = (page: Page) => page.locator('.vw-picture > img[data-shown=true]').first()

/** As large as the window allows, when it has been laid out. */
async function fittedBox(page: Page) {
  await picture(page).waitFor()
  await page.getByRole('button', { name: 'Fit to window', pressed: true }).waitFor()
  await twoFrames(page)
  return boxOf(page)
}

async function boxOf(page: Page) {
  const box = await picture(page).boundingBox()
  if (box === null) throw new Error('the picture is not shown')
  return box
}

/** Which part of the picture is at a point of the screen, as shares of its sides. */
async function partAt(page: Page, { x, y }: Point) {
  const box = await boxOf(page)
  return { x: (x - box.x) / box.width, y: (y - box.y) / box.height }
}

it('keeps the point under the pointer while the wheel zooms', async () => {
  await using opened = await site.open({ path: '/files/b.png' })
  const { page } = opened
  const fitted = await fittedBox(page)
  const pointer = { x: fitted.x + fitted.width * 0.4, y: fitted.y + fitted.height * 0.6 }
  const before = await partAt(page, pointer)
  await page.mouse.move(pointer.x, pointer.y)
  await page.mouse.wheel(0, -1000)
  await waitFor('a larger picture', async () => (await boxOf(page)).width > fitted.width * 5)
  await expect.poll(async () => (await partAt(page, pointer)).x).toBeCloseTo(before.x, 2)
  await expect.poll(async () => (await partAt(page, pointer)).y).toBeCloseTo(before.y, 2)
  expect(opened.problems).toEqual([])
})

it('is moved by the mouse when it is larger than the window, as far as its edges', async () => {
  await using opened = await site.open({ path: '/files/b.png' })
  const { page } = opened
  await picture(page).waitFor()
  await page.keyboard.press('1')
  await waitFor('the full size', async () => Math.round((await boxOf(page)).width) === 1200)
  const before = await boxOf(page)
  await page.mouse.move(640, 300)
  await page.mouse.down()
  await page.mouse.move(640, 330, { steps: 4 })
  await page.mouse.move(640, 380, { steps: 4 })
  await page.mouse.up()
  await waitFor('the picture moved', async () => (await boxOf(page)).y - before.y > 79)
  await expect.poll(async () => (await boxOf(page)).y - before.y).toBeCloseTo(80, 0)
  await page.mouse.move(640, 200)
  await page.mouse.down()
  await page.mouse.move(640, 780, { steps: 5 })
  await page.mouse.up()
  const stage = await page.locator('.vw-picture').boundingBox()
  await waitFor('its upper edge at the edge', async () => {
    return Math.abs((await boxOf(page)).y - (stage?.y ?? 0)) < 1
  })
})

it('grows between two fingers, and what was between them stays there', async () => {
  await using opened = await site.open({
    path: '/files/b.png',
    viewport: PHONE,
    hasTouch: true,
  })
  const { page } = opened
  const fitted = await fittedBox(page)
  const middle = { x: 180, y: fitted.y + fitted.height * 0.45 }
  const before = await partAt(page, middle)
  const finger = (byX: number): Point => ({ x: middle.x + byX, y: middle.y })
  await moveFingers(page, [
    [finger(-40), finger(-120)],
    [finger(40), finger(120)],
  ])
  await waitFor('the picture three times as wide', async () => {
    return Math.abs((await boxOf(page)).width / fitted.width - 3) < 0.1
  })
  await expect.poll(async () => (await partAt(page, middle)).x).toBeCloseTo(before.x, 1)
  await expect.poll(async () => (await partAt(page, middle)).y).toBeCloseTo(before.y, 1)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/files/b.png')
})

it('fetches the pictures on either side ahead, and only those', async () => {
  await using opened = await site.open({ path: '/files/' })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    const whole = /^\/api\/(?:raw|preview\/big)\/(.*)$/.exec(pathname)?.[1]
    // The head of the shown picture is read by Range, the pictures themselves are not.
    if (whole && request.resourceType() === 'image' && !search.includes('thumb')) asked.push(whole)
  })
  await page.goto('/files/c.png')
  await picture(page).waitFor()
  await waitFor('both neighbours', () => asked.includes('b.png') && asked.includes('d.png'))
  expect(asked).not.toContain('a.png')
  expect(asked).not.toContain('e.png')
  await page.keyboard.press('ArrowRight')
  await page.locator('.vw-head h1').getByText('d.png').waitFor()
  await waitFor('the next neighbour', () => asked.includes('e.png'))
})

it('fetches nothing ahead for who asked for few bytes', async () => {
  await using opened = await site.open({ path: '/files/' })
  const { page } = opened
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const png = await readFile(site.tree.at('a.png'))
  await site.tree.add({ 'few/a.csv': 'a,b\n1,2\n', 'few/b.png': png, 'few/c.png': png })
  await page.goto('/files/few/b.png')
  await picture(page).waitFor()
  await page.getByText('2 of 3').waitFor()
  await page.waitForLoadState('networkidle')
  expect(asked.filter((path) => /\/(?:raw|big)\/few\/c\.png$/.test(path))).toEqual([])
  const scripts = () => new Set(asked.filter((path) => path.endsWith('.js')))
  const before = scripts()
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('grid', { name: 'a.csv' }).waitFor()
  await expect.poll(() => scripts().size).toBeGreaterThan(before.size)
})

/** More pixels than are shown unasked. By its name it has no preview; as a JPEG it decodes quickly. */
const HUGE_PX = { width: 10_100, height: 10_000 }

async function hugePicture(): Promise<Buffer> {
  return sharp({ create: { ...HUGE_PX, channels: 3, background: '#444' } })
    .jpeg()
    .toBuffer()
}

it('shows a picture of more than 100 megapixels when asked for it, and zooms it', async () => {
  await site.tree.add({ 'huge/a.gif': await hugePicture() })
  await using opened = await site.open({ path: '/files/huge/a.gif' })
  const { page } = opened
  await page.getByRole('button', { name: 'Open the original' }).click()
  await picture(page).waitFor()
  await waitFor('a fitted picture', async () => {
    const { width, height } = await boxOf(page)
    return height > 300 && Math.abs(width / height - HUGE_PX.width / HUGE_PX.height) < 0.01
  })
  const fitted = await boxOf(page)
  await page.mouse.move(640, 400)
  await page.mouse.wheel(0, -400)
  await waitFor('a larger picture', async () => (await boxOf(page)).width > fitted.width * 1.5)
  expect(opened.problems).toEqual([])
})

it('shows what browsers do not read even when previews are switched off', async () => {
  const heic = await readFile(join(SAMPLES, 'picture.heic'))
  await using own = await makeTree({ 'a.heic': heic })
  await using plain = await startProgram(own, { args: ['--disablePreviewResize'] })
  await using opened = await openPage(site.browser, plain, { path: '/files/a.heic' })
  await expectLandscape(opened.page)
})

it('shows what browsers do not read in all its pixels at 1:1', async () => {
  // Stripes of one pixel: made from the preview they would be grey.
  const [width, height] = [2400, 1800]
  const stripes = Buffer.from(Array.from({ length: width * height }, (_, i) => (i % 2) * 255))
  const raw = sharp(stripes, { raw: { width, height, channels: 1 } })
  await site.tree.add({ 'fine/a.tiff': await raw.tiff().toBuffer() })
  await using opened = await site.open({ path: '/files/fine/a.tiff' })
  const { page } = opened
  await picture(page).waitFor()
  await page.getByRole('button', { name: 'Actual size' }).click()
  await waitFor('the full size', async () => Math.round((await boxOf(page)).width) === width)
  const stage = page.locator('.vw-picture')
  await expect.poll(() => contrast(stage)).toBeGreaterThan(90)
  expect(opened.problems).toEqual([])
})

/** Standard deviation in the middle of an element, where no tools lie over it. */
async function contrast(target: Locator) {
  const shot = sharp(await target.screenshot())
  const { width, height } = await shot.metadata()
  const middle = { left: width >> 2, top: height >> 2, width: width >> 2, height: height >> 2 }
  const cut = await shot.extract(middle).removeAlpha().png().toBuffer()
  return (await sharp(cut).stats()).channels[0]?.stdev ?? 0
}

it('goes on in a slideshow past what cannot be shown, and can be stopped there', async () => {
  const png = await readFile(site.tree.at('a.png'))
  const damaged = Buffer.from('no picture at all')
  await site.tree.add({ 'slides/1.png': png, 'slides/2.png': damaged, 'slides/3.png': damaged })
  await using opened = await site.open({ path: '/files/slides/1.png' })
  const { page } = opened
  const title = page.locator('.vw-head h1')
  await picture(page).waitFor()
  await page.getByRole('button', { name: 'Slideshow' }).click()
  await title.getByText('2.png').waitFor()
  await title.getByText('3.png').waitFor()
  await page.getByRole('alert').getByText('This picture can’t be shown').waitFor()
  await page.getByRole('button', { name: 'Stop slideshow' }).click()
  await page.getByRole('button', { name: 'Stop slideshow' }).waitFor({ state: 'detached' })
})

it('has its tools in one line on a phone, and a slideshow without anything around the pictures', async () => {
  const options = { viewport: { ...PHONE, width: 360 }, isMobile: true, hasTouch: true }
  await using opened = await site.open({ path: '/files/b.png', ...options })
  const { page } = opened
  await picture(page).waitFor()
  await page.getByRole('button', { name: 'Crop' }).waitFor()
  const tools = page.getByRole('toolbar', { name: 'Picture' }).getByRole('button')
  const tops = await tools.evaluateAll((all) =>
    all.filter((tool) => tool.checkVisibility()).map((tool) => tool.getBoundingClientRect().top),
  )
  expect(tops.length).toBeGreaterThan(5)
  expect(new Set(tops).size).toBe(1)

  await page.getByRole('button', { name: 'Slideshow' }).tap()
  const around = page.locator('.vw-head, .vw-film, .vw-tools')
  const opacities = () =>
    around.evaluateAll((all) => all.map((each) => getComputedStyle(each).opacity).join(' '))
  await expect.poll(opacities).toBe('0 0 0')
  await page.locator('.vw-head h1').getByText('c.png').waitFor()
  await picture(page).waitFor()
  expect(await opacities()).toBe('0 0 0')
  await page.touchscreen.tap(180, 300)
  await expect.poll(opacities).toBe('1 1 1')
  await page.getByRole('button', { name: 'Stop slideshow' }).tap()
  expect(opened.problems).toEqual([])
})

it('stays in the viewer with the keyboard when Escape ends a slideshow', async () => {
  await using opened = await site.open({ path: '/files/b.png' })
  const { page } = opened
  await picture(page).waitFor()
  await page.getByRole('button', { name: 'Slideshow' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.vw-head h1').getByText('c.png').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stop slideshow' }).waitFor({ state: 'detached' })
  await twoFrames(page)
  expect(await page.evaluate(() => document.activeElement?.closest('.vw') !== null)).toBe(true)
  await page.keyboard.press('Escape')
  await page.waitForURL('**/files/')
})

it('is saved as it was turned and cropped, and comes back', async () => {
  const before = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer()
  await site.tree.add({ 'turned.jpg': before })
  await using opened = await site.open({ path: '/files/turned.jpg' })
  const { page } = opened
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const facts = page.locator('.vw-title p')
  await facts.getByText('60 × 40').waitFor()
  expect(await button('Save').count()).toBe(0)
  await button('Rotate').click()
  await button('Save').click()
  await facts.getByText('40 × 60').waitFor()
  expect((await sharp(site.tree.at('turned.jpg')).metadata()).orientation).toBe(6)
  await page.getByRole('button', { name: 'Undo' }).click()
  await facts.getByText('60 × 40').waitFor()
  expect(await readFile(site.tree.at('turned.jpg'))).toEqual(before)

  await button('Crop').click()
  await page.getByRole('group', { name: 'Area to keep' }).focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await page.getByText('47 × 32').waitFor()
  await button('Save a copy').click()
  await page.getByText('Saved “turned(1).jpg”').first().waitFor()
  const { width, height } = await sharp(site.tree.at('turned(1).jpg')).metadata()
  expect([width, height]).toEqual([47, 32])
  expect(await readFile(site.tree.at('turned.jpg'))).toEqual(before)
  expect(opened.problems).toEqual([])
})
