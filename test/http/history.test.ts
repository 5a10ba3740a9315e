// The history of an account over HTTP: what is told of changes, and undoing them.
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OpenedApp, openApp } from '../support/app.ts'
import { NO_PERMISSIONS } from '../support/groups.ts'
import { history, latest, move, names, opened, patch, undo } from '../support/history.ts'
import { changeRecords } from '../support/records.ts'

describe('the history', () => {
  it('tells of each change once, the newest first', async () => {
    const { app, bob } = await opened({ 'a.txt': 'hello' })
    await using _ = app
    await bob.fetch('/api/resources/new.txt', { method: 'POST', body: 'four' })
    await bob.fetch('/api/resources/dir/', { method: 'POST' })
    await move(bob, '/a.txt', '/dir/b.txt')
    const { items, next } = await history(bob)
    expect(items.map(({ kind, path, to, bytes }) => [kind, path, to, bytes])).toEqual([
      ['move', '/a.txt', '/dir/b.txt', 5],
      ['folder', '/dir', undefined, 0],
      ['upload', '/new.txt', undefined, 4],
    ])
    expect(next).toBeNull()
  })

  it('is that of the caller alone', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await move(bob, '/a.txt', '/b.txt')
    const { id } = await latest(bob)
    const admin = await app.as('admin')
    expect((await history(admin)).items).toEqual([])
    expect((await undo(admin, id)).status).toBe(404)
  })

  it('makes one record of requests with one X-Operation, whatever lies between', async () => {
    const { app, bob } = await opened({ 'a.txt': '', 'b/c.txt': '', 'd.txt': '' })
    await using _ = app
    await move(bob, '/a.txt', '/b/a.txt', 'operation-1')
    await move(bob, '/d.txt', '/e.txt')
    await move(bob, '/b/c.txt', '/c.txt', 'operation-1')
    const { items } = await history(bob)
    expect(items.map(({ path, to, files }) => [path, to, files])).toEqual([
      ['/d.txt', '/e.txt', 1],
      ['/', '/', 2],
    ])
    expect((await undo(bob, 'operation-1')).done).toBe(2)
    expect(await names(app)).toEqual(['a.txt', 'b', 'e.txt'])
    expect(await names(app, 'b')).toEqual(['c.txt'])
  })

  it('makes one record of changes of a kind in one folder that follow each other', async () => {
    const { app, bob } = await opened({ 'a.txt': '', 'b.txt': '', 'd/c.txt': '', 'to/x': '' })
    await using _ = app
    for (const path of ['/a.txt', '/b.txt', '/d/c.txt']) await move(bob, path, `/to/${path.at(-5)}`)
    expect((await history(bob)).items.map(({ files }) => files)).toEqual([1, 2])
  })

  it('names the file that was saved several times and how often, and the folder that several files are in', async () => {
    const { app, bob } = await opened({ 'docs/a.txt': '' })
    await using _ = app
    const put = (body: string) => bob.fetch('/api/resources/docs/a.txt', { method: 'PUT', body })
    for (const body of ['1', '12', '123']) expect((await put(body)).status).toBe(200)
    expect(await latest(bob)).toMatchObject({
      kind: 'save',
      path: '/docs/a.txt',
      files: 1,
      times: 3,
    })
    const headers = { 'X-Operation': 'three-files' }
    for (const name of ['x', 'y', 'z'])
      await bob.fetch(`/api/resources/docs/${name}.txt`, { method: 'POST', body: name, headers })
    expect(await latest(bob)).toMatchObject({ kind: 'upload', path: '/docs', files: 3 })
  })

  it('comes in pages', async () => {
    const folders = ['a', 'b', 'c', 'd', 'e']
    const { app, bob } = await opened(Object.fromEntries(folders.map((name) => [`${name}/y`, ''])))
    await using _ = app
    for (const name of folders) await bob.fetch(`/api/resources/${name}/x/`, { method: 'POST' })
    const seen: (string | undefined)[] = []
    for (let before = ''; ; ) {
      const { items, next } = await history(bob, `?limit=2&before=${before}`)
      seen.push(...items.map(({ path }) => path))
      if (next === null) break
      before = next
    }
    expect(seen).toEqual(['/e/x', '/d/x', '/c/x', '/b/x', '/a/x'])
  })

  it('does not name what the account may not see any more', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await move(bob, '/a.txt', '/secret.txt')
    const admin = await app.as('admin')
    const settings = await (await admin.fetch('/api/settings')).json()
    const rules = [{ regex: false, allow: false, path: '/secret.txt', regexp: null }]
    const set = await admin.fetch('/api/settings', {
      method: 'PUT',
      body: JSON.stringify({ ...settings, rules }),
    })
    expect(set.status).toBe(200)
    const item = await latest(bob)
    expect([item.path, item.to]).toEqual(['/a.txt', undefined])
    expect(await undo(bob, item.id)).toEqual({
      status: 409,
      done: 0,
      kept: [{ code: 'forbidden' }],
    })
  })

  it.each(['before=x', 'limit=0', 'limit=201', 'limit=-1'])('is 400 for %s', async (query) => {
    const { app, bob } = await opened({})
    await using _ = app
    expect((await bob.fetch(`/api/history?${query}`)).status).toBe(400)
  })

  it('is not written without trash and versions', async () => {
    const config = { trash: 'off', versions: false } as const
    const { app, bob } = await opened({ 'a.txt': '' }, { config })
    await using _ = app
    await move(bob, '/a.txt', '/b.txt')
    expect((await history(bob)).items).toEqual([])
    expect((await readdir(app.tree.base)).filter((name) => name.includes('history'))).toEqual([])
  })

  it('is read past a line that a crash cut off', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    const { tree } = app
    await using _ = app
    const log = join(tree.base, 'filebrowser.db.history.jsonl')
    await writeFile(log, '{"time":"2026-01-01T00:00:00.000Z","user":2,"id"', { mode: 0o600 })
    await move(bob, '/a.txt', '/b.txt')
    expect((await history(bob)).items.map(({ path }) => path)).toEqual(['/a.txt'])
    expect((await stat(log)).mode & 0o777).toBe(0o600)
  })
})

