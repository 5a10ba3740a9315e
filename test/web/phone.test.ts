// The files screen under a thumb: taps, press and hold, swipes, the bar at the lower edge.
import { readdir, writeFile } from 'node:fs/promises'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import type { Program } from '../support/program.ts'
import type { TreeContent } from '../support/tree.ts'
import { servedPages } from './browser-steps.ts'
import { entry, expectSelected, toast, twoFrames } from './listing-steps.ts'
import { makePicture } from './share-steps.ts'
import { placeToTouch } from './touch-steps.ts'

const openServed = servedPages()

/** The folder as a list on a phone. */
async function openPhone(content: TreeContent) {
  const open = await openServed(content, {
    args: ['--trash', 'off'],
    path: '/files/',
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    // Swipes are off where motion is unwanted.
    reducedMotion: 'no-preference',
    prepare: startAsList,
  })
  await open.page.locator('.grid--touch').waitFor()
  return { ...open, finger: await open.context.newCDPSession(open.page) }
}

async function startAsList(program: Program): Promise<void> {
  const admin = await loginAs(program.origin)
  const answer = await admin.fetch('/api/users/1', {
    method: 'PUT',
    body: JSON.stringify({ what: 'user', which: ['viewMode'], data: { id: 1, viewMode: 'list' } }),
  })
  expect(answer.status).toBe(200)
}

interface Point {
  x: number
  y: number
}

