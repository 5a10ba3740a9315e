// The server cannot be reached: nothing typed is lost, and things go on by themselves afterwards.
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { startGateway } from '../support/gateway.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import {
  boxOf,
  folderPages,
  followLink,
  goOffline,
  type OpenIn,
  servedPages,
  sharedBrowser,
} from './browser-steps.ts'
import { doubleClick, entry, selectionBar } from './listing-steps.ts'
import { makeShare } from './share-steps.ts'

const openShared = sharedBrowser()
const openIn: OpenIn = (server, options) => openShared(server, { ...options, isAlone: true })
const openServed = servedPages(openIn)
const openFolder = folderPages(openIn)

describe('a lost connection', () => {
  it('is said, keeps what was changed, and saving works once it is back', async () => {
    await using open = await openFolder({}, { path: '/settings/profile' })
    const { page, context } = open
    const exact = page.getByRole('switch', { name: 'Show exact dates' })
    await exact.check()
    await goOffline(page)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('No connection to the server.', { exact: true }).first().waitFor()
    await page.getByText('No connection to the server. Trying again…').waitFor()
    await expect.poll(() => exact.isChecked()).toBe(true)
    await context.setOffline(false)
    await page.getByText('No connection to the server. Trying again…').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Settings saved').first().waitFor()
  })

  it('is said before anything fails, when the device knows of it', async () => {
    await using open = await openFolder({}, { path: '/files/' })
    const { page, context } = open
    const heading = page.getByRole('heading', { name: 'This folder is empty' })
    await heading.waitFor()
    await page.waitForLoadState('networkidle')
    const before = await boxOf(heading)
    await goOffline(page)
    await page.getByText('No connection to the server. Trying again…').waitFor()
    // It lies over the page, whose parts stay where they are.
    expect(await boxOf(heading)).toEqual(before)
    await context.setOffline(false)
    await page.getByText('No connection to the server. Trying again…').waitFor({ state: 'hidden' })
  })

  it('lets the same name be tried again once it is back', async () => {
    await using open = await openFolder({ 'a.txt': 'a' }, { path: '/files/' })
    const { page, context } = open
    await entry(page, 'a.txt').click()
    await page.keyboard.press('F2')
    const field = page.getByLabel('New name')
    await field.fill('b.txt')
    await goOffline(page)
    await page.keyboard.press('Enter')
    await page.locator('#listing').getByText('No connection to the server.').waitFor()
    const told = page.getByText('No connection to the server. Trying again…')
    await told.waitFor()
    await context.setOffline(false)
    await told.waitFor({ state: 'hidden' })
    await field.press('Enter')
    await entry(page, 'b.txt').waitFor()
  })

  it('shows a page once it is back that could not be loaded before', async () => {
    await using open = await openServed({}, { path: '/settings/profile' })
    const { page, context } = open
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    await goOffline(page)
    await page.getByRole('link', { name: 'User management' }).click()
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    await context.setOffline(false)
    await page.getByText('All permissions').waitFor()
  })

  it('keeps the page alive when a part of it cannot be loaded', async () => {
    await using open = await openFolder({}, { path: '/settings/users/1' })
    const { page, context } = open
    await page.getByLabel('Root folder').fill('/somewhere')
    await goOffline(page)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByText(/This dialog couldn’t be opened/)
      .first()
      .waitFor()
    await expect.poll(() => page.getByLabel('Root folder').inputValue()).toBe('/somewhere')
    await context.setOffline(false)
    const dialog = page.getByLabel('Your current password')
    await waitFor('the dialog', async () => {
      // Once it is there, the button lies under it.
      if (await dialog.isVisible()) return true
      await page.getByRole('button', { name: 'Save changes' }).click({ timeout: 2000 })
      return dialog.isVisible()
    })
  })

  it('takes no form from under what is typed: it is shown once all its parts are there', async () => {
    await using open = await openFolder({}, { path: '/settings/profile' })
    const { page } = open
    const held = Promise.withResolvers<void>()
    await page.route(/c-account-[^/]*\.js$/, (route) => held.promise.then(() => route.continue()))
    const calls = ['/api/users/1', '/api/groups', '/api/settings']
    const answers = calls.map((path) => page.waitForResponse((from) => from.url().endsWith(path)))
    await followLink(page, '/settings/users/1')
    for (const answer of await Promise.all(answers)) await answer.finished()
    await page.evaluate(() => new Promise((drawn) => requestIdleCallback(drawn)))
    expect(await page.getByLabel('Root folder').count()).toBe(0)
    held.resolve()
    await page.getByLabel('Root folder').waitFor()
  })

  it('opens the folder that could not be opened, once it is back', async () => {
    await using open = await openFolder({ 'docs/inner.txt': 'x' }, { path: '/files/' })
    const { page, context } = open
    await entry(page, 'docs').waitFor()
    await goOffline(page)
    // The line that says so moves the listing down.
    await page.getByText('No connection to the server. Trying again…').waitFor()
    await doubleClick(entry(page, 'docs'))
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    await context.setOffline(false)
    await entry(page, 'inner.txt').waitFor()
  })

  it('takes the rows from nobody whose other parts had not come before', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' }, { path: '/files/' })
    const { page, context } = open
    const parts = /\/c-(selection-bar|overlays|empty-art)-[^/]*\.js$/
    const lost = Promise.withResolvers<void>()
    await page.route(parts, (route) => lost.promise.then(() => route.abort('internetdisconnected')))
    await page.reload()
    await entry(page, 'a.txt').waitFor()
    await goOffline(page)
    lost.resolve()
    await entry(page, 'a.txt').click()
    await page.getByText('No connection to the server. Trying again…').waitFor()
    await entry(page, 'b.txt').click()
    await expect.poll(() => entry(page, 'b.txt').getAttribute('aria-selected')).toBe('true')
    await page.unroute(parts)
    await context.setOffline(false)
    await selectionBar(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').waitFor()
  })

  it('opens the folder whose list breaks off in the middle, once it comes whole', async () => {
    await using tree = await makeTree({ 'docs/inner.txt': 'x' })
    await using program = await startProgram(tree)
    await using gateway = await startGateway(program)
    await using open = await openIn(program, { path: '/files/', baseURL: gateway.origin })
    const { page } = open
    await entry(page, 'docs').waitFor()
    gateway.refuse = ({ url }) => (url?.includes('/api/resources/docs') ? 'half' : null)
    await doubleClick(entry(page, 'docs'))
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    // Not at once, over and over, but as after every loss.
    await page.getByText('No connection to the server. Trying again…').waitFor()
    gateway.refuse = () => null
    await entry(page, 'inner.txt').waitFor()
  })

  it('shows the shared folder whose list breaks off in the middle, once it comes whole', async () => {
    await using tree = await makeTree({ 'in/inner.txt': 'x' })
    await using program = await startProgram(tree)
    const hash = await makeShare(program, '/in/')
    await using gateway = await startGateway(program)
    gateway.refuse = ({ url }) => (url?.startsWith('/api/public/share/') ? 'half' : null)
    await using open = await openIn(program, {
      path: `/share/${hash}`,
      as: null,
      baseURL: gateway.origin,
    })
    const { page } = open
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    gateway.refuse = () => null
    await page.getByRole('link', { name: 'inner.txt' }).waitFor()
  })

  it('shows the shared folder that could not be opened, once it is back', async () => {
    await using tree = await makeTree({ 'in/sub/inner.txt': 'x' })
    await using program = await startProgram(tree)
    const hash = await makeShare(program, '/in/')
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    const { page, context } = open
    await page.getByRole('link', { name: 'sub' }).waitFor()
    await goOffline(page)
    await page.getByRole('link', { name: 'sub' }).click()
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('link', { name: 'inner.txt' }).waitFor()
  })

  it('starts by itself once the server can be reached', async () => {
    await using open = await openFolder({ 'here.txt': 'x' }, { path: '/files/' })
    const { page } = open
    await entry(page, 'here.txt').waitFor()
    await page.route(/\/(api|health)(\/|$)/, (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    await page.unrouteAll()
    await entry(page, 'here.txt').waitFor()
  })
})

describe('a folder that could not be shown', () => {
  it('is looked for again when the window gets the focus', async () => {
    await using open = await openFolder({ 'a.txt': 'x' }, { path: '/files/later/' })
    const { page, tree } = open
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await tree.add({ 'later/come.txt': 'x' })
    // A browser without a screen never takes the focus away: the page is told so.
    await waitFor('the file', async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      return (await entry(page, 'come.txt').count()) > 0
    })
  })
})
