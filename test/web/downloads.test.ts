// Downloads as a person makes them: one file, several as an archive, and more than an address can name.
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Download, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { ShareRecord } from '../../src/api-types.ts'
import type { ArchiveFormat } from '../../src/files/archive/formats.ts'
import { FORMATS, unpack } from '../support/archives.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { sharedBrowser, takeHome } from './browser-steps.ts'
import { entry, expectSelected, listedFolders, selectionBar, showList } from './listing-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

async function downloaded(page: Page, press: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return download
}

/** Takes a format from the arrow beside Download. */
async function chooseFormat(page: Page, ending: string): Promise<void> {
  await selectionBar(page).getByRole('button', { name: 'Download as…' }).click()
  await page.getByRole('menuitem', { name: ending, exact: true }).click()
}

/** What an archive holds: paths of its files, with their text. */
async function contentOf(tree: Tree, download: Download, format: ArchiveFormat) {
  const into = await mkdtemp(join(tree.base, 'unpacked-'))
  await unpack(format, await download.path(), into)
  const found: Record<string, string> = {}
  for (const item of await readdir(into, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name)
    if (item.isFile()) found[path.slice(into.length + 1)] = await readFile(path, 'utf8')
  }
  return found
}

/** Far too many for an address, with all that an address may trip over. */
function manyFiles(): Record<string, string> {
  const names = Array.from({ length: 2_001 }, (_, i) => `ü, 100% & more #${i}.txt`)
  return Object.fromEntries(names.map((name) => [name, `content of ${name}`]))
}

