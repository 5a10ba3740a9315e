// A text whose encoding only a person knows: chosen once, it can be edited like any other.

import { readFile, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openPage } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

let browser: Browser
let tree: Tree
let program: Program

/** UTF-16 without a mark and without Latin letters: by its bytes full of control characters. */
const wide = (text: string) => Buffer.from(text, 'utf16le')

beforeAll(async () => {
  browser = await launchBrowser()
  tree = await makeTree({ 'wide.txt': wide('Съешь же ещё этих булок\n'.repeat(20)) })
  program = await startProgram(tree)
})

afterAll(async () => {
  await program[Symbol.asyncDispose]()
  await tree[Symbol.asyncDispose]()
  await browser.close()
})

it('edits a Cyrillic text in UTF-16 without a mark, also after somebody else wrote it', async () => {
  await using opened = await openPage(browser, program, { path: '/files/wide.txt' })
  const { page } = opened
  const text = page.locator('.cm-content')
  await page.getByRole('button', { name: 'Open as text' }).click()
  await page.getByText('Read only').waitFor()
  await page.getByRole('button', { name: 'UTF-8', exact: true }).click()
  await page.getByRole('combobox').fill('utf-16le')
  await page.keyboard.press('Enter')
  await text.getByText('Съешь').first().waitFor()
  await page.getByText('Read only').waitFor({ state: 'detached' })
  await text.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('Я ')
  await page.keyboard.press('Control+s')
  await waitFor('the edit on disk', async () =>
    (await readFile(tree.at('wide.txt'))).subarray(0, 6).equals(wide('Я С')),
  )
  await writeFile(tree.at('wide.txt'), wide('Другой текст\n'.repeat(20)))
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await text.getByText('Другой').first().waitFor()
  expect(await page.getByText('Read only').count()).toBe(0)
  expect(opened.problems).toEqual([])
})
