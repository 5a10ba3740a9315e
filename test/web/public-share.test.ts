// What visitors of a link to a folder see and can do: a password, awkward names, a phone.
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, setModified } from '../support/tree.ts'
import { boxOf, sharedBrowser, takeHome } from './browser-steps.ts'
import { stillBox } from './listing-steps.ts'
import {
  addresses,
  clipboard,
  copied,
  downloaded,
  makePicture,
  makeShare,
  sample,
  sharedRow,
  visit,
} from './share-steps.ts'

const openIn = sharedBrowser()

describe('a protected share', () => {
  it('asks for the password, says when it is wrong, and never shows the way past it', async () => {
    const picture = await makePicture()
    await using home = await takeHome({ 'in/a b.jpg': picture, 'in/sub/c.txt': 'deep text' })
    const hash = await makeShare(home, '/in/', { password: 'pass + ünï %41' })
    await using open = await visit(openIn, home, `/share/${hash}`, {
      ...clipboard,
    })
    const { page } = open
    const field = page.getByLabel('Password', { exact: true })
    await page.getByRole('heading', { name: 'This link is protected' }).waitFor()
    await field.fill('wrong')
    await field.press('Enter')
    await page.getByRole('alert').getByText('Incorrect password.').waitFor()
    await field.fill('pass + ünï %41')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'in', exact: true }).waitFor()

    expect(await addresses(page)).not.toContain('token')
    await page.getByRole('button', { name: 'Copy link' }).first().click()
    await page.getByText('Link copied').first().waitFor()
    expect(await copied(page)).toBe(`${home.origin}/share/${hash}`)

    await sharedRow(page, 'a b.jpg').getByRole('button', { name: 'Preview a b.jpg' }).click()
    await page.getByRole('dialog', { name: 'a b.jpg' }).waitFor()
    await page.waitForFunction(() =>
      [...document.images].some((image) => image.naturalWidth >= 600),
    )
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'a b.jpg' }).waitFor({ state: 'detached' })
    const got = await downloaded(page, () =>
      sharedRow(page, 'a b.jpg').getByRole('button', { name: 'Download a b.jpg' }).click(),
    )
    expect(got.bytes).toEqual(picture)
    // The password holds for the visit, also further down.
    await page.getByRole('link', { name: /sub/ }).click()
    await page.getByRole('link', { name: /c\.txt/ }).click()
    await page.getByRole('heading', { name: 'c.txt' }).waitFor()
    await page.getByText('deep text').first().waitFor()
    expect(await addresses(page)).not.toContain('token')
    expect(await page.content()).not.toContain('ünï')
  })
})