async function middleOf(target: Locator): Promise<Point> {
  const box = await target.boundingBox()
  if (box === null) throw new Error('not on the screen')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function touch(
  finger: CDPSession,
  type: 'touchStart' | 'touchMove' | 'touchEnd',
  at: Point[],
) {
  await finger.send('Input.dispatchTouchEvent', { type, touchPoints: at })
}

async function isOnScreen(target: Locator): Promise<boolean> {
  const box = (await target.isVisible()) ? await target.boundingBox() : null
  return box !== null && box.x + box.width > 0
}

async function hold(page: Page, finger: CDPSession, target: Locator): Promise<void> {
  const at = await placeToTouch(target)
  await touch(finger, 'touchStart', [at])
  await page.locator('#listing [aria-selected="true"]').first().waitFor()
  await touch(finger, 'touchEnd', [])
}

async function swipe(finger: CDPSession, from: Point, by: Point): Promise<void> {
  const at = (step: number) => ({ x: from.x + (by.x * step) / 10, y: from.y + (by.y * step) / 10 })
  // All at once: a finger that waits for this program between two steps would hold, and select.
  const sent = [touch(finger, 'touchStart', [from])]
  for (let step = 1; step <= 10; step++) sent.push(touch(finger, 'touchMove', [at(step)]))
  await Promise.all(sent)
  await touch(finger, 'touchEnd', [])
}

describe('the files screen on a phone', () => {
  it('opens with a tap, goes up by the breadcrumb', async () => {
    await using open = await openPhone({ 'folder/in.txt': 'inner text' })
    const { page } = open
    await entry(page, 'folder').tap()
    await entry(page, 'in.txt').waitFor()
    await page.getByRole('banner').getByText('folder', { exact: true }).waitFor()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').first().tap()
    await entry(page, 'folder').waitFor()
    await entry(page, 'folder').tap()
    await entry(page, 'in.txt').tap()
    await page.getByText('inner text').first().waitFor()
    expect(open.problems).toEqual([])
  })

  it('says how much is in a folder', async () => {
    await using open = await openPhone({ 'full/a.txt': 'a', 'full/b.txt': 'b', empty: null })
    await entry(open.page, 'full').getByText('2 items · ').waitFor()
    await entry(open.page, 'empty').getByText('Empty folder · ').waitFor()
    // The size of folders is not known.
    await hold(open.page, open.finger, entry(open.page, 'full'))
    await open.page.locator('.tools__count').getByText('1 item', { exact: true }).waitFor()
    expect(open.problems).toEqual([])
  })

  it('selects by press and hold, then toggles with taps, and acts from the bar', async () => {
    await using open = await openPhone({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    const { page, finger, tree } = open
    await hold(page, finger, entry(page, 'a.txt'))
    await expectSelected(page, ['a.txt'])
    await entry(page, 'c.txt').tap()
    await expectSelected(page, ['a.txt', 'c.txt'])
    await page.getByRole('banner').getByText('2 selected').waitFor()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await expect
      .poll(() => bar.getByRole('button').allInnerTexts())
      .toEqual(['Download', 'Move', 'Copy', 'Delete', 'More'])
    await entry(page, 'a.txt').tap()
    await entry(page, 'c.txt').tap()
    await bar.waitFor({ state: 'detached' })
    await hold(page, finger, entry(page, 'b.txt'))
    await page.getByRole('button', { name: 'Select all' }).tap()
    await expectSelected(page, ['a.txt', 'b.txt', 'c.txt'])
    await bar.getByRole('button', { name: 'Delete' }).tap()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).tap()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    // Nobody drops files from elsewhere with a finger.
    expect(await page.getByText('Drop files').count()).toBe(0)
    // The screen is ahead of the disk.
    await waitFor('an empty folder', async () => (await readdir(tree.root)).length === 0)
    expect(open.problems).toEqual([])
  })

  it('has a menu for each entry as a sheet, which leaves nothing selected', async () => {
    await using open = await openPhone({ 'a.txt': 'a' })
    const { page, tree } = open
    await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
    const menu = page.getByRole('menu')
    await menu.getByText('a.txt').waitFor()
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    await expectSelected(page, [])
    await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
    await menu.getByRole('menuitem', { name: 'Rename' }).tap()
    const field = page.getByRole('dialog').getByLabel('New name')
    await field.fill('b.txt')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).tap()
    await entry(page, 'b.txt').waitFor()
    await toast(page, 'Renamed').waitFor()
    expect(await readdir(tree.root)).toEqual(['b.txt'])
  })

  it('makes things with the round button', async () => {
    await using open = await openPhone({ 'a.txt': 'a' })
    const { page } = open
    await page.getByRole('button', { name: 'New', exact: true }).last().tap()
    await expect
      .poll(() => page.getByRole('menuitem').allInnerTexts())
      .toEqual([
        ...['New folder', 'New file', 'New from template'],
        ...['Upload files', 'Upload folder', 'Take photo'],
      ])
    await page.getByRole('menuitem', { name: 'New folder' }).tap()
    await page.getByRole('dialog').getByLabel('Name').fill('trip')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).tap()
    await entry(page, 'trip').waitFor()
  })

  it('asks the camera at the back for a photo and uploads it', async () => {
    await using open = await openPhone({ 'a.txt': 'a' })
    const { page } = open
    await page.getByRole('button', { name: 'New', exact: true }).last().tap()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('menuitem', { name: 'Take photo' }).tap()
    const input = (await chooser).element()
    await expect.poll(() => input.getAttribute('capture')).toBe('environment')
    await expect.poll(() => input.getAttribute('accept')).toBe('image/*')
    expect((await chooser).isMultiple()).toBe(false)
    const buffer = await makePicture()
    await (await chooser).setFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer })
    await entry(page, 'photo.jpg').waitFor()
    expect(open.problems).toEqual([])
  })

  it('ends at a width of 736 pixels', async () => {
    await using open = await openServed(
      { 'a.txt': 'a' },
      { path: '/files/', viewport: { width: 736, height: 800 } },
    )
    const { page } = open
    const round = page.locator('.fab')
    const searchField = page.locator('.searchbox')
    const places = page.getByRole('navigation', { name: 'Places' })
    await round.waitFor()
    await searchField.waitFor({ state: 'hidden' })
    await expect.poll(() => isOnScreen(places)).toBe(false)
    await page.setViewportSize({ width: 737, height: 800 })
    await searchField.waitFor()
    await round.waitFor({ state: 'detached' })
    await expect.poll(() => isOnScreen(places)).toBe(true)
    await page.setViewportSize({ width: 736, height: 800 })
    await round.waitFor()
    await searchField.waitFor({ state: 'hidden' })
    expect(open.problems).toEqual([])
  })

  it('reveals Share and Delete by a swipe, never acts by itself, and selects by the other', async () => {
    await using open = await openPhone({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, finger, tree } = open
    await swipe(finger, await placeToTouch(entry(page, 'a.txt')), { x: -150, y: 0 })
    const buttons = page.locator('.swipe-acts')
    await buttons.getByRole('button', { name: 'Delete' }).waitFor()
    expect(await readdir(tree.root)).toEqual(['a.txt', 'b.txt'])
    await entry(page, 'b.txt').tap({ position: { x: 5, y: 30 }, trial: true })
    await buttons.getByRole('button', { name: 'Delete' }).tap()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).tap()
    await expectSelected(page, [])
    await swipe(finger, await placeToTouch(entry(page, 'b.txt')), { x: 120, y: 0 })
    await expectSelected(page, ['b.txt'])
  })

  it('drags after press and hold, with the folder under the finger as target', async () => {
    await using open = await openPhone({ 'a.txt': 'a', to: null })
    const { page, finger, tree } = open
    const from = await placeToTouch(entry(page, 'a.txt'))
    const to = await middleOf(entry(page, 'to'))
    await touch(finger, 'touchStart', [from])
    await page.locator('#listing [aria-selected="true"]').waitFor()
    for (const share of [0.3, 0.6, 1]) {
      await touch(finger, 'touchMove', [
        { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share },
      ])
    }
    await page.locator('.item.drop').waitFor()
    await touch(finger, 'touchEnd', [])
    await waitFor('the move', async () => (await readdir(tree.at('to'))).includes('a.txt'))
    expect(open.problems).toEqual([])
  })

  it('refreshes when pulled down at the top', async () => {
    await using open = await openPhone({ 'a.txt': 'a' })
    const { page, finger, tree } = open
    await entry(page, 'a.txt').waitFor()
    await writeFile(tree.at('new.txt'), 'new')
    await swipe(finger, await placeToTouch(entry(page, 'a.txt')), { x: 0, y: 220 })
    await entry(page, 'new.txt').waitFor()
  })

  it('needs no sideways scrolling on a narrow screen', async () => {
    await using open = await openPhone({ ['long name '.repeat(20)]: 'x', 'b.txt': 'b' })
    const { page } = open
    await page.setViewportSize({ width: 320, height: 640 })
    await entry(page, 'b.txt').waitFor()
    const overflow = () =>
      page.evaluate(() => [
        document.documentElement.scrollWidth - innerWidth,
        (document.getElementById('listing')?.scrollWidth ?? 0) -
          (document.getElementById('listing')?.clientWidth ?? 0),
      ])
    await expect.poll(overflow).toEqual([0, 0])
  })

  it('closes with Back what is on top: menu, dialog, search, drawer, selection, then the folder', async () => {
    await using open = await openPhone({ 'sub/a.txt': 'a', 'sub/b.txt': 'b' })
    const { page, finger } = open
    await entry(page, 'sub').tap()
    await entry(page, 'a.txt').waitFor()
    const inSub = () => new URL(page.url()).pathname === '/files/sub/'
    await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    await page.goBack()
    await menu.waitFor({ state: 'detached' })
    await expect.poll(inSub).toBe(true)
    await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
    await menu.getByRole('menuitem', { name: 'Rename' }).tap()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(inSub).toBe(true)
    await page.getByRole('button', { name: 'Search', exact: true }).first().tap()
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(inSub).toBe(true)
    await page.getByRole('banner').getByRole('button', { name: 'Menu', exact: true }).tap()
    const veil = page.getByRole('button', { name: 'Close menu' })
    await veil.waitFor()
    await page.goBack()
    await veil.waitFor({ state: 'detached' })
    await expect.poll(inSub).toBe(true)
    await hold(page, finger, entry(page, 'a.txt'))
    await expectSelected(page, ['a.txt'])
    await page.goBack()
    await expectSelected(page, [])
    await expect.poll(inSub).toBe(true)
    await entry(page, 'a.txt').waitFor()
    await page.goBack()
    await entry(page, 'sub').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/files/')
    await page.goForward()
    await entry(page, 'a.txt').waitFor()
    expect(open.problems).toEqual([])
  })

  it('starts a selection from the menu, too', async () => {
    await using open = await openPhone({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page } = open
    const banner = page.getByRole('banner')
    await banner.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name: 'Select', exact: true }).tap()
    await banner.getByText('0 selected').waitFor()
    await entry(page, 'a.txt').tap()
    await entry(page, 'b.txt').tap()
    await expectSelected(page, ['a.txt', 'b.txt'])
    await banner.getByRole('button', { name: 'Clear selection' }).tap()
    await page.getByRole('button', { name: 'New', exact: true }).last().waitFor()
  })
})

