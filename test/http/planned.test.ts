// Folders as archives of which the length is known: what is answered, who gets them, and how downloads go on.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, truncate, utimes, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { USERS } from '../../src/store/collections.ts'
import type { User } from '../../src/store/document.ts'
import { replaceUser } from '../../src/store/users.ts'
import {
  type OpenedApp,
  openApp,
  startApp,
  type TestApp,
  type TestAppOptions,
} from '../support/app.ts'
import { run } from '../support/archives.ts'
import { withDeadline } from '../support/deadline.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'

const MIB = 1024 * 1024
const TREE = { 'docs/a.txt': 'aaa', 'docs/b.txt': 'b'.repeat(300_000), 'docs/secret/c.txt': 'c' }
const PATH = '/api/raw/docs/?algo=zip&planned=true'

async function open(options: TestAppOptions = {}): Promise<OpenedApp> {
  const app = await openApp({ tree: TREE, users: [{ username: 'ann' }], ...options })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer())
}

it.each(['zip', 'tar'])('a planned %s has a length, a validator and parts', async (algo) => {
  const app = await open()
  const ann = await app.as('ann')
  const path = `/api/raw/docs/?algo=${algo}&planned=true`
  const whole = await ann.fetch(path)
  const bytes = await bytesOf(whole)
  const etag = whole.headers.get('etag') ?? ''
  expect(whole.status).toBe(200)
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'content-length': String(bytes.length),
    'content-type': algo === 'zip' ? 'application/zip' : 'application/octet-stream',
    'content-disposition': `attachment; filename*=utf-8''docs.${algo}`,
    etag: expect.stringMatching(/^"[0-9a-f]{40}"$/),
  })
  const ask = async (headers: Record<string, string>) => {
    const response = await ann.fetch(path, { headers })
    return { status: response.status, bytes: await bytesOf(response), headers: response.headers }
  }
  const part = await ask({ Range: 'bytes=100-299999' })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe(`bytes 100-299999/${bytes.length}`)
  expect(part.bytes.equals(bytes.subarray(100, 300_000))).toBe(true)
  const rest = await ask({ Range: 'bytes=-1000', 'If-Range': etag })
  expect(rest.bytes.equals(bytes.subarray(-1000))).toBe(true)
  const several = await ask({ Range: 'bytes=0-9,500-600' })
  expect(several.headers.get('content-type')).toMatch(/^multipart\/byteranges/)
  const anew = await ask({ Range: 'bytes=100-', 'If-Range': '"another"' })
  expect([anew.status, anew.bytes.equals(bytes)]).toEqual([200, true])
  expect((await ask({ Range: 'bytes=9999999-' })).status).toBe(416)
  expect((await ask({ 'If-None-Match': etag })).status).toBe(304)
  expect((await ask({ 'If-Match': '"another"' })).status).toBe(412)
  expect((await ask({ 'If-Match': etag, Range: 'bytes=7-' })).status).toBe(206)
})

it.each(['targz', 'rar'])('%s is not planned', async (algo) => {
  const app = await open()
  const ann = await app.as('ann')
  expect((await ann.fetch(`/api/raw/docs/?algo=${algo}&planned=true`)).status).toBe(400)
})

it('an archive is sent as ever where no plan is asked for', async () => {
  const app = await open()
  const ann = await app.as('ann')
  for (const planned of ['', '&planned=', '&planned=false']) {
    const response = await ann.fetch(`/api/raw/docs/?algo=tar${planned}`)
    await response.arrayBuffer()
    for (const name of ['content-length', 'etag', 'accept-ranges'])
      expect(response.headers.get(name)).toBeNull()
  }
})

it('with planned=auto it is planned, but for other formats and what is being written to', async () => {
  const app = await open()
  const ann = await app.as('ann')
  const isPlanned = async (algo: string, headers = {}) => {
    const response = await ann.fetch(`/api/raw/docs/?algo=${algo}&planned=auto`, { headers })
    await response.arrayBuffer()
    expect([200, 206]).toContain(response.status)
    return response.headers.has('content-length')
  }
  expect(await isPlanned('zip')).toBe(false)
  const longAgo = new Date(Date.now() - 120_000)
  for (const name of Object.keys(TREE)) await utimes(app.tree.at(name), longAgo, longAgo)
  expect(await isPlanned('zip')).toBe(true)
  expect(await isPlanned('tar')).toBe(true)
  expect(await isPlanned('tarzst')).toBe(false)
  await app.tree.add({ 'docs/growing.log': 'now' })
  // What has begun goes on, whatever comes beside it.
  expect(await isPlanned('zip', { Range: 'bytes=5-' })).toBe(true)
  expect(await isPlanned('zip')).toBe(false)
})

it('a download that goes on with what has changed is refused, and one that begins has it', async () => {
  const app = await open()
  const ann = await app.as('ann')
  const first = await ann.fetch(PATH)
  const etag = first.headers.get('etag') ?? ''
  const before = await bytesOf(first)
  const named = PATH.replace('true', encodeURIComponent(etag.replaceAll('"', '')))
  expect((await ann.fetch(named, { headers: { Range: 'bytes=5-' } })).status).toBe(206)
  // What is new in the folder belongs to the next download.
  await app.tree.add({ 'docs/new.txt': 'new' })
  const rest = await ann.fetch(PATH, { headers: { Range: 'bytes=5-' } })
  expect((await bytesOf(rest)).equals(before.subarray(5))).toBe(true)
  await writeFile(app.tree.at('docs/a.txt'), 'another text')
  const refused = await ann.fetch(PATH, { headers: { Range: 'bytes=5-' } })
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([
    412,
    'precondition_failed',
  ])
  expect((await ann.fetch(named)).status).toBe(412)
  expect((await ann.fetch(PATH, { headers: { 'If-Match': etag } })).status).toBe(412)
  const next = await ann.fetch(PATH)
  expect(next.status).toBe(200)
  expect(next.headers.get('etag')).not.toBe(etag)
  expect((await bytesOf(next)).includes('another text')).toBe(true)
})

