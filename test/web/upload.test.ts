// Uploads as a person makes them: picked, dropped, pasted, paused, cancelled, refused, retried.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import type { Tree } from '../support/tree.ts'
import { folderPages, sharedBrowser, takeHome } from './browser-steps.ts'
import { entry, stillBox } from './listing-steps.ts'
import {
  dragFromOutside,
  dropTree,
  goOffline,
  panel,
  pickFiles,
  slowUploads,
} from './upload-steps.ts'

const openIn = sharedBrowser()
const openServed = folderPages(openIn)

/** Files beside the served folder, as if on the person's own disk. */
async function localFiles(tree: Tree, files: Record<string, Buffer | string>): Promise<string> {
  const folder = join(tree.base, 'local')
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

describe('uploads', () => {
  it('sends picked files whole, keeps their times and shows them in the folder', async () => {
    await using home = await takeHome({ 'in/there.txt': 'x' })
    const { tree } = home
    const bytes = randomBytes(300_000)
    const local = await localFiles(tree, { 'a#b 100%.bin': bytes, 'empty.txt': '' })
    await utimes(join(local, 'a#b 100%.bin'), 1_600_000_000, 1_600_000_000)
    await using open = await openIn(home, { as: home.as, path: '/files/in/' })
    const { page } = open
    await pickFiles(page, [join(local, 'a#b 100%.bin'), join(local, 'empty.txt')])
    await panel(page).getByText('2 files uploaded').waitFor()
    await page.locator('#listing').getByText('a#b 100%').first().waitFor()
    expect(await readFile(tree.at('in/a#b 100%.bin'))).toEqual(bytes)
    expect((await stat(tree.at('in/a#b 100%.bin'))).mtimeMs).toBe(1_600_000_000_000)
    expect((await stat(tree.at('in/empty.txt'))).size).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('takes files that are dragged in from the desktop', async () => {
    await using open = await openServed({ 'sub/x.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a#b.txt': 'one', 'trip/day 1/deep.txt': 'two' })
    const onto = async (place: Locator, files: string[]) => {
      const { x, y, width, height } = await stillBox(place)
      const target = page.locator('.dropveil, .drop')
      await dragFromOutside(page, { x: x + width / 2, y: y + height / 2 }, files, target)
    }
    await onto(page.locator('#listing'), [join(local, 'a#b.txt'), join(local, 'trip')])
    await panel(page).getByText('2 files uploaded').waitFor()
    expect(await tree.read('a#b.txt')).toBe('one')
    expect(await tree.read('trip/day 1/deep.txt')).toBe('two')
    await onto(entry(page, 'sub'), [join(local, 'a#b.txt')])
    await waitFor('the file in the folder', async () =>
      (await readdir(tree.at('sub'))).includes('a#b.txt'),
    )
    expect(open.problems).toEqual([])
  })

  it('sends a folder from the folder picker with everything below it', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { tree } = open
    const local = await localFiles(tree, {
      'trip/day 1/a.txt': 'one',
      'trip/day 1/deep/ü?.txt': 'two',
      'trip/top.txt': 'three',
    })
    await pickFiles(open.page, [join(local, 'trip')], 'Upload folder')
    await panel(open.page).getByText('3 files uploaded').waitFor()
    expect(await tree.read('trip/day 1/a.txt')).toBe('one')
    expect(await tree.read('trip/day 1/deep/ü?.txt')).toBe('two')
    expect(await tree.read('trip/top.txt')).toBe('three')
    await open.page.locator('#listing').getByText('trip', { exact: true }).first().waitFor()
  })

  it('sends a dropped tree, empty folders included', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { tree } = open
    await open.page.locator('#listing').getByText('old').first().waitFor()
    await dropTree(open.page, { trip: { empty: {}, 'a.txt': 'A', sub: { 'b.txt': 'B' } } })
    await panel(open.page).getByText('3 files uploaded').waitFor()
    expect(await tree.read('trip/a.txt')).toBe('A')
    expect(await tree.read('trip/sub/b.txt')).toBe('B')
    expect(await readdir(tree.at('trip/empty'))).toEqual([])
  })

  it('uploads a pasted picture under a name that tells the time', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { tree } = open
    await open.page.locator('#listing').getByText('old').first().waitFor()
    await open.page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['not really'], 'image.png', { type: 'image/png' }))
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
    })
    await panel(open.page).getByText('1 file uploaded').waitFor()
    const names = await readdir(tree.root)
    expect(
      names.filter((name) => /^Pasted picture \d{4}-\d\d-\d\d .*\.png$/.test(name)),
    ).toHaveLength(1)
  })

  it('pauses and resumes one file without sending a byte twice', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const bytes = randomBytes(24 << 20)
    const local = await localFiles(tree, { 'big.bin': bytes })
    const offsets: number[] = []
    await page.route('**/api/tus/big.bin*', async (route) => {
      const request = route.request()
      if (request.method() !== 'PATCH') return route.continue()
      offsets.push(Number(request.headers()['upload-offset']))
      // The second chunk takes long enough to be stopped amid it.
      if (offsets.length === 2) await slowUploads(page, 1 << 18)
      await route.continue()
    })
    await pickFiles(page, [join(local, 'big.bin')])
    await waitFor('the second chunk', () => offsets.length >= 2)
    await panel(page).getByRole('button', { name: 'Pause big.bin' }).click()
    await panel(page).getByText('Paused', { exact: true }).waitFor()
    expect((await readdir(tree.root)).includes('big.bin')).toBe(false)
    await slowUploads(page, 0)
    await panel(page).getByRole('button', { name: 'Resume big.bin' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(bytes)
    expect(offsets.filter((offset) => offset === 0)).toHaveLength(1)
  })

  it('pauses everything, goes on, and cancels everything after asking', async () => {
    await using home = await takeHome({ 'old.txt': 'x' })
    const { tree } = home
    const files: Record<string, Buffer> = {}
    for (let n = 1; n <= 7; n++) files[`f${n}.bin`] = randomBytes(12 << 20)
    const local = await localFiles(tree, files)
    await using open = await openIn(home, { as: home.as, path: '/files/' })
    const { page } = open
    await slowUploads(page, 1 << 19)
    await pickFiles(
      page,
      Object.keys(files).map((name) => join(local, name)),
    )
    await panel(page).getByText('Uploading 5 of 7 files').waitFor()
    await panel(page).getByText('Waiting', { exact: true }).first().waitFor()
    await panel(page).getByRole('button', { name: 'Pause all' }).click()
    await panel(page).getByText('Uploads paused').waitFor()
    await panel(page).getByRole('button', { name: 'Resume all' }).click()
    await panel(page).getByText('Uploading 5 of 7 files').waitFor()
    await panel(page).getByRole('button', { name: 'Cancel all' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep uploading' }).click()
    await panel(page).getByRole('button', { name: 'Cancel all' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel uploads' }).click()
    await panel(page).waitFor({ state: 'detached' })
    // Nothing of it is left, neither under its name nor hidden.
    await waitFor('an empty folder', async () => {
      const left = await readdir(tree.root, { recursive: true })
      return left.filter((name) => name !== 'old.txt').length === 0
    })
  })

  it('cancels one file and uploads the others', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.bin': randomBytes(8 << 20), 'b.txt': 'small' })
    await slowUploads(page, 1 << 18)
    await pickFiles(page, [join(local, 'a.bin'), join(local, 'b.txt')])
    await panel(page).getByRole('button', { name: 'Cancel a.bin' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    await waitFor('only b.txt', async () => {
      const names = (await readdir(tree.root)).sort()
      return names.join() === 'b.txt,old.txt'
    })
  })

  it('leaves nothing of a file that is cancelled while the server begins with it', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.bin': randomBytes(1 << 20) })
    const begun = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    await page.route('**/api/tus/a.bin*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const response = await route.fetch()
      begun.resolve()
      await cancelled.promise
      await route.fulfill({ response })
    })
    await pickFiles(page, [join(local, 'a.bin')])
    await begun.promise
    expect((await readdir(tree.root)).length).toBe(2)
    await panel(page).getByRole('button', { name: 'Cancel a.bin' }).click()
    cancelled.resolve()
    await waitFor('only what was there', async () => {
      return (await readdir(tree.root)).join() === 'old.txt'
    })
  })

  it('goes on by itself after the connection was lost', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const bytes = randomBytes(20 << 20)
    const local = await localFiles(tree, { 'big.bin': bytes })
    await slowUploads(page, 1 << 20)
    await pickFiles(page, [join(local, 'big.bin')])
    await waitFor('some of it sent', async () =>
      /[1-9]\d?%/.test((await panel(page).textContent()) ?? ''),
    )
    await goOffline(page)
    await page.getByText('No connection to the server').first().waitFor()
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(bytes)
  })

  it('goes on each time the session ended and the person signed in again', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, context, tree } = open
    const bytes = randomBytes(48 << 20)
    const local = await localFiles(tree, { 'big.bin': bytes })
    const sent = async () =>
      Number(
        await panel(page)
          .getByRole('progressbar', { name: 'big.bin' })
          .getAttribute('aria-valuenow'),
      )
    await slowUploads(page, 10 << 20)
    await pickFiles(page, [join(local, 'big.bin')])
    for (const percent of [1, 30]) {
      await waitFor(`${percent} % sent`, async () => (await sent()) >= percent)
      // The rest takes longer than what comes now.
      await slowUploads(page, 1 << 18)
      // Ended from elsewhere: an administrator, another device.
      const token = await (await context.request.get('/api/renew')).text()
      await context.request.post('/api/logout', { headers: { 'X-Auth': token } })
      await slowUploads(page, 10 << 20)
      const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
      const password = dialog.getByLabel('Password', { exact: true })
      await password.waitFor()
      await panel(page).getByText('Waiting for you to sign in').waitFor()
      await password.fill('correct horse 9 battery')
      await password.press('Enter')
      await dialog.waitFor({ state: 'detached' })
    }
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(bytes)
  })

  it('halves the chunk when a proxy finds it too large', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const bytes = randomBytes(9 << 20)
    const local = await localFiles(tree, { 'big.bin': bytes })
    const limit = 3 << 20
    let refused = 0
    await page.route('**/api/tus/**', async (route) => {
      const size = route.request().postDataBuffer()?.length ?? 0
      if (route.request().method() !== 'PATCH' || size <= limit) return route.continue()
      refused++
      return route.fulfill({ status: 413, body: 'Request Entity Too Large' })
    })
    await pickFiles(page, [join(local, 'big.bin')])
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(refused).toBeGreaterThan(0)
    expect(await readFile(tree.at('big.bin'))).toEqual(bytes)
  })

  it('says why a file failed and uploads it when it is tried again', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.txt': 'hello' })
    await page.route('**/api/tus/**', (route) => route.fulfill({ status: 403 }))
    await pickFiles(page, [join(local, 'a.txt')])
    await panel(page).getByText('1 upload failed').waitFor()
    await panel(page).getByText('No permission').waitFor()
    await page.unroute('**/api/tus/**')
    await panel(page).getByRole('button', { name: 'Retry a.txt' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await tree.read('a.txt')).toBe('hello')
  })

  it('says why a file whose name was taken cannot be tried again', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.txt': 'hello' })
    await page.route('**/api/tus/**', (route) => route.fulfill({ status: 409 }))
    await pickFiles(page, [join(local, 'a.txt')])
    await panel(page).getByText('Name is taken').waitFor()
    await page.route('**/api/resources/**', (route) =>
      route.fulfill({ status: 403, headers: { 'X-Error-Code': 'forbidden' } }),
    )
    await panel(page).getByRole('button', { name: 'Retry a.txt' }).click()
    await page.getByText('You don’t have permission to do this').first().waitFor()
    await panel(page).getByText('Name is taken').waitFor()
    expect(open.problems).toEqual([])
  })

  it('refuses in plain words what does not fit on the disk', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.bin': randomBytes(5 << 20) })
    await page.route('**/api/usage/**', (route) =>
      route.fulfill({ json: { total: 100 << 20, used: 99 << 20 } }),
    )
    await pickFiles(page, [join(local, 'a.bin')])
    await page.getByText('these files need at least 5.0 MiB, and 1.0 MiB is free').first().waitFor()
    expect(await readdir(tree.root)).toEqual(['old.txt'])
  })

  it('needs no room for a file that is skipped', async () => {
    await using open = await openServed({ 'a.bin': 'there' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.bin': randomBytes(5 << 20), 'small.txt': 'hello' })
    await page.route('**/api/usage/**', (route) =>
      route.fulfill({ json: { total: 100 << 20, used: 99 << 20 } }),
    )
    const dialog = page.getByRole('dialog')
    const pick = async (answer: string) => {
      await pickFiles(page, [join(local, 'a.bin'), join(local, 'small.txt')])
      await dialog.getByRole('radio', { name: answer }).first().check()
      await dialog.getByRole('button', { name: 'Continue' }).click()
    }
    await pick('Replace')
    await page.getByText('these files need at least 5.0 MiB, and 1.0 MiB is free').first().waitFor()
    expect(await readdir(tree.root)).toEqual(['a.bin'])
    await pick('Skip')
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await tree.read('small.txt')).toBe('hello')
    expect(await tree.read('a.bin')).toBe('there')
  })

  it('survives going to another folder and refreshes only the one it belongs to', async () => {
    await using open = await openServed(
      { 'one/x.txt': 'x', 'two/y.txt': 'y' },
      { path: '/files/one/' },
    )
    const { page, tree } = open
    const local = await localFiles(tree, { 'big.bin': randomBytes(6 << 20) })
    await slowUploads(page, 1 << 18)
    await pickFiles(page, [join(local, 'big.bin')])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    const listed: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      // Cards ask how much is in each once they are drawn.
      if (pathname.startsWith('/api/resources') && !searchParams.has('summary'))
        listed.push(pathname)
    })
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').first().click()
    await page.locator('#listing').getByText('two', { exact: true }).first().waitFor()
    listed.length = 0
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(listed).toEqual([])
    await page.goBack()
    await page.locator('#listing').getByText('big').first().waitFor()
  })

  it('shows what has arrived while the rest is on its way', async () => {
    await using open = await openServed({})
    const { page, tree } = open
    const local = await localFiles(tree, { 'a.txt': 'a', 'big.bin': randomBytes(8 << 20) })
    await slowUploads(page, 1 << 18)
    await pickFiles(page, [join(local, 'a.txt'), join(local, 'big.bin')])
    await entry(page, 'a.txt').waitFor()
    await panel(page).getByText('Uploading').first().waitFor()
    expect(await entry(page, 'big.bin').count()).toBe(0)
    await slowUploads(page, 0)
    await entry(page, 'big.bin').waitFor()
  })

  it('asks before the page is left while something is on its way', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/' })
    const { page, tree } = open
    const local = await localFiles(tree, { 'big.bin': randomBytes(8 << 20) })
    await slowUploads(page, 1 << 20)
    await pickFiles(page, [join(local, 'big.bin')])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    const asked = page.waitForEvent('dialog')
    const leaving = page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await leaving
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
  })

  it('folds into a ring in the header and opens again', async () => {
    await using open = await openServed({ 'old.txt': 'x' }, { path: '/files/', viewport: PHONE })
    const { page, tree } = open
    const local = await localFiles(tree, { 'big.bin': randomBytes(8 << 20) })
    await slowUploads(page, 1 << 18)
    await pickFiles(page, [join(local, 'big.bin')])
    await panel(page).getByRole('button', { name: 'Hide activity' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Activity: \d+% done/ }).click()
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    await panel(page).getByRole('button', { name: 'Hide activity' }).click()
    await slowUploads(page, 0)
    await page.getByRole('region', { name: 'Notifications' }).getByText('1 file uploaded').waitFor()
    await page.getByRole('button', { name: /^Activity:/ }).waitFor({ state: 'detached' })
  })
})
