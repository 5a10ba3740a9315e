// Uploads cut short by a reload, a closed browser or a stopped server go on where they stopped.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { launchProfile } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ADMIN, type Program, startProgram } from '../support/program.ts'
import { makeTree, type TreeContent } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'
import { changeSettings } from './settings-steps.ts'
import {
  chooseAgain,
  dragFromOutside,
  holdUploads,
  isRemembered,
  notice,
  panel,
  pickFiles,
  slowUploads,
} from './upload-steps.ts'

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

/** So many bytes are a chunk here: a tenth of the usual takes a tenth of the work. */
const CHUNK = 1_000_000
const UNIT = CHUNK / 10

const sendChunks = (program: Program) =>
  changeSettings(program, ({ tus }) => ({ tus: { ...tus, chunkSize: CHUNK } }))

/** Bytes of file content that left the page, by path. */
function countSent(context: BrowserContext): Map<string, number> {
  const sent = new Map<string, number>()
  context.on('response', (response) => {
    const request = response.request()
    if (request.method() !== 'PATCH' || response.status() !== 204) return
    const { pathname } = new URL(request.url())
    const from = Number(request.headers()['upload-offset'])
    const to = Number(response.headers()['upload-offset'])
    sent.set(pathname, (sent.get(pathname) ?? 0) + to - from)
  })
  return sent
}

/** Bytes of the bodies that the page put on the line, by path, whatever the server took of them. */
function countBodies(context: BrowserContext): Map<string, number> {
  const bodies = new Map<string, number>()
  context.on('requestfinished', async (request) => {
    if (request.method() !== 'PATCH') return
    const { pathname } = new URL(request.url())
    const length = Number((await request.allHeaders())['content-length'])
    bodies.set(pathname, (bodies.get(pathname) ?? 0) + length)
  })
  return bodies
}

/** Where the server said each upload stands, the first time it was asked. */
function offsetsAskedFor(context: BrowserContext): Map<string, number> {
  const offsets = new Map<string, number>()
  context.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (response.request().method() !== 'HEAD' || offsets.has(pathname)) return
    offsets.set(pathname, Number(response.headers()['upload-offset']))
  })
  return offsets
}

/** How many uploads the page has begun, each of which drops what was sent for the one before. */
function begun({ seen }: Gateway): number {
  return seen.filter(({ method, path }) => method === 'POST' && path.includes('/tus/')).length
}

/** Leaves the page although it asks not to be left. */
async function reloadAnyway(page: Page): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
}

/** A page that sends `big.bin`, a file of four chunks beside the served folder, as far as its middle, until `goOn`. */
async function openSending(content: TreeContent, path: string) {
  const open = await openServed(content, { path, prepare: sendChunks })
  const goOn = await holdUploads(open.page, ['/big.bin'], 20 * UNIT)
  const bytes = randomBytes(40 * UNIT)
  await writeFile(join(open.tree.base, 'big.bin'), bytes)
  const sent = countSent(open.context)
  await slowUploads(open.page, 20 * UNIT)
  await pickFiles(open.page, [join(open.tree.base, 'big.bin')])
  return { ...open, bytes, sent, goOn }
}

/** True while the page keeps handles of files. */
function hasHandles(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const all = await indexedDB.databases()
    const name = all.find((each) => each.name?.startsWith('fb-upload-handles'))?.name
    if (name === undefined) return false
    const opening = indexedDB.open(name)
    await new Promise((resolve) => {
      opening.onsuccess = resolve
    })
    const counting = opening.result.transaction('handles').objectStore('handles').count()
    await new Promise((resolve) => {
      counting.onsuccess = resolve
    })
    opening.result.close()
    return counting.result > 0
  })
}

