// What people see and hear who use no mouse, want no motion or choose their own colours.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { contrast } from '../../web/lib/colour.ts'
import { waitFor } from '../support/deadline.ts'
import { boxOf, sharedBrowser, takeHome } from './browser-steps.ts'
import { asksFor, entry, expectSelected, listedFolders, showList } from './listing-steps.ts'
import { clipboard } from './share-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

/** Waits until screen readers were told exactly this. */
async function expectSaid(page: Page, text: string): Promise<void> {
  await waitFor(`“${text}” to be said`, async () => {
    const regions = await page.locator('body > [aria-live]').allTextContents()
    return regions.some((region) => region.replace('\u00a0', '') === text)
  })
}

/** How long what is drawn of an element moves on its own; 0 when it does not. */
function longestAnimationS(target: Locator): Promise<number> {
  return target.evaluate((element) => {
    const style = getComputedStyle(element)
    const seconds = style.animationName === 'none' ? '0' : style.animationDuration
    return Math.max(...seconds.split(',').map(Number.parseFloat))
  })
}

/** Whether what has the focus, or the field around it, is drawn with a ring; and what it is. */
function focusRing(page: Page): Promise<{ what: string; ring: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    const drawn = (one: Element | null) => {
      if (one === null) return false
      const style = getComputedStyle(one)
      const shown = style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2
      return shown && !/, 0\)$|^transparent$/.test(style.outlineColor)
    }
    const field = element.closest('.filter, label, .seg')
    const inside = field === null ? false : [field, ...field.querySelectorAll('*')].some(drawn)
    return {
      what: `${element.tagName} ${element.className} ${element.getAttribute('aria-label') ?? element.textContent}`,
      ring: drawn(element) || inside,
    }
  })
}

/** Texts below `root` whose colour is too close to what lies behind; what is disabled may be. */
async function faintTexts(page: Page, root: string): Promise<string[]> {
  const texts = await page.evaluate((selector) => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    const context = canvas.getContext('2d', { willReadFrequently: true })
    if (context === null) throw new Error('no canvas')
    // Painted one over the other, as the screen does it: colours may be see-through.
    const paint = (colours: readonly string[]) => {
      context.clearRect(0, 0, 1, 1)
      for (const colour of colours) {
        context.fillStyle = colour
        context.fillRect(0, 0, 1, 1)
      }
      const channels = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
      return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    }
    const found: { text: string; colour: string; ground: string }[] = []
    const within = document.querySelector(selector)
    if (within === null) throw new Error(`no ${selector}`)
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement: element, textContent } = walker.currentNode
      const text = textContent?.trim() ?? ''
      if (element === null || text === '') continue
      const { width, height } = element.getBoundingClientRect()
      const seen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      // What only screen readers get is one pixel in size.
      if (!seen || width <= 1 || height <= 1) continue
      if (element.closest('.sr, option, :disabled, [aria-disabled="true"]') !== null) continue
      const grounds: string[] = []
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        grounds.unshift(getComputedStyle(at).backgroundColor)
      }
      const colour = getComputedStyle(element).color
      found.push({ text, colour: paint([...grounds, colour]), ground: paint(grounds) })
    }
    return found
  }, root)
  expect(texts.length).toBeGreaterThan(2)
  return texts
    .filter(({ colour, ground }) => contrast(colour, ground) < 4.5)
    .map(({ text, colour, ground }) => {
      return `${text}: ${colour} on ${ground} is ${contrast(colour, ground).toFixed(2)}`
    })
}