describe('downloads', () => {
  it('gives a file, several things and the folder at once, archives as zip or as chosen', async () => {
    await using open = await openFolder({ 'a #1.txt': 'aaa', 'b%.txt': 'bbb', 'dir/c,d.txt': 'c' })
    const { page, tree } = open
    await entry(page, 'a #1.txt').click()
    const single = await downloaded(page, () => page.keyboard.press('Control+s'))
    expect(single.suggestedFilename()).toBe('a #1.txt')
    expect(await readFile(await single.path(), 'utf8')).toBe('aaa')
    await entry(page, 'dir').click({ modifiers: ['Control'] })
    await expectSelected(page, ['dir', 'a #1.txt'])
    const both = { 'a #1.txt': 'aaa', 'dir/c,d.txt': 'c' }
    const zip = await downloaded(page, () => page.keyboard.press('Control+s'))
    expect(zip.suggestedFilename()).toBe(`_${basename(tree.root)}.zip`)
    expect(await contentOf(tree, zip, 'zip')).toEqual(both)
    const brotli = await downloaded(page, () => chooseFormat(page, '.tar.br'))
    expect(await contentOf(tree, brotli, 'tarbr')).toEqual(both)
    const dialog = page.getByRole('dialog', { name: 'Download as' })
    const openAs = async () => {
      await entry(page, 'dir').click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Download as…' }).click()
    }
    await openAs()
    await dialog.getByText('2 items').waitFor()
    await expect.poll(() => dialog.locator('[data-format]').count()).toBe(9)
    const archive = await downloaded(page, () =>
      dialog.getByRole('button', { name: '.tar.gz' }).click(),
    )
    expect(archive.suggestedFilename()).toBe(`_${basename(tree.root)}.tar.gz`)
    expect(await contentOf(tree, archive, 'targz')).toEqual(both)
    await dialog.waitFor({ state: 'detached' })
    await openAs()
    const first = dialog.locator('[data-format]').first()
    await expect.poll(() => first.getAttribute('data-format')).toBe('targz')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await expectSelected(page, [])
    // Nothing selected is the folder on the screen.
    const whole = await downloaded(page, () => page.keyboard.press('Control+s'))
    expect(Object.keys(await contentOf(tree, whole, 'zip')).sort()).toEqual([
      'a #1.txt',
      'b%.txt',
      'dir/c,d.txt',
    ])
    expect(open.problems).toEqual([])
  })

  it('gives each of the nine formats by its label', async () => {
    await using open = await openFolder({ 'box/a.txt': 'aaa' })
    const { page, tree } = open
    await entry(page, 'box').click()
    await expectSelected(page, ['box'])
    const labels: Record<ArchiveFormat, string> = {
      zip: '.zip',
      tar: '.tar',
      targz: '.tar.gz',
      tarbz2: '.tar.bz2',
      tarxz: '.tar.xz',
      tarlz4: '.tar.lz4',
      tarsz: '.tar.sz',
      tarbr: '.tar.br',
      tarzst: '.tar.zst',
    }
    for (const format of FORMATS) {
      const archive = await downloaded(page, () => chooseFormat(page, labels[format]))
      expect(archive.suggestedFilename()).toBe(`box${labels[format]}`)
      const content = Object.entries(await contentOf(tree, archive, format))
      expect(content.map(([path, text]) => [basename(path), text])).toEqual([['a.txt', 'aaa']])
    }
    expect(open.problems).toEqual([])
  })

  it('gives 2,000 of 2,001 selected files, which no address can name', async () => {
    const files = manyFiles()
    await using open = await openFolder(files)
    const { page, tree } = open
    const left = 'ü, 100% & more #1.txt'
    await entry(page, 'ü, 100% & more #0.txt').click()
    await page.keyboard.press('Control+a')
    await entry(page, left).click({ modifiers: ['Control'] })
    await selectionBar(page).getByText('2,000').first().waitFor()
    const archive = await downloaded(page, () => chooseFormat(page, '.tar'))
    const { [left]: _, ...rest } = files
    expect(await contentOf(tree, archive, 'tar')).toEqual(rest)
    expect(open.problems).toEqual([])
  })

  it('takes everything in a very large folder for the folder itself', async () => {
    await using home = await takeHome({ 'in/x.txt': 'x' })
    const { tree } = home
    const count = 10_001
    await Promise.all(Array.from({ length: count }, (_, i) => writeFile(tree.at(`in/f${i}`), '')))
    await using open = await openIn(home, { as: home.as, path: '/files/in/' })
    const { page } = open
    await showList(page)
    await entry(page, 'f0').click()
    await page.keyboard.press('Control+a')
    await selectionBar(page).getByText('10,002').waitFor()
    const whole = await downloaded(page, () => page.keyboard.press('Control+s'))
    expect(new URL(whole.url()).search).toBe('?algo=zip&planned=auto')
    await whole.cancel()
    // One less is a choice again.
    await entry(page, 'f1').click({ modifiers: ['Control'] })
    await selectionBar(page).getByText('10,001').waitFor()
    const some = await downloaded(page, () => page.keyboard.press('Control+s'))
    expect(new URL(some.url()).searchParams.get('selection')).toMatch(/^[\w-]{22}$/)
    await some.cancel()
  })

  it('gives 2,000 selected files of a share with a password', async () => {
    const files = manyFiles()
    const inside = Object.entries(files).map(([name, text]) => [`shared/${name}`, text])
    await using tree = await makeTree(Object.fromEntries(inside))
    await using program = await startProgram(tree)
    const admin = await loginAs(program.origin)
    const body = JSON.stringify({ password: 'sesame' })
    const made = await admin.fetch('/api/share/shared/', { method: 'POST', body })
    const { hash } = (await made.json()) as ShareRecord
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    const { page } = open
    await page.getByLabel('Password', { exact: true }).fill('sesame')
    await page.keyboard.press('Enter')
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText('2,001 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select ü, 100% & more #0.txt' }).uncheck()
    await page.getByText('2,000 selected').waitFor()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    const archive = await downloaded(page, () =>
      bar.getByRole('button', { name: /^Download/ }).click(),
    )
    expect(Object.keys(await contentOf(tree, archive, 'zip'))).toHaveLength(2_000)
    expect(open.problems).toEqual([])
  })
})
