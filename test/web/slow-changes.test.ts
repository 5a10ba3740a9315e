// Changes that take the server long, such as deleting much or a hook that waits: what the screen shows
// while they are under way, whatever else happens meanwhile.
import type { Page, Request, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { JobKind } from '../../src/job-types.ts'
import { waitFor } from '../support/deadline.ts'
import {
  asksFor,
  entry,
  expectNames,
  expectSelected,
  listedFolders,
  runCommand,
  toast,
} from './listing-steps.ts'

const openFolder = listedFolders()

/** Holds the next call of the API like this; `done` lets the server have it and the page its answer. */
function hold(page: Page, method: string, path: string) {
  return holdThe(page, `**/api/resources${path}`, (request) => request.method() === method)
}

/** Holds the next job of this kind. */
function holdJob(page: Page, kind: JobKind) {
  return holdThe(page, '**/api/jobs?*', (request) => asksFor(request, kind))
}

async function holdThe(page: Page, url: string, isIt: (request: Request) => boolean) {
  const asked = Promise.withResolvers<Route>()
  let taken = false
  await page.route(url, async (route) => {
    if (taken || !isIt(route.request())) return route.fallback()
    taken = true
    asked.resolve(route)
  })
  return { asked: asked.promise, done: async () => (await asked.promise).continue() }
}

async function refresh(page: Page): Promise<void> {
  const listed = page.waitForResponse(
    (response) => response.url().endsWith('/api/resources/') && response.ok(),
  )
  await runCommand(page, 'Refresh')
  await listed
}

async function deleteEntry(page: Page, name: string): Promise<void> {
  await entry(page, name).click()
  await page.keyboard.press('Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
}

describe('a change that is under way', () => {
  it('keeps deleted entries out of sight when the folder is listed again', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, tree } = open
    const held = await holdJob(page, 'delete')
    await deleteEntry(page, 'a.txt')
    await held.asked
    await expectNames(page, ['b.txt'])
    await tree.add({ 'c.txt': 'c' })
    await refresh(page)
    await expectNames(page, ['b.txt', 'c.txt'])
    await held.done()
    await toast(page, 'Deleted “a.txt”').waitFor()
    await expectNames(page, ['b.txt', 'c.txt'])
    await refresh(page)
    await expectNames(page, ['b.txt', 'c.txt'])
    expect(open.problems).toEqual([])
  })

  it('brings back what was not deleted after all', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page } = open
    const held = await holdJob(page, 'delete')
    await deleteEntry(page, 'a.txt')
    await held.asked
    await refresh(page)
    await expectNames(page, ['b.txt'])
    await (await held.asked).fulfill({ status: 403, headers: { 'X-Error-Code': 'forbidden' } })
    await toast(page, 'Couldn’t delete “a.txt”.').waitFor()
    await expectNames(page, ['a.txt', 'b.txt'])
  })

  it('does not show a listing from before it, however late that comes', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, tree } = open
    const listing = await hold(page, 'GET', '/')
    await runCommand(page, 'Refresh')
    const route = await listing.asked
    const response = await route.fetch()
    await deleteEntry(page, 'a.txt')
    await toast(page, 'Deleted “a.txt”').waitFor()
    const again = page.waitForResponse((answer) => answer.url().endsWith('/api/resources/'))
    await route.fulfill({ response })
    await again
    await tree.add({ 'c.txt': 'c' })
    await refresh(page)
    await expectNames(page, ['b.txt', 'c.txt'])
    expect(await page.locator('#listing').getByText('a.txt').count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('shows the new name of what is being renamed', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, tree } = open
    const held = await hold(page, 'PATCH', '/a.txt?**')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('z.txt')
    await page.keyboard.press('Enter')
    await held.asked
    await expectNames(page, ['b.txt', 'z.txt'])
    await tree.add({ 'c.txt': 'c' })
    // Coming back to the window lists the folder again when some seconds have passed.
    await waitFor('the new file', async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      return (await entry(page, 'c.txt').count()) > 0
    })
    await expectNames(page, ['b.txt', 'c.txt', 'z.txt'])
    await held.done()
    await toast(page, 'Renamed to “z.txt”').waitFor()
    await waitFor('the new name', async () => (await tree.read('z.txt')) === 'a')
    await expectNames(page, ['b.txt', 'c.txt', 'z.txt'])
    expect(open.problems).toEqual([])
  })

  it('selects a copy when it is made, and leaves the selection alone afterwards', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page } = open
    const copying = await holdJob(page, 'copy')
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+d')
    await copying.asked
    const listing = await hold(page, 'GET', '/')
    await copying.done()
    await listing.asked
    await expectSelected(page, ['a(1).txt'])
    await entry(page, 'b.txt').click()
    await listing.done()
    await toast(page, 'Duplicated 1 item').waitFor()
    await expectSelected(page, ['b.txt'])
    expect(open.problems).toEqual([])
  })
})
