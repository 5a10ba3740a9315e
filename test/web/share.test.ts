// Making, copying, showing and deleting share links in the dialog.
import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ShareRecord } from '../../src/api-types.ts'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { toast } from './listing-steps.ts'
import { clipboard, copied, makeShare } from './share-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

const dialog = (page: Page) => page.getByRole('dialog')
const links = (page: Page) => dialog(page).getByRole('list', { name: 'Existing links' })

/** A folder with one file, of which there is a link. */
const openShared = () =>
  openServed(
    { 'a.txt': 'x' },
    { path: '/files/', prepare: (program) => makeShare(program, '/a.txt') },
  )

/** Opens the dialog of an entry by its context menu. */
async function openShare(page: Page, name: string): Promise<void> {
  await page.locator('#listing').getByText(name, { exact: true }).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Share' }).click()
  await dialog(page)
    .getByText(/^Share “/)
    .waitFor()
}

async function shares(program: Program): Promise<ShareRecord[]> {
  const admin = await loginAs(program.origin)
  return (await (await admin.fetch('/api/shares')).json()) as ShareRecord[]
}

describe('share links', () => {
  it('creates a link, copies it at once, and the link opens for a visitor', async () => {
    await using open = await openServed(
      { 'docs/a#b 100%': 'shared bytes' },
      { path: '/files/docs/', ...clipboard },
    )
    const { page, program } = open
    await openShare(page, 'a#b 100%')
    expect(await links(page).count()).toBe(0)
    await dialog(page).getByRole('radio', { name: '1 day' }).check()
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    const [share] = await shares(program)
    expect(share?.path).toBe('/docs/a#b 100%')
    const left = (share?.expire ?? 0) * 1000 - Date.now()
    expect(left).toBeGreaterThan(86_000_000)
    expect(left).toBeLessThanOrEqual(86_400_000)
    const address = await copied(page)
    expect(address).toBe(`${program.origin}/share/${share?.hash}`)
    await links(page)
      .getByText(share?.hash ?? '?')
      .waitFor()

    await using visitor = await openIn(program, {
      path: new URL(address).pathname,
      as: null,
    })
    await visitor.page.getByRole('heading', { name: 'a#b 100%' }).waitFor()
    await visitor.page.getByText('Link expires').first().waitFor()
  })

  it('takes a life of one’s own and a suggested password, and refuses impossible numbers', async () => {
    await using open = await openServed({ 'a.txt': 'x' }, { path: '/files/', ...clipboard })
    const { page, program } = open
    await openShare(page, 'a.txt')
    await dialog(page).getByRole('radio', { name: 'Custom' }).check()
    const duration = dialog(page).getByLabel('Duration')
    await duration.fill('9999999999')
    await dialog(page).getByText('Enter a number from 0 to').waitFor()
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    expect(await shares(program)).toEqual([])
    await duration.fill('90')
    await dialog(page).getByLabel('Unit').selectOption('minutes')
    await dialog(page)
      .getByText(/^until /)
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Suggest a password' }).click()
    const suggested = dialog(page).getByLabel('Password').first()
    await expect.poll(() => suggested.inputValue()).toMatch(/^[a-z]{4}-[a-z]{4}-[a-z]{4}-\d{3}$/)
    const password = await suggested.inputValue()
    await duration.press('Enter')
    await links(page).getByText('password protected').waitFor()
    const [share] = await shares(program)
    expect(share?.hasPassword).toBe(true)
    await links(page).getByText(`Password: ${password}`).waitFor()
    await links(page).getByRole('button', { name: 'Copy link and password' }).click()
    await expect
      .poll(() => copied(page))
      .toBe(`${program.origin}/share/${share?.hash}\nPassword: ${password}`)
    const left = (share?.expire ?? 0) * 1000 - Date.now()
    expect(left).toBeGreaterThan(5_300_000)
    expect(left).toBeLessThanOrEqual(5_400_000)
    const direct = links(page).getByRole('button', { name: 'Copy direct download link' })
    await expect.poll(() => direct.getAttribute('aria-disabled')).toBe('true')
    const answer = await fetch(`${program.origin}/api/public/share/${share?.hash}`, {
      headers: { 'X-SHARE-PASSWORD': encodeURIComponent(password) },
    })
    expect(answer.status).toBe(200)
  })

  it('takes every unit, hours at first, 0 for ever, and no spaces around a password', async () => {
    await using open = await openServed({ 'a.txt': 'x' }, { path: '/files/', ...clipboard })
    const { page, program } = open
    await openShare(page, 'a.txt')
    await dialog(page).getByRole('radio', { name: 'Custom' }).check()
    const duration = dialog(page).getByLabel('Duration')
    const unit = dialog(page).getByLabel('Unit')
    const password = dialog(page).getByLabel('Password').first()
    await expect.poll(() => unit.inputValue()).toBe('hours')
    const seconds = { seconds: 1, hours: 3600, days: 86_400 }
    for (const [at, [name, length]] of Object.entries(seconds).entries()) {
      await duration.fill('500')
      await unit.selectOption(name)
      await duration.press('Enter')
      await waitFor(
        `the link of ${name}`,
        async () => (await links(page).getByRole('listitem').count()) === at + 1,
      )
      const left = (await shares(program)).map(({ expire }) => expire - Date.now() / 1000)
      const close = left.filter((life) => life <= 500 * length && life > 500 * length - 60)
      expect(close, name).toHaveLength(1)
      // Until it is copied no other one is made.
      await dialog(page).locator('[aria-busy]').waitFor({ state: 'detached' })
    }
    await duration.fill('0')
    await dialog(page).getByText('never expires', { exact: true }).waitFor()
    await password.fill('  two words ')
    await password.press('Enter')
    await links(page).getByText('password protected').waitFor()
    const permanent = (await shares(program)).find(({ expire }) => expire === 0)
    expect(permanent?.hasPassword).toBe(true)
    const answer = await fetch(`${program.origin}/api/public/share/${permanent?.hash}`, {
      headers: { 'X-SHARE-PASSWORD': 'two%20words' },
    })
    expect(answer.status).toBe(200)
    expect(open.problems).toEqual([])
  })

  it('lists permanent links first, then by expiry; copies, shows a QR code, deletes after asking', async () => {
    await using tree = await makeTree({ 'box/a.txt': 'x' })
    await using program = await startProgram(tree)
    const lives = [{ expires: '2', unit: 'days' }, { expires: '5', unit: 'hours' }, {}]
    for (const body of lives) {
      await makeShare(program, '/box/', body)
    }
    const permanent = (await shares(program)).find(({ expire }) => expire === 0)
    await using open = await openIn(program, { path: '/files/', ...clipboard })
    const { page } = open
    await openShare(page, 'box')
    const rows = links(page).getByRole('listitem')
    await rows.nth(2).waitFor()
    await expect
      .poll(() => rows.locator('small').allInnerTexts())
      .toEqual([
        'Permanent',
        expect.stringMatching(/^Expires: in [45] hours$/),
        'Expires: in 2 days',
      ])
    await rows.first().getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    expect(await copied(page)).toBe(`${program.origin}/share/${permanent?.hash}`)
    await rows.first().getByRole('button', { name: 'QR code' }).click()
    const code = rows.first().getByRole('img', { name: 'QR code of the link' })
    await code.locator('path').waitFor({ state: 'attached' })
    await expect
      .poll(() => code.getAttribute('data-text'))
      .toBe(`${program.origin}/share/${permanent?.hash}`)
    await rows.first().getByRole('button', { name: 'Copy direct link to an archive' }).click()
    await page.getByText('Direct link copied').first().waitFor()
    const archive = await fetch(await copied(page))
    expect(archive.headers.get('content-type')).toContain('zip')
    await archive.body?.cancel()

    await rows.first().getByRole('button', { name: 'Delete link' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => rows.count()).toBe(3)
    for (let left = 2; left >= 0; left--) {
      await rows.first().getByRole('button', { name: 'Delete link' }).click()
      await question.getByRole('button', { name: 'Delete link' }).click()
      await expect.poll(() => rows.count()).toBe(left)
    }
    await expect.poll(() => shares(program)).toEqual([])
    // With no link left the dialog is where the next one is made.
    await dialog(page).getByRole('radio', { name: 'Custom' }).check()
    await dialog(page).getByLabel('Duration').waitFor()
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    await rows.first().waitFor()
  })

  it('falls back to the old way of copying where the modern one is refused', async () => {
    await using open = await openServed({ 'a.txt': 'x' }, { path: '/files/' })
    const { page } = open
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      document.addEventListener('copy', () => {
        const { activeElement } = document
        const text = activeElement instanceof HTMLTextAreaElement ? activeElement.value : ''
        Object.assign(window, { copiedText: text })
      })
    })
    await openShare(page, 'a.txt')
    await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    const text = await page.evaluate(() => Reflect.get(window, 'copiedText') as string)
    expect(text).toMatch(/\/share\/[\w-]+$/)
  })

  it('says why nothing was copied', async () => {
    await using open = await openShared()
    const { page } = open
    await page.evaluate(() => {
      const refuse = () => Promise.reject(new DOMException('', 'NotAllowedError'))
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: refuse },
        configurable: true,
      })
      document.execCommand = () => false
    })
    await openShare(page, 'a.txt')
    const copy = links(page).getByRole('button', { name: 'Copy link' })
    await copy.click()
    await toast(page, 'The browser doesn’t allow copying. Permission was denied.').waitFor()
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await copy.click()
    await toast(page, 'This browser can’t copy to the clipboard.').waitFor()
    expect(await page.getByText('Link copied').count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('shows a link made while the others are looked for, once and with the others', async () => {
    await using open = await openShared()
    const { page } = open
    const rows = links(page).getByRole('listitem')
    const create = dialog(page).getByRole('button', { name: 'Create and copy link' })
    const close = dialog(page).getByRole('button', { name: 'Close' }).last()
    const address = '**/api/share/a.txt'
    const isList = (route: Route) => route.request().method() === 'GET'

    // The list was read before the link was made, and comes after it.
    const early = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      if (!isList(route)) return route.continue()
      const response = await route.fetch()
      await early.promise
      await route.fulfill({ response })
    })
    await openShare(page, 'a.txt')
    await create.click()
    await rows.first().waitFor()
    early.resolve()
    await rows.nth(1).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
    await close.click()
    await page.unroute(address)

    // It was read after the link was made, and comes before the answer that tells of it.
    const made = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      if (isList(route)) {
        await made.promise
        return route.continue()
      }
      const response = await route.fetch()
      made.resolve()
      await late.promise
      await route.fulfill({ response })
    })
    await openShare(page, 'a.txt')
    await create.click()
    await rows.nth(2).waitFor()
    late.resolve()
    await waitFor('the end of making it', async () => {
      return (await create.getAttribute('aria-busy')) === null
    })
    await expect.poll(() => rows.count()).toBe(3)
  })

  it('keeps a link that the server does not delete', async () => {
    await using open = await openShared()
    const { page } = open
    await openShare(page, 'a.txt')
    const remove = async () => {
      await links(page).getByRole('button', { name: 'Delete link' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete link' }).click()
    }
    await page.route('**/api/share/*', (route) => route.fulfill({ status: 500, body: '500' }))
    await remove()
    await toast(page, 'Something went wrong on the server.').waitFor()
    await expect.poll(() => links(page).getByRole('listitem').count()).toBe(1)
    expect(await page.getByText('Link deleted').count()).toBe(0)
    await page.unroute('**/api/share/*')
    await remove()
    await toast(page, 'Link deleted').waitFor()
    await links(page).waitFor({ state: 'detached' })
  })

  it('fits a phone', async () => {
    await using open = await openShared()
    const { page } = open
    await openShare(page, 'a.txt')
    await links(page).waitFor()
    await page.setViewportSize(PHONE)
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
  })
})
