// Copying and cutting across tabs, reloads and people.
import { readdir } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { addUser, entry, showList, toast, userLogin } from './listing-steps.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

describe('the clipboard', () => {
  it('pastes in a tab what was cut in another, and is then empty in both', async () => {
    await using tree = await makeTree({ 'from/a.txt': 'A', 'from/b.txt': 'B', to: null })
    await using program = await startProgram(tree)
    await using open = await openPage(browser, program, { path: '/files/from/' })
    const { page, context } = open
    const other = await context.newPage()
    await other.goto('/files/to/')
    await other.locator('#listing').waitFor()
    await page.bringToFront()
    await showList(page)
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await page.locator('#listing .is-cut').waitFor()
    await other.bringToFront()
    await other.locator('#listing').focus()
    await other.keyboard.press('Control+v')
    await toast(other, 'Moved 1 item').waitFor()
    expect(await readdir(tree.at('to'))).toEqual(['a.txt'])
    await page.bringToFront()
    await page.locator('#listing .is-cut').waitFor({ state: 'detached' })
    await entry(page, 'b.txt').click({ button: 'right' })
    await page.getByRole('menu').waitFor()
    expect(await page.getByRole('menuitem', { name: 'Paste' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('lives through a reload, but is nothing to somebody else who signs in', async () => {
    await using tree = await makeTree({ 'a.txt': 'A', 'to/x.txt': 'X' })
    await using program = await startProgram(tree)
    await addUser(program, 'bob', ['create', 'rename', 'modify', 'delete'])
    await using open = await openPage(browser, program, { path: '/files/' })
    const { page, context } = open
    await showList(page)
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await page.locator('#listing .is-cut').waitFor()
    await page.reload()
    await page.locator('#listing .is-cut').waitFor()
    const login = await context.request.post('/api/login', {
      data: { ...userLogin('bob'), recaptcha: '' },
    })
    expect(login.ok()).toBe(true)
    await page.goto('/files/')
    await entry(page, 'a.txt').waitFor()
    expect(await page.locator('#listing .is-cut').count()).toBe(0)
    await entry(page, 'to').dblclick()
    await entry(page, 'x.txt').waitFor()
    await page.keyboard.press('Control+v')
    await page.keyboard.press('Alt+ArrowUp')
    await entry(page, 'a.txt').waitFor()
    await waitFor('nothing moved', async () => (await readdir(tree.at('to'))).length === 1)
  })
})
