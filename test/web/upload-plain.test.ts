// Uploads by one request each, where an administrator turned the resumable protocol off.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { startConfigured, startProgram } from '../support/program.ts'
import { makeTree, type TreeContent } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { panel, pickFiles, slowUploads } from './upload-steps.ts'

const openIn = sharedBrowser()

const MIB = 1 << 20

/** A page of a server without the resumable protocol, and a file `big.bin` on the person's own disk. */
async function openPlain(sizeBytes: number, content: TreeContent = { 'old.txt': 'x' }) {
  await using begun = new AsyncDisposableStack()
  const tree = begun.use(await makeTree(content))
  const path = join(tree.base, 'big.bin')
  const bytes = randomBytes(sizeBytes)
  await writeFile(path, bytes)
  await utimes(path, 1_600_000_000, 1_600_000_000)
  const program = begun.use(await startConfigured(tree, ['--tus.chunkSize', '0']))
  const open = begun.use(await openIn(program, { path: '/files/' }))
  /** What went out for the file, questions left aside. */
  const sent: string[] = []
  open.page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'GET' && pathname.endsWith('/big.bin')) {
      sent.push(`${request.method()} ${pathname}`)
    }
  })
  const all = begun.move()
  return {
    ...open,
    tree,
    program,
    path,
    bytes,
    sent,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

describe('uploads by one request', () => {
  it('send the file whole and keep its time', async () => {
    await using open = await openPlain(3 * MIB)
    const { page, tree } = open
    await pickFiles(page, [open.path])
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(open.bytes)
    expect((await stat(tree.at('big.bin'))).mtimeMs).toBe(1_600_000_000_000)
    expect(open.sent).toEqual(['POST /api/resources/big.bin'])
    expect(open.problems).toEqual([])
  })

  it('say that a name was taken meanwhile, and replace what is there when asked to', async () => {
    await using open = await openPlain(8 * MIB)
    const { page, tree } = open
    let taken = false
    await page.route('**/api/resources/big.bin?*', async (route) => {
      if (route.request().method() === 'POST' && !taken) {
        taken = true
        await tree.add({ 'big.bin': 'of somebody else' })
      }
      await route.continue()
    })
    await pickFiles(page, [open.path])
    await panel(page).getByText('Name is taken').waitFor()
    expect(await tree.read('big.bin')).toBe('of somebody else')
    await panel(page).getByRole('button', { name: 'Retry big.bin' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Replace' }).check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(open.bytes)
  })

  it('leave nothing behind when they are cancelled', async () => {
    await using open = await openPlain(24 * MIB)
    const { page, tree } = open
    await slowUploads(page, MIB)
    await pickFiles(page, [open.path])
    await waitFor('some of it sent', async () => (await percentSent(open)) > 2)
    await panel(page).getByRole('button', { name: 'Cancel big.bin' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await waitFor('an empty folder', async () => (await readdir(tree.root)).join() === 'old.txt')
    expect(open.problems).toEqual([])
  })

  it('begin anew after a pause', async () => {
    await using open = await openPlain(24 * MIB)
    const { page, tree } = open
    await slowUploads(page, MIB)
    await pickFiles(page, [open.path])
    await waitFor('some of it sent', async () => (await percentSent(open)) > 2)
    await panel(page).getByRole('button', { name: 'Pause big.bin' }).click()
    await panel(page).getByText('Paused', { exact: true }).waitFor()
    expect((await readdir(tree.root)).includes('big.bin')).toBe(false)
    await slowUploads(page, 0)
    await panel(page).getByRole('button', { name: 'Resume big.bin' }).click()
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(open.bytes)
    await expect.poll(() => open.sent).toHaveLength(2)
  })

  it('go on by themselves after the connection broke', async () => {
    await using open = await openPlain(24 * MIB)
    const { page, tree } = open
    await slowUploads(page, MIB)
    await pickFiles(page, [open.path])
    await waitFor('some of it sent', async () => (await percentSent(open)) > 2)
    await open.program.kill()
    await panel(page).getByText('Waiting for the connection').waitFor()
    await slowUploads(page, 0)
    await using _again = await startProgram(tree, {
      database: open.program.database,
      listen: ['-a', '127.0.0.1', '-p', String(open.program.port)],
    })
    await panel(page).getByText('1 file uploaded').waitFor()
    expect(await readFile(tree.at('big.bin'))).toEqual(open.bytes)
  })
})

async function percentSent({ page }: Awaited<ReturnType<typeof openPlain>>): Promise<number> {
  const bar = panel(page).getByRole('progressbar', { name: 'big.bin' })
  return Number(await bar.getAttribute('aria-valuenow'))
}
