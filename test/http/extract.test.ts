// Archives that jobs unpack: all that the tools of others make, and what is asked for.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { USERS } from '../../src/store/collections.ts'
import type { User } from '../../src/store/document.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { describeTree, FORMATS, UNSNAPPY } from '../support/archives.ts'
import { history, undo } from '../support/history.ts'
import { endOf, post, runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import { needProgram } from '../support/programs.ts'
import { zipOf } from '../support/zips.ts'

const TREE = {
  'docs/b.txt': 'bb'.repeat(50_000),
  'docs/deep/ü.txt': 'ccc',
  'docs/empty.txt': '',
  'docs/none': null,
}

async function open(options: TestAppOptions = {}): Promise<{ app: OpenedApp; ann: SignedIn }> {
  const app = await openApp({ tree: TREE, users: [{ username: 'ann' }], ...options })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, ann: await app.as('ann') }
}

const EXTENSIONS = [
  'zip',
  'tar',
  'tar.gz',
  'tar.bz2',
  'tar.xz',
  'tar.lz4',
  'tar.sz',
  'tar.br',
  'tar.zst',
]

/** Runs a program in the served folder. */
function inTree(app: OpenedApp, program: string, ...args: string[]): void {
  needProgram(program)
  execFileSync(program, args, { cwd: app.tree.root, stdio: 'pipe' })
}

/** A tree with a file of each kind that packs differently. */
async function mixed(app: OpenedApp) {
  const text = Buffer.alloc(3_000_000, 'some text ')
  await writeFile(app.tree.at('docs/large.bin'), Buffer.concat([randomBytes(1_500_000), text]))
  await chmod(app.tree.at('docs/b.txt'), 0o600)
  await utimes(app.tree.at('docs/deep/ü.txt'), 1_000_000_000, 1_000_000_000)
  await utimes(app.tree.at('docs/deep'), 1_100_000_000, 1_100_000_000)
  return describeTree(app.tree.at('docs'))
}

describe('an archive of ours', () => {
  it.each([...FORMATS.map((format, i) => [format, EXTENSIONS[i]] as const)])(
    'as %s comes back as it was, with bits and times',
    async (format, extension) => {
      const { app, ann } = await open()
      const before = await mixed(app)
      await runToEnd(ann, { kind: 'compress', items: ['/docs'], format })
      const job = await runToEnd(ann, { kind: 'extract', items: [`/docs.${extension}`] })
      expect(job).toMatchObject({ state: 'done', errors: [], filesDone: 4 })
      expect(job.bytesDone).toBe(job.bytesTotal)
      expect(await describeTree(app.tree.at('docs(1)'))).toEqual(before)
    },
  )
})

describe('an archive of others', () => {
  it.each([
    ['zip', ['zip', '-qr', 'x.zip', 'docs']],
    ['zip without packing', ['zip', '-q0r', 'x.zip', 'docs']],
    ['tar.gz', ['tar', '-czf', 'x.tar.gz', 'docs']],
    ['tar.bz2', ['tar', '-cjf', 'x.tar.bz2', 'docs']],
    ['tar.xz', ['tar', '-cJf', 'x.tar.xz', 'docs']],
    ['tar.zst', ['tar', '--zstd', '-cf', 'x.tar.zst', 'docs']],
    ['tar.lz4', ['tar', '-Ilz4', '-cf', 'x.tar.lz4', 'docs']],
    ['tar.br', ['tar', '-Ibrotli -q 5', '-cf', 'x.tar.br', 'docs']],
    ['tar.sz', ['sh', '-c', `tar -c docs | /usr/bin/python3 ${UNSNAPPY} pack > x.tar.sz`]],
    ['zip by 7zip', ['7zz', 'a', '-bd', '-tzip', 'x.zip', 'docs']],
    ['zip with large fields', ['zip', '-qrfz', 'x.zip', 'docs']],
    ['zip of Deflate64', ['7zz', 'a', '-bd', '-tzip', '-mm=Deflate64', 'x.zip', 'docs']],
    ['zip by bsdtar', ['bsdtar', '--format=zip', '-cf', 'x.zip', 'docs']],
    ['tar by bsdtar', ['bsdtar', '-cf', 'x.tar', 'docs']],
    ['7z by bsdtar', ['bsdtar', '--format=7zip', '-cf', 'x.7z', 'docs']],
    ['a tar of pax', ['tar', '--format=pax', '-cf', 'x.tar', 'docs']],
    ['an old tar', ['tar', '--format=v7', '-cf', 'x.tar', 'docs']],
  ])('as %s is unpacked into a folder of its name', async (_, [program = '', ...args]) => {
    const { app, ann } = await open()
    const before = await mixed(app)
    inTree(app, program, ...args)
    const [name = ''] = (await readdir(app.tree.root)).filter((each) => each.startsWith('x.'))
    const job = await runToEnd(ann, { kind: 'extract', items: [`/${name}`] })
    expect(job).toMatchObject({ state: 'done', errors: [] })
    expect(await describeTree(app.tree.at('x/docs'))).toEqual(before)
  })

  it('keeps long names and hard links', async () => {
    const { app, ann } = await open()
    const long = `docs/${'long '.repeat(40)}/${'name'.repeat(40)}.txt`
    await app.tree.add({ [long]: 'long' })
    inTree(app, 'ln', 'docs/b.txt', 'docs/second.txt')
    for (const format of ['gnu', 'pax'])
      inTree(app, 'tar', `--format=${format}`, '-cf', `${format}.tar`, 'docs')
    for (const format of ['gnu', 'pax']) {
      expect((await runToEnd(ann, { kind: 'extract', items: [`/${format}.tar`] })).errors).toEqual(
        [],
      )
      expect(await app.tree.read(`${format}/${long}`)).toBe('long')
      expect(await app.tree.read(`${format}/docs/second.txt`)).toBe(TREE['docs/b.txt'])
    }
  })
})

