// Jobs out of the trash and on permission bits: the same as the requests for it, entry by entry.
import { existsSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuditAction, AuditPage, AuditRecord } from '../../src/audit-types.ts'
import { parseFetchFrom } from '../../src/config/fetch-from.ts'
import type { JobKind } from '../../src/job-types.ts'
import { WORK } from '../../src/jobs/kinds.ts'
import type { TrashPage } from '../../src/keep-types.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { history, undo } from '../support/history.ts'
import { begin, endOf, post, runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'
import { changeRecords } from '../support/records.ts'
import { openRemote } from '../support/remote-server.ts'
import { keepInTrash } from '../support/trash.ts'

async function open(options: TestAppOptions = {}): Promise<{ app: OpenedApp; ann: SignedIn }> {
  const app = await openApp({
    tree: { 'a.txt': 'a', 'docs/b.txt': 'bb', 'docs/deep/c.txt': 'ccc', to: null },
    users: [{ username: 'ann' }, { username: 'bob' }],
    config: { trash: 'all' },
    ...options,
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, ann: await app.as('ann') }
}

async function trashOf(who: SignedIn): Promise<TrashPage['items']> {
  return ((await (await who.fetch('/api/trash')).json()) as TrashPage).items
}

/** Deletes them; gives their ids in the trash, in this order. */
async function trashed(who: SignedIn, ...paths: string[]): Promise<string[]> {
  for (const path of paths) await who.fetch(`/api/resources${path}`, { method: 'DELETE' })
  const items = await trashOf(who)
  return paths.map((path) => items.find((item) => item.path === path)?.id ?? '')
}

describe('restore', () => {
  it('brings entries of the trash back to where they were, as one record', async () => {
    const { app, ann } = await open()
    const ids = await trashed(ann, '/docs', '/a.txt')
    const job = await runToEnd(ann, { kind: 'restore', ids })
    expect(job).toMatchObject({ state: 'done', items: ['/docs', '/a.txt'], to: null, filesDone: 2 })
    expect(await app.tree.read('docs/deep/c.txt')).toBe('ccc')
    expect(await trashOf(ann)).toEqual([])
    const [record] = (await history(ann)).items
    expect(record).toMatchObject({ kind: 'restore', via: 'job' })
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
    expect(existsSync(app.tree.at('docs'))).toBe(false)
  })

  it('puts them into another folder, beside what has their name', async () => {
    const { app, ann } = await open()
    await app.tree.add({ 'to/a.txt': 'other' })
    const ids = await trashed(ann, '/a.txt')
    await runToEnd(ann, { kind: 'restore', ids, to: '/to', conflict: 'rename' })
    expect(await app.tree.read('to/a(1).txt')).toBe('a')
  })

  it('is refused with the names of what is there, and for what nobody has deleted', async () => {
    const { app, ann } = await open()
    const ids = await trashed(ann, '/a.txt')
    await app.tree.add({ 'a.txt': 'newer' })
    const taken = await post(ann, { kind: 'restore', ids })
    expect([taken.status, await taken.text()]).toEqual([409, '409 Conflict (a.txt)\n'])
    expect((await post(ann, { kind: 'restore', ids: ['none'] })).status).toBe(404)
    expect((await post(ann, { kind: 'restore', ids: [] })).status).toBe(400)
    expect((await post(ann, { kind: 'restore', ids, conflict: 'newer' })).status).toBe(400)
  })

  it('does not bring back what the account may not create', async () => {
    const { app, ann } = await open()
    const ids = await trashed(ann, '/a.txt')
    await changeRecords(app.store, ({ users }) => ({
      users: users.map((user) => ({ ...user, perm: { ...user.perm, create: false } })),
    }))
    expect((await post(ann, { kind: 'restore', ids })).status).toBe(403)
  })
})

describe('empty', () => {
  it('removes for good what the account has deleted, and leaves what others have', async () => {
    const { app, ann } = await open()
    await trashed(ann, '/docs', '/a.txt')
    await app.tree.add({ 'of-bob.txt': 'b' })
    const bob = await app.as('bob')
    await trashed(bob, '/of-bob.txt')
    const job = await runToEnd(ann, { kind: 'empty' })
    expect(job).toMatchObject({ state: 'done', items: [], filesDone: 2, filesTotal: 2, errors: [] })
    expect((await trashOf(bob)).map(({ path }) => path)).toEqual(['/of-bob.txt'])
  })

  it('with an age leaves what is younger, and what nobody knows the age of', async () => {
    const { app, ann } = await open()
    await trashed(ann, '/a.txt')
    const deletedAt = Date.now() - 3 * 24 * 60 * 60_000
    await keepInTrash(app.tree.root, 'old.txt', 'old', { deletedAt })
    await runToEnd(ann, { kind: 'empty', olderThan: '2d' })
    expect((await trashOf(ann)).map(({ path }) => path)).toEqual(['/a.txt'])
    expect((await post(ann, { kind: 'empty', olderThan: 'old' })).status).toBe(400)
  })
})

describe('mode', () => {
  it('sets the bits of all that lies below, and is undone as one', async () => {
    const { app, ann } = await open()
    await chmod(app.tree.at('docs/b.txt'), 0o600)
    const body = { kind: 'mode', items: ['/docs', '/a.txt'], mode: '640', recursive: true }
    const { id } = await begin(ann, body)
    const job = await endOf(ann, id)
    expect(job).toMatchObject({ state: 'done', filesDone: 3, filesTotal: 3 })
    const bits = async (path: string) => (await stat(app.tree.at(path))).mode & 0o777
    expect([await bits('docs/deep/c.txt'), await bits('docs'), await bits('a.txt')]).toEqual([
      0o640, 0o750, 0o640,
    ])
    expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
    expect(await bits('docs/b.txt')).toBe(0o600)
  })

  it('is refused for bits that are none, and without the right to modify', async () => {
    const { ann } = await open({
      settings: { rules: [{ allow: false, path: '/docs', regex: false, regexp: null }] } as never,
    })
    for (const mode of ['', '64', '4755', 'rwx'])
      expect((await post(ann, { kind: 'mode', items: ['/a.txt'], mode })).status).toBe(400)
    expect((await post(ann, { kind: 'mode', items: ['/docs'], mode: '640' })).status).toBe(403)
  })
})

it('leaves one line in the audit log, of whatever kind it is', async () => {
  await using remote = await openRemote((_, response) => response.end('new'))
  const { app, ann } = await open({
    config: { trash: 'all', fetchFrom: parseFetchFrom(remote.host) },
  })
  const admin = await app.as('admin')
  const [kept = ''] = await trashed(ann, '/a.txt')
  const asked: Record<JobKind, { body: object; action: AuditAction }> = {
    restore: { body: { ids: [kept] }, action: 'restore' },
    compress: { body: { items: ['/docs'] }, action: 'copy' },
    extract: { body: { items: ['/docs.zip'], to: '/to' }, action: 'copy' },
    checksum: { body: { items: ['/a.txt'] }, action: 'copy' },
    mode: { body: { items: ['/a.txt'], mode: '600' }, action: 'mode' },
    copy: { body: { items: ['/a.txt'], to: '/docs' }, action: 'copy' },
    move: { body: { items: ['/a.txt'], to: '/to' }, action: 'move' },
    delete: { body: { items: ['/docs'] }, action: 'delete' },
    empty: { body: {}, action: 'erase' },
    fetch: { body: { url: `${remote.origin}/new.txt`, to: '/to' }, action: 'upload' },
  }
  expect(Object.keys(asked).sort()).toEqual(Object.keys(WORK).sort())
  let before = (await linesOf(admin)).length
  for (const [kind, { body, action }] of Object.entries(asked)) {
    const { state, errors } = await runToEnd(ann, { kind, ...body })
    expect([kind, state, errors]).toEqual([kind, 'done', []])
    const lines = await waitFor(`the line of ${kind}`, async () => {
      const all = await linesOf(admin)
      return all.length > before ? all.slice(0, all.length - before) : null
    })
    expect([kind, lines]).toMatchObject([kind, [{ user: 'ann', action, result: 'ok' }]])
    before += lines.length
  }
})

async function linesOf(admin: SignedIn): Promise<AuditRecord[]> {
  const answer = await admin.fetch('/api/audit?limit=1000')
  return ((await answer.json()) as AuditPage).lines
}
