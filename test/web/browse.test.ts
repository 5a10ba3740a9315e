// Looking around: folders, views, order, dates, breadcrumbs, going back, links.
import { rm, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { AWKWARD_NAMES, makeTree, setModified } from '../support/tree.ts'
import { boxOf, folderPages, followLink, servedPages, sharedBrowser } from './browser-steps.ts'
import {
  dragTo,
  entry,
  expectNames,
  expectSelected,
  focusedName,
  listedFolders,
  showList,
  toast,
  twoFrames,
} from './listing-steps.ts'

const openIn = sharedBrowser()
const openServed = folderPages(openIn)
const openServer = servedPages(openIn)
const openFolder = listedFolders(openIn)

/** `file 0.txt` to `file 299.txt`. */
const manyFiles = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`file ${i}.txt`, 'x']))

const scrollTop = (page: Page) => page.locator('#listing').evaluate((element) => element.scrollTop)

/** The answer to the call that saves `value` in the account; those before it may be under way still. */
function answerToSaving(page: Page, value: string) {
  return page.waitForResponse((answer) => {
    const sent = answer.request().postData() ?? ''
    return answer.url().includes('/api/users/') && sent.includes(value)
  })
}

/** Selects the last two of `manyFiles`; gives how far that scrolled, in pixels. */
async function selectLastTwo(page: Page): Promise<number> {
  await page.keyboard.press('End')
  await entry(page, 'file 299.txt').waitFor()
  await page.keyboard.press('Shift+ArrowUp')
  await expectSelected(page, ['file 298.txt', 'file 299.txt'])
  let scrolled = 0
  await waitFor('the end of the scrolling', async () => {
    const before = await scrollTop(page)
    await twoFrames(page)
    scrolled = await scrollTop(page)
    return scrolled > 5000 && scrolled === before
  })
  return scrolled
}

