// What lies over the screen of a phone for a while leaves free what is being used.
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { DESKTOP, PHONE } from '../support/browser.ts'
import type { Tree } from '../support/tree.ts'
import { boxOf, folderPages, goOffline, sharedBrowser } from './browser-steps.ts'
import { entry, toast } from './listing-steps.ts'
import { clipboard } from './share-steps.ts'
import { holdEntry } from './touch-steps.ts'
import { panel, pickFiles, slowUploads } from './upload-steps.ts'

const shared = sharedBrowser()
const openFolder = folderPages((server, options) => shared(server, { ...options, isAlone: true }))

const phone = {
  ...{ path: '/files/', viewport: PHONE, isMobile: true, hasTouch: true },
  profile: { viewMode: 'list' },
} as const

/** By how many pixels the two overlap from above to below. */
async function overlapPx(a: Locator, b: Locator): Promise<number> {
  await Promise.all([a, b].map((each) => each.evaluate(settled)))
  const [one, other] = [await boxOf(a), await boxOf(b)]
  const across = Math.min(one.right, other.right) - Math.max(one.x, other.x)
  return across <= 0 ? 0 : Math.min(one.bottom, other.bottom) - Math.max(one.y, other.y)
}

/** In the page: nothing that moves it is under way. */
async function settled(element: Element): Promise<void> {
  const moves = document.getAnimations().filter(({ effect }) => {
    const { target } = effect as KeyframeEffect
    return target?.contains(element)
  })
  await Promise.allSettled(moves.map(({ finished }) => finished))
}

/** One that goes on for longer than a test. */
async function beginUpload(page: Page, tree: Tree): Promise<void> {
  const big = join(tree.base, 'big.bin')
  await writeFile(big, randomBytes(24 << 20))
  await slowUploads(page, 1 << 18)
  await pickFiles(page, [big])
  await panel(page).getByText('Uploading 1 of 1 file').waitFor()
}

it('an open upload panel is above the bar of what is selected', async () => {
  await using open = await openFolder({ 'a.txt': 'a' }, phone)
  const { page, tree } = open
  await beginUpload(page, tree)
  await holdEntry(page, entry(page, 'a.txt'))
  const bar = page.getByRole('toolbar', { name: 'Selection' })
  for (const width of [PHONE.width, 600]) {
    await page.setViewportSize({ ...PHONE, width })
    await expect.poll(() => overlapPx(page.locator('.up'), bar)).toBeLessThanOrEqual(0)
  }
  await bar.getByRole('button', { name: 'Delete' }).tap()
  await page.getByRole('alertdialog').waitFor()
})

it('an open upload panel is above the bar that saves settings, whatever the width', async () => {
  await using open = await openFolder({}, { path: '/files/', viewport: DESKTOP })
  const { page, tree } = open
  await beginUpload(page, tree)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('switch', { name: 'Show exact dates' }).check({ force: true })
  const save = page.getByRole('button', { name: 'Save', exact: false })
  await save.waitFor()
  for (const width of [DESKTOP.width, 820, PHONE.width]) {
    await page.setViewportSize({ ...PHONE, width })
    await expect.poll(() => overlapPx(page.locator('.up'), save)).toBeLessThanOrEqual(0)
  }
})

it('a message about a dialog is over neither its fields nor its answers, and can be closed', async () => {
  await using open = await openFolder({ 'a.txt': 'a' }, { ...phone, ...clipboard })
  const { page } = open
  await entry(page, 'a.txt').getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Share' }).tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create and copy link' }).tap()
  const told = toast(page, 'Link copied')
  await told.waitFor()
  for (const used of [
    dialog.locator('.share__password'),
    dialog.getByRole('button', { name: 'Create and copy link' }),
    dialog.locator('.dlg__head').getByRole('button', { name: 'Close' }),
  ])
    expect(await overlapPx(told, used)).toBeLessThanOrEqual(0)
  await told.getByRole('button', { name: 'Dismiss' }).tap()
  await told.waitFor({ state: 'detached' })
  await dialog.waitFor()
  expect(open.problems).toEqual([])
})

it('a message that a closing dialog leaves stays in sight beside those before it', async () => {
  await using open = await openFolder({ 'a.txt': 'a' }, phone)
  const { page } = open
  const make = async (name: string) => {
    await page.locator('.fab').tap()
    await page.getByRole('menuitem', { name: 'New folder' }).tap()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).tap()
    await toast(page, `Created folder “${name}”`).waitFor()
  }
  await make('one')
  await make('two')
  await toast(page, 'Created folder “one”').waitFor()
  expect(open.problems).toEqual([])
})

it('what says that there is no connection is over neither the way up nor the round button', async () => {
  await using open = await openFolder({ 'sub/a.txt': 'a' }, { ...phone, path: '/files/sub/' })
  const { page } = open
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
  // A folder that cannot be read has none.
  await entry(page, 'a.txt').waitFor()
  const before = await boxOf(crumbs)
  await goOffline(page)
  const told = page.locator('.offline')
  await told.getByText('No connection to the server. Trying again…').waitFor()
  expect(await boxOf(crumbs)).toEqual(before)
  expect(await overlapPx(told, crumbs)).toBeLessThanOrEqual(0)
  expect(await overlapPx(told, page.locator('.fab'))).toBeLessThanOrEqual(0)
  const { x, right } = await boxOf(told)
  expect(x).toBeGreaterThanOrEqual(0)
  expect(right).toBeLessThanOrEqual(PHONE.width)
})
