// What must not be cut, covered, squeezed or pushed out of sight, however narrow the page, however long the
// words, and in both directions.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { UserRecord } from '../../src/api-types.ts'
import { DESKTOP, PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { ADMIN } from '../support/program.ts'
import { boxOf, sharedSite } from './browser-steps.ts'
import { addUser, entry, showList, userLogin } from './listing-steps.ts'
import { changeSettings } from './settings-steps.ts'
import { makeShare } from './share-steps.ts'
import { holdEntry } from './touch-steps.ts'

/** Who looks, and in which language. */
const PEOPLE = { mara: 'en', maryam: 'ar', greta: 'de' }
const FINGER_PX = 44
const LONG = `${'a rather long name '.repeat(9)}.txt`
const DEEP = ['some rather long folder', 'another rather long folder', 'a third long folder']
const RTL_NAME = 'تقرير المشروع.txt'

const site = sharedSite(async () => ({
  'plan.md': Array.from({ length: 23 }, (_, n) => `${n + 1}. the step`).join('\n'),
  'song.mp3': await readFile(join(SAMPLES, 'song.mp3')),
  'tone.mp3': await readFile(join(SAMPLES, 'song.mp3')),
  'book.epub': await readFile(join(SAMPLES, 'book.epub')),
  'pack.zip': await readFile(join(SAMPLES, 'pack.zip')),
  [`long/${DEEP.join('/')}/a.txt`]: 'a',
  'table.csv': 'name;city;amount\nMüller;Köln;12,5\nSmith;Leeds;7\n',
  'teams/Aurora launch/a.txt': 'a',
  'teams/A rather long name of a folder in it/a.txt': 'a',
  [LONG]: 'x',
  [RTL_NAME]: 'x',
}))

beforeAll(async () => {
  await changeSettings(site.program, () => ({ signup: true }))
  const admin = await loginAs(site.program.origin)
  for (const [name, locale] of Object.entries(PEOPLE)) {
    await addUser(site.program, name, ['create', 'delete', 'rename', 'download', 'share'])
    const users = (await (await admin.fetch('/api/users')).json()) as UserRecord[]
    const user = users.find(({ username }) => username === name)
    const data = { ...user, locale }
    const body = { what: 'user', which: ['locale'], current_password: ADMIN.password, data }
    const request = { method: 'PUT', body: JSON.stringify(body) }
    expect((await admin.fetch(`/api/users/${user?.id}`, request)).status).toBe(200)
  }
  await makeShare(site.program, '/long/', { password: 'open sesame 12', expires: '3' })
  await makeShare(site.program, '/teams/Aurora launch/', { password: 'open sesame 12' })
})

const TABLET = { width: 820, height: 1180 }
const phone = { viewport: PHONE, isMobile: true, hasTouch: true }

/** Whether the words of an element need no more room than it has. */
function isWhole(words: Locator): Promise<boolean> {
  return words.evaluate((each) => each.scrollWidth <= each.clientWidth)
}

/** How many lines it takes. */
function lines(words: Locator): Promise<number> {
  return words.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  })
}

/** Names of what can be tapped and is smaller than a finger, in `part` of the page. */
async function smallTargets(part: Locator): Promise<string[]> {
  return part.evaluate((element, least) => {
    const kinds = 'button, a[href], summary, select, input:not([type=checkbox], [type=radio])'
    const targets = [...element.querySelectorAll<HTMLElement>(kinds)]
    const shown = targets.filter((each) => each.checkVisibility() && each.clientWidth > 0)
    // The edge around a field is tapped like the field.
    const small = shown.filter((each) => {
      const { width, height } = (each.closest('.input') ?? each).getBoundingClientRect()
      return Math.min(width, height) < least - 0.5
    })
    return small.map((each) => each.ariaLabel ?? each.textContent ?? '')
  }, FINGER_PX)
}

