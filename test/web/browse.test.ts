// Looking around: folders, views, order, dates, breadcrumbs, going back, links, errors.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { startProgram } from '../support/program.ts'
import { AWKWARD_NAMES, makeTree, setModified } from '../support/tree.ts'
import { entry, expectNames, expectSelected, focusedName, showList } from './listing-steps.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

describe('the listing', () => {
  it('shows every awkward name, and opens each through a real link', async () => {
    await using tree = await makeTree()
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    for (const name of AWKWARD_NAMES) {
      await entry(page, name).waitFor()
      const href = await entry(page, name).locator('a').getAttribute('href')
      const path = new URL(href ?? '', program.origin).pathname
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
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await expectNames(page, ['a folder', 'B folder', 'big.bin', 'f9.txt', 'f10.txt'])
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
    expect(await head('Name').getAttribute('aria-sort')).toBe('ascending')
    await page.getByRole('button', { name: 'Size' }).click()
    await expectNames(page, ['a folder', 'B folder', 'f9.txt', 'f10.txt', 'big.bin'])
    await page.getByRole('button', { name: 'Size' }).click()
    expect(await head('Size').getAttribute('aria-sort')).toBe('descending')
    await expectNames(page, ['a folder', 'B folder', 'big.bin', 'f10.txt', 'f9.txt'])
    const saved = page.waitForResponse((answer) => answer.url().includes('/api/users/'))
    await page.getByRole('button', { name: 'Modified' }).click()
    expect((await saved).status()).toBe(200)
    await page.reload()
    await entry(page, 'f9.txt').waitFor()
    expect(await head('Modified').getAttribute('aria-sort')).toBe('ascending')
    expect(open.problems).toEqual([])
  })

  it('switches between list, grid and gallery by button and key, per folder', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'sub/b.txt': 'b' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/sub/' })
    const { page } = open
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
    expect(open.problems).toEqual([])
  })

  it('shows the way as breadcrumbs, the far ones in a menu', async () => {
    await using tree = await makeTree({ 'one/two/three/four/five/six.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, {
      path: '/files/one/two/three/four/five/',
    })
    const { page } = open
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
    await entry(page, 'six.txt').waitFor()
    expect(await crumbs.getByRole('link').allInnerTexts()).toEqual([
      'My files',
      'three',
      'four',
      'five',
    ])
    expect(await crumbs.getByRole('link', { name: 'five' }).getAttribute('aria-current')).toBe(
      'page',
    )
    await crumbs.getByRole('button', { name: 'Folders above' }).click()
    await page.getByRole('menuitem', { name: 'one' }).click()
    await entry(page, 'two').waitFor()
    // The child one came from is selected.
    await expectSelected(page, ['two'])
    expect(await page.title()).toBe('one - Files - File Browser')
  })

  it('restores scroll, focus and selection on the way back', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `file ${i}.txt`)
    await using tree = await makeTree({
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
      'zz/inner.txt': 'x',
    })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.keyboard.press('End')
    await entry(page, 'file 299.txt').waitFor()
    await page.keyboard.press('Shift+ArrowUp')
    await expectSelected(page, ['file 298.txt', 'file 299.txt'])
    const before = await page.locator('#listing').evaluate((element) => element.scrollTop)
    expect(before).toBeGreaterThan(5000)
    await page.evaluate(() => history.pushState(null, '', '/files/zz/'))
    await entry(page, 'inner.txt').waitFor()
    await page.goBack()
    await expectSelected(page, ['file 298.txt', 'file 299.txt'])
    expect(await page.locator('#listing').evaluate((element) => element.scrollTop)).toBe(before)
    await waitFor('the focus', async () => (await focusedName(page)) === 'file 298.txt')
    expect(open.problems).toEqual([])
  })

  it('notices changes made elsewhere when the window is looked at again', async () => {
    await using tree = await makeTree({ 'a.txt': 'a', 'b.txt': 'b' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
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
    await using tree = await makeTree({ 'Über uns.txt': 'x', 'other.txt': 'y', unten: null })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.keyboard.press('/')
    await page.keyboard.type('UN')
    await expectNames(page, ['unten', 'Über uns.txt'])
    await page.keyboard.type('x')
    await page.getByText('No matching names').waitFor()
    await page.keyboard.press('Escape')
    await expectNames(page, ['unten', 'other.txt', 'Über uns.txt'])
  })

  it('says when a folder is empty, and when it does not exist', async () => {
    await using tree = await makeTree({ empty: null })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/empty/' })
    const { page } = open
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    await page.goto('/files/missing/')
    await page.getByRole('heading', { name: 'We can’t find this location' }).waitFor()
    await mkdir(tree.at('missing'))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  })

  it('opens a folder of the root that is called like the recursive listing', async () => {
    await using tree = await makeTree({ 'recursive/recursive/deep.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await entry(page, 'recursive').dblclick()
    await page.waitForURL('**/files/recursive/')
    await expectNames(page, ['recursive'])
    await entry(page, 'recursive').dblclick()
    await entry(page, 'deep.txt').waitFor()
  })

  it('shows a skeleton only for folders that take their time', async () => {
    await using tree = await makeTree({ 'slow/a.txt': 'x', 'fast/b.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page } = open
    await showList(page)
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(window, { seenLoading: seen })
      new MutationObserver(() => {
        if (document.querySelector('.skeleton')) seen.push(location.pathname)
      }).observe(document.body, { childList: true, subtree: true })
    })
    await page.route('**/api/resources/slow', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 900))
      await route.continue()
    })
    await entry(page, 'slow').dblclick()
    await page.locator('.skeleton').waitFor()
    await entry(page, 'a.txt').waitFor()
    await page.goBack()
    await entry(page, 'fast').waitFor()
    const seen = await page.evaluate(() => Reflect.get(window, 'seenLoading') as string[])
    expect(new Set(seen)).toEqual(new Set(['/files/slow/']))
  })

  it('works below a base URL', async () => {
    await using tree = await makeTree({ 'a#b/inner %.txt': 'inner text' })
    await using program = await startProgram(tree, { args: ['--baseURL', '/cloud'] })
    await using open = await openPage(browser, program, { path: '/cloud/files/', as: null })
    const { page } = open
    await page.goto('/cloud/login')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill('correct horse 9 battery')
    await page.keyboard.press('Enter')
    await entry(page, 'a#b').waitFor()
    await entry(page, 'a#b').dblclick()
    await entry(page, 'inner %.txt').waitFor()
    expect(new URL(page.url()).pathname).toBe('/cloud/files/a%23b/')
    await entry(page, 'inner %.txt').dblclick()
    await page.getByText('inner text').first().waitFor()
  })
})
