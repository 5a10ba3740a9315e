// What the page asks for, and whom.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { languages } from '../../web/lib/i18n.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { doubleClick, entry, showList } from './listing-steps.ts'
import { makeShare } from './share-steps.ts'

const openIn = sharedBrowser()

function watchRequests(page: Page): URL[] {
  const seen: URL[] = []
  page.on('request', (request) => seen.push(new URL(request.url())))
  return seen
}

/** The languages whose texts were asked for. */
function languagesOf(requests: readonly URL[]): string[] {
  const known = languages.map(({ code }) => code)
  const codes = requests.map(({ pathname }) => /\/c-([a-z-]+)-[0-9A-Z]+\.js$/.exec(pathname)?.[1])
  return known.filter((code) => codes.includes(code))
}

describe('the page', () => {
  it('asks for the texts of the chosen language only', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    await using open = await openIn(program, { path: '/404', as: null, locale: 'de-DE' })
    const { page } = open
    const seen = watchRequests(page)
    await page.goto('/login')
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    await expect.poll(() => languagesOf(seen)).toEqual(['de'])
    await page.getByRole('button', { name: 'Sprache' }).click()
    await page.getByRole('menuitemradio', { name: 'Français' }).click()
    await page.waitForFunction(() => document.documentElement.lang === 'fr')
    await expect.poll(() => languagesOf(seen)).toEqual(['de', 'fr'])
  })

  it('asks nobody but its own server, whichever screen is open', async () => {
    await using tree = await makeTree({
      'a.txt': 'x',
      'read.md': '# Title\n\n![far](https://example.org/far.png)\n',
      'sub/x.txt': 'x',
    })
    await using program = await startProgram(tree)
    const hash = await makeShare(program, '/sub/')
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    const seen = watchRequests(page)
    await showList(page)
    await doubleClick(entry(page, 'sub'))
    await entry(page, 'x.txt').waitFor()
    await page.goto('/files/a.txt')
    await page.getByText('x', { exact: true }).first().waitFor()
    await page.goto('/files/read.md')
    await page.getByRole('heading', { name: 'Title' }).waitFor()
    for (const path of ['profile', 'shares', 'users', 'global', 'users/1']) {
      await page.goto(`/settings/${path}`)
      await page.locator('main').getByRole('heading').or(page.getByRole('row')).first().waitFor()
    }
    await page.goto(`/share/${hash}`)
    await page.getByText('x.txt').first().waitFor()
    await page.goto('/404')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(seen.length).toBeGreaterThan(20)
    const elsewhere = seen.filter(({ protocol, origin }) => {
      return !['blob:', 'data:'].includes(protocol) && origin !== program.origin
    })
    expect(elsewhere.map(String)).toEqual([])
  })
})
