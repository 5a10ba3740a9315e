// Every awkward name opened, downloaded, renamed and deleted by mouse and keyboard.
import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { LONG } from '../support/scale.ts'
import { AWKWARD_NAMES, DECOMPOSED, SECRET, type Tree } from '../support/tree.ts'
import { doubleClick, entry, listedFolders } from './listing-steps.ts'

const openFolder = listedFolders()

/** One of each kind that an address, a line of text or a disk could mistake for something else. */
const KINDS = ['new\nline.txt', '%41.txt', 'question?.txt', 'back\\slash.txt', DECOMPOSED] as const
const NAMES = LONG ? AWKWARD_NAMES : KINDS

/** All entries in sight, clear of the messages at the bottom. */
const TALL = { path: '/files/', viewport: { width: 1280, height: 2000 } }

/** Text that only the viewer shows, never the listing. */
function contentOf(name: string): string {
  return `content of ${name}`.split('\n')[0]?.trimEnd() ?? ''
}

async function select(page: Page, name: string): Promise<void> {
  // A second click on the same entry would be a double click.
  if ((await entry(page, name).getAttribute('aria-selected')) !== 'true') {
    await entry(page, name).click()
  }
  await expect.poll(() => entry(page, name).getAttribute('aria-selected')).toBe('true')
}

/** Back from a file to its folder. */
async function leaveFile(page: Page): Promise<void> {
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function rename(page: Page, from: string, to: string): Promise<void> {
  await select(page, from)
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill(to)
  await page.keyboard.press('Enter')
  await page.getByLabel('New name').waitFor({ state: 'detached' })
  await entry(page, to).waitFor()
}

/** The page shows the new name before the server has answered. */
async function untilThere(tree: Tree, name: string, content: string): Promise<void> {
  await waitFor(`${name} with its content`, async () => {
    return (await tree.read(name).catch(() => null)) === content
  })
}

describe('awkward names', () => {
  it('open one after another', async () => {
    await using open = await openFolder(undefined, TALL)
    const { page } = open
    for (const name of NAMES) {
      await doubleClick(entry(page, name))
      await page.getByText(contentOf(name)).first().waitFor()
      await leaveFile(page)
      await entry(page, name).waitFor()
    }
    expect(await page.content()).not.toContain(SECRET)
    expect(open.problems).toEqual([])
  })

  it('download with their bytes', async () => {
    await using open = await openFolder(undefined, TALL)
    const { page, tree } = open
    for (const [index, name] of NAMES.entries()) {
      // Chromium lets a page start ten downloads in a burst.
      if (index % 10 === 9) await page.reload()
      await select(page, name)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.keyboard.press('Control+s'),
      ])
      const saved = await readFile(await download.path(), 'utf8')
      expect(saved).toBe(await tree.read(name))
    }
    expect(open.problems).toEqual([])
  })

  it('are given to a file and taken from it', async () => {
    await using open = await openFolder(undefined, TALL)
    const { page, tree } = open
    let left = (await readdir(tree.root)).length
    for (const [index, name] of NAMES.entries()) {
      const content = await tree.read(name)
      await rename(page, name, `given ${index}.txt`)
      await untilThere(tree, `given ${index}.txt`, content)
      // A line feed or a space at the end cannot be typed into a line of text.
      if (!/[\n\t]|\s$/.test(name)) {
        await rename(page, `given ${index}.txt`, name)
        await untilThere(tree, name, content)
      }
    }
    // For a moment a renamed file has both names.
    await expect.poll(async () => (await readdir(tree.root)).length).toBe(left)
    for (const name of NAMES.filter((word) => !/[\n\t]|\s$/.test(word))) {
      await select(page, name)
      await page.keyboard.press('Delete')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await entry(page, name).waitFor({ state: 'detached' })
      left--
      await waitFor(`${left} entries`, async () => (await readdir(tree.root)).length === left)
    }
    expect(open.problems).toEqual([])
  })

  it('leave with the links themselves deleted, never what they lead to', async () => {
    await using open = await openFolder(undefined, TALL)
    const { page, tree } = open
    const names = [
      'link-inside',
      'link-dangling',
      'new\nline.txt',
      'tab\there.txt',
      'trailing space ',
    ]
    for (const name of names) {
      await select(page, name)
      await page.keyboard.press('Delete')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await entry(page, name).waitFor({ state: 'detached' })
      await waitFor(`${name} gone`, async () => !(await readdir(tree.root)).includes(name))
    }
    expect(await tree.read('folder/inner.txt')).toBe('inner')
  })

  it('links inside open, download and are renamed as what they lead to', async () => {
    await using open = await openFolder(undefined, TALL)
    const { page, tree } = open
    await doubleClick(entry(page, 'link-inside'))
    await page.getByText('inner').first().waitFor()
    await leaveFile(page)
    await select(page, 'link-inside')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Control+s'),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe('inner')
    await rename(page, 'link-inside', 'link renamed')
    await untilThere(tree, 'link renamed', 'inner')
    await rename(page, 'link-dangling', 'nowhere renamed')
    await waitFor('the link itself renamed', async () => {
      return (await readlink(tree.at('nowhere renamed')).catch(() => '')) === 'nowhere'
    })
    expect(await entry(page, 'link-outside').count()).toBe(0)
  })

  it('one of 10,000 opens, downloads, is renamed and deleted', async () => {
    const many: Record<string, string> = {}
    for (let n = 0; n < 10_000; n++) many[`many/file #${n} 100%.txt`] = `content of ${n}`
    await using open = await openFolder(many, { path: '/files/many/' })
    const { page, tree } = open
    const name = 'file #7777 100%.txt'
    await page.getByLabel('Filter this folder').fill('#7777')
    await doubleClick(entry(page, name))
    await page.getByText('content of 7777').first().waitFor()
    await leaveFile(page)
    await page.getByLabel('Filter this folder').fill('#7777')
    // Chosen it is still; the click takes the keys from the filter to the list.
    await entry(page, name).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Control+s'),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe('content of 7777')
    await rename(page, name, 'new #7777.txt')
    await untilThere(tree, 'many/new #7777.txt', 'content of 7777')
    await select(page, 'new #7777.txt')
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await waitFor('9,999 files', async () => (await readdir(tree.at('many'))).length === 9999)
  })
})
