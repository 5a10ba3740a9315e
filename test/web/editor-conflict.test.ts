// Two people, one file: nobody's work is lost without somebody having chosen so.

import { readFile, rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { ADMIN } from '../support/program.ts'
import type { Tree } from '../support/tree.ts'
import { boxOf, endSessionAt } from './browser-steps.ts'
import { editorSite } from './editor-steps.ts'
import { toast } from './listing-steps.ts'

const site = editorSite('/files/shared.txt', (tree) =>
  tree.add({ 'shared.txt': 'first\nsecond\nthird\n' }),
)
let tree: Tree
let page: Page

beforeEach(async () => {
  ;({ tree, page } = site)
  page.on('dialog', (dialog) => void dialog.accept())
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
})

/** Types something and saves while somebody else has written the file. */
async function clash() {
  await page.keyboard.type('mine ')
  await tree.add({ 'shared.txt': 'first\nsecond\nthird\ntheirs\n' })
  await page.keyboard.press('Control+s')
  await page.getByText('Someone else has changed this file').waitFor()
  expect(await tree.read('shared.txt')).toBe('first\nsecond\nthird\ntheirs\n')
}

it('does not save over a change, however often Save is pressed', async () => {
  await clash()
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.method()))
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // Had that saved, it would have been sent before what is asked for now.
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
  expect(sent).not.toContain('PUT')
  expect(await tree.read('shared.txt')).toBe('first\nsecond\nthird\ntheirs\n')
})

it('follows what somebody wrote while a save was on its way, once that is done', async () => {
  await page.route('**/api/resources/shared.txt', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    const response = await route.fetch()
    await tree.add({ 'shared.txt': 'theirs alone\n' })
    // Back in the window before the answer is.
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await route.fulfill({ response })
  })
  await page.keyboard.type('mine ')
  await page.keyboard.press('Control+s')
  await page.getByText('theirs alone').waitFor()
  expect(await tree.read('shared.txt')).toBe('theirs alone\n')
})

it('overwrites when told to', async () => {
  await clash()
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await page.getByText('Someone else has changed this file').waitFor({ state: 'detached' })
  await expect.poll(() => tree.read('shared.txt')).toBe('mine first\nsecond\nthird\n')
})

it('takes the version on disk when told to, and undo brings the own text back', async () => {
  await clash()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('theirs').waitFor()
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+z')
  await page.getByText('mine first').waitFor()
})

it('shows both versions, lets each change be chosen, and saves the result', async () => {
  // Too narrow for two columns: theirs stands among the own lines.
  await page.setViewportSize({ width: 1000, height: 700 })
  await clash()
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('Comparing with the version on the server').waitFor()
  const isInText = () => page.evaluate(() => document.activeElement?.closest('.cm-editor') != null)
  await waitFor('the focus in the text', isInText)
  const theirs = page.locator('.cm-deletedChunk').last()
  await theirs.getByText('theirs', { exact: true }).waitFor()
  await page.locator('.cm-changedLine', { hasText: 'mine first' }).waitFor()
  // Their last line is taken, the own first line stays.
  await theirs.getByRole('button', { name: 'Use theirs' }).click()
  await page.getByRole('button', { name: 'Save this text' }).click()
  await waitFor('both changes on disk', async () => {
    return (await tree.read('shared.txt')) === 'mine first\nsecond\nthird\ntheirs\n'
  })
  await waitFor('the focus in the text again', isInText)
})

it('has what chooses between two versions above their text on a phone', async () => {
  await page.setViewportSize(PHONE)
  await clash()
  await page.getByRole('button', { name: 'Compare' }).click()
  const theirs = page.locator('.cm-deletedChunk').last()
  const text = await boxOf(theirs.getByText('theirs', { exact: true }))
  const button = await boxOf(theirs.getByRole('button', { name: 'Use theirs' }))
  expect(button.bottom).toBeLessThanOrEqual(text.y)
})

it('shows both versions side by side where there is room, with the history kept', async () => {
  await clash()
  await page.getByRole('button', { name: 'Compare' }).click()
  const theirs = page.locator('.cm-merge-a')
  const mine = page.locator('.cm-merge-b')
  await theirs.getByText('theirs', { exact: true }).waitFor()
  await mine.getByText('mine first').waitFor()
  const overlap = async () => (await boxOf(theirs)).right - (await boxOf(mine)).x
  await expect.poll(overlap).toBeLessThanOrEqual(0)
  // Nobody writes into the version on disk.
  const before = await theirs.textContent()
  await theirs.getByText('second').click()
  await page.keyboard.type('x')
  expect(await theirs.textContent()).toBe(before)
  await page.getByRole('button', { name: 'Use theirs' }).last().click()
  await mine.getByText('theirs', { exact: true }).waitFor()
  await mine.getByText('second').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' and more')
  await page.getByRole('button', { name: 'Save this text' }).click()
  await waitFor('the result on disk', async () => {
    return (await tree.read('shared.txt')) === 'mine first\nsecond and more\nthird\ntheirs\n'
  })
  // Alone again, and every step can still be taken back.
  await theirs.waitFor({ state: 'detached' })
  await page.locator('.cm-content').click()
  // What is typed slowly is taken back in more steps.
  const lines = () => page.locator('.cm-line').allTextContents()
  await waitFor('the text as it was', async () => {
    await page.keyboard.press('Control+z')
    return (await lines()).join() === 'first,second,third,'
  })
  await page.getByText('Unsaved').waitFor()
})

