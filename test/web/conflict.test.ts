// Uploading what is there already: each choice, all at once, and names taken in the last moment.
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { colourAt, distance } from '../support/pictures.ts'
import type { Tree } from '../support/tree.ts'
import { boxOf, folderPages, servedPages, sharedBrowser, takeHome } from './browser-steps.ts'
import { addUser, entry, expectNames, showList, toast, userLogin } from './listing-steps.ts'
import { dropTree, panel, pickFiles } from './upload-steps.ts'

const openIn = sharedBrowser()
const openPages = folderPages(openIn)
const openServed = servedPages(openIn)

const OLD_S = 1_600_000_000
const NEW_S = 1_700_000_000

async function local(tree: Tree, name: string, content: string | Buffer, modifiedS: number) {
  const path = join(tree.base, 'local', name)
  await mkdir(join(tree.base, 'local'), { recursive: true })
  await writeFile(path, content)
  await utimes(path, modifiedS, modifiedS)
  return path
}

async function served(tree: Tree, name: string, content: string, modifiedS: number) {
  await tree.add({ [name]: content })
  await utimes(tree.at(name), modifiedS, modifiedS)
}

const dialog = (page: Page) => page.getByRole('dialog')
const card = (page: Page, name: string) => dialog(page).getByRole('region', { name, exact: true })
const choice = (page: Page, name: string, label: string) =>
  card(page, name).getByRole('radio', { name: label })