describe('on a tablet', () => {
  const tablet = { viewport: TABLET, hasTouch: true }
  it('what somebody is stays whole beside the button that signs out', async () => {
    await using open = await site.open({ path: '/files/', ...tablet })
    const words = open.page.getByRole('complementary').getByText('Administrator')
    await expect.poll(() => lines(words)).toBe(1)
    await expect.poll(() => isWhole(words)).toBe(true)
    // Fonts of other systems are wider.
    await words.evaluate((each) => {
      each.style.letterSpacing = '0.5px'
    })
    expect(await lines(words)).toBe(1)
    expect(await isWhole(words)).toBe(true)
  })

  it('names of users are whole beside their permissions', async () => {
    await using open = await site.open({ path: '/settings/users', ...tablet })
    const { page } = open
    // Fonts of other systems are wider.
    const name = page.getByRole('row').filter({ hasText: 'You' }).locator('bdi').first()
    await page.getByRole('table').evaluate((each) => {
      each.style.letterSpacing = '1.5px'
    })
    await expect.poll(() => lines(name)).toBe(1)
  })

  it('the words of another language stay in the button that leads back to the files', async () => {
    const options = { as: userLogin('greta'), path: '/settings/profile', ...tablet }
    await using open = await site.open(options)
    const button = open.page.locator('.side__new')
    await button.getByText('Zurück zu den Dateien').waitFor()
    // Fonts of other systems are wider.
    await button.evaluate((each) => {
      each.style.letterSpacing = '3px'
    })
    expect(await isWhole(button)).toBe(true)
  })

  it('a protected link leaves its path the room to be read', async () => {
    await using open = await site.open({ path: '/settings/shares', ...tablet })
    const row = open.page.getByRole('row').filter({ hasText: 'Password' })
    await expect.poll(() => lines(row.getByText('/teams/Aurora launch'))).toBe(1)
  })

  it('the path of a link has what room the other columns leave', async () => {
    const options = { as: userLogin('greta'), path: '/settings/shares', ...tablet }
    await using open = await site.open(options)
    const { page } = open
    await makeShare(site.program, '/teams/A rather long name of a folder in it/', {}, options.as)
    await page.reload()
    const path = page.getByRole('row').getByText('/teams/A rather long name').first()
    await expect.poll(() => lines(path)).toBeLessThanOrEqual(2)
  })

  it('the fields of a new password are in one line, whatever their names take', async () => {
    const options = { as: userLogin('greta'), path: '/settings/profile', ...tablet }
    await using open = await site.open(options)
    const fields = open.page.locator('.pair--three .input > input')
    await expect.poll(() => fields.count()).toBe(3)
    const tops = () => Promise.all([0, 1, 2].map(async (n) => (await boxOf(fields.nth(n))).y))
    await expect.poll(async () => new Set(await tops()).size).toBe(1)
  })

  it('what can be done with all activity stays together', async () => {
    await using open = await site.open({ path: '/settings/activity', ...tablet })
    const { page } = open
    const tops = async () =>
      Promise.all(
        ['Everyone’s activity', 'Save as table'].map(
          async (name) => (await boxOf(page.getByRole('button', { name }))).y,
        ),
      )
    const days = async () =>
      Promise.all(
        ['First day', 'Last day'].map(async (name) => (await boxOf(page.getByLabel(name))).y),
      )
    await expect.poll(async () => new Set(await tops()).size).toBe(1)
    await expect.poll(async () => new Set(await days()).size).toBe(1)
  })
})

describe('the bar of a selection', () => {
  const beside = { width: 1440, height: 900 }
  const offers = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('says by its own words that copies go to a folder, not to the clipboard', async () => {
    await using open = await site.open({ path: '/files/', viewport: beside })
    const { page } = open
    await showList(page)
    await page.locator('#listing [data-index]').first().click()
    await offers(page, 'Copy to…').waitFor()
    await offers(page, 'Move to…').waitFor()
    expect(await offers(page, 'Copy').count()).toBe(0)
    await page.setViewportSize(PHONE)
    await page.locator('.bbar').getByText('Copy', { exact: true }).waitFor()
    await offers(page, 'Copy to…').waitFor()
  })

  it('has icons alone where the words of a language do not fit beside the details', async () => {
    const options = { as: userLogin('greta'), path: '/files/', viewport: beside }
    await using open = await site.open(options)
    const { page } = open
    await page.locator('#listing [data-index]').first().click()
    await page.keyboard.press('Control+i')
    await page.getByRole('complementary', { name: 'Details' }).waitFor()
    await offers(page, 'Kopieren nach…').waitFor()
    await expect.poll(() => isWhole(page.locator('.selbar'))).toBe(true)
  })
})

