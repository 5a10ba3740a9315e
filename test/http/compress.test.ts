// Archives that jobs make: what is in them, what they are called, and what becomes of them when they end early.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PlaceText } from '../../src/lib/places.ts'
import { FOLDERS } from '../../src/store/collections.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { describeTree, FORMATS, sizeOf, unpack } from '../support/archives.ts'
import { waitFor } from '../support/deadline.ts'
import { history, undo } from '../support/history.ts'
import { act, begin, endOf, jobOf, openHolding, post, runToEnd } from '../support/jobs.ts'
import { needProgram } from '../support/programs.ts'

const TREE = {
  'a.txt': 'a',
  'docs/b.txt': 'bb'.repeat(50_000),
  'docs/deep/c.txt': 'ccc',
  'docs/empty.txt': '',
}

async function open(options: TestAppOptions = {}): Promise<OpenedApp> {
  const app = await openApp({ tree: TREE, users: [{ username: 'ann' }], ...options })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app
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

describe('an archive', () => {
  it.each(FORMATS.map((format, i) => [format, EXTENSIONS[i]] as const))(
    'as %s holds what the folder does, with bits and times',
    async (format, extension) => {
      const app = await open()
      // Larger than what is packed as a whole, and of both kinds.
      await writeFile(
        app.tree.at('docs/large.bin'),
        Buffer.concat([randomBytes(1_500_000), Buffer.alloc(3_000_000, 'text ')]),
      )
      await chmod(app.tree.at('docs/b.txt'), 0o600)
      await utimes(app.tree.at('docs/deep/c.txt'), 1_000_000_000, 1_000_000_000)
      const before = await describeTree(app.tree.at('docs'))
      const job = await runToEnd(await app.as('ann'), {
        kind: 'compress',
        items: ['/docs'],
        format,
      })
      expect(job).toMatchObject({
        state: 'done',
        filesDone: 4,
        filesTotal: 4,
        bytesDone: 4_600_003,
      })
      const into = join(app.tree.base, 'unpacked')
      await mkdir(into)
      await unpack(format, app.tree.at(`docs.${extension}`), into)
      expect(await describeTree(into)).toEqual(before)
    },
  )

  it('as zip is packed unless nobody wants that', async () => {
    const app = await open()
    const ann = await app.as('ann')
    const body = { kind: 'compress', items: ['/docs'], conflict: 'rename' }
    await runToEnd(ann, body)
    await runToEnd(ann, { ...body, deflated: false })
    expect(await sizeOf(app.tree.at('docs.zip'))).toBeLessThan(2_000)
    expect(await sizeOf(app.tree.at('docs(1).zip'))).toBeGreaterThan(100_000)
    needProgram('unzip')
    execFileSync('unzip', ['-tqq', app.tree.at('docs.zip')])
  })

  it('of a selection lies in the folder that is asked for, under the name of its download', async () => {
    const app = await open()
    await app.tree.add({ to: null })
    await runToEnd(await app.as('ann'), {
      kind: 'compress',
      items: ['/docs/b.txt', '/docs/deep'],
      to: '/to',
      format: 'tar',
    })
    expect(await readdir(app.tree.at('to'))).toEqual(['_docs.tar'])
    const names = execFileSync('tar', ['-tf', app.tree.at('to/_docs.tar')], { encoding: 'utf8' })
    expect(names).toBe('b.txt\ndeep/\ndeep/c.txt\n')
  })

  it('is one step of the history, and Undo takes it away', async () => {
    const app = await open({ config: { trash: 'all' } })
    const ann = await app.as('ann')
    const job = await runToEnd(ann, { kind: 'compress', items: ['/docs'] })
    expect((await history(ann)).items).toMatchObject([
      { path: '/docs', to: '/docs.zip', via: 'job', files: 1 },
    ])
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
    expect(existsSync(app.tree.at('docs.zip'))).toBe(false)
  })

  it('that replaces one is not in itself', async () => {
    const app = await open()
    const ann = await app.as('ann')
    const body = {
      kind: 'compress',
      items: ['/docs', '/a.txt', '/_x.tar'],
      format: 'tar',
      conflict: 'replace',
    }
    const name = `_${app.tree.root.split('/').at(-1)}.tar`
    await app.tree.add({ [name]: 'old', '_x.tar': 'x' })
    await runToEnd(ann, { ...body, items: [...body.items, `/${name}`] })
    const names = execFileSync('tar', ['-tf', app.tree.at(name)], { encoding: 'utf8' })
    expect(names).not.toContain(name)
    expect(names).toContain('_x.tar')
  })

  it('leaves out what cannot be read, and says so', async () => {
    const app = await open()
    const who = 'user:2'
    const rights = { see: true, create: true, modify: true, rename: true, delete: true }
    const grants = [{ who, ...rights, download: true }]
    const closed = [{ who, ...rights, download: false }]
    await app.store.transaction((tx) => {
      tx.insert(FOLDERS, { place: '/' as PlaceText, as: '', quota: null, grants })
      tx.insert(FOLDERS, {
        place: '/docs/deep' as PlaceText,
        as: 'deep',
        quota: null,
        grants: closed,
      })
    })
    const job = await runToEnd(await app.as('ann'), { kind: 'compress', items: ['/docs'] })
    expect(job).toMatchObject({
      state: 'failed',
      errors: [{ path: '/docs/deep/c.txt', code: 'download_forbidden' }],
    })
    expect(existsSync(app.tree.at('docs.zip'))).toBe(true)
  })
})

describe('a request for an archive', () => {
  it('is refused where its name is taken, for unknown formats, and for what is not there', async () => {
    const app = await open()
    await app.tree.add({ 'docs.zip': 'old' })
    const ann = await app.as('ann')
    const status = async (body: object) =>
      (await post(ann, { kind: 'compress', items: ['/docs'], ...body })).status
    expect(await status({})).toBe(409)
    expect(await status({ format: 'rar' })).toBe(400)
    expect(await status({ conflict: 'skip' })).toBe(400)
    expect(await status({ items: ['/none'] })).toBe(404)
    expect(await app.tree.read('docs.zip')).toBe('old')
  })

  it('is refused for what may not be downloaded, and where nothing may be created', async () => {
    const users = [
      { username: 'ann', perm: { ...ALL, download: false } },
      { username: 'bob', perm: { ...ALL, create: false } },
    ]
    const app = await open({ users: users as never })
    for (const name of ['ann', 'bob'])
      for (const item of ['/docs', '/a.txt'])
        expect((await post(await app.as(name), { kind: 'compress', items: [item] })).status).toBe(
          403,
        )
  })
})

const ALL = {
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
  execute: false,
  admin: false,
}

it('an archive that is cancelled is not there, nor anything of it', async () => {
  const { app, letGo } = await openHolding({
    tree: TREE,
    users: [{ username: 'ann' }],
    config: { jobsPerDisk: 1 },
  })
  onTestFinished(async () => {
    await letGo()
    await app[Symbol.asyncDispose]()
  })
  await app.tree.add({ 'hold.txt': 'h', to: null })
  const ann = await app.as('ann')
  await begin(ann, { kind: 'copy', items: ['/hold.txt'], to: '/to' })
  const { id } = await begin(ann, { kind: 'compress', items: ['/docs'] })
  await act(ann, id, 'cancel')
  await waitFor('the end', async () => (await jobOf(ann, id)).state === 'cancelled' || null)
  await letGo()
  expect((await endOf(ann, id)).state).toBe('cancelled')
  expect((await readdir(app.tree.root)).filter((name) => /zip|^\.fb/.test(name))).toEqual([])
})