it('moves between one column and two when the window changes, and keeps what is typed', async () => {
  await page.keyboard.type('mine ')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Compare with saved version' }).click()
  await page.locator('.cm-merge-b').getByText('mine first').waitFor()
  await page.setViewportSize({ width: 800, height: 700 })
  await page.locator('.cm-deletedChunk').getByText('first').waitFor()
  await page.locator('.cm-merge-a').waitFor({ state: 'detached' })
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('still ')
  await page.setViewportSize({ width: 1280, height: 700 })
  await page.locator('.cm-merge-b').getByText('still mine first').waitFor()
  // In one step: the wide view may still be drawn anew, button and all.
  await page.getByRole('button', { name: 'Revert' }).press('Enter')
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop comparing' }).click()
  await page.locator('.cm-merge-a').waitFor({ state: 'detached' })
  const whole = () => page.locator('.cm-content').textContent()
  await expect.poll(whole).toContain('firstsecondthird')
})

it('notices a third change that came while comparing', async () => {
  await clash()
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('Comparing with the version on the server').waitFor()
  await tree.add({ 'shared.txt': 'third party\n' })
  await page.getByRole('button', { name: 'Save this text' }).click()
  await page.getByText('Someone else has changed this file').waitFor()
  expect(await tree.read('shared.txt')).toBe('third party\n')
})

it('offers to make a deleted file again', async () => {
  await page.keyboard.type('kept ')
  await rm(tree.at('shared.txt'))
  await page.keyboard.press('Control+s')
  await page.getByText('This file has been moved or deleted').waitFor()
  await page.getByRole('button', { name: 'Save as a new file' }).click()
  await waitFor('the file', async () => {
    return (await readFile(tree.at('shared.txt'), 'utf8')) === 'kept first\nsecond\nthird\n'
  })
})

it('follows a change on return to the window when nothing was typed, and asks otherwise', async () => {
  await tree.add({ 'shared.txt': 'written elsewhere\n' })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('written elsewhere').waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.type('x')
  await tree.add({ 'shared.txt': 'and again, longer\n' })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('Someone else has changed this file').waitFor()
})

it('keeps what is typed while it fetches the version of somebody else', async () => {
  const asked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  await page.route('**/api/raw/shared.txt*', async (route) => {
    // The question whether the file changed asks for one byte only.
    if (route.request().headers().range === undefined) {
      asked.resolve()
      await release.promise
    }
    await route.continue()
  })
  await tree.add({ 'shared.txt': 'written elsewhere\n' })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await asked.promise
  await page.keyboard.type('mine ')
  release.resolve()
  await page.getByText('Someone else has changed this file').waitFor()
  await page.locator('.cm-line').getByText('mine first', { exact: true }).waitFor()
})

it('does not read a file into the editor that grew too large for it', async () => {
  await tree.add({ 'shared.txt': 'a line among many\n'.repeat(620_000) })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('Someone else has changed this file').waitFor()
  for (const name of ['Reload', 'Compare']) {
    await page.getByRole('button', { name, exact: true }).click()
    const refusal = toast(page, 'too large to open')
    await refusal.getByRole('button', { name: 'Dismiss' }).click()
    await refusal.waitFor({ state: 'detached' })
  }
  const lines = () => page.locator('.cm-line').allTextContents()
  await expect.poll(lines).toEqual(['first', 'second', 'third', ''])
})

it('follows what somebody writes also while a draft is offered, which stays', async () => {
  await page.keyboard.type('mine ')
  await page.getByText(/Draft saved/).waitFor()
  await page.reload()
  const offer = page.getByText('You have an unsaved draft of this file')
  await offer.waitFor()
  await tree.add({ 'shared.txt': 'theirs alone\n' })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.getByText('theirs alone').waitFor()
  expect(await offer.isVisible()).toBe(true)
})

it('does not let an old draft undo what came since', async () => {
  await page.keyboard.type('draft ')
  await page.getByText(/Draft saved/).waitFor()
  await tree.add({ 'shared.txt': 'newer than the draft\n' })
  await page.reload()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Someone else has changed this file').waitFor()
  await page.keyboard.press('Control+s')
  // Had that saved, it would be the draft that comes now.
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('.cm-line').getByText('newer than the draft').waitFor()
  expect(await tree.read('shared.txt')).toBe('newer than the draft\n')
})

it('asks for the password in place when the session ended, and then saves', async () => {
  await page.keyboard.type('long work ')
  await endSessionAt(page, 'PUT', /\/shared\.txt/)
  await page.keyboard.press('Control+s')
  const again = page.getByRole('alertdialog', { name: 'Your session has ended' })
  await again.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.keyboard.press('Enter')
  await waitFor('the saved text', async () => {
    return (await tree.read('shared.txt')) === 'long work first\nsecond\nthird\n'
  })
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
})

it('does not save over a change when a proxy takes the ETag out', async () => {
  await page.route('**/api/**/shared.txt*', async (route) => {
    const response = await route.fetch()
    const { etag: _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  await page.reload()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('a ')
  await page.keyboard.press('Control+s')
  await waitFor('the first save', async () => (await tree.read('shared.txt')).startsWith('a first'))
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
  await clash()
})