describe('names that are taken', () => {
  it('lets the newer file win at first and does what is chosen for each', async () => {
    await using home = await takeHome({})
    const { tree } = home
    await served(tree, 'older.txt', 'server old', OLD_S)
    await served(tree, 'newer.txt', 'server new', NEW_S)
    await served(tree, 'both.txt', 'server both', OLD_S)
    const files = [
      await local(tree, 'older.txt', 'local new!', NEW_S),
      await local(tree, 'newer.txt', 'local old!', OLD_S),
      await local(tree, 'both.txt', 'local both!', NEW_S),
      await local(tree, 'free.txt', 'free', NEW_S),
    ]
    await using open = await openIn(home, { as: home.as, path: '/files/' })
    const { page } = open
    await pickFiles(page, files)
    await dialog(page).getByText('3 files already exist').waitFor()
    await dialog(page).getByText('1 other file has no conflict').waitFor()
    await expect.poll(() => choice(page, 'older.txt', 'Replace').isChecked()).toBe(true)
    await expect.poll(() => choice(page, 'newer.txt', 'Skip').isChecked()).toBe(true)
    // Nothing is touched, not even what could go at once, before the answer.
    expect((await readdir(tree.root)).includes('free.txt')).toBe(false)
    await choice(page, 'both.txt', 'Keep both').check()
    await dialog(page).getByText('1 to replace · 1 to keep both · 1 to skip').waitFor()
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('3 files uploaded').waitFor()
    expect(await tree.read('older.txt')).toBe('local new!')
    expect(await tree.read('newer.txt')).toBe('server new')
    expect(await tree.read('both.txt')).toBe('server both')
    expect(await tree.read('both(1).txt')).toBe('local both!')
    expect(await tree.read('free.txt')).toBe('free')
    expect((await stat(tree.at('older.txt'))).mtimeMs).toBe(NEW_S * 1000)
  })

  it('asks about a name with a backslash inside a folder', async () => {
    await using open = await openPages({ 'pack/a\\b.txt': 'old' }, { path: '/files/' })
    const { page, tree } = open
    await entry(page, 'pack').waitFor()
    await dropTree(page, { pack: { 'a\\b.txt': 'a newer one' } })
    await dialog(page).getByText('already exists in').waitFor()
    // Each side shows what it is.
    for (const side of await card(page, 'a\\b.txt').locator('.conflict__picture').all()) {
      const icon = await boxOf(side.locator('.pageicon'))
      const frame = await boxOf(side)
      expect(icon.width).toBeGreaterThan(frame.width / 2)
      expect(icon.height).toBeLessThanOrEqual(frame.height)
    }
    await choice(page, 'a\\b.txt', 'Keep both').check()
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await tree.read('pack/a\\b.txt')).toBe('old')
    expect(await tree.read('pack/a\\b(1).txt')).toBe('a newer one')
  })

  it('touches nothing when it is cancelled', async () => {
    await using home = await takeHome({})
    const { tree } = home
    await served(tree, 'a.txt', 'server', OLD_S)
    const files = [
      await local(tree, 'a.txt', 'local', NEW_S),
      await local(tree, 'b.txt', 'b', NEW_S),
    ]
    await using open = await openIn(home, { as: home.as, path: '/files/' })
    const { page } = open
    await pickFiles(page, files)
    // What was chosen is not lost by accident.
    await choice(page, 'a.txt', 'Keep both').check()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 400)
    await expect.poll(() => choice(page, 'a.txt', 'Keep both').isChecked()).toBe(true)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect(await readdir(tree.root)).toEqual(['a.txt'])
    expect(await tree.read('a.txt')).toBe('server')
  })

  it('shows the pictures of both sides', async () => {
    await using home = await takeHome({})
    const { tree } = home
    const picture = (background: string) =>
      sharp({ create: { width: 400, height: 400, channels: 3, background } })
        .png()
        .toBuffer()
    await tree.add({ 'photo.png': await picture('#0000ff') })
    await utimes(tree.at('photo.png'), OLD_S, OLD_S)
    const file = await local(tree, 'photo.png', await picture('#ff0000'), NEW_S)
    await using open = await openIn(home, { as: home.as, path: '/files/' })
    const { page } = open
    await pickFiles(page, [file])
    // The side that is not kept is paler.
    await choice(page, 'photo.png', 'Keep both').check()
    const pictures = card(page, 'photo.png').locator('img')
    await waitFor('both pictures', async () => (await pictures.count()) === 2)
    for (const [at, colour] of [[255, 0, 0] as const, [0, 0, 255] as const].entries()) {
      await waitFor('the picture', async () => {
        return distance(await colourAt(pictures.nth(at), 0.5, 0.5), [...colour]) < 12
      })
    }
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    expect(open.problems).toEqual([])
  })

  it('touches nothing when it cannot be found out what is there', async () => {
    await using open = await openPages(
      {
        'set/a.txt': 'server',
        'to/a.txt': 'server',
        'a.txt': 'moved',
      },
      { path: '/files/' },
    )
    const { page, tree } = open
    await showList(page)
    await page.route('**/api/resources/recursive/**', (route) => route.fulfill({ status: 500 }))
    await dropTree(page, { set: { 'a.txt': 'dropped', 'b.txt': 'dropped' } })
    await page.locator('.toast--bad').first().waitFor()
    await panel(page).waitFor({ state: 'detached' })
    expect(await readdir(tree.at('set'))).toEqual(['a.txt'])
    expect(await tree.read('set/a.txt')).toBe('server')

    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await page.locator('#listing .is-cut').waitFor()
    await entry(page, 'to').dblclick()
    await page.waitForURL('**/files/to/')
    await expectNames(page, ['a.txt'])
    await page.route('**/api/resources/to', (route) => route.fulfill({ status: 500 }))
    await page.keyboard.press('Control+v')
    await toast(page, 'Couldn’t open “to”.').waitFor()
    expect(await tree.read('to/a.txt')).toBe('server')
    expect(await tree.read('a.txt')).toBe('moved')
  })

  it('decides for all at once, by keyboard, and shows hundreds without drawing them all', async () => {
    const content: Record<string, string> = {}
    const dropped: Record<string, string> = {}
    for (let n = 0; n < 200; n++) {
      content[`set/f${n}.txt`] = 'server'
      dropped[`f${n}.txt`] = 'dropped one'
    }
    await using open = await openPages(content, { path: '/files/' })
    const { page, tree } = open
    await page.locator('#listing').getByText('set').first().waitFor()
    await dropTree(page, { set: dropped })
    await dialog(page).getByText('200 files already exist').waitFor()
    await dialog(page).getByRole('radiogroup').nth(1).waitFor()
    expect(await dialog(page).getByRole('radiogroup').count()).toBeLessThan(40)
    await dialog(page).getByRole('button', { name: 'Resume upload' }).focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByText('200 to replace').waitFor()
    await dialog(page).getByRole('button', { name: 'Skip' }).click()
    await dialog(page).getByText('200 to skip').waitFor()
    await dialog(page).getByRole('button', { name: 'Replace', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Continue' }).focus()
    await page.keyboard.press('Enter')
    await panel(page).getByText('200 files uploaded').waitFor()
    expect(await tree.read('set/f0.txt')).toBe('dropped one')
    expect(await tree.read('set/f199.txt')).toBe('dropped one')
  })

  it('merges equal folders and asks about the files inside alone', async () => {
    await using open = await openPages(
      { 'set/sub/a.txt': 'server', 'set/only.txt': 'server' },
      { path: '/files/' },
    )
    const { page, tree } = open
    await page.locator('#listing').getByText('set').first().waitFor()
    await dropTree(page, { set: { sub: { 'a.txt': 'dropped', 'b.txt': 'dropped' } } })
    await dialog(page).getByText('already exists in').waitFor()
    await choice(page, 'a.txt', 'Replace').check()
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('2 files uploaded').waitFor()
    expect(await tree.read('set/sub/a.txt')).toBe('dropped')
    expect(await tree.read('set/sub/b.txt')).toBe('dropped')
    expect(await tree.read('set/only.txt')).toBe('server')
  })

  it('offers no replacing of a file by a folder, and none without the permission', async () => {
    await using open = await openServed(
      { thing: 'a file', 'a.txt': 'server' },
      {
        path: '/files/',
        as: userLogin('ann'),
        prepare: (program) => addUser(program, 'ann', ['create', 'download']),
      },
    )
    const { page, tree } = open
    await page.locator('#listing').getByText('thing').first().waitFor()
    await dropTree(page, { thing: { 'x.txt': 'x' }, 'a.txt': 'mine' })
    await card(page, 'thing').waitFor()
    expect(await choice(page, 'thing', 'Replace').count()).toBe(0)
    expect(await choice(page, 'a.txt', 'Replace').count()).toBe(0)
    await dialog(page).getByRole('button', { name: 'Keep both' }).click()
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('2 files uploaded').waitFor()
    expect(await tree.read('thing(1)/x.txt')).toBe('x')
    expect(await tree.read('a(1).txt')).toBe('mine')
    expect(await tree.read('a.txt')).toBe('server')
  })

  it('asks again when a name was taken between the question and the upload', async () => {
    await using home = await takeHome({ 'old.txt': 'x' })
    const { tree } = home
    const file = await local(tree, 'a.txt', 'mine', NEW_S)
    await using open = await openIn(home, { as: home.as, path: '/files/' })
    const { page } = open
    await page.route(
      '**/api/tus/**',
      async (route) => {
        await tree.add({ 'a.txt': 'somebody else' })
        await route.continue()
      },
      { times: 1 },
    )
    await pickFiles(page, [file])
    await panel(page).getByText('Name is taken').waitFor()
    expect(await tree.read('a.txt')).toBe('somebody else')
    await panel(page).getByRole('button', { name: 'Retry a.txt' }).click()
    await choice(page, 'a.txt', 'Keep both').check()
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await tree.read('a(1).txt')).toBe('mine')
    expect(await tree.read('a.txt')).toBe('somebody else')
  })

  it('fits a phone', async () => {
    await using home = await takeHome({ 'a.txt': 'server' })
    const { tree } = home
    const file = await local(tree, 'a.txt', 'mine', NEW_S)
    await using open = await openIn(home, { as: home.as, path: '/files/', viewport: PHONE })
    const { page } = open
    await pickFiles(page, [file])
    await dialog(page).getByRole('button', { name: 'Continue' }).waitFor()
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width)
    const go = dialog(page).getByRole('button', { name: 'Continue' })
    await expect.poll(async () => (await boxOf(go)).bottom).toBeLessThanOrEqual(PHONE.height)
  })
})
