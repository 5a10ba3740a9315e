// Tables: guessed, chosen, sorted and filtered.

import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES } from '../support/pictures.ts'
import { boxOf, sharedSite } from './browser-steps.ts'

const site = sharedSite(() => ({
  'semicolons.csv': 'Name;Amount\nAnn;1.234,50\nBob;12,00\n"Cid; junior";-3,10\n',
  'latin.csv': Buffer.from('Stadt,L\xe4nge\nZ\xfcrich,3\n', 'latin1'),
  'tabs.tsv': 'a\tb\n1\t<img src=x onerror="window.harmed=1">\n',
  'uneven.csv': 'x,y\n1,2,3\n\n4\n',
  'mixed.csv': 'a,b;c\n1,2;3\n',
  'empty.csv': '',
  'commas.csv': `first,second\n${','.repeat(4_000_000)}end\n`,
}))

const cells = (page: Page) =>
  page
    .locator('.csv-row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('.csv-cell')].map((cell) => cell.textContent)),
    )

it('guesses delimiter and heading, and shows the cells as they are meant', async () => {
  await using opened = await site.open({ path: '/files/semicolons.csv' })
  const { page } = opened
  await page.getByText('Cid; junior').waitFor()
  const delimiter = page.getByRole('combobox', { name: 'Delimiter' })
  await expect.poll(() => delimiter.inputValue()).toBe(';')
  await expect
    .poll(() => cells(page))
    .toEqual([
      ['Ann', '1.234,50'],
      ['Bob', '12,00'],
      ['Cid; junior', '-3,10'],
    ])
  await page.getByRole('button', { name: 'Amount' }).click()
  await waitFor('numbers by value', async () => (await cells(page))[0]?.[1] === '-3,10')
  await page.getByRole('button', { name: 'Amount' }).click()
  await waitFor('the largest first', async () => (await cells(page))[0]?.[1] === '1.234,50')
  await page.getByRole('textbox', { name: 'Filter rows' }).fill('bob')
  await page.getByText('Rows: 1 of 3').waitFor()
  await page.getByRole('textbox', { name: 'Filter rows' }).fill('')
  await page.getByText('3 rows', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Delimiter' }).selectOption('Comma')
  await page.getByText('Name;Amount').waitFor()
  await page.getByRole('checkbox', { name: 'Header row' }).uncheck()
  await page.getByRole('button', { name: 'Column 1' }).waitFor()
  expect(opened.problems).toEqual([])
})

it('keeps the order and the delimiter chosen right after a text to filter by', async () => {
  await using opened = await site.open()
  const { page } = opened
  await page.clock.install()
  await page.goto('/files/semicolons.csv')
  await page.getByText('Cid; junior').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const filter = page.getByRole('textbox', { name: 'Filter rows' })
  const heading = page.getByRole('columnheader', { name: 'Amount' })
  await filter.fill(',')
  await page.getByRole('button', { name: 'Amount' }).click()
  await page.clock.runFor(1000)
  await waitFor('the order', async () => (await cells(page))[0]?.[1] === '-3,10')
  await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending')
  await filter.fill('bob')
  await page.getByRole('combobox', { name: 'Delimiter' }).selectOption('Comma')
  await page.clock.runFor(1000)
  await page.getByText('Name;Amount').waitFor()
  await page.clock.runFor(1000)
  await page.getByText('3 rows', { exact: true }).waitFor()
  await expect.poll(() => filter.inputValue()).toBe('')
  expect(opened.problems).toEqual([])
})

it('parts cells at commas and semicolons where both are chosen', async () => {
  await using opened = await site.open({ path: '/files/mixed.csv' })
  const { page } = opened
  await page.getByRole('combobox', { name: 'Delimiter' }).selectOption('Comma and semicolon')
  await waitFor('three cells', async () => (await cells(page))[0]?.join(' ') === '1 2 3')
  expect(opened.problems).toEqual([])
})

it('reads other charsets, and again in another one', async () => {
  await using opened = await site.open({ path: '/files/latin.csv' })
  const { page } = opened
  await page.getByText('Zürich').waitFor()
  await page.getByRole('combobox', { name: 'Encoding' }).selectOption('windows-1251')
  await page.getByText('Zьrich').waitFor()
})

it('shows markup as text', async () => {
  await using opened = await site.open({ path: '/files/tabs.tsv' })
  const { page } = opened
  await page.getByText('<img src=x').click()
  await page.getByRole('complementary', { name: 'Cell' }).getByText('<img src=x').waitFor()
  expect(await page.locator('.csv img, .csv-detail img').count()).toBe(0)
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
})

it('copes with uneven rows and with nothing at all', async () => {
  await using opened = await site.open({ path: '/files/uneven.csv' })
  const { page } = opened
  await page.getByRole('button', { name: 'Column 3' }).waitFor()
  await page.getByText('2 rows', { exact: true }).waitFor()
  await page.goto('/files/empty.csv')
  await page.getByText('This table is empty').waitFor()
})

it('shows the first columns of a line of nothing but commas, and says so', async () => {
  await using opened = await site.open({ path: '/files/commas.csv' })
  const { page } = opened
  await page.getByText('Only part of this sheet is shown.').waitFor()
  await page.getByText('1 row × 4,000,001 columns').waitFor()
  const grid = page.getByRole('grid', { name: 'commas.csv' })
  await expect.poll(() => grid.getAttribute('aria-colcount')).toBe('2001')
  await grid.focus()
  await page.keyboard.press('End')
  await page.getByRole('columnheader', { name: 'Column 2000' }).waitFor()
  expect(opened.problems).toEqual([])
})

it('is moved through by keyboard, and shows a long cell whole', async () => {
  await using opened = await site.open({ path: '/files/semicolons.csv' })
  const { page } = opened
  await page.getByText('Cid; junior').waitFor()
  await page.locator('.csv:focus').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('complementary', { name: 'Cell' }).getByText('12,00').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Cell' }).waitFor({ state: 'detached' })
  expect(await page.locator('.csv').count()).toBe(1)
})

it('opens in the editor by the address that File Browser uses', async () => {
  await using opened = await site.open({
    path: '/files/semicolons.csv?edit=true',
  })
  await opened.page.locator('.cm-content').getByText('Name;Amount').waitFor()
})

it('has columns that are made wider by their edges, in sheets as well', async () => {
  await site.tree.add({ 'table.xlsx': await readFile(join(SAMPLES, 'table.xlsx')) })
  await using opened = await site.open({ path: '/files/table.xlsx' })
  const { page } = opened
  const widen = async (heading: Locator) => {
    const { width } = await boxOf(heading)
    const edge = await boxOf(heading.locator('.csv-edge'))
    await page.mouse.move(edge.x + edge.width / 2, edge.y + 5)
    await page.mouse.down()
    await page.mouse.move(edge.x + edge.width / 2 + 60, edge.y + 5, { steps: 3 })
    await page.mouse.up()
    await expect.poll(async () => (await boxOf(heading)).width).toBeCloseTo(width + 60, 0)
  }
  await widen(page.getByRole('columnheader', { name: 'B', exact: true }))
  await page.goto('/files/semicolons.csv')
  await widen(page.locator('.csv-heading').first())
  expect(opened.problems).toEqual([])
})

it('has sheets whose columns are made wider and whose long cells are read by keyboard', async () => {
  await site.tree.add({ 'table.xlsx': await readFile(join(SAMPLES, 'table.xlsx')) })
  await using opened = await site.open({ path: '/files/table.xlsx' })
  const { page } = opened
  const grid = page.getByRole('grid', { name: 'People' })
  await page.getByRole('gridcell', { name: 'Helsinki' }).waitFor()
  await expect.poll(() => grid.evaluate((box) => box === document.activeElement)).toBe(true)
  const second = page.getByRole('columnheader', { name: 'B', exact: true })
  const { width } = await boxOf(second)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(async () => (await boxOf(second)).width).toBeCloseTo(width + 24, 0)
  await page.keyboard.press('Shift+ArrowLeft')
  await expect.poll(async () => (await boxOf(second)).width).toBeCloseTo(width, 0)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  const chosen = grid.getByRole('gridcell', { selected: true })
  await expect.poll(() => grid.getAttribute('aria-activedescendant')).toBe('sheet-1-0')
  await expect.poll(() => chosen.getAttribute('id')).toBe('sheet-1-0')
  const text = (await chosen.textContent()) ?? ''
  await page.keyboard.press('Enter')
  const detail = page.getByRole('complementary', { name: 'Cell' })
  await detail.getByText(text, { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await detail.waitFor({ state: 'detached' })
  await page.getByRole('gridcell', { name: 'Helsinki' }).click()
  await detail.getByText('Helsinki').waitFor()
  expect(opened.problems).toEqual([])
})

it('is sorted by Enter on the name of a column', async () => {
  await using opened = await site.open({ path: '/files/semicolons.csv' })
  const { page } = opened
  await page.getByRole('button', { name: 'Amount' }).focus()
  await page.keyboard.press('Enter')
  const head = page.getByRole('columnheader', { name: 'Amount' })
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending')
  expect(await page.getByRole('complementary', { name: 'Cell' }).count()).toBe(0)
})

it.each([
  ['a tablet', { width: 820, height: 1180 }],
  ['a phone', { width: 390, height: 844 }],
])('chooses how it is read in one line on %s', async (_device, viewport) => {
  const options = { viewport, hasTouch: true, isMobile: true }
  await using opened = await site.open({ path: '/files/semicolons.csv', ...options })
  const { page } = opened
  const fields = ['Delimiter', 'Encoding'].map((name) => page.getByRole('combobox', { name }))
  const heading = page.getByRole('checkbox', { name: 'Header row' })
  for (const field of [...fields, heading]) await field.waitFor()
  const middles = async () => {
    const boxes = await Promise.all([heading, ...fields].map(boxOf))
    return boxes.map(({ y, height }) => Math.round(y + height / 2))
  }
  await expect.poll(async () => new Set(await middles()).size).toBe(1)
})
