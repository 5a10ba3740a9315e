// Files inside archives are looked at like files in folders: other views, relative pictures, and a
// plain word where the browser alone cannot show them.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { zipOf } from '../../scripts/sample-documents.ts'
import { waitFor } from '../support/deadline.ts'
import { SAMPLES } from '../support/pictures.ts'
import { sharedSite } from './browser-steps.ts'

const sample = (name: string) => readFile(join(SAMPLES, name))

const README = `# Inside

![below](pictures/dawn.jpg)
![beside](tiny.png)
![missing](nowhere.png)
![outside](../../picture.jpg)

[another file](data.json)
`

const site = sharedSite(async () => {
  const giant = await sample('picture.png')
  giant.writeUInt32BE(30_000, 16)
  giant.writeUInt32BE(20_000, 20)
  const inside = {
    'docs/readme.md': README,
    'docs/tiny.png': await sample('picture.png'),
    'docs/pictures/dawn.jpg': await sample('picture.jpg'),
    'data.json': '{"inside": true}',
    'table.csv': 'name;city\nAnna;Köln\n',
    'strange.bin': await sample('unknown.bin'),
    'photo.heic': await sample('picture.heic'),
    'giant.png': giant,
    'scan.tiff': await sample('picture.tiff'),
  }
  return {
    'all.zip': await zipOf(inside),
    'picture.jpg': await sample('picture.jpg'),
  }
})

async function openInside(page: Page, ...path: string[]) {
  await page.goto('/files/all.zip')
  for (const name of path) await page.getByRole('button', { name, exact: true }).click()
  return page.getByRole('region', { name: `Content of ${path.at(-1)}` })
}

it('shows the pictures of a document from beside it in the archive', async () => {
  await using opened = await site.open()
  const content = await openInside(opened.page, 'docs', 'readme.md')
  await content.getByRole('heading', { name: 'Inside' }).waitFor()
  const widthOf = (name: string) =>
    content
      .getByRole('img', { name })
      .evaluate((image: HTMLImageElement) => (image.complete ? image.naturalWidth : 0))
  await waitFor('the picture in the folder below', async () => (await widthOf('below')) === 1200)
  await waitFor('the picture beside', async () => (await widthOf('beside')) === 600)
  // Neither a path out of the archive nor one that leads nowhere loads anything.
  for (const name of ['missing', 'outside']) {
    await expect.poll(() => content.getByAltText(name).getAttribute('src')).toBeNull()
  }
  await content.getByText('another file').waitFor()
  expect(await content.getByRole('link').count()).toBe(0)
})

it('reads a compressed archive once for all pictures in sight, and for no others', async () => {
  const archive = pack()
  const icon = await sample('picture.png')
  const near = ['one', 'two', 'three', 'four']
  const images = (names: string[]) => names.map((name) => `![${name}](${name}.png)`).join(' ')
  const text = `${images(near)}\n\n${'A line.\n\n'.repeat(200)}${images(['far'])}\n`
  archive.entry({ name: 'readme.md' }, text)
  for (const name of [...near, 'far']) archive.entry({ name: `${name}.png` }, icon)
  archive.finalize()
  await site.tree.add({ 'all.tar.gz': gzipSync(await buffer(archive)) })
  await using opened = await site.open()
  const { page } = opened
  let passes = 0
  page.on('request', (request) => {
    const whole = request.headers().range === undefined
    if (whole && new URL(request.url()).pathname === '/api/raw/all.tar.gz') passes++
  })
  await page.goto('/files/all.tar.gz')
  await page.getByRole('button', { name: 'readme.md', exact: true }).click()
  const shown = (name: string) =>
    page
      .getByRole('img', { name, exact: true })
      .evaluate((image: HTMLImageElement) => image.naturalWidth > 0)
  for (const name of near) await waitFor(`the picture “${name}”`, () => shown(name))
  // Its list, the text, and all pictures together.
  await expect.poll(() => passes).toBe(3)
  const far = page.getByAltText('far')
  expect(await far.getAttribute('src')).toBeNull()
  await far.scrollIntoViewIfNeeded()
  await waitFor('the picture at the end', () => shown('far'))
  await expect.poll(() => passes).toBe(4)
  expect(opened.problems).toEqual([])
})