describe('undoing a move', () => {
  it('brings it back, and its Undo is a redo', async () => {
    const { app, bob } = await opened({ 'a/b.txt': 'b' })
    await using _ = app
    await move(bob, '/a', '/c')
    const { id } = await latest(bob)
    expect(await undo(bob, id)).toEqual({ status: 200, done: 1, kept: [] })
    expect(await names(app)).toEqual(['a'])
    const undone = await latest(bob)
    expect([undone.kind, undone.undoes, undone.undo]).toEqual(['move', id, 'yes'])
    expect((await undo(bob, undone.id)).done).toBe(1)
    expect(await names(app)).toEqual(['c'])
    expect(await app.tree.read('c/b.txt')).toBe('b')
  })

  it('needs no link to lead anywhere from where it is moved to', async () => {
    const { app, bob } = await opened({
      'a/b.txt': 'b',
      'a/d/link': { link: '../b.txt' },
      'a/out': { link: '../a/b.txt' },
    })
    await using _ = app
    expect((await move(bob, '/a/d/link', '/link')).status).toBe(200)
    expect((await move(bob, '/a/out', '/a/d/out')).status).toBe(200)
    expect(await names(app)).toEqual(['a', 'link'])
    expect(await names(app, 'a/d')).toEqual(['out'])
    expect(app.errors).toEqual([])
  })

  it('is 409 when it was done', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await move(bob, '/a.txt', '/b.txt')
    const { id } = await latest(bob)
    await undo(bob, id)
    expect((await undo(bob, id)).status).toBe(409)
    expect((await history(bob)).items.map(({ undo }) => undo)).toEqual(['yes', 'done'])
  })

  it('leaves a file that somebody has changed since, and names it', async () => {
    const { app, bob } = await opened({ 'a.txt': 'a', 'b.txt': 'b', 'to/x': '' })
    await using _ = app
    await move(bob, '/a.txt', '/to/a.txt', 'operation-1')
    await move(bob, '/b.txt', '/to/b.txt', 'operation-1')
    const file = join(app.tree.root, 'to/b.txt')
    await rm(file)
    await writeFile(file, 'another')
    expect(await undo(bob, 'operation-1')).toEqual({
      status: 200,
      done: 1,
      kept: [{ path: '/to/b.txt', code: 'precondition_failed' }],
    })
    expect(await names(app)).toEqual(['a.txt', 'to'])
    expect(await app.tree.read('to/b.txt')).toBe('another')
  })

  it('leaves everything where something has taken its old place', async () => {
    const { app, bob } = await opened({ 'a.txt': 'a' })
    await using _ = app
    await move(bob, '/a.txt', '/b.txt')
    await writeFile(join(app.tree.root, 'a.txt'), 'new')
    const { id } = await latest(bob)
    expect(await undo(bob, id)).toEqual({
      status: 409,
      done: 0,
      kept: [{ path: '/b.txt', code: 'exists' }],
    })
    expect(await app.tree.read('a.txt')).toBe('new')
  })

  it('takes what was merged into a folder out of it again', async () => {
    const { app, bob } = await opened({ 'a/one': '1', 'a/sub/two': '2', 'b/sub/own': 'x' })
    await using _ = app
    await patch(bob, '/a', 'action=rename&destination=/b&override=true')
    expect(await names(app, 'b/sub')).toEqual(['own', 'two'])
    const { id } = await latest(bob)
    expect((await undo(bob, id)).kept).toEqual([])
    expect(await names(app, 'a')).toEqual(['one', 'sub'])
    expect(await names(app, 'b/sub')).toEqual(['own'])
  })

  it('needs the rights of the moment', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await move(bob, '/a.txt', '/b.txt')
    await changeRecords(app.store, ({ users }) => ({
      users: users.map((user) => ({ ...user, perm: { ...user.perm, rename: false } })),
    }))
    const { id } = await latest(bob)
    expect((await undo(bob, id)).kept).toEqual([{ path: '/b.txt', code: 'forbidden' }])
    expect(await names(app)).toEqual(['b.txt'])
  })
})