describe('what is unpacked', () => {
  it('is not doubled in a folder of the name of the archive', async () => {
    const { app, ann } = await open()
    inTree(app, 'zip', '-qr', 'docs.zip', 'docs')
    await rm(app.tree.at('docs'), { recursive: true })
    await runToEnd(ann, { kind: 'extract', items: ['/docs.zip'] })
    expect((await readdir(app.tree.at('docs'))).sort()).toEqual([
      'b.txt',
      'deep',
      'empty.txt',
      'none',
    ])
  })

  it('goes into the folder that is asked for, only what is asked for', async () => {
    const { app, ann } = await open()
    inTree(app, 'zip', '-qr', 'x.zip', 'docs')
    const body = {
      kind: 'extract',
      items: ['/x.zip'],
      to: '/to',
      entries: ['docs/deep', '/docs/empty.txt'],
    }
    await runToEnd(ann, body)
    expect((await readdir(app.tree.at('to'), { recursive: true })).sort()).toEqual([
      'docs',
      'docs/deep',
      'docs/deep/ü.txt',
      'docs/empty.txt',
    ])
  })

  it.each([
    ['fail', 'old', ['exists']],
    ['skip', 'old', []],
    ['replace', 'ccc', []],
    ['newer', 'ccc', []],
    ['rename', 'old', []],
  ])('meets what is there with %s', async (conflict, content, codes) => {
    const { app, ann } = await open()
    inTree(app, 'zip', '-qr', 'x.zip', 'docs')
    await app.tree.add({ 'to/docs/deep/ü.txt': 'old' })
    await utimes(app.tree.at('to/docs/deep/ü.txt'), 1_000, 1_000)
    const job = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'], to: '/to', conflict })
    expect(job.errors.map(({ code }) => code)).toEqual(codes)
    expect(await app.tree.read('to/docs/deep/ü.txt')).toBe(content)
    expect(existsSync(app.tree.at('to/docs/deep/ü(1).txt'))).toBe(conflict === 'rename')
    expect(await app.tree.read('to/docs/b.txt')).toBe(TREE['docs/b.txt'])
  })

  it('is one step of the history, and Undo takes all of it away', async () => {
    const { app, ann } = await open({ config: { trash: 'all' } })
    inTree(app, 'zip', '-qr', 'x.zip', 'docs')
    const job = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'] })
    expect((await history(ann)).items).toMatchObject([{ path: '/x.zip', to: '/x', via: 'job' }])
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
    expect(existsSync(app.tree.at('x'))).toBe(false)
  })
})