it('opens an entry without content, as many archives hold', async () => {
  const archive = pack()
  archive.entry({ name: '__init__.py' }, '')
  archive.entry({ name: 'full.py' }, 'print(1)')
  archive.finalize()
  const files = { '__init__.py': '', 'full.py': 'print(1)' }
  await site.tree.add({
    'empty.zip': await zipOf(files, Object.keys(files)),
    'empty.tar': await buffer(archive),
  })
  await using opened = await site.open()
  const { page } = opened
  for (const name of ['empty.zip', 'empty.tar']) {
    await page.goto(`/files/${name}`)
    await page.getByRole('button', { name: '__init__.py', exact: true }).click()
    const content = page.getByRole('region', { name: 'Content of __init__.py' })
    await content.locator('.cm-content').waitFor()
    await page.getByRole('button', { name: 'Back to the archive' }).click()
    await page.getByRole('button', { name: 'full.py', exact: true }).waitFor()
  }
  expect(opened.problems).toEqual([])
})

it.each([
  ['readme.md', 'Source', ['docs', 'readme.md'], '![below](pictures/dawn.jpg)'],
  ['data.json', 'Open as text', ['data.json'], '{"inside": true}'],
  ['table.csv', 'Open as text', ['table.csv'], 'Anna;Köln'],
])('shows %s by the button “%s” as it is written', async (_, button, path, text) => {
  await using opened = await site.open()
  const content = await openInside(opened.page, ...path)
  await content.getByRole('button', { name: button }).click()
  await content.locator('.cm-content').getByText(text).waitFor()
  await opened.page.getByRole('button', { name: 'Back to the archive' }).click()
  await opened.page.getByRole('button', { name: path.at(-1) ?? '', exact: true }).waitFor()
  expect(opened.problems).toEqual([])
})

it('shows the bytes of a file of unknown kind, and from there its text', async () => {
  await using opened = await site.open()
  const content = await openInside(opened.page, 'strange.bin')
  await content.getByRole('button', { name: 'Show bytes' }).click()
  await content.getByText('All 300 B').waitFor()
  await content.getByText('00070e15').first().waitFor()
  await content.getByRole('button', { name: 'Open as text' }).click()
  await content.locator('.cm-content').waitFor()
})

it.each(['photo.heic', 'scan.tiff'])('says that %s cannot be shown and saves it', async (name) => {
  await using opened = await site.open()
  const content = await openInside(opened.page, name)
  const message = content.getByRole('alert')
  await message.getByText('This picture can’t be shown').waitFor()
  const download = opened.page.waitForEvent('download')
  await message.getByRole('button', { name: 'Download' }).click()
  const saved = await readFile(await (await download).path())
  expect(saved.equals(await sample(name.replace(/^\w+/, 'picture')))).toBe(true)
})

it('asks before a picture is decoded that claims 600 megapixels', async () => {
  await using opened = await site.open()
  const content = await openInside(opened.page, 'giant.png')
  await content.getByText('The picture is too large for a preview.').waitFor()
  expect(await content.locator('img').count()).toBe(0)
  await content.getByRole('button', { name: 'Open the original' }).click()
  // It is damaged as well, so that is the end of it.
  await content.getByText('This picture can’t be shown').waitFor()
})

/** Opens the archive and `name` in it, whose bytes are held back until `release` is called. */
async function openSlowly(page: Page, name: string) {
  await page.goto('/files/all.zip')
  const file = page.getByRole('button', { name, exact: true })
  await file.waitFor()
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let held = false
  await page.route('**/api/raw/all.zip*', async (route) => {
    if (!held) {
      held = true
      asked.resolve()
      await gate.promise
    }
    // The page may have given up the request meanwhile.
    await route.continue().catch(() => {})
  })
  await file.click()
  await asked.promise
  return () => gate.resolve()
}

it('shows the file asked for last, however slowly another one arrives', async () => {
  await using opened = await site.open()
  const { page } = opened
  const release = await openSlowly(page, 'data.json')
  await page.getByRole('button', { name: 'table.csv', exact: true }).click()
  const shown = page.getByRole('region', { name: 'Content of table.csv' })
  await shown.getByText('Köln').waitFor()
  const late = page.waitForResponse('**/api/raw/all.zip*')
  release()
  await (await late).finished()
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await shown.getByText('Köln').waitFor()
  expect(opened.problems).toEqual([])
})

it('says nothing of a file that was being unpacked when one left', async () => {
  await using opened = await site.open({ path: '/files/' })
  const { page } = opened
  const release = await openSlowly(page, 'data.json')
  await page.getByRole('button', { name: 'Back to folder' }).click()
  await page.locator('.vw').waitFor({ state: 'detached' })
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await page.getByText('couldn’t be extracted').count()).toBe(0)
  release()
  expect(opened.problems).toEqual([])
})