describe('the details of a file', () => {
  it('break no word of their labels, however long it is in another language', async () => {
    await using open = await site.open({ as: userLogin('greta'), path: '/files/' })
    const { page } = open
    await page.locator('#listing [data-index]').first().click()
    await page.keyboard.press('Control+i')
    const label = page.locator('.details dt', { hasText: 'Berechtigungen' })
    // Fonts of other systems are wider.
    await label.evaluate((each) => {
      each.style.letterSpacing = '1px'
    })
    await expect.poll(() => lines(label)).toBe(1)
    expect(await isWhole(label)).toBe(true)
  })
})

describe('on a tablet without a pointer', () => {
  it('the open folder has the room of those above it, which are in a menu', async () => {
    const tablet = { viewport: TABLET, hasTouch: true, isMobile: true }
    await using open = await site.open({ path: '/files/teams/Aurora%20launch/', ...tablet })
    const { page } = open
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
    const name = crumbs.getByText('Aurora launch', { exact: true })
    await expect.poll(() => isWhole(name)).toBe(true)
    expect(await crumbs.getByRole('link').allInnerTexts()).toEqual(['Aurora launch'])
    await crumbs.getByRole('button', { name: 'Parent folders' }).tap()
    await page.getByRole('menuitem', { name: 'My files' }).waitFor()
    await page.getByRole('menuitem', { name: 'teams' }).tap()
    await page.waitForURL('**/files/teams/')
    await expect.poll(() => crumbs.getByRole('link').allInnerTexts()).toEqual(['My files', 'teams'])
  })

  it('rows have their box and their menu in sight, and no keys are named', async () => {
    const tablet = { viewport: TABLET, hasTouch: true, isMobile: true }
    await using open = await site.open({ path: '/files/', ...tablet })
    const { page } = open
    await showList(page)
    const row = page.locator('#listing [data-index]').first()
    const shown = (part: Locator) => part.evaluate((each) => getComputedStyle(each).opacity)
    await expect.poll(() => shown(row.locator('.check'))).toBe('1')
    await row.getByRole('button', { name: 'More' }).waitFor()
    expect(await page.locator('.keys:visible').count()).toBe(0)
    await page.getByRole('button', { name: 'Help', exact: true }).last().waitFor()
    // The account keeps the view, and other tests look at cards.
    const kept = page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await page.getByRole('radio', { name: 'Grid', exact: true }).check()
    await kept
    await page.locator('.card__menu').first().waitFor()
  })
})

