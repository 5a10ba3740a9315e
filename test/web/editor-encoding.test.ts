// A text whose encoding only a person knows: chosen once, it can be edited like any other.

import { readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'

/** UTF-16 without a mark and without Latin letters: by its bytes full of control characters. */
const wide = (text: string) => Buffer.from(text, 'utf16le')

async function readAsUtf16(page: Page) {
  await page.getByRole('button', { name: 'Open as text' }).click()
  await page.getByText('Read only').waitFor()
  await page.getByRole('button', { name: 'UTF-8', exact: true }).click()
  await page.getByRole('combobox').fill('utf-16le')
  await page
    .getByRole('option', { selected: true })
    .filter({ hasText: /UTF-16.*LE/i })
    .waitFor()
  await page.keyboard.press('Enter')
}

const site = sharedSite(() => ({ 'wide.txt': wide('Съешь же ещё этих булок\n'.repeat(20)) }))

it('edits a Cyrillic text in UTF-16 without a mark, also after somebody else wrote it', async () => {
  await using opened = await site.open({ path: '/files/wide.txt' })
  const { page } = opened
  const text = page.locator('.cm-content')
  await readAsUtf16(page)
  await text.getByText('Съешь').first().waitFor()
  await page.getByText('Read only').waitFor({ state: 'detached' })
  await text.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('Я ')
  await page.keyboard.press('Control+s')
  await waitFor('the edit on disk', async () =>
    (await readFile(site.tree.at('wide.txt'))).subarray(0, 6).equals(wide('Я С')),
  )
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
  await writeFile(site.tree.at('wide.txt'), wide('Другой текст\n'.repeat(20)))
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await text.getByText('Другой').first().waitFor()
  await page.getByText('Read only').waitFor({ state: 'detached' })
  expect(opened.problems).toEqual([])
})

it('offers what was typed into such a text once its encoding is chosen again', async () => {
  await site.tree.add({ 'typed.txt': wide('Съешь же ещё этих булок\n'.repeat(20)) })
  await using opened = await site.open({ path: '/files/typed.txt' })
  const { page } = opened
  page.on('dialog', (dialog) => void dialog.accept())
  const text = page.locator('.cm-content')
  await readAsUtf16(page)
  await text.getByText('Съешь').first().waitFor()
  await text.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('Я ')
  await page.getByText(/Draft saved/).waitFor()
  await page.reload()
  await readAsUtf16(page)
  await page.getByText('You have an unsaved draft of this file').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await text.getByText('Я Съешь').waitFor()
  expect(opened.problems).toEqual([])
})
