// The page as an installed program, which is a page with a window of its own: the browser of the tests is told so.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Tree } from '../support/tree.ts'
import { goOffline, type OpenIn, servedPages, sharedBrowser } from './browser-steps.ts'
import { doubleClick, entry, expectNames } from './listing-steps.ts'

const openShared = sharedBrowser()
const openIn: OpenIn = (server, options) => openShared(server, { ...options, isAlone: true })
const openServed = servedPages(openIn)

/** Makes the page an installed program from its next load on, and waits until it is ready to be without a network. */
async function install(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { matchMedia } = window
    window.matchMedia = (query) => matchMedia(query.includes('standalone') ? 'all' : query)
  })
  await page.reload()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
}

/** How many folders the browser keeps. */
const keptFolders = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name = '' }) => name)
    const name = names.find((one) => one.startsWith('fb-offline'))
    if (name === undefined) return 0
    return new Promise<number>((resolve) => {
      const opening = indexedDB.open(name)
      opening.onsuccess = () => {
        const count = opening.result.transaction('folders').objectStore('folders').count()
        count.onsuccess = () => {
          opening.result.close()
          resolve(count.result)
        }
      }
    })
  })

/** What another program does when somebody shares a file with this one. */
async function shareWith(page: Page): Promise<void> {
  await page.evaluate(() => {
    const form = document.createElement('form')
    Object.assign(form, {
      action: '/share-target',
      method: 'POST',
      enctype: 'multipart/form-data',
    })
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', name: 'files' })
    const data = new DataTransfer()
    data.items.add(new File(['hello'], 'häppy photo.txt', { type: 'text/plain' }))
    input.files = data.files
    form.append(input)
    document.body.append(form)
    form.submit()
  })
}

/** Answers where the shared file shall go, and waits until it is there. */
async function putIntoInbox(page: Page, tree: Tree): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Choose folder' })
  await dialog.getByRole('treeitem', { name: 'inbox' }).click()
  await dialog.getByRole('button', { name: 'Choose folder' }).click()
  const file = join(tree.at('inbox'), 'häppy photo.txt')
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toBe('hello')
}

describe('the installed program', () => {
  it('opens without a connection, shows the folders that were open, and goes on when it is back', async () => {
    const content = { 'a.txt': 'a', 'photos/one.jpg': 'x' }
    await using open = await openServed(content, { args: ['--baseURL=/fb'], path: '/fb/files/' })
    const { page, context } = open
    await install(page)
    await expect.poll(() => keptFolders(page)).toBe(1)
    await doubleClick(entry(page, 'photos'))
    await expectNames(page, ['one.jpg'])
    await expect.poll(() => keptFolders(page)).toBe(2)
    await goOffline(page)
    await page.reload()
    await page.getByRole('heading', { name: 'No connection to the server' }).waitFor()
    await page.getByRole('heading', { name: 'photos' }).waitFor()
    await page.getByText('one.jpg').waitFor()
    await page.getByRole('button', { name: 'Folder above' }).click()
    await page.getByText('a.txt').waitFor()
    await context.setOffline(false)
    await expectNames(page, ['one.jpg'])
    expect(open.problems.filter((problem) => !problem.includes('ERR_INTERNET'))).toEqual([])
  })

  it('uploads what other programs share into a folder that is chosen', async () => {
    await using open = await openServed({ inbox: null })
    const { page, tree } = open
    await install(page)
    await shareWith(page)
    await putIntoInbox(page, tree)
    await page.reload()
    await expectNames(page, ['inbox'])
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  it('asks again for shared files that nobody has said a folder for', async () => {
    await using open = await openServed({ inbox: null })
    const { page, tree } = open
    await install(page)
    await shareWith(page)
    await page.getByRole('dialog', { name: 'Choose folder' }).waitFor()
    await page.reload()
    await putIntoInbox(page, tree)
  })

  it('keeps nothing of a page that is not installed, and nothing after logging out', async () => {
    await using open = await openServed({ 'a.txt': 'a' })
    const { page } = open
    await entry(page, 'a.txt').waitFor()
    const registrations = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)
    expect(await registrations()).toBe(0)
    await install(page)
    await expect.poll(() => keptFolders(page)).toBe(1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await expect.poll(() => keptFolders(page)).toBe(0)
  })
})