describe('interrupted uploads', () => {
  it('asks for the same file after a reload and sends only what is missing', async () => {
    await using open = await openSending({ 'in/old.txt': 'x' }, '/files/in/')
    const { page, tree, bytes, sent, goOn } = open
    const path = '/api/tus/in/big.bin'
    await waitFor('the second chunk', () => (sent.get(path) ?? 0) >= 20 * UNIT)
    await reloadAnyway(page)
    await goOn()
    expect((await readdir(tree.at('in'))).includes('big.bin')).toBe(false)

    await notice(page).getByText('1 file didn’t finish uploading').waitFor()
    await notice(page).getByText('big.bin').first().waitFor()
    await slowUploads(page, 0)
    await chooseAgain(page, 'Choose files', join(tree.base, 'big.bin'))
    await panel(page).getByText('1 file uploaded').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect((await readFile(tree.at('in/big.bin'))).equals(bytes)).toBe(true)
    // Less than all by what arrived of the chunk that the reload cut off.
    expect(sent.get(path)).toBeLessThanOrEqual(bytes.length)
    await page.reload()
    await page.locator('#listing').getByText('big').first().waitFor()
    expect(await notice(page).count()).toBe(0)
  })

  it('goes on with a dropped file that the browser has a handle of, without asking for it', async () => {
    const MIB = 1024 * 1024
    const prepare = (program: Program) =>
      changeSettings(program, ({ tus }) => ({ tus: { ...tus, chunkSize: 6 * MIB } }))
    await using open = await openServed({ 'in/old.txt': 'x' }, { path: '/files/in/', prepare })
    const { page, tree, context } = open
    const goOn = await holdUploads(page, ['/big.bin'], 6 * MIB)
    const bytes = randomBytes(17 * MIB)
    const file = join(tree.base, 'big.bin')
    await writeFile(file, bytes)
    const sent = countSent(context)
    await page.locator('#listing').getByText('old').first().waitFor()
    await dragFromOutside(page, { x: 640, y: 400 }, [file])
    const path = '/api/tus/in/big.bin'
    await waitFor('the first chunk', () => (sent.get(path) ?? 0) >= 6 * MIB)
    await expect.poll(() => hasHandles(page)).toBe(true)
    await reloadAnyway(page)
    await goOn()
    await notice(page).getByRole('button', { name: 'Resume upload' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect((await readFile(tree.at('in/big.bin'))).equals(bytes)).toBe(true)
    await expect.poll(() => sent.get(path)).toBe(bytes.length)
    await expect.poll(() => hasHandles(page)).toBe(false)
  })

  it('remembers what is unfinished after the data of the site was cleared', async () => {
    await using open = await openServed({}, { path: '/files/', prepare: sendChunks })
    const { page, context, program } = open
    await writeFile(join(open.tree.base, 'small.txt'), 'x')
    await pickFiles(page, [join(open.tree.base, 'small.txt')])
    await panel(page).getByText('1 file uploaded').waitFor()
    const devtools = await context.newCDPSession(page)
    const storageTypes = 'indexeddb'
    await devtools.send('Storage.clearDataForOrigin', { origin: program.origin, storageTypes })

    await slowUploads(page, UNIT)
    await writeFile(join(open.tree.base, 'big.bin'), randomBytes(40 * UNIT))
    await pickFiles(page, [join(open.tree.base, 'big.bin')])
    await panel(page).getByText('Uploading').first().waitFor()
    await expect.poll(() => isRemembered(page, 'big.bin')).toBe(true)
    await reloadAnyway(page)
    await notice(page).getByText('1 file didn’t finish uploading').waitFor()
    await notice(page).getByText('to “My files”').waitFor()
  })

  it('continues a folder after the browser was closed and sends nothing again', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    const folder = join(tree.base, 'trip')
    await mkdir(join(folder, 'deep'), { recursive: true })
    const sizes = { 'a.bin': 3, 'b.bin': 3, 'deep/c.bin': 3, 'd.bin': 24, 'e.bin': 24 }
    const names = Object.keys(sizes)
    for (const [name, units] of Object.entries(sizes))
      await writeFile(join(folder, name), randomBytes(units * UNIT))
    await using program = await startProgram(tree)
    await sendChunks(program)
    const profile = join(tree.base, 'profile')
    const first = await launchProfile(profile, program)
    await first.request.post('/api/login', { data: { ...ADMIN, recaptcha: '', remember: true } })
    const [page = await first.newPage()] = first.pages()
    await page.goto('/files/')
    const sent = countSent(first)
    await holdUploads(first, ['/d.bin', '/e.bin'], 10 * UNIT)
    await slowUploads(page, 10 * UNIT)
    await pickFiles(page, [folder], 'Upload folder')
    await waitFor(
      'small files and a part of a large one',
      () =>
        [...sent.values()].filter((bytes) => bytes === 3 * UNIT).length === 3 &&
        [...sent.values()].some((bytes) => bytes >= 10 * UNIT),
    )
    // Not asked whether to leave: a crash does not ask either.
    await first.close()

    const second = await launchProfile(profile, program)
    try {
      const [again = await second.newPage()] = second.pages()
      const bodies = countBodies(second)
      const offsets = offsetsAskedFor(second)
      await again.goto('/files/')
      await notice(again)
        .getByText(/\d files didn’t finish uploading/)
        .waitFor()
      await chooseAgain(again, 'Choose folder', folder)
      await panel(again)
        .getByText(/files? uploaded/)
        .waitFor()
      await notice(again).waitFor({ state: 'detached' })
      for (const name of names) {
        const there = await readFile(tree.at(`trip/${name}`))
        expect(there.equals(await readFile(join(folder, name)))).toBe(true)
      }
      // Exactly what the server did not have left the browser, byte by byte.
      const large = ['/api/tus/trip/d.bin', '/api/tus/trip/e.bin']
      // This program is told of what left later than the page.
      const left = () => [...bodies].sort()
      const missing = large.map((path) => [path, 24 * UNIT - (offsets.get(path) ?? 0)])
      await expect.poll(left).toEqual(missing)
      expect(Math.max(...offsets.values())).toBeGreaterThanOrEqual(10 * UNIT)
    } finally {
      await second.close()
    }
  })

  it('continues where it was after the server was killed and started again', async () => {
    await using open = await openSending({ 'old.txt': 'x' }, '/files/')
    const { page, tree, program: first, bytes, sent, goOn } = open
    const path = '/api/tus/big.bin'
    await waitFor('the first chunk', () => (sent.get(path) ?? 0) >= 10 * UNIT)
    await first.kill()
    expect((await readdir(tree.root)).includes('big.bin')).toBe(false)
    await using _second = await startProgram(tree, { args: ['-p', String(first.port)] })
    await goOn()
    await slowUploads(page, 0)
    await panel(page).getByText('1 file uploaded').waitFor()
    expect((await readFile(tree.at('big.bin'))).equals(bytes)).toBe(true)
    expect(sent.get(path)).toBeLessThanOrEqual(bytes.length)
  })

  it('needs room for what is missing only, and a refusal leaves what was sent', async () => {
    await using open = await openSending({ 'old.txt': 'x' }, '/files/')
    const { page, tree, bytes, sent, goOn } = open
    await waitFor('the second chunk', () => (sent.get('/api/tus/big.bin') ?? 0) >= 20 * UNIT)
    await reloadAnyway(page)
    await goOn()
    await slowUploads(page, 0)

    let freeBytes = 1 << 20
    await page.route('**/api/usage/**', (route) =>
      route.fulfill({ json: { total: 100 << 20, used: (100 << 20) - freeBytes } }),
    )
    const choose = async () => {
      await chooseAgain(page, 'Choose files', join(tree.base, 'big.bin'))
    }
    await choose()
    await page
      .getByText(/these files need at least .* and 1\.0 MiB is free/)
      .first()
      .waitFor()
    freeBytes = 30 * UNIT
    await choose()
    await panel(page).getByText('1 file uploaded').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect((await readFile(tree.at('big.bin'))).equals(bytes)).toBe(true)
    expect(sent.get('/api/tus/big.bin')).toBeLessThanOrEqual(bytes.length)
  })

  it('asks again where to go on when a proxy answers 503', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    const bytes = randomBytes(40 * UNIT)
    await writeFile(join(tree.base, 'big.bin'), bytes)
    await using program = await startProgram(tree)
    await sendChunks(program)
    await using gateway = await startGateway(program)
    await using open = await openIn(program, {
      path: '/files/',
      baseURL: gateway.origin,
    })
    const { page, context } = open
    const sent = countSent(context)
    // The third chunk and the questions after it meet a proxy whose server is restarted.
    let chunks = 0
    let refusals = 0
    gateway.refuse = ({ method }) => {
      if (method === 'PATCH' && ++chunks === 3) return 502
      return method === 'HEAD' && ++refusals < 3 ? 503 : null
    }
    await pickFiles(page, [join(tree.base, 'big.bin')])
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(refusals).toBe(3)
    expect(begun(gateway)).toBe(1)
    expect((await readFile(tree.at('big.bin'))).equals(bytes)).toBe(true)
    await expect.poll(() => sent.get('/api/tus/big.bin')).toBe(bytes.length)
  })

  it('does not replace a file a second time when the last answer was lost', async () => {
    await using tree = await makeTree({ 'big.bin': 'the old one' })
    const bytes = randomBytes(12 * UNIT)
    await mkdir(join(tree.base, 'own'))
    await writeFile(join(tree.base, 'own/big.bin'), bytes)
    await using program = await startProgram(tree)
    await sendChunks(program)
    await using gateway = await startGateway(program)
    await using open = await openIn(program, {
      path: '/files/',
      baseURL: gateway.origin,
    })
    const { page } = open
    let chunks = 0
    gateway.refuse = ({ method }) => (method === 'PATCH' && ++chunks === 2 ? 'cut' : null)
    await pickFiles(page, [join(tree.base, 'own/big.bin')])
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Replace' }).first().check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(begun(gateway)).toBe(1)
    expect((await readFile(tree.at('big.bin'))).equals(bytes)).toBe(true)
  })

  it('continues a folder that went under another name, and sends nothing again', async () => {
    await using tree = await makeTree({ trip: 'a file of this name', 'old.txt': 'x' })
    const folder = join(tree.base, 'trip')
    await mkdir(folder)
    const small = ['a.bin', 'b.bin']
    for (const name of small) await writeFile(join(folder, name), randomBytes(3 * UNIT))
    await writeFile(join(folder, 'large.bin'), randomBytes(40 * UNIT))
    await using program = await startProgram(tree)
    await sendChunks(program)
    await using open = await openIn(program, { path: '/files/' })
    const { page, context } = open
    const sent = countSent(context)
    const goOn = await holdUploads(page, ['/large.bin'], 20 * UNIT)
    await slowUploads(page, 20 * UNIT)
    await pickFiles(page, [folder], 'Upload folder')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Keep both' }).first().check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const large = '/api/tus/trip(1)/large.bin'
    await waitFor(
      'the small files and a part of the large one',
      () => [...sent.values()].length === 3 && (sent.get(large) ?? 0) >= 10 * UNIT,
    )
    await reloadAnyway(page)
    await goOn()
    await slowUploads(page, 0)
    const bodies = countBodies(context)
    const offsets = offsetsAskedFor(context)
    // Came into the folder since.
    await writeFile(join(folder, 'new.txt'), 'new')
    await chooseAgain(page, 'Choose folder', folder)
    await panel(page).getByText('2 files uploaded').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect((await readdir(tree.root)).sort()).toEqual(['old.txt', 'trip', 'trip(1)'])
    for (const name of [...small, 'large.bin', 'new.txt']) {
      const there = await readFile(tree.at(`trip(1)/${name}`))
      expect(there.equals(await readFile(join(folder, name)))).toBe(true)
    }
    // This program is told of what left later than the page.
    await expect.poll(() => bodies.get(large)).toBe(40 * UNIT - (offsets.get(large) ?? 0))
    for (const name of small) expect(bodies.has(`/api/tus/trip(1)/${name}`)).toBe(false)
  })

  it('says that a file has changed since, and sends it from the start', async () => {
    await using open = await openSending({ 'old.txt': 'x' }, '/files/')
    const { page, tree, sent, goOn } = open
    const own = join(tree.base, 'big.bin')
    await waitFor('the first chunk', () => (sent.get('/api/tus/big.bin') ?? 0) >= 10 * UNIT)
    await reloadAnyway(page)
    await goOn()
    await slowUploads(page, 0)
    const bytes = randomBytes(12 * UNIT)
    await writeFile(own, bytes)
    await chooseAgain(page, 'Choose files', own)
    await page
      .getByRole('region', { name: 'Notifications' })
      .getByText(
        '1 file has changed since its upload was interrupted, so it will be uploaded again from the start.',
      )
      .waitFor()
    await panel(page).getByText('1 file uploaded').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect((await readFile(tree.at('big.bin'))).equals(bytes)).toBe(true)
    await page.reload()
    await page.locator('#listing').getByText('big').first().waitFor()
    expect(await notice(page).count()).toBe(0)
  })

  it('says nothing of a changed file that is skipped', async () => {
    await using open = await openSending({ 'old.txt': 'x' }, '/files/')
    const { page, tree, sent, goOn } = open
    const own = ['big.bin', 'other.txt'].map((name) => join(tree.base, name))
    await waitFor('the first chunk', () => (sent.get('/api/tus/big.bin') ?? 0) >= 10 * UNIT)
    await reloadAnyway(page)
    await goOn()
    await slowUploads(page, 0)
    for (const path of own) await writeFile(path, 'of another size')
    await tree.add({ 'big.bin': 'from elsewhere' })
    await chooseAgain(page, 'Choose files', own)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Skip' }).first().check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await page.getByText('changed since its upload').count()).toBe(0)
    expect(await tree.read('big.bin')).toBe('from elsewhere')
  })

  it('forgets an interrupted upload when it is discarded', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await writeFile(join(tree.base, 'big.bin'), randomBytes(30 * UNIT))
    await using program = await startProgram(tree)
    await sendChunks(program)
    await using open = await openIn(program, { path: '/files/' })
    const { page } = open
    await slowUploads(page, UNIT)
    await pickFiles(page, [join(tree.base, 'big.bin')])
    await waitFor('some of it sent', async () =>
      /[1-9]\d?%/.test((await panel(page).textContent()) ?? ''),
    )
    await reloadAnyway(page)
    await notice(page).getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await notice(page).waitFor({ state: 'detached' })
    await waitFor('nothing left on the server', async () => {
      const left = await readdir(tree.root, { recursive: true })
      return left.join() === 'old.txt'
    })
    await page.reload()
    await page.locator('#listing').getByText('old').first().waitFor()
    expect(await notice(page).count()).toBe(0)
  })

  it('does not take an upload of another tab for interrupted', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await writeFile(join(tree.base, 'big.bin'), randomBytes(20 * UNIT))
    await using program = await startProgram(tree)
    await sendChunks(program)
    await using open = await openIn(program, { path: '/files/' })
    const { page, context } = open
    await slowUploads(page, UNIT / 8)
    await pickFiles(page, [join(tree.base, 'big.bin')])
    await panel(page).getByText('Uploading 1 of 1 file').waitFor()
    const other = await context.newPage()
    await other.goto('/files/')
    await other.locator('#listing').getByText('old').first().waitFor()
    // Longer than other tabs are given to answer.
    await other.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)))
    await expect.poll(() => notice(other).count()).toBe(0)

    // As a tab does that has much to do.
    await page.evaluate(() => {
      const { postMessage } = BroadcastChannel.prototype
      const answers = Promise.withResolvers<void>()
      Object.assign(window, { answer: answers.resolve })
      BroadcastChannel.prototype.postMessage = function (this: BroadcastChannel, message) {
        void answers.promise.then(() => Reflect.apply(postMessage, this, [message]))
      }
    })
    await other.reload()
    await notice(other).waitFor()
    await page.evaluate(() => Reflect.get(window, 'answer')())
    await notice(other).waitFor({ state: 'detached' })
  })
})