it('the connection breaks when a file changes amid a planned archive', async () => {
  await using app = await startApp({ tree: {} })
  await writeFile(app.tree.at('log'), '')
  await truncate(app.tree.at('log'), 512 * MIB)
  const { token } = await app.as('admin')
  const call = get(`${app.origin}/api/raw/?algo=tar&planned=true`, {
    headers: { 'X-Auth': token },
    agent: false,
  })
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  expect(response.headers['content-length']).toBe(String(512 * MIB + 3 * 512))
  await once(response, 'readable')
  const ended = new Promise((resolve) => {
    response.on('end', () => resolve('complete')).on('error', () => resolve('broken'))
  })
  await writeFile(app.tree.at('log'), 'x', { flag: 'r+' })
  response.resume()
  expect(await withDeadline('the end of the answer', 60_000, ended)).toBe('broken')
})

it('a plan is told to nobody whose rights have ended', async () => {
  const app = await open()
  const ann = await app.as('ann')
  const bytes = await bytesOf(await ann.fetch(PATH))
  const tail = { headers: { Range: `bytes=${bytes.length - 400}-` } }
  expect((await bytesOf(await ann.fetch(PATH, tail))).includes('secret')).toBe(true)
  const rules = [{ regex: false, allow: false, path: '/docs/secret', regexp: null }]
  const found = app.store.get(USERS, 2) as User
  await app.store.transaction((tx) => replaceUser(tx, { ...found, rules }))
  expect((await bytesOf(await ann.fetch(PATH, tail))).includes('secret')).toBe(false)
  expect((await bytesOf(await ann.fetch(PATH))).includes('secret')).toBe(false)
})

it('one account gets no plan of another, and none without the right to download', async () => {
  const denied = { regex: false, allow: false, path: '/docs/secret', regexp: null }
  const app = await open({
    users: [{ username: 'ann' }, { username: 'ben', rules: [denied] as never }],
  })
  const whole = await bytesOf(await (await app.as('ann')).fetch(PATH))
  expect(whole.includes('secret')).toBe(true)
  const ben = await app.as('ben')
  const part = await ben.fetch(PATH, { headers: { Range: 'bytes=0-' } })
  expect((await bytesOf(part)).includes('secret')).toBe(false)
})

it('visitors of a share get planned archives in parts', async () => {
  const app = await open()
  const ann = await app.as('ann')
  const shared = await ann.fetch('/api/share/docs/', { method: 'POST', body: '{}' })
  const { hash } = (await shared.json()) as { hash: string }
  const path = `/api/public/dl/${hash}/?algo=zip&planned=true`
  const whole = await bytesOf(await app.fetch(path))
  const part = await app.fetch(path, { headers: { Range: 'bytes=50-' } })
  expect(part.status).toBe(206)
  expect((await bytesOf(part)).equals(whole.subarray(50))).toBe(true)
  const file = join(app.tree.base, 'shared.zip')
  await writeFile(file, whole)
  await run(['unzip', '-tqq', file])
})

/** Runs a program whose words are not all known before; skips the test without it. */
async function runWith(program: string, args: string[]): Promise<number | null> {
  needProgram(program)
  const child = spawn(program, args, { stdio: 'ignore' })
  const [code] = (await once(child, 'close')) as [number | null]
  return code
}

it.each([
  ['aria2c', ['-x4', '-s4', '-k1M', '-c', '--file-allocation=none', '--allow-overwrite=true']],
  ['curl', ['-sS', '-f', '-C', '-']],
])('%s goes on after a restart, and the archive is whole', async (program, args) => {
  needProgram(program)
  await using tree = await makeTree({})
  for (let i = 0; i < 4; i++) await tree.add({ [`large ${i}`]: randomBytes(3 * MIB) })
  for (let i = 0; i < 100; i++) await tree.add({ [`small/${i}.txt`]: `text ${i}` })
  const config = { root: tree.root }
  const file = join(tree.base, 'folder.zip')
  const path = '/api/raw/?algo=zip&planned=true'
  let digest = ''
  {
    await using app: TestApp = await startApp({ config })
    const admin = await app.as('admin')
    const whole = await bytesOf(await admin.fetch(path))
    digest = createHash('sha256').update(whole).digest('hex')
    await writeFile(file, whole.subarray(0, 4 * MIB + 77))
  }
  await using app = await startApp({ config })
  const { token } = await app.as('admin')
  const where = program === 'curl' ? ['-o', file] : ['-d', tree.base, '-o', 'folder.zip']
  const words = [...args, ...where, `--header=X-Auth: ${token}`, app.origin + path]
  const own = program === 'curl' ? words.map((word) => word.replace('--header=', '-H')) : words
  expect(await runWith(program, own)).toBe(0)
  expect(existsSync(`${file}.aria2`)).toBe(false)
  expect(
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ).toBe(digest)
  await run(['unzip', '-tqq', file])
})