describe('on a phone', () => {
  it('the menu of a card covers little of its picture, and takes a finger', async () => {
    await using open = await site.open({ path: '/files/', ...phone })
    const menu = open.page.locator('.card__menu').first()
    await expect.poll(async () => (await boxOf(menu)).width).toBeGreaterThanOrEqual(FINGER_PX)
    const ground = () => menu.evaluate((each) => getComputedStyle(each).backgroundColor)
    await expect.poll(ground).toBe('rgba(0, 0, 0, 0)')
    const drawnPx = () =>
      menu.evaluate((each) => Number.parseFloat(getComputedStyle(each, '::before').width))
    await expect.poll(drawnPx).toBeLessThanOrEqual(30)
  })

  it('the switch between settings, their fields and the ways of an archive fit a finger', async () => {
    await using open = await site.open({ path: '/settings/profile', ...phone })
    const { page } = open
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    await expect.poll(() => smallTargets(page.locator('.set__menu'))).toEqual([])
    await expect.poll(() => smallTargets(page.locator('.set__page'))).toEqual([])
    await page.goto('/files/pack.zip')
    await page.getByRole('searchbox', { name: 'Find in archive' }).waitFor()
    await expect.poll(() => smallTargets(page.locator('.vw-archive'))).toEqual([])
  })

  it('the row of settings fades out where there is more of it', async () => {
    for (const as of ['mara', 'maryam']) {
      await using open = await site.open({ path: '/settings/profile', as: userLogin(as), ...phone })
      const row = open.page
        .getByRole('navigation')
        .filter({ has: open.page.locator('[aria-current]') })
      await row.waitFor()
      const fades = () =>
        row.evaluate((element) => {
          const style = getComputedStyle(element)
          return ['before', 'after'].map(
            (side) => parseFloat(style.getPropertyValue(`--faded-${side}`)) > 20,
          )
        })
      await expect.poll(fades).toEqual([false, true])
      const scrollTo = (share: number) =>
        row.evaluate((element, part) => {
          const most = element.scrollWidth - element.clientWidth
          const direction = getComputedStyle(element).direction === 'rtl' ? -1 : 1
          element.scrollLeft = direction * part * most
        }, share)
      await scrollTo(0.5)
      await expect.poll(fades).toEqual([true, true])
      await scrollTo(1)
      await expect.poll(fades).toEqual([true, false])
    }
  })

  it('the name of the instance stays whole beside the ways in', async () => {
    await using open = await site.open({ path: '/share/none', as: null, locale: 'de', ...phone })
    const name = open.page.locator('.bare__head .brand .trunc')
    await name.waitFor()
    await expect.poll(() => isWhole(name)).toBe(true)
  })

  it('the field for finding in a text, with its buttons, ends before the edge', async () => {
    await using open = await site.open({ path: '/files/plan.md', ...phone })
    const { page } = open
    await page.locator('.cm-content').waitFor()
    await page.getByRole('button', { name: 'Find', exact: true }).tap()
    const bar = page.getByRole('search')
    const last = bar.getByRole('button', { name: 'Regular expression' })
    await expect.poll(async () => (await boxOf(last)).right).toBeLessThan(PHONE.width)
  })

  it('a protected link leaves its path the room to be read, and says what the values are', async () => {
    await using open = await site.open({ path: '/settings/shares', ...phone })
    const row = open.page.getByRole('row').filter({ hasText: 'Password' })
    await expect.poll(async () => (await boxOf(row.getByText('/long'))).height).toBeLessThan(30)
    const value = row.getByRole('cell').filter({ hasText: 'In 3' })
    const label = () => value.evaluate((cell) => getComputedStyle(cell, '::before').content)
    await expect.poll(label).toBe('"Expires"')
  })

  it('the way to a folder has its parts side by side, and the name of what holds it can be read', async () => {
    const path = `/files/long/${DEEP.join('/').replaceAll(' ', '%20')}/`
    await using open = await site.open({ path, ...phone })
    const crumbs = open.page.getByRole('navigation', { name: 'Breadcrumb' })
    const parts = crumbs.getByRole('listitem')
    await expect.poll(() => parts.count()).toBe(3)
    const gaps = async () => {
      const boxes = await Promise.all((await parts.all()).map(boxOf))
      return boxes.slice(1).map((box, at) => box.x - (boxes[at]?.right ?? 0))
    }
    await expect.poll(async () => Math.min(...(await gaps()))).toBeGreaterThanOrEqual(-1)
    const parent = crumbs.getByText(DEEP.at(-2) ?? '', { exact: true })
    await expect.poll(async () => (await boxOf(parent)).width).toBeGreaterThan(60)
    await crumbs.getByRole('button', { name: 'Parent folders' }).tap()
    await open.page.getByRole('menuitem', { name: DEEP[0] ?? '' }).waitFor()
  })

  it('the name of what holds the open folder is whole where it is short', async () => {
    await using open = await site.open({
      path: '/files/teams/A%20rather%20long%20name%20of%20a%20folder%20in%20it/',
      ...phone,
    })
    const crumbs = open.page.getByRole('navigation', { name: 'Breadcrumb' })
    await expect.poll(() => isWhole(crumbs.getByText('teams', { exact: true }))).toBe(true)
    await expect.poll(() => isWhole(crumbs.getByText(/^A rather long/))).toBe(false)
  })

  it('a folder’s long name is cut at its own end above its files, also from right to left', async () => {
    const options = { as: userLogin('maryam'), ...phone }
    const path = `/files/long/${DEEP.join('/').replaceAll(' ', '%20')}/`
    await using open = await site.open({ path, ...options })
    const name = open.page.locator('.head__title bdi')
    await name.waitFor()
    await name.evaluate((each) => {
      each.textContent = `${each.textContent} `.repeat(4)
    })
    const shown = await boxOf(name)
    const { start, end } = await name.evaluate((each) => {
      const range = document.createRange()
      range.selectNodeContents(each)
      const { left, right } = range.getBoundingClientRect()
      return { start: left, end: right }
    })
    expect(start).toBeGreaterThanOrEqual(shown.x - 1)
    expect(end).toBeGreaterThan(shown.right)
  })

  it('names lie beside their icons, whichever way they and the page run', async () => {
    const gapOf = async (page: Page, name: string) => {
      const row = entry(page, name)
      const icon = await boxOf(row.locator('.tile'))
      const stem = await boxOf(row.locator('.fname__stem'))
      const ending = await boxOf(row.locator('.fname__ext'))
      const [start, end] = [Math.min(stem.x, ending.x), Math.max(stem.right, ending.right)]
      return Math.min(Math.abs(start - icon.right), Math.abs(icon.x - end))
    }
    for (const as of ['mara', 'maryam']) {
      await using open = await site.open({ as: userLogin(as), ...phone })
      await entry(open.page, RTL_NAME).waitFor()
      for (const name of ['plan.md', RTL_NAME])
        await expect.poll(() => gapOf(open.page, name)).toBeLessThan(20)
    }
  })
})

