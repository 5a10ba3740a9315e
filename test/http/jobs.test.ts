// Work that goes on without whoever has asked for it: what it does, and who may see and steer it.
import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Job } from '../../src/job-types.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { FOLDERS } from '../../src/store/collections.ts'
import { removeUser } from '../../src/store/users.ts'
import { type OpenedApp, openApp, PASSWORD, type TestAppOptions } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { history, undo } from '../support/history.ts'
import { act, begin, endOf, jobOf, listOf, openHolding, post, runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import { changeRecords } from '../support/records.ts'

async function open(options: TestAppOptions = {}): Promise<OpenedApp> {
  const app = await openApp({
    tree: { 'a.txt': 'a', 'docs/b.txt': 'bb', 'docs/deep/c.txt': 'ccc', to: null },
    users: [{ username: 'ann' }, { username: 'bob' }],
    ...options,
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app
}

async function holding(options: TestAppOptions = {}) {
  const { app, letGo } = await openHolding({
    tree: { 'a.txt': 'a', 'hold.txt': 'h', 'z.txt': 'z', to: null },
    users: [{ username: 'ann' }, { username: 'bob' }],
    ...options,
  })
  onTestFinished(async () => {
    await letGo()
    await app[Symbol.asyncDispose]()
  })
  const held = (times = 1) =>
    waitFor('the job to be held', async () => {
      const text = await readFile(`${app.tree.base}/held`, 'utf8')
      return text.split('\n').length > times
    })
  return { app, letGo, held, ann: await app.as('ann') }
}

/** What was asked before has reached the jobs when several others that go the same way are answered. */
async function afterIt(who: SignedIn): Promise<void> {
  for (let asked = 0; asked < 25; asked++) await listOf(who)
}

const list = async (app: OpenedApp, folder: string) =>
  (await readdir(app.tree.at(folder), { recursive: true })).sort()

describe('a copy', () => {
  it('takes folders with all they hold, with their bits and times', async () => {
    const app = await open()
    const [file, folder] = [app.tree.at('docs/b.txt'), app.tree.at('docs/deep')]
    await chmod(file, 0o600)
    await utimes(file, 1_000_000, 1_000_000)
    await utimes(folder, 2_000_000, 2_000_000)
    const job = await runToEnd(await app.as('ann'), {
      kind: 'copy',
      items: ['/a.txt', '/docs'],
      to: '/to',
    })
    expect(job).toMatchObject({ state: 'done', reason: null, errors: [], errorCount: 0 })
    expect([job.filesDone, job.filesTotal, job.bytesDone, job.bytesTotal]).toEqual([3, 3, 6, 6])
    expect(await list(app, 'to')).toEqual([
      'a.txt',
      'docs',
      'docs/b.txt',
      'docs/deep',
      'docs/deep/c.txt',
    ])
    const copied = await stat(app.tree.at('to/docs/b.txt'))
    expect([copied.mode & 0o777, copied.mtimeMs]).toEqual([0o600, 1_000_000_000])
    expect((await stat(app.tree.at('to/docs/deep'))).mtimeMs).toBe(2_000_000_000)
  })

  it('is refused with the names of what is there already', async () => {
    const app = await open()
    await app.tree.add({ 'to/a.txt': 'old', 'to/docs/x.txt': 'x' })
    const body = { kind: 'copy', items: ['/a.txt', '/docs'], to: '/to' }
    const answer = await post(await app.as('ann'), body)
    expect([answer.status, answer.headers.get('X-Error-Code')]).toEqual([409, 'exists'])
    expect(await answer.text()).toBe('409 Conflict (a.txt, docs)\n')
    expect(existsSync(`${app.store.file}.jobs`)).toBe(false)
  })

  it.each([
    ['skip', 'old', 'old too', 'bb'],
    ['replace', 'a', 'ccc', 'bb'],
    ['newer', 'old', 'ccc', 'bb'],
  ])('with %s merges folders and decides about each file', async (conflict, a, c, b) => {
    const app = await open()
    await app.tree.add({ 'to/a.txt': 'old', 'to/docs/deep/c.txt': 'old too' })
    // Newer than what is there, and older.
    await utimes(app.tree.at('to/docs/deep/c.txt'), 1_000_000, 1_000_000)
    await utimes(app.tree.at('a.txt'), 1_000_000, 1_000_000)
    const ann = await app.as('ann')
    const job = await runToEnd(ann, {
      kind: 'copy',
      items: ['/a.txt', '/docs'],
      to: '/to',
      conflict,
    })
    expect([job.state, job.filesDone]).toEqual(['done', 3])
    const read = (path: string) => readFile(app.tree.at(path), 'utf8')
    expect(await read('to/a.txt')).toBe(a)
    expect(await read('to/docs/deep/c.txt')).toBe(c)
    expect(await read('to/docs/b.txt')).toBe(b)
  })

  it('with rename takes the next free name', async () => {
    const app = await open()
    const ann = await app.as('ann')
    await runToEnd(ann, { kind: 'copy', items: ['/docs'], to: '/', conflict: 'rename' })
    expect(await list(app, 'docs(1)')).toEqual(['b.txt', 'deep', 'deep/c.txt'])
  })

  it('says which entries it could not do, does the others, and does the rest when it is retried', async () => {
    const app = await open()
    const ann = await app.as('ann')
    // A folder is in the way of a file.
    await app.tree.add({ 'to/docs/b.txt/x.txt': 'x' })
    const job = await runToEnd(ann, {
      kind: 'copy',
      items: ['/docs', '/a.txt'],
      to: '/to',
      conflict: 'replace',
    })
    expect(job).toMatchObject({
      state: 'failed',
      reason: 'is_a_folder',
      errors: [{ path: '/docs/b.txt', code: 'is_a_folder' }],
      errorCount: 1,
    })
    const first = await stat(app.tree.at('to/docs/deep/c.txt'))
    await ann.fetch('/api/resources/to/docs/b.txt', { method: 'DELETE' })
    expect((await act(ann, job.id, 'retry')).status).toBe(200)
    expect(await endOf(ann, job.id)).toMatchObject({ state: 'done', errors: [], filesDone: 3 })
    expect(await app.tree.read('to/docs/b.txt')).toBe('bb')
    // What was there stays.
    expect((await stat(app.tree.at('to/docs/deep/c.txt'))).ino).toBe(first.ino)
  })

  it('is undone by its operation as one', async () => {
    const app = await open({ config: { trash: 'all' } })
    const ann = await app.as('ann')
    const job = await runToEnd(ann, { kind: 'copy', items: ['/a.txt', '/docs'], to: '/to' })
    expect((await history(ann)).items).toMatchObject([{ kind: 'copy', via: 'job', undo: 'yes' }])
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
    expect(await list(app, 'to')).toEqual([])
  })
})

describe('a move', () => {
  it('on one disk is a rename, which waits for nobody', async () => {
    const app = await open()
    const before = await stat(app.tree.at('docs/b.txt'))
    const ann = await app.as('ann')
    const job = await runToEnd(ann, { kind: 'move', items: ['/docs', '/a.txt'], to: '/to' })
    expect([job.state, job.filesDone, job.filesTotal]).toEqual(['done', 2, 2])
    expect((await stat(app.tree.at('to/docs/b.txt'))).ino).toBe(before.ino)
    expect((await readdir(app.tree.root)).sort()).toEqual(['to'])
  })

  it('with skip leaves what is taken where it is, and takes the rest', async () => {
    const app = await open()
    await app.tree.add({ 'to/docs/b.txt': 'old' })
    const ann = await app.as('ann')
    const body = { kind: 'move', items: ['/docs'], to: '/to', conflict: 'skip' }
    expect((await runToEnd(ann, body)).state).toBe('done')
    expect(await list(app, 'docs')).toEqual(['b.txt'])
    expect(await app.tree.read('to/docs/b.txt')).toBe('old')
    expect(await app.tree.read('to/docs/deep/c.txt')).toBe('ccc')
  })
})

describe('a deletion', () => {
  it('puts the items into the trash, from where one Undo brings all of them back', async () => {
    const app = await open({ config: { trash: 'all' } })
    const ann = await app.as('ann')
    const job = await runToEnd(ann, { kind: 'delete', items: ['/docs', '/a.txt'] })
    expect([job.state, job.to, job.filesDone]).toEqual(['done', null, 2])
    expect(await readdir(app.tree.root)).not.toContain('docs')
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, done: 2 })
    expect(await app.tree.read('docs/deep/c.txt')).toBe('ccc')
  })

  it('for good counts the files that are gone', async () => {
    const app = await open()
    const ann = await app.as('ann')
    const job = await runToEnd(ann, { kind: 'delete', items: ['/docs'], trash: false })
    expect([job.state, job.filesDone, job.bytesDone]).toEqual(['done', 2, 5])
    expect(await readdir(app.tree.root)).not.toContain('docs')
  })
})

describe('a request', () => {
  it.each([
    ['an unknown kind', { kind: 'burn', items: ['/a.txt'] }, 400],
    ['no items', { kind: 'delete', items: [] }, 400],
    ['the root', { kind: 'delete', items: ['/'] }, 400],
    ['no folder', { kind: 'copy', items: ['/a.txt'] }, 400],
    ['an unknown rule', { kind: 'copy', items: ['/a.txt'], to: '/to', conflict: 'ask' }, 400],
    ['what is not there', { kind: 'copy', items: ['/none.txt'], to: '/to' }, 404],
    ['a folder into itself', { kind: 'copy', items: ['/docs'], to: '/docs/deep' }, 400],
    ['a file larger than the disk', { kind: 'copy', items: ['/huge.bin'], to: '/to' }, 507],
  ])('for %s is refused', async (_, body, status) => {
    const app = await open()
    const huge = await openFile(app.tree.at('huge.bin'), 'w')
    // Holes only; refused before a byte of it is read.
    await huge.truncate(2 ** 43).catch(() => {})
    await huge.close()
    expect((await post(await app.as('ann'), body)).status).toBe(status)
  })

  it('waits for the end as long as it asks to', async () => {
    const app = await open()
    const body = { kind: 'copy', items: ['/docs'], to: '/to' }
    const answer = await post(await app.as('ann'), body, '?wait=20')
    expect([answer.status, ((await answer.json()) as Job).state]).toEqual([201, 'done'])
    expect(answer.headers.get('Location')).toMatch(/^\/api\/jobs\/[0-9a-z]{25}$/)
  })
})

describe('a job that is under way', () => {
  const BODY = { kind: 'copy', items: ['/a.txt', '/hold.txt', '/z.txt'], to: '/to' }

  it('ends where it is cancelled: what has come is whole, the rest is not there', async () => {
    const { app, letGo, held, ann } = await holding()
    const { id } = await begin(ann, BODY)
    await held()
    const cancelling = act(ann, id, 'cancel')
    await afterIt(ann)
    await letGo()
    expect((await cancelling).status).toBe(200)
    expect((await jobOf(ann, id)).state).toBe('cancelled')
    expect(await list(app, 'to')).toEqual(['a.txt'])
    expect((await act(ann, id, 'pause')).status).toBe(409)
  })

  it('rests while it is paused, and goes on where it was', async () => {
    const { app, letGo, held, ann } = await holding()
    const { id } = await begin(ann, BODY)
    await held()
    const before = await stat(app.tree.at('to/a.txt'))
    const pausing = act(ann, id, 'pause')
    await afterIt(ann)
    await letGo()
    expect(((await (await pausing).json()) as Job).state).toBe('paused')
    expect(await list(app, 'to')).toEqual(['a.txt'])
    expect(((await (await act(ann, id, 'resume')).json()) as Job).endedAt).toBeNull()
    expect(await endOf(ann, id)).toMatchObject({ state: 'done', filesDone: 3 })
    expect((await stat(app.tree.at('to/a.txt'))).ino).toBe(before.ino)
  })

  it('ends once, however many cancel it, and tells the audit log once', async () => {
    const { app, letGo, held, ann } = await holding()
    const { id } = await begin(ann, BODY)
    await held()
    const asked = ['pause', 'cancel', 'cancel', 'cancel'].map((action) => act(ann, id, action))
    await afterIt(ann)
    await letGo()
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200])
    expect((await jobOf(ann, id)).state).toBe('cancelled')
    await runToEnd(ann, { ...BODY, conflict: 'replace' })
    const lines = await copiesIn(app, 2)
    expect(lines.map(({ result }) => result).sort()).toEqual(['broken', 'ok'])
  })

  it('goes on under the rights of now, and touches nothing that is denied since', async () => {
    const { app, letGo, held, ann } = await holding()
    const { id } = await begin(ann, BODY)
    await held()
    const rule = { allow: false, path: '/z.txt', regex: false, regexp: null }
    await changeRecords(app.store, ({ settings }) => ({ settings: { ...settings, rules: [rule] } }))
    await letGo()
    expect(await endOf(ann, id)).toMatchObject({
      state: 'failed',
      reason: 'forbidden',
      errors: [{ path: '/z.txt', code: 'forbidden' }],
    })
    expect(await list(app, 'to')).toEqual(['a.txt', 'hold.txt'])
  })

  it('ends with its account', async () => {
    const { app, letGo, held, ann } = await holding()
    const admin = await app.as('admin')
    const { id } = await begin(ann, BODY)
    await held()
    await app.store.transaction((tx) => removeUser(tx, 2))
    await letGo()
    expect(await endOf(admin, id)).toMatchObject({ state: 'failed', reason: 'forbidden' })
    expect(await list(app, 'to')).toEqual(['a.txt'])
  })

  it('does not end with the session that has begun it', async () => {
    const { app, letGo, held, ann } = await holding()
    const admin = await app.as('admin')
    const { id } = await begin(ann, BODY)
    await held()
    await ann.fetch('/api/logout', { method: 'POST' })
    await letGo()
    expect((await endOf(admin, id)).state).toBe('done')
    expect(await list(app, 'to')).toEqual(['a.txt', 'hold.txt', 'z.txt'])
  })

  it('is not forgotten before it has ended', async () => {
    const { letGo, held, ann } = await holding()
    const { id } = await begin(ann, BODY)
    await held()
    const forget = () => ann.fetch(`/api/jobs/${id}`, { method: 'DELETE' })
    expect((await forget()).status).toBe(409)
    await letGo()
    await endOf(ann, id)
    expect((await forget()).status).toBe(204)
    expect((await ann.fetch(`/api/jobs/${id}`)).status).toBe(404)
  })
})