describe('a request to unpack', () => {
  it('is refused for what is not there, for folders, and for encodings that nobody knows', async () => {
    const { ann } = await open()
    const status = async (body: object) => (await post(ann, { kind: 'extract', ...body })).status
    expect(await status({ items: ['/none.zip'] })).toBe(404)
    expect(await status({ items: ['/docs'] })).toBe(500)
    expect(await status({ items: ['/docs/b.txt'], encoding: 'klingon' })).toBe(400)
  })

  it('is refused for what may not be downloaded, and where nothing may be created', async () => {
    const all = {
      rename: true,
      modify: true,
      delete: true,
      share: true,
      execute: false,
      admin: false,
    }
    const users = [
      { username: 'ann', perm: { ...all, create: true, download: false } },
      { username: 'bob', perm: { ...all, create: false, download: true } },
    ]
    const { app } = await open({ users: users as never })
    await app.tree.add({ 'x.zip': '' })
    for (const name of ['ann', 'bob'])
      expect((await post(await app.as(name), { kind: 'extract', items: ['/x.zip'] })).status).toBe(
        403,
      )
  })

  it.each([
    ['no archive', 'some text', 'unsupported'],
    ['an archive that breaks off', Buffer.from('PK\x03\x04'), 'damaged'],
  ])('fails for %s', async (_, content, code) => {
    const { app, ann } = await open()
    await writeFile(app.tree.at('x.bin'), content)
    const job = await runToEnd(ann, { kind: 'extract', items: ['/x.bin'] })
    expect(job).toMatchObject({ state: 'failed', reason: code })
  })
})

describe('a zip with a password', () => {
  it.each([
    ['AES', false],
    ['the old way', true],
  ])('by %s is unpacked with it, and nothing of it without', async (_, zipCrypto) => {
    const { app, ann } = await open()
    const options = { password: 'Grün', zipCrypto, useWebWorkers: false }
    const zip = new ZipWriter(new Uint8ArrayWriter(), options)
    await zip.add('large.txt', new TextReader('text '.repeat(100_000)))
    await zip.add('small.txt', new TextReader('text'))
    await writeFile(app.tree.at('x.zip'), await zip.close())
    const body = { kind: 'extract', items: ['/x.zip'], to: '/to' }
    for (const more of [{}, { password: 'Gelb' }])
      expect(await runToEnd(ann, { ...body, ...more })).toMatchObject({
        state: 'failed',
        reason: 'invalid_password',
      })
    expect(existsSync(app.tree.at('to'))).toBe(false)
    const job = await runToEnd(ann, { ...body, password: 'Grün' })
    expect(job).toMatchObject({ state: 'done', filesDone: 2 })
    expect(await app.tree.read('to/large.txt')).toBe('text '.repeat(100_000))
  })

  it.each([
    ['7zip with AES256', ['7zz', 'a', '-bd', '-tzip', '-mem=AES256', '-pBlue', 'x.zip', 'docs']],
    ['7zip in the old way', ['7zz', 'a', '-bd', '-tzip', '-pBlue', 'x.zip', 'docs']],
    ['zip in the old way', ['zip', '-qrPBlue', 'x.zip', 'docs']],
  ])('by %s comes back as it was, with bits and times', async (_, [program = '', ...args]) => {
    const { app, ann } = await open()
    const before = await mixed(app)
    inTree(app, program, ...args)
    const job = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'], password: 'Blue' })
    expect(job).toMatchObject({ state: 'done', errors: [] })
    expect(await describeTree(app.tree.at('x/docs'))).toEqual(before)
  })

  it('leaves nothing without it, nor in the history, and keeps what was there', async () => {
    const { app, ann } = await open()
    const [user] = app.store.find(USERS, 'username', 'ann')
    const { perm } = user as User
    await app.store.transaction((tx) =>
      tx.replace(USERS, { ...(user as User), perm: { ...perm, delete: false } }),
    )
    inTree(app, 'zip', '-qrPBlue', 'x.zip', 'docs')
    const before = (await readdir(app.tree.root)).sort()
    const records = await history(ann)
    const asked = { kind: 'extract', items: ['/x.zip'] }
    const refused = { state: 'failed', reason: 'invalid_password' }
    expect(await runToEnd(ann, asked)).toMatchObject(refused)
    expect(await runToEnd(ann, { ...asked, to: '/new/deep' })).toMatchObject(refused)
    expect(await runToEnd(ann, { ...asked, to: '/docs/none' })).toMatchObject(refused)
    expect((await readdir(app.tree.root)).sort()).toEqual(before)
    expect(await readdir(app.tree.at('docs/none'))).toEqual([])
    expect(await history(ann)).toEqual(records)
  })

  it('is tried again with another one', async () => {
    const { app, ann } = await open()
    inTree(app, 'zip', '-qr', '-P', 'right', 'x.zip', 'docs')
    const { id } = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'] })
    const body = JSON.stringify({ password: 'right' })
    await ann.fetch(`/api/jobs/${id}/retry`, { method: 'POST', body })
    expect(await endOf(ann, id)).toMatchObject({ state: 'done', errors: [] })
    expect(await app.tree.read('x/docs/b.txt')).toBe(TREE['docs/b.txt'])
    expect(await readFile(join(`${app.store.file}.jobs`, `${id}.json`), 'utf8')).not.toContain(
      'right',
    )
  })
})