describe('in other languages', () => {
  it('the words under what can be done with a selection are whole', async () => {
    await using open = await site.open({ as: userLogin('greta'), ...phone })
    const { page } = open
    await holdEntry(page, entry(page, 'plan.md'))
    const words = page.locator('.bbar__item > span')
    await words.filter({ hasText: 'Herunterladen' }).waitFor()
    const squeezed = () =>
      words.evaluateAll((all) => {
        const facts = all.map((each) => ({
          text: each.textContent,
          whole: each.scrollWidth <= each.clientWidth + 1,
          lines: Math.round(
            each.clientHeight / Number.parseFloat(getComputedStyle(each).lineHeight),
          ),
        }))
        return facts.filter(({ whole, lines }) => !whole || lines > 1)
      })
    await expect.poll(squeezed).toEqual([])
  })

  it('what can be done with a file of a shared folder is in one line', async () => {
    const hash = await makeShare(site.program, '/teams/Aurora launch/')
    await using open = await site.open({
      path: `/share/${hash}`,
      as: null,
      locale: 'de-DE',
      ...phone,
    })
    const { page } = open
    await page.getByRole('row').filter({ hasText: 'a.txt' }).getByRole('checkbox').tap()
    const buttons = page.getByRole('toolbar', { name: 'Auswahl' }).getByRole('button')
    await buttons.filter({ hasText: 'Herunterladen' }).waitFor()
    await expect.poll(() => buttons.count()).toBe(3)
    const apart = async () => {
      const tops = (await Promise.all((await buttons.all()).map(boxOf))).map(({ y }) => y)
      return Math.max(...tops) - Math.min(...tops)
    }
    await expect.poll(apart).toBeLessThan(FINGER_PX / 2)
  })

  it('an empty field speaks the direction of the page', async () => {
    await using open = await site.open({ as: userLogin('maryam') })
    const field = open.page.locator('.filter input')
    await field.waitFor()
    const direction = () => field.evaluate((each) => getComputedStyle(each).direction)
    await expect.poll(direction).toBe('rtl')
    await field.fill('plan')
    await waitFor('the direction of the text', async () => (await direction()) === 'ltr')
    // Beside its icon, like everything of the page.
    expect(await field.evaluate((each) => getComputedStyle(each).textAlign)).toBe('right')
  })

  it('where something was found stands at the end of its line, from right to left as well', async () => {
    for (const as of ['mara', 'maryam']) {
      await using open = await site.open({ as: userLogin(as) })
      const { page } = open
      await entry(page, 'plan.md').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('aurora')
      const option = page.getByRole('option').filter({ hasText: 'Aurora launch' }).first()
      const gap = async () => {
        const line = await boxOf(option)
        const place = await boxOf(option.getByText('teams', { exact: true }))
        return as === 'mara' ? line.right - place.right : place.x - line.x
      }
      await expect.poll(gap).toBeLessThan(20)
    }
  })

  it('the cells of a table lie below their heading from right to left', async () => {
    await using open = await site.open({ path: '/files/table.csv', as: userLogin('maryam') })
    const { page } = open
    const cells = page.locator('.csv-row').first().locator('.csv-cell')
    await cells.nth(2).waitFor()
    const heads = page.locator('.csv-heading')
    for (let n = 0; n < 3; n++) {
      const offset = async () => (await boxOf(cells.nth(n))).x - (await boxOf(heads.nth(n))).x
      await expect.poll(offset).toBeCloseTo(0, 0)
    }
  })
})