describe('the files screen on a tablet', () => {
  it('takes a tap beside what lies over it for no tap on itself', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.txt`, 'x']))
    await using open = await openServed(
      { ...files, 'folder/x.txt': 'x' },
      { path: '/files/', viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true },
    )
    const { page } = open
    const [high, low] = [
      await placeToTouch(entry(page, 'folder')),
      await placeToTouch(entry(page, '7.txt')),
    ]
    const over = page.getByRole('dialog').or(page.getByRole('menu'))
    const leaveAt = async ({ x, y }: Point) => {
      await over.waitFor()
      await page.touchscreen.tap(x, y)
      await over.waitFor({ state: 'detached' })
      // What a tap opens is asked for at once.
      await twoFrames(page)
      expect(new URL(page.url()).pathname).toBe('/files/')
    }
    const more = entry(page, '0.txt').getByRole('button', { name: 'More' })
    await more.tap()
    await leaveAt(high)
    await more.tap()
    await page.getByRole('menuitem', { name: 'Rename' }).tap()
    await page.getByRole('dialog').waitFor()
    await leaveAt(high)
    await page.getByRole('button', { name: /Search files and folders/ }).tap()
    await leaveAt(low)
    // The page itself takes taps as before.
    await entry(page, 'folder').tap()
    await entry(page, 'x.txt').waitFor()
  })

  it('pastes, downloads and refreshes by finger from the button beside the breadcrumbs', async () => {
    await using open = await openServed(
      { 'a.txt': 'a', 'to/x.txt': 'x' },
      { path: '/files/', viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true },
    )
    const { page, tree } = open
    const finger = await page.context().newCDPSession(page)
    await entry(page, 'a.txt').waitFor()
    await hold(page, finger, entry(page, 'a.txt'))
    await page
      .getByRole('toolbar', { name: 'Selection' })
      .getByRole('button', { name: 'More' })
      .tap()
    await page.getByRole('menuitem', { name: 'Copy', exact: true }).tap()
    await page.getByRole('button', { name: 'Clear selection' }).tap()
    await entry(page, 'to').tap()
    await entry(page, 'x.txt').waitFor()
    await page.getByRole('button', { name: 'More actions' }).tap()
    await page.getByRole('menuitem', { name: 'Paste' }).tap()
    // The row is there before the file is.
    await toast(page, 'Copied 1 item').waitFor()
    await entry(page, 'a.txt').waitFor()
    expect(await tree.read('to/a.txt')).toBe('a')
    await writeFile(tree.at('to/new.txt'), 'new')
    await page.getByRole('button', { name: 'More actions' }).tap()
    await page.getByRole('menuitem', { name: 'Refresh' }).tap()
    await entry(page, 'new.txt').waitFor()
    await page.getByRole('button', { name: 'More actions' }).tap()
    const [whole] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download', exact: true }).tap(),
    ])
    await whole.cancel()
    expect(open.problems).toEqual([])
  })
})