describe('permission bits', () => {
  const modeOf = async ({ tree }: OpenedApp, path: string) =>
    ((await stat(join(tree.root, path))).mode & 0o777).toString(8)

  it('are set, undone and set again', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await chmod(join(app.tree.root, 'a.txt'), 0o604)
    expect((await patch(bob, '/a.txt', 'action=mode&mode=640')).status).toBe(200)
    expect(await modeOf(app, 'a.txt')).toBe('640')
    const { id, kind } = await latest(bob)
    expect(kind).toBe('mode')
    expect((await undo(bob, id)).done).toBe(1)
    expect(await modeOf(app, 'a.txt')).toBe('604')
    expect((await undo(bob, (await latest(bob)).id)).done).toBe(1)
    expect(await modeOf(app, 'a.txt')).toBe('640')
  })

  it('of all below a folder leave folders open to whoever may read them', async () => {
    const files = Array.from({ length: 30 }, (_, n) => [`d/e/${n}.txt`, ''] as const)
    const { app, bob } = await opened(Object.fromEntries(files))
    await using _ = app
    await chmod(join(app.tree.root, 'd'), 0o711)
    await chmod(join(app.tree.root, 'd/e/7.txt'), 0o600)
    await patch(bob, '/d', 'action=mode&mode=640&recursive=true')
    const all = ['d', 'd/e', 'd/e/7.txt', 'd/e/29.txt']
    expect(await Promise.all(all.map((path) => modeOf(app, path)))).toEqual([
      '750',
      '750',
      '640',
      '640',
    ])
    const { id, files: changed } = await latest(bob)
    expect(changed).toBe(32)
    expect((await undo(bob, id)).done).toBe(32)
    expect(await modeOf(app, 'd')).toBe('711')
    expect(await modeOf(app, 'd/e/7.txt')).toBe('600')
  })

  it('that were changed since stay', async () => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    await patch(bob, '/a.txt', 'action=mode&mode=640')
    await chmod(join(app.tree.root, 'a.txt'), 0o777)
    const { id } = await latest(bob)
    expect((await undo(bob, id)).kept).toEqual([{ path: '/a.txt', code: 'precondition_failed' }])
    expect(await modeOf(app, 'a.txt')).toBe('777')
  })

  it.each(['mode=4755', 'mode=9', 'mode='])('are 400 for %s', async (query) => {
    const { app, bob } = await opened({ 'a.txt': '' })
    await using _ = app
    expect((await patch(bob, '/a.txt', `action=mode&${query}`)).status).toBe(400)
  })

  it('need the right to modify', async () => {
    const app = await openApp({
      tree: { 'a.txt': '' },
      users: [
        {
          username: 'eve',
          perm: { ...NO_PERMISSIONS, download: true, rename: true, create: true },
        },
      ],
    })
    await using _ = app
    const eve = await app.as('eve')
    expect((await patch(eve, '/a.txt', 'action=mode&mode=640')).status).toBe(403)
  })
})