describe('on a desk', () => {
  it('a long name keeps its distance from the date', async () => {
    await using open = await site.open()
    await showList(open.page)
    const row = entry(open.page, LONG.trim())
    const gap = async () =>
      (await boxOf(row.locator('.modified'))).x - (await boxOf(row.locator('.fname'))).right
    await expect.poll(gap).toBeGreaterThanOrEqual(12)
  })

  it.each([
    ['a desk', { viewport: DESKTOP }],
    ['a tablet', { viewport: TABLET, isMobile: true, hasTouch: true }],
  ])('the controls of a song stay in their box on %s', async (_where, options) => {
    await using open = await site.open({ path: '/files/song.mp3', ...options })
    const room = async () => {
      const next = await boxOf(open.page.getByRole('button', { name: 'Next track' }))
      return (await boxOf(open.page.locator('.vw-player'))).right - next.right
    }
    await expect.poll(room).toBeGreaterThanOrEqual(0)
  })

  it('the buttons of a book are all in sight', async () => {
    await using open = await site.open({ path: '/files/book.epub', ...phone })
    const buttons = open.page.getByRole('toolbar', { name: 'Book' }).getByRole('button')
    await buttons.last().waitFor()
    const sides = async () => {
      const boxes = await Promise.all((await buttons.all()).map(boxOf))
      return [Math.min(...boxes.map(({ x }) => x)), Math.max(...boxes.map(({ right }) => right))]
    }
    await expect.poll(async () => (await sides())[0]).toBeGreaterThanOrEqual(0)
    await expect.poll(async () => (await sides())[1]).toBeLessThanOrEqual(PHONE.width)
    expect(await buttons.count()).toBe(6)
  })

  it('what is found in a short text stays on the screen', async () => {
    await using open = await site.open({ path: '/files/plan.md' })
    const { page } = open
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('the step')
    await page.getByRole('search').getByText('of 23').waitFor()
    const found = page.locator('.cm-searchMatch-selected')
    await waitFor('the match on the screen', async () => {
      const { y, bottom } = await boxOf(found)
      const pane = await boxOf(page.locator('.cm-scroller'))
      return y >= pane.y && bottom <= pane.bottom
    })
    await expect.poll(() => page.locator('.cm-scroller').evaluate((each) => each.scrollTop)).toBe(0)
  })

  it('the ending of an archive’s name keeps its direction in a page from right to left', async () => {
    const hash = await makeShare(site.program, '/long/')
    await using open = await site.open({ path: `/share/${hash}`, as: null, locale: 'ar' })
    const ending = open.page.getByText('.zip', { exact: true })
    await ending.waitFor()
    const direction = () => ending.evaluate((each) => getComputedStyle(each).direction)
    await expect.poll(direction).toBe('ltr')
  })
})