describe('many small files', () => {
  const paths = Array.from({ length: 300 }, (_, i) => `d${i % 7}/sub ${i % 3}/${i}.txt`)

  it.each(['by folder', 'by turns'])('come whole, each in its folder, %s', async (order) => {
    const { app, ann } = await open()
    const sorted = order === 'by folder' ? paths.toSorted() : paths
    const files = sorted.map((name) => ({ name, content: `content of ${name}` }))
    await writeFile(app.tree.at('x.zip'), zipOf(files))
    await app.tree.add({ 'to/d1/sub 1/1.txt': 'old' })
    const body = { kind: 'extract', items: ['/x.zip'], to: '/to', conflict: 'rename' }
    expect(await runToEnd(ann, body)).toMatchObject({ state: 'done', filesDone: 300 })
    for (const name of paths) {
      const at = name === 'd1/sub 1/1.txt' ? 'd1/sub 1/1(1).txt' : name
      expect(await app.tree.read(`to/${at}`)).toBe(`content of ${name}`)
    }
    expect(await app.tree.read('to/d1/sub 1/1.txt')).toBe('old')
    const all = await readdir(app.tree.at('to'), { recursive: true, withFileTypes: true })
    expect(all.filter((entry) => entry.isFile())).toHaveLength(301)
  })

  it('of a file and a folder of one path the first one comes', async () => {
    const { app, ann } = await open()
    const names = [...paths, 'both', 'both/a.txt', 'other/a.txt', 'other']
    const files = names.map((name) => ({ name, content: name }))
    await writeFile(app.tree.at('x.zip'), zipOf(files))
    const job = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'], to: '/to' })
    expect(job.errors.map(({ path }) => path)).toEqual(['/to/both/a.txt', '/to/other'])
    expect(await app.tree.read('to/both')).toBe('both')
    expect(await app.tree.read('to/other/a.txt')).toBe('other/a.txt')
  })
})

it('an archive of which no file comes leaves no folder', async () => {
  const { app, ann } = await open()
  await writeFile(app.tree.at('notes.txt'), 'n'.repeat(300_000))
  inTree(app, 'zip', '-q0r', 'x.zip', 'docs/none', 'notes.txt')
  const bytes = await readFile(app.tree.at('x.zip'))
  bytes.write('spoilt', bytes.indexOf('nnnn') + 200_000)
  await writeFile(app.tree.at('x.zip'), bytes)
  const job = await runToEnd(ann, { kind: 'extract', items: ['/x.zip'] })
  expect(job).toMatchObject({ state: 'failed', errors: [{ code: 'damaged' }] })
  expect(existsSync(app.tree.at('x'))).toBe(false)
})

it('old names are read as they were written, where that is said', async () => {
  const { app, ann } = await open()
  const bytes = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67])
  const zip = zipOf([{ name: 'xxxxxx', content: 'x' }])
  for (let at = zip.indexOf('xxxxxx'); at >= 0; at = zip.indexOf('xxxxxx', at + 1))
    bytes.copy(zip, at)
  // Without the mark for UTF-8.
  for (const mark of ['PK\x03\x04', 'PK\x01\x02'])
    zip.writeUInt16LE(0, zip.indexOf(mark) + (mark.endsWith('\x04') ? 6 : 8))
  await writeFile(app.tree.at('x.zip'), zip)
  await runToEnd(ann, { kind: 'extract', items: ['/x.zip'], to: '/to', encoding: 'shift_jis' })
  await runToEnd(ann, { kind: 'extract', items: ['/x.zip'], to: '/guessed' })
  expect(await readdir(app.tree.at('to'))).toEqual(['テスト'])
  expect(await readdir(app.tree.at('guessed'))).toEqual(['âeâXâg'])
})
