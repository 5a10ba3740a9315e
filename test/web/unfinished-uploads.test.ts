// Uploads that were begun elsewhere and never finished: found in the profile, gone on with, removed.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import type { Program } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'
import { toast } from './listing-steps.ts'
import { panel } from './upload-steps.ts'

const openServed = servedPages()
const SENT = 1 << 20
const MODIFIED_MS = 1_700_000_000_000

async function begin(program: Program, path: string, bytes: Buffer): Promise<void> {
  const admin = await loginAs(program.origin)
  const begun = { 'Upload-Length': String(bytes.length), 'X-Modified': String(MODIFIED_MS) }
  await admin.fetch(`/api/tus${path}`, { method: 'POST', headers: begun })
  const headers = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }
  const body = new Uint8Array(bytes.subarray(0, SENT))
  const { status } = await admin.fetch(`/api/tus${path}`, { method: 'PATCH', headers, body })
  expect(status).toBe(204)
}

it('an upload begun elsewhere goes on with the same file, and one that is removed frees its room', async () => {
  const bytes = randomBytes(3 << 20)
  const prepare = async (program: Program) => {
    await begin(program, '/in/film.bin', bytes)
    await begin(program, '/other.bin', bytes)
  }
  await using open = await openServed({ 'in/x': 'x' }, { path: '/settings/profile', prepare })
  const { page, tree } = open
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  const choose = async (path: string) => {
    const chooser = page.waitForEvent('filechooser')
    await row('film.bin').getByRole('button', { name: 'Choose file' }).click()
    await (await chooser).setFiles(path)
  }
  const patched: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') patched.push(Number(request.headers()['upload-offset']))
  })

  await row('film.bin').getByText('1.0 MiB of 3.0 MiB').waitFor()
  await writeFile(join(tree.base, 'another.bin'), 'x')
  await choose(join(tree.base, 'another.bin'))
  await toast(page, '“another.bin” is another file. Choose “film.bin”.').waitFor()

  const own = join(tree.base, 'film.bin')
  await writeFile(own, bytes)
  await utimes(own, MODIFIED_MS / 1000, MODIFIED_MS / 1000)
  await choose(own)
  await panel(page).getByText('1 file uploaded').waitFor()
  expect(patched).toEqual([SENT])
  expect((await readFile(tree.at('in/film.bin'))).equals(bytes)).toBe(true)
  expect((await stat(tree.at('in/film.bin'))).mtimeMs).toBe(MODIFIED_MS)
  await row('film.bin').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Remove other.bin' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor({ state: 'detached' })
  await waitFor('an empty folder', async () => (await readdir(tree.root)).join() === 'in')
  expect(open.problems).toEqual([])
})