describe('a shared folder', () => {
  it('plays the chosen film or song beside the list', async () => {
    await using home = await takeHome({
      'in/film.webm': await sample('film2.webm'),
      'in/tone.wav': await sample('tone.wav'),
    })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    const side = page.getByRole('complementary', { name: 'Preview and QR code' })
    for (const [name, element] of [
      ['film.webm', 'video'],
      ['tone.wav', 'audio'],
    ] as const) {
      await sharedRow(page, name).getByRole('cell').nth(3).click()
      const player = side.locator(element)
      await waitFor(`${name} to be there`, () =>
        player.evaluate((media) => (media as HTMLMediaElement).readyState > 1),
      )
      await player.press('Space')
      await waitFor(`${name} to play`, () =>
        player.evaluate((media) => (media as HTMLMediaElement).currentTime > 0),
      )
    }
    expect(open.problems).toEqual([])
  })

  it('copies a direct link to a file from its row and from the bar', async () => {
    await using home = await takeHome({ 'in/a#1 50%.txt': 'direct bytes', 'in/b.txt': 'others' })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`, clipboard)
    const { page } = open
    const clear = () => page.evaluate(() => navigator.clipboard.writeText(''))
    const expectCopied = async (text: string) => {
      const address = await waitFor('a copied link', () => copied(page))
      expect(await (await fetch(address)).text()).toBe(text)
    }
    await sharedRow(page, 'b.txt').getByRole('button', { name: 'Copy link to b.txt' }).click()
    await expectCopied('others')
    await clear()
    await sharedRow(page, 'a#1 50%.txt').getByRole('cell').nth(3).click()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await bar.getByRole('button', { name: 'Copy direct link' }).click()
    await expectCopied('direct bytes')
  })

  it('says how large files are and when they changed', async () => {
    await using home = await takeHome({ 'in/a.txt': 'x'.repeat(2048) })
    await setModified(home.tree.at('in/a.txt'), '2024-02-03T04:05:06Z')
    await using open = await visit(openIn, home, `/share/${await makeShare(home, '/in/')}`)
    const { page } = open
    const cells = sharedRow(page, 'a.txt').getByRole('cell')
    await cells.nth(3).getByText('2.0 KiB').waitFor()
    const time = cells.nth(2).locator('time')
    await expect.poll(() => time.getAttribute('datetime')).toMatch(/^2024-02-03T04:05:06/)
    await time.hover()
    await page.getByText(/^2\/3\/24, 4:05/).waitFor()
  })

  it('lists, sorts and opens folders and files whatever they are called', async () => {
    await using home = await takeHome({
      'in/a#b?c%41, d/inner;x.txt': 'inner text',
      'in/big.bin': 'x'.repeat(5000),
      'in/small.txt': 'y',
    })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    await page.getByText('1 folder, 2 files').waitFor()
    const names = () => page.locator('tbody .fname').allTextContents()
    await expect.poll(names).toEqual(['a#b?c%41, d', 'big.bin', 'small.txt'])
    await page.getByRole('button', { name: 'Size' }).click()
    await expect.poll(names).toEqual(['a#b?c%41, d', 'small.txt', 'big.bin'])
    await page.getByRole('link', { name: /a#b\?c%41, d/ }).click()
    await page.getByRole('heading', { name: 'a#b?c%41, d' }).waitFor()
    const got = await downloaded(page, () =>
      page.getByRole('button', { name: 'Download inner;x.txt' }).click(),
    )
    expect(got.bytes.toString()).toBe('inner text')
    await page.reload()
    await page.getByRole('link', { name: /inner;x\.txt/ }).click()
    await page.getByText('inner text').first().waitFor()
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.getByText('1 folder, 2 files').waitFor()
    expect(open.problems).toEqual([])
  })

  it('selects by click, range, keys and check box, and downloads what is selected', async () => {
    await using home = await takeHome({
      'in/a.txt': 'AAA',
      'in/b, c.txt': 'BBB',
      'in/d.txt': 'DDD',
      'in/e.txt': 'EEE',
    })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    const cell = (name: string) => sharedRow(page, name).getByRole('cell').nth(3)
    const top = async () => (await sharedRow(page, 'd.txt').boundingBox())?.y
    const before = (await stillBox(sharedRow(page, 'd.txt'))).y
    await cell('a.txt').click()
    await page.getByText('1 selected').waitFor()
    await expect.poll(top).toBe(before)
    await cell('d.txt').click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await cell('b, c.txt').click({ modifiers: ['Control'] })
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('toolbar', { name: 'Selection' }).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select b, c.txt' }).check()
    await page.getByRole('checkbox', { name: 'Select e.txt' }).check()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await bar.getByRole('button', { name: 'Choose the archive format' }).click()
    const got = await downloaded(page, () =>
      page.getByRole('menuitemradio', { name: '.tar', exact: true }).click(),
    )
    const text = got.bytes.toString('latin1')
    expect(got.name).toMatch(/\.tar$/)
    expect(text).toContain('b, c.txt')
    expect(text).toContain('EEE')
    expect(text).not.toContain('AAA')
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByText('4 selected').waitFor()
  })

  it('shows a hundred entries, then a hundred more with each press', async () => {
    const content: Record<string, string> = {}
    for (let n = 0; n < 233; n++) content[`in/f${String(n).padStart(3, '0')}.txt`] = ''
    await using home = await takeHome(content)
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    const rows = page.locator('tbody tr')
    await page.getByText('233 files').first().waitFor()
    await expect.poll(() => rows.count()).toBe(100)
    await page.getByRole('button', { name: 'Show 100 more' }).click()
    await expect.poll(() => rows.count()).toBe(200)
    await page.getByRole('button', { name: 'Show 33 more' }).click()
    await expect.poll(() => rows.count()).toBe(233)
    await page.getByRole('button', { name: /^Show/ }).waitFor({ state: 'detached' })
  })

  it('shows thumbnails and the chosen picture beside the list', async () => {
    await using home = await takeHome({ 'in/p.jpg': await makePicture(), 'in/q.txt': 'q' })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    const thumb = sharedRow(page, 'p.jpg').locator('.tile img')
    await thumb.waitFor()
    await page.waitForFunction(() =>
      [...document.images].some((image) => image.src.includes('/preview/thumb/') && image.complete),
    )
    const side = page.getByRole('complementary', { name: 'Preview and QR code' })
    const code = side.getByRole('img', { name: 'QR code of the download link' })
    await expect.poll(async () => (await code.boundingBox())?.width).toBe(100)
    const before = await code.boundingBox()
    await sharedRow(page, 'p.jpg').getByRole('cell').nth(3).click()
    await side.getByRole('button', { name: 'Preview p.jpg' }).locator('img').waitFor()
    // What is chosen has its place before.
    expect(await code.boundingBox()).toEqual(before)
  })

  it('shows an album as its pictures, opens them one after the other, and keeps another choice', async () => {
    const picture = await makePicture()
    const names = Array.from({ length: 7 }, (_, n) => `p${n}.jpg`)
    const files = Object.fromEntries(names.map((name) => [`in/${name}`, picture]))
    await using home = await takeHome({ ...files, 'in/more/q.txt': 'q', 'in/r.txt': 'r' })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`)
    const { page } = open
    const tiles = page.getByRole('list', { name: 'Files' }).getByRole('listitem')
    await expect.poll(() => tiles.count()).toBe(8)
    await waitFor('the pictures', () =>
      tiles.locator('img').evaluateAll((images: HTMLImageElement[]) => {
        return images.length === 7 && images.every((image) => image.naturalWidth > 0)
      }),
    )
    await tiles.first().getByRole('link').click()
    const title = page.locator('.vw-head h1')
    await title.getByText('p0.jpg').waitFor()
    // The second click of a double click lies on these, and selects nothing.
    for (const part of ['.vw-film', '.vw-tools'])
      await expect
        .poll(() => page.locator(part).evaluate((each) => getComputedStyle(each).userSelect))
        .toBe('none')
    await page.keyboard.press('ArrowRight')
    await title.getByText('p1.jpg').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.vw').waitFor({ state: 'detached' })
    // While something is chosen, a click chooses.
    await page.getByRole('checkbox', { name: 'Select p2.jpg' }).check()
    await tiles
      .nth(4)
      .getByRole('link')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await tiles.nth(3).getByRole('link').click()
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sort by: Name' }).click()
    await page.getByRole('menuitemradio', { name: 'Descending' }).click()
    await tiles.first().getByText('r', { exact: true }).waitFor()
    await page.getByRole('radio', { name: 'List' }).check()
    await page.getByRole('row').nth(1).waitFor()
    await page.reload()
    await page.getByRole('row').nth(1).waitFor()
    expect(open.problems).toEqual([])
  })

  it('shows thumbnails of papers, and asks for those of long films', async () => {
    await using home = await takeHome({
      'in/paper.pdf': await sample('paper.pdf'),
      'in/film.mp4': Buffer.alloc(31 << 20),
    })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, '/login')
    const { page } = open
    const asked = page.waitForRequest((request) => {
      const { pathname } = new URL(request.url())
      return pathname.includes('/preview/thumb/') && pathname.endsWith('/film.mp4')
    })
    await page.goto(`/share/${hash}`)
    await asked
    const thumb = sharedRow(page, 'paper.pdf').locator('.tile img')
    await waitFor('the first page', () =>
      thumb.evaluate((image: HTMLImageElement) => image.naturalWidth > 0),
    )
  })

  it.each([
    ['--disablePreviewResize', '/api/public/dl/'],
    ['--disableThumbnails', '/api/public/preview/big/'],
  ])('with %s shows the chosen picture from %s', async (option, source) => {
    await using tree = await makeTree({ 'in/p.jpg': await makePicture() })
    await using program = await startProgram(tree, { args: [option] })
    const hash = await makeShare(program, '/in/')
    await using open = await visit(openIn, program, `/share/${hash}`)
    const { page } = open
    await sharedRow(page, 'p.jpg').getByRole('cell').nth(3).click()
    const side = page.getByRole('complementary', { name: 'Preview and QR code' })
    const picture = side.getByRole('button', { name: 'Preview p.jpg' }).locator('img')
    await expect.poll(() => picture.getAttribute('src')).toContain(source)
    await waitFor('the picture', () =>
      picture.evaluate((image: HTMLImageElement) => image.naturalWidth >= 600),
    )
  })

  it('has room for its buttons beside the sizes on a tablet, where they are as large as fingers', async () => {
    await using home = await takeHome({ 'in/a.txt': 'x'.repeat(1023) })
    const hash = await makeShare(home, '/in/')
    const tablet = { viewport: { width: 820, height: 1180 }, isMobile: true, hasTouch: true }
    await using open = await visit(openIn, home, `/share/${hash}`, tablet)
    const row = sharedRow(open.page, 'a.txt')
    const size = await boxOf(row.getByText('1,023 B', { exact: true }))
    const eye = await boxOf(row.getByRole('button', { name: 'Preview a.txt' }))
    expect(eye.width).toBeGreaterThanOrEqual(44)
    expect(eye.x).toBeGreaterThanOrEqual(size.right)
  })

  it('fits a phone and says when a folder is empty', async () => {
    await using home = await takeHome({
      'in/empty/x': '',
      'in/a very long name of a file that goes on and on.txt': 'x',
    })
    const hash = await makeShare(home, '/in/')
    await using open = await visit(openIn, home, `/share/${hash}`, {
      viewport: PHONE,
      hasTouch: true,
    })
    const { page } = open
    await page.getByText('1 folder, 1 file').waitFor()
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
    // What is printed in a link is its name: people who speak commands say what they read.
    const long = page.getByRole('link', { name: /goes on and on\.txt 1 B · / })
    expect(await long.textContent()).toMatch(/goes on and on\.txt 1 B · /)
    await page.getByRole('link', { name: /empty/ }).tap()
    await page.getByRole('heading', { name: 'empty' }).waitFor()
  })
})
