// Copying and cutting across tabs, reloads and people.
import { readdir } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { slowDown } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { folderPages, servedPages } from './browser-steps.ts'
import {
  addUser,
  asksFor,
  entry,
  expectSelected,
  showList,
  toast,
  userLogin,
} from './listing-steps.ts'

const openPages = folderPages()
const openServed = servedPages()

/** Listens behind the page itself: once the result is fulfilled, the page knows what another tab took. */
async function hearOfClipboard(page: Page): Promise<() => Promise<unknown>> {
  const heard = await page.evaluateHandle(() => {
    const event = new Promise<boolean>((resolve) =>
      addEventListener('storage', ({ key }) => key?.includes('clipboard') && resolve(true)),
    )
    return { event }
  })
  return () => heard.evaluate(({ event }) => event)
}

describe('the clipboard', () => {
  it('pastes in a tab what was cut in another, and is then empty in both', async () => {
    await using open = await openPages(
      { 'from/a.txt': 'A', 'from/b.txt': 'B', to: null },
      { path: '/files/from/' },
    )
    const { page, context, tree } = open
    const other = await context.newPage()
    await slowDown(other)
    await other.goto('/files/to/')
    await other.locator('#listing').waitFor()
    const heard = await hearOfClipboard(other)
    await page.bringToFront()
    await showList(page)
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await page.locator('#listing .is-cut').waitFor()
    await heard()
    await other.bringToFront()
    await other.locator('#listing').focus()
    await other.keyboard.press('Control+v')
    await toast(other, 'Moved 1 item').waitFor()
    await expect.poll(() => readdir(tree.at('to'))).toEqual(['a.txt'])
    await page.bringToFront()
    await page.locator('#listing .is-cut').waitFor({ state: 'detached' })
    await entry(page, 'b.txt').click({ button: 'right' })
    await page.getByRole('menu').waitFor()
    expect(await page.getByRole('menuitem', { name: 'Paste' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('lives through a reload, but is nothing to somebody else who signs in', async () => {
    await using open = await openServed(
      { 'a.txt': 'A', 'to/x.txt': 'X' },
      {
        path: '/files/',
        prepare: (program) => addUser(program, 'bob', ['create', 'rename', 'modify', 'delete']),
      },
    )
    const { page, context, tree } = open
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
  it('keeps what another tab took while a cut was still being pasted', async () => {
    await using open = await openPages(
      { 'a.txt': 'A', 'b.txt': 'B', 'to/x.txt': 'X' },
      { path: '/files/' },
    )
    const { page, context, tree } = open
    const other = await context.newPage()
    await slowDown(other)
    await other.goto('/files/')
    await showList(other)
    await page.bringToFront()
    await showList(page)
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await page.locator('#listing .is-cut').waitFor()
    await entry(page, 'to').dblclick()
    await entry(page, 'x.txt').waitFor()
    const moving = Promise.withResolvers<void>()
    await page.route('**/api/jobs?*', async (route) => {
      if (asksFor(route.request(), 'move')) await moving.promise
      await route.continue()
    })
    const asked = page.waitForRequest((request) => asksFor(request, 'move'))
    await page.keyboard.press('Control+v')
    await asked
    const heard = await hearOfClipboard(page)
    await other.bringToFront()
    await entry(other, 'b.txt').click()
    await expectSelected(other, ['b.txt'])
    await other.keyboard.press('Control+c')
    await heard()
    await page.bringToFront()
    moving.resolve()
    await toast(page, 'Moved 1 item').waitFor()
    await page.locator('#listing').focus()
    await page.keyboard.press('Control+v')
    await toast(page, 'Copied 1 item').waitFor()
    const moved = async () => (await readdir(tree.at('to'))).sort()
    await expect.poll(moved).toEqual(['a.txt', 'b.txt', 'x.txt'])
    expect(open.problems).toEqual([])
  })

  it('leaves no names in the browser for the next person', async () => {
    await using open = await openServed(
      { 'a.txt': 'A' },
      { path: '/files/', prepare: (program) => addUser(program, 'bob', ['create']) },
    )
    const { page, context } = open
    const kept = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('clipboard')))
    await showList(page)
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+c')
    await waitFor('a copy', async () => (await kept()).length === 1)
    // Nothing of the first person's page may still be under way.
    await page.goto('about:blank')
    const bob = { ...userLogin('bob'), recaptcha: '' }
    expect((await context.request.post('/api/login', { data: bob })).ok()).toBe(true)
    await page.goto('/files/')
    await entry(page, 'a.txt').click()
    await expect.poll(() => page.getByText('bob').count()).toBe(1)
    await expect.poll(kept).toEqual([])
    await page.keyboard.press('Control+c')
    await waitFor('a copy', async () => (await kept()).length === 1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
    await expect.poll(kept).toEqual([])
    expect(open.problems).toEqual([])
  })

  it('is pasted once for each Ctrl+V, also when the event of the key comes late', async () => {
    await using open = await openPages({ 'a.txt': 'A' }, { path: '/files/' })
    const { page, tree } = open
    await showList(page)
    // As on a machine that is busy: the key at once, its event after what it meant has been asked for.
    await page.evaluate(() => {
      const held: (() => void)[] = []
      let due = 0
      const send = () => {
        while (due > 0 && held.length > 0) {
          due--
          setTimeout(held.shift() ?? (() => {}), 20)
        }
      }
      const { fetch } = window
      window.fetch = (...asked) => {
        if (String(asked[1]?.body).includes('"kind":"copy"')) due++
        send()
        return fetch(...asked)
      }
      window.addEventListener(
        'paste',
        (event) => {
          if (!event.isTrusted) return
          event.stopImmediatePropagation()
          const { target } = event
          const late = new ClipboardEvent('paste', {
            bubbles: true,
            cancelable: true,
            clipboardData: new DataTransfer(),
          })
          held.push(() => {
            target?.dispatchEvent(late)
            document.body.dataset.late = String(Number(document.body.dataset.late ?? 0) + 1)
          })
          send()
        },
        true,
      )
    })
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+c')
    for (const copies of [1, 2]) {
      await page.keyboard.press('Control+v')
      await waitFor('a copy', async () => (await readdir(tree.root)).length === 1 + copies)
    }
    // Once it is there, it is selected.
    await expectSelected(page, ['a(2).txt'])
    await page.locator('body[data-late="2"]').waitFor()
    // Had an event been taken for another key, its copy would be asked for before this folder.
    await page.keyboard.press('Alt+n')
    await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').fill('last')
    await page.keyboard.press('Enter')
    await waitFor('the folder', async () => (await readdir(tree.root)).includes('last'))
    expect(await readdir(tree.root)).toHaveLength(4)
    expect(open.problems).toEqual([])
  })

  it('is pasted into a folder that is still on its way', async () => {
    await using open = await openPages({ 'a.txt': 'A', 'to/x.txt': 'X' }, { path: '/files/' })
    const { page, tree } = open
    await showList(page)
    const listed = Promise.withResolvers<void>()
    await page.route(/\/api\/resources\/to\/?$/, async (route) => {
      await listed.promise
      await route.continue()
    })
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+c')
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => /clipboard/.test(key)))
    await entry(page, 'to').dblclick()
    await page.waitForURL('**/files/to/')
    await page.keyboard.press('Control+v')
    // The key has been answered when the next one has been.
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    listed.resolve()
    await toast(page, 'Copied 1 item').waitFor()
    await expect.poll(async () => (await readdir(tree.at('to'))).sort()).toEqual(['a.txt', 'x.txt'])
    expect(open.problems).toEqual([])
  })
})