describe('the listing', () => {
  it('shows every awkward name, and opens each through a real link', async () => {
    await using open = await openFolder()
    const { page, origin } = open
    for (const name of AWKWARD_NAMES) {
      await entry(page, name).waitFor()
      const href = await entry(page, name).locator('a').getAttribute('href')
      const path = new URL(href ?? '', origin).pathname
      expect(decodeURIComponent(path.slice('/files/'.length))).toBe(name)
    }
    await entry(page, 'link-dangling').getByText('Broken link').waitFor()
    expect(await entry(page, 'link-outside').count()).toBe(0)
    for (const name of ['100%.txt', 'hash#tag.txt', 'new\nline.txt', 'question?.txt']) {
      await entry(page, name).dblclick()
      await page
        .getByText(`content of ${name}`.split('\n')[0] ?? '')
        .first()
        .waitFor()
      await page.goBack()
      await entry(page, name).waitFor()
    }
    expect(open.problems).toEqual([])
  })

  it('keeps folders before files, sorts by each column and remembers the order', async () => {
    await using tree = await makeTree({
      'f10.txt': '1234567890',
      'f9.txt': '1',
      'big.bin': 'x'.repeat(5000),
      'B folder': null,
      'a folder': null,
    })
    await setModified(tree.at('f9.txt'), '2020-01-01T00:00:00Z')
    await setModified(tree.at('f10.txt'), '2021-01-01T00:00:00Z')
    await setModified(tree.at('big.bin'), '2022-01-01T00:00:00Z')
    await setModified(tree.at('a folder'), '2020-01-01T00:00:00Z')
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await expectNames(page, ['a folder', 'B folder', 'big.bin', 'f9.txt', 'f10.txt'])
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
    const expectOrder = (name: string, order: string) =>
      expect.poll(() => head(name).getAttribute('aria-sort')).toBe(order)
    await expectOrder('Name', 'ascending')
    await page.getByRole('button', { name: 'Size' }).click()
    await expectNames(page, ['a folder', 'B folder', 'f9.txt', 'f10.txt', 'big.bin'])
    await page.getByRole('button', { name: 'Size' }).click()
    await expectOrder('Size', 'descending')
    await expectNames(page, ['a folder', 'B folder', 'big.bin', 'f10.txt', 'f9.txt'])
    await page.getByRole('button', { name: 'Kind' }).click()
    await page.getByRole('button', { name: 'Kind' }).click()
    await expectNames(page, ['a folder', 'B folder', 'f9.txt', 'f10.txt', 'big.bin'])
    await page.reload()
    await expectOrder('Kind', 'descending')
    const saved = answerToSaving(page, '"modified"')
    await page.getByRole('button', { name: 'Modified' }).click()
    expect((await saved).status()).toBe(200)
    await page.reload()
    await expectNames(page, ['a folder', 'B folder', 'f9.txt', 'f10.txt', 'big.bin'])
    await expectOrder('Modified', 'ascending')
    // Another browser knows it from the account.
    await using other = await openIn(program, { path: '/files/' })
    await showList(other.page)
    await expectNames(other.page, ['a folder', 'B folder', 'f9.txt', 'f10.txt', 'big.bin'])
    expect(open.problems).toEqual([])
  })

  it('sorts grids by a menu', async () => {
    await using open = await openServed(
      { 'a.txt': '333', 'b.txt': '1', 'c.txt': '22' },
      { path: '/files/' },
    )
    const { page } = open
    await page.getByRole('radio', { name: 'Grid' }).check()
    await page.locator('.grid--mosaic').waitFor()
    const choose = async (order: string) => {
      await page.getByRole('button', { name: /^Sort by/ }).click()
      await page.getByRole('menuitemradio', { name: order }).click()
    }
    await choose('Size')
    await expectNames(page, ['b.txt', 'c.txt', 'a.txt'])
    await choose('Descending')
    await expectNames(page, ['a.txt', 'c.txt', 'b.txt'])
    await page.getByRole('button', { name: 'Sort by: Size' }).click()
    for (const [name, checked] of [
      ['Size', 'true'],
      ['Name', 'false'],
      ['Descending', 'true'],
    ] as const) {
      const item = page.getByRole('menuitemradio', { name })
      await expect.poll(() => item.getAttribute('aria-checked')).toBe(checked)
    }
  })

  it('heads the groups, gives folders a dash and dates as the account wants them', async () => {
    await using tree = await makeTree({ 'a.txt': 'abc', 'sub/x.txt': 'x' })
    const threeDays = new Date(Date.now() - 3 * 24 * 3600_000 - 60_000)
    await setModified(tree.at('a.txt'), threeDays.toISOString())
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await showList(page)
    const headings = () => page.locator('.grid__heading').allInnerTexts()
    await expect.poll(headings).toEqual(['Folders 1', 'Files 1'])
    const sizeOf = (name: string) => entry(page, name).locator('.size').textContent()
    await expect.poll(() => sizeOf('sub')).toContain('—')
    await expect.poll(() => sizeOf('a.txt')).toBe('3 B')
    const date = entry(page, 'a.txt').locator('time')
    await expect.poll(() => date.textContent()).toBe('3 days ago')
    expect(await date.getAttribute('datetime')).toContain(
      threeDays.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length),
    )
    const tip = () => date.getAttribute('data-tip')
    await expect.poll(tip).toMatch(/\d{1,2}\/\d{1,2}\/\d{2}, \d{1,2}:\d{2}/)
    const exact = await tip()
    const admin = await loginAs(program.origin)
    const answer = await admin.fetch('/api/users/1', {
      method: 'PUT',
      body: JSON.stringify({
        what: 'user',
        which: ['dateFormat'],
        data: { id: 1, dateFormat: true },
      }),
    })
    expect(answer.status).toBe(200)
    await page.reload()
    await waitFor('the exact date', async () => (await date.textContent()) === exact)
    await expect.poll(tip).toBe('3 days ago')
  })

  it('writes dates in another language as soon as it is chosen', async () => {
    await using open = await openFolder({ 'a.txt': 'x' })
    const { page } = open
    const date = page.getByRole('row').filter({ hasText: 'a.txt' }).locator('time')
    await date.getByText('Now', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await date.getByText('Jetzt', { exact: true }).waitFor()
  })

  it('shows lower rows when asked, and remembers it', async () => {
    await using open = await openFolder(manyFiles)
    const { page } = open
    const height = async () => (await entry(page, 'file 1.txt').boundingBox())?.height
    await expect.poll(height).toBe(44)
    const more = page.getByRole('button', { name: 'More actions' })
    await more.click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click()
    await waitFor('lower rows', async () => (await height()) === 36)
    await page.reload()
    await waitFor('lower rows again', async () => (await height()) === 36)
    await more.click()
    const item = page.getByRole('menuitemcheckbox', { name: 'Compact rows' })
    await expect.poll(() => item.getAttribute('aria-checked')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await entry(page, 'file 1.txt').click()
    await expectSelected(page, ['file 1.txt'])
    // What is calculated is what is drawn, down to the last row.
    await page.keyboard.press('End')
    await entry(page, 'file 299.txt').waitFor()
    await waitFor('the last row as a whole', async () => {
      const last = await boxOf(entry(page, 'file 299.txt'))
      return last.bottom <= (await boxOf(page.locator('#listing'))).bottom
    })
    expect(open.problems).toEqual([])
  })

  it('switches between list, grid and gallery by button and key, per folder', async () => {
    await using open = await openServer({ 'a.txt': 'a', 'sub/b.txt': 'b' }, { path: '/files/sub/' })
    const { page, program } = open
    await page.getByRole('radio', { name: 'Gallery' }).check()
    await page.locator('.grid--gallery').waitFor()
    await page.getByRole('link', { name: 'My files' }).first().click()
    await entry(page, 'a.txt').waitFor()
    await page.keyboard.press('Control+Shift+1')
    await page.locator('.grid--list').waitFor()
    await entry(page, 'sub').dblclick()
    await page.locator('.grid--gallery').waitFor()
    await page.goBack()
    await page.locator('.grid--list').waitFor()
    await page.keyboard.press('Control+Shift+2')
    await page.locator('.grid--mosaic').waitFor()
    const saved = answerToSaving(page, '"mosaic gallery"')
    await page.keyboard.press('Control+Shift+3')
    expect((await saved).status()).toBe(200)
    // Another browser begins with it.
    await using other = await openIn(program, { path: '/files/' })
    await other.page.locator('.grid--gallery').waitFor()
    expect(open.problems).toEqual([])
  })

  it('shows the way as breadcrumbs, the far ones in a menu', async () => {
    await using open = await openServed(
      { 'one/two/three/four/five/six.txt': 'x' },
      { path: '/files/one/two/three/four/five/' },
    )
    const { page } = open
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
    const shown = () => crumbs.getByRole('link').allInnerTexts()
    await entry(page, 'six.txt').waitFor()
    await expect.poll(shown).toEqual(['My files', 'three', 'four', 'five'])
    const current = () => crumbs.getByRole('link', { name: 'five' }).getAttribute('aria-current')
    await expect.poll(current).toBe('page')
    await crumbs.getByRole('link', { name: 'four' }).click()
    await entry(page, 'five').waitFor()
    await expect.poll(shown).toEqual(['My files', 'two', 'three', 'four'])
    const above = crumbs.getByRole('button', { name: 'Parent folders' })
    await above.waitFor()
    await crumbs.getByRole('link', { name: 'three' }).click()
    await entry(page, 'four').waitFor()
    await expect.poll(shown).toEqual(['My files', 'one', 'two', 'three'])
    await expect.poll(() => above.count()).toBe(0)
    await page.goBack()
    await entry(page, 'five').waitFor()
    await above.click()
    await page.getByRole('menuitem', { name: 'one' }).click()
    await entry(page, 'two').waitFor()
    // The child one came from is selected.
    await expectSelected(page, ['two'])
    await expect.poll(() => page.title()).toBe('one - Files - File Browser')
    await crumbs.getByRole('link', { name: 'My files' }).click()
    await entry(page, 'one').waitFor()
    await expect.poll(() => page.title()).toBe('My files - Files - File Browser')
  })

  it('restores scroll, focus and selection on the way back', async () => {
    await using open = await openFolder({ ...manyFiles, 'zz/inner.txt': 'x' })
    const { page } = open
    const before = await selectLastTwo(page)
    await followLink(page, '/files/zz/')
    await entry(page, 'inner.txt').waitFor()
    await page.goBack()
    await expectSelected(page, ['file 298.txt', 'file 299.txt'])
    await waitFor('the place', async () => (await scrollTop(page)) === before)
    await waitFor('the focus', async () => (await focusedName(page)) === 'file 298.txt')
    expect(open.problems).toEqual([])
  })

  it('restores them on the way back from a folder that did not come, and when it changed meanwhile', async () => {
    await using open = await openFolder({ ...manyFiles, 'zz/inner.txt': 'x' })
    const { page } = open
    const before = await selectLastTwo(page)
    const goTo = (path: string) => followLink(page, path)
    const comeBack = async () => {
      await page.goBack()
      await expectSelected(page, ['file 298.txt', 'file 299.txt'])
      await waitFor('the place', async () => (await scrollTop(page)) === before)
      await waitFor('the focus', async () => (await focusedName(page)) === 'file 298.txt')
    }
    await goTo('/files/gone/')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await comeBack()

    let held = true
    await page.route('**/api/resources/zz', (route) => (held ? undefined : route.fallback()))
    await goTo('/files/zz/')
    await page.locator('.skeleton').first().waitFor()
    await comeBack()
    held = false

    await goTo('/files/zz/')
    await entry(page, 'inner.txt').waitFor()
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
    await dragTo(page, entry(page, 'inner.txt'), crumbs.getByRole('link', { name: 'My files' }))
    await toast(page, 'Moved 1 item').waitFor()
    await page.getByText('This folder is empty').first().waitFor()
    await comeBack()
    expect(open.problems).toEqual([])
  })

  it('notices changes made elsewhere when the window is looked at again', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await writeFile(tree.at('c.txt'), 'new')
    await rm(tree.at('b.txt'))
    await waitFor('the listing to be old enough', async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      return (await entry(page, 'c.txt').count()) === 1
    })
    await expectNames(page, ['a.txt', 'c.txt'])
    await expectSelected(page, ['a.txt'])
  })

  it('filters by name while typing, without case and accents', async () => {
    await using open = await openFolder({ 'Über uns.txt': 'x', 'other.txt': 'y', unten: null })
    const { page } = open
    await page.keyboard.press('/')
    await page.locator('.filter input:focus').waitFor()
    await page.keyboard.type('UN')
    await expectNames(page, ['unten', 'Über uns.txt'])
    await page.keyboard.type('x')
    await page.getByText('No matches').waitFor()
    await page.keyboard.press('Escape')
    await expectNames(page, ['unten', 'other.txt', 'Über uns.txt'])
  })
})