describe('who sees a job', () => {
  it('is told that there is one with each token, until it has ended', async () => {
    const { letGo, held, ann, app } = await holding()
    const bob = await app.as('bob')
    const told = async (who: SignedIn) => (await who.fetch('/api/renew')).headers.get('X-Jobs')
    expect(await told(ann)).toBeNull()
    const { id } = await begin(ann, { kind: 'copy', items: ['/hold.txt'], to: '/to' })
    await held()
    expect([await told(ann), await told(bob)]).toEqual(['true', null])
    await letGo()
    await endOf(ann, id)
    expect(await told(ann)).toBeNull()
  })

  it('is its account and administrators', async () => {
    const app = await open()
    const [ann, bob, admin] = [await app.as('ann'), await app.as('bob'), await app.as('admin')]
    const { id } = await runToEnd(ann, { kind: 'copy', items: ['/a.txt'], to: '/to' })
    expect((await listOf(ann)).map((job) => job.id)).toEqual([id])
    expect(await listOf(bob)).toEqual([])
    expect(await listOf(admin)).toEqual([])
    expect((await listOf(admin, '?all=true')).map((job) => job.id)).toEqual([id])
    expect((await bob.fetch('/api/jobs?all=true')).status).toBe(403)
    expect((await bob.fetch(`/api/jobs/${id}`)).status).toBe(404)
    for (const action of ['cancel', 'pause', 'resume', 'retry'])
      expect((await act(bob, id, action)).status).toBe(404)
    expect((await bob.fetch(`/api/jobs/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await listOf(ann, '?state=running,paused')).toEqual([])
    expect((await ann.fetch('/api/jobs?state=lost')).status).toBe(400)
  })

  it('with a token is whoever has that token, within its folder and its rights', async () => {
    const app = await open()
    const ann = await app.as('ann')
    const token = async (name: string) => {
      const perm = { ...(await permOf(ann)), delete: false }
      const wanted = { name, perm, folder: '/docs', current_password: PASSWORD }
      const answer = await ann.fetch('/api/tokens', {
        method: 'POST',
        body: JSON.stringify(wanted),
      })
      const made = (await answer.json()) as { token: string }
      return {
        fetch: (path: string, init: RequestInit = {}) =>
          app.fetch(path, { ...init, headers: { 'X-Auth': made.token } }),
      }
    }
    const [one, other] = [await token('one'), await token('other')]
    const { id } = await runToEnd(one, { kind: 'copy', items: ['/docs/b.txt'], to: '/docs/deep' })
    expect(await app.tree.read('docs/deep/b.txt')).toBe('bb')
    expect((await post(one, { kind: 'copy', items: ['/a.txt'], to: '/docs' })).status).toBe(403)
    expect((await post(one, { kind: 'delete', items: ['/docs/b.txt'] })).status).toBe(403)
    expect((await listOf(one)).map((job) => job.id)).toEqual([id])
    expect(await listOf(other)).toEqual([])
    expect((await listOf(ann)).map((job) => job.id)).toEqual([id])
  })
})

const ALL_OF_ANN = {
  who: 'user:2',
  see: true,
  download: true,
  create: true,
  modify: true,
  rename: true,
  delete: true,
} as const

async function permOf(who: { fetch(path: string): Promise<Response> }) {
  const { perm } = (await (await who.fetch('/api/users/2')).json()) as { perm: object }
  return { ...perm, admin: false, execute: false }
}

/** Lines of copies in the audit log, once there are so many. */
async function copiesIn(app: OpenedApp, count: number) {
  const admin = await app.as('admin')
  return waitFor('the lines', async () => {
    const answer = await admin.fetch('/api/audit?action=copy')
    const { lines } = (await answer.json()) as { lines: { result: string }[] }
    return lines.length >= count ? lines : null
  })
}

it('writes one line into the audit log when it is over', async () => {
  const app = await open()
  const ann = await app.as('ann')
  await runToEnd(ann, { kind: 'copy', items: ['/a.txt', '/docs'], to: '/to' })
  expect(await copiesIn(app, 1)).toMatchObject([
    {
      user: 'ann',
      via: 'session',
      names: ['/a.txt', '/docs'],
      selected: 2,
      to: '/to',
      result: 'ok',
      bytes: 6,
    },
  ])
})

describe('from one disk to another', () => {
  async function openWithRoot() {
    const photos = await mkdtemp(join(tmpdir(), 'filebrowser-photos-'))
    onTestFinished(() => rm(photos, { recursive: true, force: true }))
    const app = await open({ config: { roots: { photos } } })
    const place = 'photos:/' as PlaceText
    await app.store.transaction((tx) => {
      tx.insert(FOLDERS, { place, as: 'photos', quota: null, grants: [ALL_OF_ANN] })
    })
    return { app, photos, ann: await app.as('ann') }
  }

  it('a move is a copy, and what has arrived is removed', async () => {
    const { app, photos, ann } = await openWithRoot()
    const job = await runToEnd(ann, { kind: 'move', items: ['/docs'], to: '/photos' })
    expect(job).toMatchObject({ state: 'done', filesDone: 2, filesTotal: 2, bytesDone: 5 })
    expect((await readdir(photos, { recursive: true })).sort()).toEqual([
      'docs',
      'docs/b.txt',
      'docs/deep',
      'docs/deep/c.txt',
    ])
    expect(await readdir(app.tree.root)).not.toContain('docs')
  })

  it('what stays by the rule is not removed where it was', async () => {
    const { app, photos, ann } = await openWithRoot()
    await mkdir(join(photos, 'docs'))
    await writeFile(join(photos, 'docs/b.txt'), 'old')
    await runToEnd(ann, { kind: 'move', items: ['/docs'], to: '/photos', conflict: 'skip' })
    expect(await readFile(join(photos, 'docs/b.txt'), 'utf8')).toBe('old')
    expect(await readFile(join(photos, 'docs/deep/c.txt'), 'utf8')).toBe('ccc')
    expect(await list(app, 'docs')).toEqual(['b.txt'])
  })
})

it('leaves no file and no folder before the first', async () => {
  const app = await open()
  expect(await listOf(await app.as('ann'))).toEqual([])
  expect(existsSync(`${app.store.file}.jobs`)).toBe(false)
})

it('has its record for the server alone', async () => {
  const app = await open()
  const { id } = await runToEnd(await app.as('ann'), { kind: 'copy', items: ['/a.txt'], to: '/to' })
  const folder = `${app.store.file}.jobs`
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  // What is on disk follows what is told.
  await expect.poll(() => readdir(folder)).toEqual([`${id}.json`])
  expect((await stat(`${folder}/${id}.json`)).mode & 0o777).toBe(0o600)
})
