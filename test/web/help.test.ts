// The help and the palette: both tell what can be done, and with which keys.
import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { boxOf, sharedBrowser, takeHome } from './browser-steps.ts'
import { entry, listedFolders } from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

describe('help and palette', () => {
  it('the help lists every command that has a key, and the keys people know, as caps', async () => {
    await using open = await openFolder({ 'a.txt': 'a' })
    const { page } = open
    await entry(page, 'a.txt').click()
    await page.getByRole('banner').getByRole('button', { name: 'Help' }).click()
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Rename', { exact: true }).waitFor()
    const linesShown = () =>
      dialog.locator('.help__line').evaluateAll((rows) =>
        rows.map((row) => {
          const caps = [...row.querySelectorAll('kbd')].map((cap) => cap.textContent ?? '')
          return `${row.querySelector('dt')?.textContent}: ${caps.join(' ')}`
        }),
      )
    for (const line of [
      'Show this help: F1 ?',
      'Rename: F2',
      'Delete: Del',
      'Clear the selection, close a dialog: Esc',
      'Download, or save in the editor: Ctrl S',
      'Search: Ctrl Shift F',
      'Add or remove one item: Ctrl Click Ctrl Space',
      'Select an item: Click',
      'Open: Double\u00a0click Enter',
      'Undo the last action: Ctrl Z',
    ])
      await expect.poll(linesShown).toContain(line)
    const lines = await linesShown()
    // The palette has every command; what shows keys there is in the list, too.
    await dialog.getByRole('button', { name: 'OK' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    const combinationsShown = () =>
      page.getByRole('option').evaluateAll((options) =>
        options
          .map((option) => [...option.querySelectorAll('kbd')].map((cap) => cap.textContent ?? ''))
          .filter((caps) => caps.length > 0)
          .map((caps) => caps.join(' ')),
      )
    await expect.poll(async () => (await combinationsShown()).length).toBeGreaterThan(15)
    const combinations = await combinationsShown()
    const listed = lines.map((line) => line.slice(line.indexOf(': ') + 2))
    const missing = combinations.filter((keys) => !listed.some((caps) => caps.includes(keys)))
    expect(missing).toEqual([])
  })

  it('the palette goes to pinned and recent folders', async () => {
    await using home = await takeHome({ 'Reports 2026/a.txt': 'a', 'other/b.txt': 'b' })
    await using open = await openIn(home, { as: home.as, path: '/files/Reports%202026/' })
    const { page } = open
    await entry(page, 'a.txt').waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await entry(page, 'other').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('reports')
    await page.getByRole('option', { name: 'Reports 2026' }).click()
    await entry(page, 'a.txt').waitFor()
  })

  it('the palette offers a recent folder no more that turned out to be gone', async () => {
    await using home = await takeHome({ 'Reports 2026/a.txt': 'a', 'b.txt': 'b' })
    const { tree } = home
    await using open = await openIn(home, { as: home.as, path: '/files/Reports%202026/' })
    const { page } = open
    await entry(page, 'a.txt').waitFor()
    await rm(tree.at('Reports 2026'), { recursive: true })
    await page.goto('/files/')
    await entry(page, 'b.txt').waitFor()
    await page.keyboard.press('Control+k')
    const recent = page.getByRole('option', { name: 'Reports 2026' })
    await recent.click()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    await recent.waitFor({ state: 'detached' })
  })

  it('the palette fills the width of a phone', async () => {
    await using home = await takeHome({ 'a.txt': 'a' })
    await using open = await openIn(home, { as: home.as, viewport: { width: 390, height: 844 } })
    const { page } = open
    await entry(page, 'a.txt').waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search and commands' })
    await palette.waitFor()
    expect((await boxOf(palette)).width).toBe(390)
  })
})