describe('accessibility', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`draws a ring around whatever Tab reaches, ${colorScheme}`, async () => {
      await using open = await openFolder(
        { 'a.txt': 'abc', 'b.txt': 'abc', 'sub/x.txt': 'x' },
        { colorScheme },
      )
      const { page } = open
      await entry(page, 'a.txt').click()
      const seen = new Set<string>()
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        const { what } = await focusRing(page)
        if (what.startsWith('BODY')) continue
        seen.add(what)
        await expect.poll(async () => (await focusRing(page)).ring, { message: what }).toBe(true)
      }
      expect(seen.size).toBeGreaterThan(15)
      // The selected row, too, on which the ring lies inside.
      await entry(page, 'a.txt').click()
      await page.keyboard.press('ArrowDown')
      await expectSelected(page, ['b.txt'])
      await waitFor('the ring around the row', async () => {
        const { what, ring } = await focusRing(page)
        return what.includes('b.txt') && ring
      })
    })
  }

  it('says what is selected, where one has come, and what went wrong', async () => {
    await using open = await openFolder({ 'a.txt': 'abc', 'b.txt': 'abcd', 'sub/x.txt': 'x' })
    const { page } = open
    await entry(page, 'a.txt').click()
    await expectSaid(page, '1 selected, 3 B')
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await expectSaid(page, '2 selected, 7 B')
    await entry(page, 'sub').dblclick()
    await expectSaid(page, 'sub, 1 file')
    await page.route('**/api/jobs?*', (route) =>
      asksFor(route.request(), 'delete', 'x.txt')
        ? route.fulfill({ status: 500, body: '500' })
        : route.continue(),
    )
    await entry(page, 'x.txt').click()
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await waitFor('the alert', async () => {
      const texts = await page.locator('body > [role="alert"]').allTextContents()
      return texts.some((text) => text.includes('x.txt'))
    })
  })

  it('says in the dialog on top what came of it: nothing outside of it is read', async () => {
    await using open = await openFolder({ 'a.txt': 'abc', 'b.txt': 'abcd' }, clipboard)
    const { page } = open
    await entry(page, 'a.txt').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create and copy link' }).click()
    await dialog.locator('> [aria-live="polite"]').getByText('Link copied').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await entry(page, 'b.txt').click()
    await expectSaid(page, '1 selected, 4 B')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`writes in colours that stand out by 4.5 to 1, ${colorScheme}`, async () => {
      await using open = await openFolder(
        { 'a.txt': 'abc', 'b.zip': 'abc', 'sub/x.txt': 'x' },
        { colorScheme },
      )
      const { page } = open
      await entry(page, 'a.txt').click()
      await expectSelected(page, ['a.txt'])
      await expect.poll(() => faintTexts(page, 'body')).toEqual([])
      await page.keyboard.press('Alt+n')
      await page.getByRole('dialog').waitFor()
      await expect.poll(() => faintTexts(page, 'dialog[open]')).toEqual([])
      for (const path of ['/settings/profile', '/settings/global', '/settings/users']) {
        await page.goto(path)
        await page.locator('main').getByRole('heading').or(page.getByRole('row')).first().waitFor()
        await expect.poll(() => faintTexts(page, 'body'), { message: path }).toEqual([])
      }
    })
  }

  it('moves nothing for people who want no motion', async () => {
    await using home = await takeHome({ 'a.txt': 'abc' })
    for (const [reducedMotion, moves] of [
      ['reduce', false],
      ['no-preference', true],
    ] as const) {
      await using open = await openIn(home, { as: home.as, path: '/files/', reducedMotion })
      const { page } = open
      await showList(page)
      await entry(page, 'a.txt').click({ button: 'right' })
      const menu = page.getByRole('menu')
      await menu.waitFor()
      await expect.poll(async () => (await longestAnimationS(menu)) > 0.01).toBe(moves)
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      await page.keyboard.press('Alt+n')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      await expect.poll(async () => (await longestAnimationS(dialog)) > 0.01).toBe(moves)
    }
  })

  it('shows selection, fields and buttons in the colours of the system', async () => {
    await using open = await openFolder(
      { 'a.txt': 'abc', 'b.txt': 'abc', folder: null },
      { forcedColors: 'active' },
    )
    const { page } = open
    await entry(page, 'a.txt').click()
    await expectSelected(page, ['a.txt'])
    const coloursOf = () =>
      page.evaluate(() => {
        const probe = document.createElement('div')
        probe.style.cssText =
          'forced-color-adjust: none; background: Highlight; color: HighlightText'
        document.body.append(probe)
        const { backgroundColor, color } = getComputedStyle(probe)
        probe.remove()
        const selected = document.querySelector('[aria-selected="true"]')
        const name = selected?.querySelector('.fname')
        const more = selected?.querySelector('[aria-label="More"]')
        const box = document.querySelector('[aria-selected="false"] .check')
        const field = document.querySelector('.searchbox')
        return {
          wanted: [backgroundColor, color, color],
          seen: [
            selected && getComputedStyle(selected).backgroundColor,
            name && getComputedStyle(name).color,
            more && getComputedStyle(more).color,
          ],
          edges: [box, field].map((element) => element && getComputedStyle(element).borderTopStyle),
        }
      })
    const { wanted } = await coloursOf()
    await expect.poll(async () => (await coloursOf()).seen).toEqual(wanted)
    await expect.poll(async () => (await coloursOf()).edges).toEqual(['solid', 'solid'])
    for (const view of ['Grid', 'Gallery']) {
      await page.getByRole('radio', { name: view, exact: true }).check()
      for (const name of ['folder', 'a.txt']) {
        await entry(page, name).click()
        await expectSelected(page, [name])
        const seen = () =>
          entry(page, name).evaluate((element) => {
            const words = element.querySelector('.fname')
            const { backgroundColor, borderTopColor } = getComputedStyle(element)
            return [backgroundColor, words && getComputedStyle(words).color, borderTopColor]
          })
        const [ground, ink] = wanted
        await expect.poll(seen, { message: `${name} as ${view}` }).toEqual([ground, ink, ground])
      }
    }
    // A dialog has an edge, because it has no shadow.
    await page.keyboard.press('F2')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    for (const target of [dialog, dialog.getByRole('button', { name: 'Rename' })]) {
      const edge = () => target.evaluate((element) => getComputedStyle(element).borderTopWidth)
      await expect.poll(edge).toBe('1px')
    }
  })
})

describe('menus', () => {
  it('stay inside the window at its edges and close when the page scrolls', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
    await using open = await openFolder(Object.fromEntries(names.map((name) => [name, 'x'])))
    const { page } = open
    const list = await boxOf(page.locator('#listing'))
    const size = page.viewportSize()
    if (size === null) throw new Error('no window')
    const menu = page.getByRole('menu')
    const openAt = async (x: number, y: number) => {
      await page.mouse.click(x, y, { button: 'right' })
      return boxOf(menu)
    }
    const right = list.x + list.width - 40
    const bottom = list.y + list.height - 30
    const free = await openAt(list.x + 200, list.y + 90)
    expect(Math.abs(free.x - (list.x + 202))).toBeLessThanOrEqual(2)
    await page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
    // At the corner it opens to the other side of the pointer, and upwards.
    const flipped = await openAt(right, bottom)
    expect(flipped.right).toBeLessThanOrEqual(right + 4)
    expect(flipped.y).toBeGreaterThanOrEqual(8)
    expect(flipped.bottom).toBeLessThanOrEqual(size.height - 8)
    await page.mouse.move(list.x + 200, list.y + 200)
    await page.mouse.wheel(0, 300)
    await menu.waitFor({ state: 'detached' })
  })
})
