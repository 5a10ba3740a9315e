// Right-to-left languages: the page is mirrored, and so is what hands do on it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type PageOptions, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES } from '../support/pictures.ts'
import { someOf } from '../support/scale.ts'
import type { TreeContent } from '../support/tree.ts'
import { boxOf, folderPages } from './browser-steps.ts'
import { entry, expectSelected, focusedName, stillBox } from './listing-steps.ts'
import { placeToTouch } from './touch-steps.ts'

const openFolder = folderPages()

/** A page of a folder for somebody who speaks that language; it begins with the list. */
function openSpeaking(locale: string, content: TreeContent, options: Omit<PageOptions, 'as'> = {}) {
  const profile = { locale, viewMode: 'list' } as const
  return openFolder(content, { path: '/files/', profile, ...options })
}

/** List, grid or gallery; the words of the switch are in the language. */
async function show(page: Page, view: 'list' | 'mosaic' | 'gallery'): Promise<void> {
  await page.locator('#listing').waitFor()
  await page
    .locator('.crumbbar')
    .getByRole('radio')
    .nth(['list', 'mosaic', 'gallery'].indexOf(view))
    .check()
  await page.locator(`.grid--${view}`).waitFor()
}

async function swipe(finger: CDPSession, row: Locator, byPx: number): Promise<void> {
  const at = await placeToTouch(row)
  const touch = (type: 'touchStart' | 'touchMove', x: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y: at.y }] })
  // All at once: a finger that waits for this program between two steps would hold, and select.
  const sent = [touch('touchStart', at.x)]
  for (let step = 1; step <= 10; step++) sent.push(touch('touchMove', at.x + (byPx * step) / 10))
  await Promise.all(sent)
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}.txt`, 'x']))

for (const locale of ['ar', 'he']) {
  describe(`the files in ${locale}`, () => {
    it('run from right to left: sidebar, breadcrumbs, columns', async () => {
      await using open = await openSpeaking(
        locale,
        { 'one/two/a.txt': 'a' },
        { path: '/files/one/two/' },
      )
      const { page } = open
      await show(page, 'list')
      const html = page.locator('html')
      await expect.poll(() => html.getAttribute('dir')).toBe('rtl')
      await expect.poll(() => html.getAttribute('lang')).toBe(locale)
      const main = await boxOf(page.locator('#main'))
      expect((await boxOf(page.locator('#sidebar'))).x).toBeGreaterThanOrEqual(main.right - 1)
      const row = entry(page, 'a.txt')
      // What can be done with it is shown where the pointer is.
      await row.hover()
      const parts = ['.lrow__check', '.name', '.modified', '.size', '.lrow__acts']
      const lefts = await Promise.all(parts.map(async (part) => (await boxOf(row.locator(part))).x))
      expect(lefts).toEqual([...lefts].sort((a, b) => b - a))
      const heads = page.locator('.lhead > [role="columnheader"]')
      const name = await boxOf(heads.nth(1).getByRole('button'))
      expect(name.right).toBeGreaterThan((await boxOf(heads.nth(2).getByRole('button'))).right)
      const crumbs = page.locator('.breadcrumbs a.crumb')
      await expect.poll(() => crumbs.count()).toBe(3)
      const crumbLefts = await Promise.all(
        (await crumbs.all()).map(async (crumb) => (await boxOf(crumb)).x),
      )
      expect(crumbLefts).toHaveLength(3)
      expect(crumbLefts).toEqual([...crumbLefts].sort((a, b) => b - a))
      const arrow = page.locator('.crumb__sep .i').first()
      expect(await arrow.evaluate((icon) => getComputedStyle(icon).transform)).toBe(
        'matrix(-1, 0, 0, 1, 0, 0)',
      )
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.poll(sideways).toBe(0)
      expect(open.problems).toEqual([])
    })
  })
}

// The second language differs by its words: both in `npm run test:long`.
for (const locale of someOf(['ar', 'he'], 2)) {
  describe(`hands on the files in ${locale}`, () => {
    it('swap the arrow keys in a grid, whose first card is on the right', async () => {
      await using open = await openSpeaking(locale, twelve)
      const { page } = open
      await show(page, 'mosaic')
      const first = await boxOf(entry(page, 'f0.txt'))
      expect(first.x).toBeGreaterThan((await boxOf(entry(page, 'f1.txt'))).right)
      await entry(page, 'f0.txt').click()
      await page.keyboard.press('ArrowLeft')
      await expectSelected(page, ['f1.txt'])
      await page.keyboard.press('ArrowLeft')
      await expectSelected(page, ['f2.txt'])
      await page.keyboard.press('ArrowRight')
      await expectSelected(page, ['f1.txt'])
      await waitFor('the focus', async () => (await focusedName(page)) === 'f1.txt')
    })

    it('select with a box what lies under it', async () => {
      await using open = await openSpeaking(locale, twelve)
      const { page } = open
      await show(page, 'mosaic')
      const first = await stillBox(entry(page, 'f0.txt'))
      const second = await boxOf(entry(page, 'f1.txt'))
      // From the heading above down over the two cards furthest to the right.
      await page.mouse.move(first.right - 20, first.y - 8)
      await page.mouse.down()
      await page.mouse.move(second.x + 40, first.y + 30, { steps: 6 })
      await page.locator('.band').waitFor()
      await page.mouse.up()
      await expectSelected(page, ['f0.txt', 'f1.txt'])
    })

    it('open menus towards the left, inside the window', async () => {
      await using open = await openSpeaking(locale, twelve)
      const { page } = open
      await show(page, 'list')
      const row = await stillBox(entry(page, 'f3.txt'))
      const menu = page.getByRole('menu')
      await page.mouse.click(row.right - 120, row.y + 20, { button: 'right' })
      await expect
        .poll(async () => Math.abs((await boxOf(menu)).right - (row.right - 120)))
        .toBeLessThan(4)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      // Too near to the left edge it opens to the right.
      await page.mouse.click(row.x + 20, row.y + 20, { button: 'right' })
      await expect.poll(async () => (await boxOf(menu)).x).toBeGreaterThanOrEqual(8)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      const button = page.locator('#upload-button')
      await button.click()
      const apart = async () => {
        const under = await boxOf(menu)
        const at = await boxOf(button)
        return Math.min(Math.abs(under.right - at.right), Math.abs(under.x - at.x))
      }
      // An edge of the menu meets an edge of its button.
      await expect.poll(apart).toBeLessThanOrEqual(1)
    })

    it('keep names in their own direction, the extension behind the stem', async () => {
      await using open = await openSpeaking(locale, {
        'report (final) 2024.txt': 'x',
        'מסמך 12 (3).txt': 'x',
      })
      const { page } = open
      await show(page, 'list')
      /** Left edges of single characters of the name. */
      const lefts = (name: string, characters: string) =>
        entry(page, name)
          .locator('.fname')
          .evaluate((label, wanted) => {
            const text = label.textContent ?? ''
            const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT)
            const places: number[] = []
            for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
              for (let at = 0; at < (node.textContent ?? '').length; at++) {
                const range = document.createRange()
                range.setStart(node, at)
                range.setEnd(node, at + 1)
                places.push(range.getBoundingClientRect().left)
              }
            }
            return [...wanted].map((character) => places[text.indexOf(character)] ?? 0)
          }, characters)
      const latin = await lefts('report (final) 2024.txt', 'r(l)2.x')
      expect(latin).toEqual([...latin].sort((a, b) => a - b))
      // Hebrew runs to the left, the number inside it and the extension stay readable: the dot stands
      // between the two.
      const [stem = 0, one = 0, two = 0, dot = 0, last = 0] = await lefts(
        'מסמך 12 (3).txt',
        'מ12.x',
      )
      expect(stem).toBeGreaterThan(one)
      expect(one).toBeLessThan(two)
      expect(dot).toBeLessThan(one)
      expect(last).toBeLessThan(dot)
    })

    it('keep the dot before the endings of archives', async () => {
      await using open = await openSpeaking(locale, { 'a.txt': 'a', 'b.txt': 'b' })
      const { page } = open
      await show(page, 'list')
      await entry(page, 'a.txt').click()
      await entry(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
      await page.locator('.selbar__formats').click()
      const [dot = 0, letter = 0] = await page
        .getByRole('menuitem', { name: '.zip' })
        .evaluate((item) => {
          const text = document.createTreeWalker(item, NodeFilter.SHOW_TEXT).nextNode()
          const range = document.createRange()
          return [0, 1].map((at) => {
            range.setStart(text ?? item, at)
            range.setEnd(text ?? item, at + 1)
            return range.getBoundingClientRect().left
          })
        })
      expect(dot).toBeLessThan(letter)
    })

    it('leave a unit behind its number in the editor', async () => {
      await using open = await openSpeaking(locale, { 'a.md': '# a' }, { path: '/files/a.md' })
      const size = open.page.locator('.ed-tools__size')
      await size.getByText('14').waitFor()
      const [number = 0, unit = 0] = await size.evaluate((label) => {
        const text = document.createTreeWalker(label, NodeFilter.SHOW_TEXT).nextNode()
        const range = document.createRange()
        return ['1', 'px'].map((part) => {
          const at = text?.textContent?.indexOf(part) ?? -1
          range.setStart(text ?? label, at)
          range.setEnd(text ?? label, at + 1)
          return range.getBoundingClientRect().left
        })
      })
      expect(number).toBeLessThan(unit)
    })

    it('open and close folders of the tree with the arrows swapped', async () => {
      await using open = await openSpeaking(locale, { 'a.txt': 'a', 'one/two/x.txt': 'x' })
      const { page } = open
      await show(page, 'list')
      await entry(page, 'a.txt').click()
      await page.locator('.selbar button:has(.lucide-copy)').click()
      const dialog = page.getByRole('dialog')
      const folder = dialog.getByRole('treeitem', { name: 'one' })
      await folder.click()
      await page.keyboard.press('ArrowLeft')
      await dialog.getByRole('treeitem', { name: 'two' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await dialog.getByRole('treeitem', { name: 'two' }).waitFor({ state: 'detached' })
    })

    it('swipe the other way on a phone', async () => {
      await using open = await openSpeaking(
        locale,
        { 'a.txt': 'a', 'b.txt': 'b' },
        {
          path: '/files/',
          viewport: PHONE,
          hasTouch: true,
          isMobile: true,
          reducedMotion: 'no-preference',
        },
      )
      const { page } = open
      const finger = await page.context().newCDPSession(page)
      await page.locator('.grid--touch').waitFor()
      await swipe(finger, entry(page, 'a.txt'), 150)
      const buttons = page.locator('.swipe-acts')
      await buttons.getByRole('button').first().waitFor()
      // They lie where the row was: at its left end.
      await expect.poll(async () => (await boxOf(buttons)).x).toBeLessThan(40)
      await expectSelected(page, [])
      await swipe(finger, entry(page, 'b.txt'), -120)
      await expectSelected(page, ['b.txt'])
    })
  })
}

it.each([
  ['letter.docx', 'A letter of samples'],
  ['letter.odt', 'An open letter'],
  ['book.epub', 'The first chapter'],
])('%s runs as its own words do, not as the page', async (name, words) => {
  const content = await readFile(join(SAMPLES, name))
  await using open = await openSpeaking('ar', { [name]: content }, { path: `/files/${name}` })
  const heading = open.page.getByText(words).first()
  await expect.poll(() => heading.evaluate((each) => getComputedStyle(each).direction)).toBe('ltr')
})
