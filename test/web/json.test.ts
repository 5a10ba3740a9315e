// JSON as a tree, in the editor and in the viewer.

import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { boxOf, sharedSite } from './browser-steps.ts'
import { makeShare } from './share-steps.ts'

const SAMPLE = `{"10": "ten", "2": 12345678901234567890, "list": [1, {"deep <b>": "needle"}], "none": null}`

const site = sharedSite(async () => {
  const items = Array.from({ length: 300_000 }, (_, id) => ({
    id,
    name: `item ${id}`,
    tags: ['a', 'b'],
  }))
  return {
    'small.json': SAMPLE,
    'broken.json': '{\n  "a": 1,\n  b\n}',
    'lines.json': '{"n": 1}\n{"n": 2}\n',
    'large.json': JSON.stringify({ items }),
  }
})

it('shows keys in their order, long numbers whole, and opens by click and key', async () => {
  await using opened = await site.open({
    path: '/files/small.json?view=json',
  })
  const { page } = opened
  const rows = page.getByRole('treeitem')
  await rows.nth(4).waitFor()
  const texts = async () => (await rows.allTextContents()).map((row) => row.trim())
  await expect
    .poll(texts)
    .toEqual(['{ 4 }', '10:"ten"', '2:12345678901234567890', 'list:[ 2 ]', 'none:null'])
  // The tree has the keys without having been clicked.
  const hasKeys = () =>
    page.evaluate(() => document.activeElement?.closest('[role="tree"]') != null)
  await expect.poll(hasKeys).toBe(true)
  await page.keyboard.press('End')
  await page.getByRole('treeitem', { selected: true }).getByText('none').waitFor()
  await rows.nth(3).click()
  await rows.nth(5).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.getByText('deep <b>').waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.getByText('deep <b>').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Find in the tree' }).fill('needle')
  await page.getByRole('treeitem', { selected: true }).getByText('needle').waitFor()
  await page.getByText('1 of 1').waitFor()
  expect(opened.problems).toEqual([])
})

it('copies the way to a value', async () => {
  await using opened = await site.open({
    path: '/files/small.json?view=json',
  })
  const { page, context } = opened
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('textbox', { name: 'Find in the tree' }).fill('needle')
  const row = page.getByRole('treeitem', { selected: true })
  await row.getByText('needle').waitFor()
  await row.hover()
  await row.getByRole('button', { name: 'Copy path' }).click()
  await page.locator('.toast', { hasText: 'Path copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('$.list[1]["deep <b>"]')
})

it('stands beside the source in the editor and says where a text breaks', async () => {
  await using opened = await site.open({ path: '/files/broken.json' })
  const { page } = opened
  await page.getByRole('radio', { name: 'Tree' }).check()
  await page.getByText('Invalid JSON: error at line 3, column 3.').waitFor()
  await page.getByRole('radio', { name: 'Source' }).check()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"mended": true}')
  await page.getByRole('radio', { name: 'Tree' }).check()
  await page.getByRole('treeitem').getByText('mended').waitFor()
})

it('takes one value per line for a list', async () => {
  await using opened = await site.open({
    path: '/files/lines.json?view=json',
  })
  await opened.page.getByText('[ 2 ]').waitFor()
})

it('opens a large file, in groups, and finds in it', async () => {
  await using opened = await site.open({ path: '/files/large.json' })
  const { page } = opened
  await page.getByRole('treeitem', { name: /items/ }).click()
  await page.getByText('0 … 999:', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Find in the tree' }).fill('item 271828')
  await page.getByRole('treeitem', { selected: true }).getByText('"item 271828"').waitFor()
  expect(await page.getByRole('treeitem').count()).toBeLessThan(120)
  expect(opened.problems).toEqual([])
})

describe('in a share on a phone', () => {
  const openShared = async (name: string) => {
    const path = `/share/${await makeShare(site.program, `/${name}`)}`
    return site.open({ path, viewport: PHONE, as: null })
  }

  it('counts matches in one line beside its buttons', async () => {
    await using opened = await openShared('small.json')
    const { page } = opened
    await page.getByRole('textbox', { name: 'Find in the tree' }).fill('e')
    const count = () => boxOf(page.getByText(/^1 of \d+$/))
    const next = () => boxOf(page.getByRole('button', { name: 'Next match' }))
    await expect.poll(async () => (await count()).height).toBeLessThan(32)
    const overlap = async () => (await count()).right - (await next()).x
    await expect.poll(overlap).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Open as text' }).first().waitFor()
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    expect(opened.problems).toEqual([])
  })

  it('leads from a broken tree to the text', async () => {
    await using opened = await openShared('broken.json')
    const { page } = opened
    await page.getByText('Invalid JSON').waitFor()
    await page.getByRole('button', { name: 'Open as text' }).click()
    await page.locator('.cm-content').getByText('"a": 1').waitFor()
  })
})
