// Undoing what has come, gone and was replaced, over HTTP: into the trash, out of it, and from versions.
import { rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latest, names, opened, patch, undo } from '../support/history.ts'
import type { SignedIn } from '../support/login.ts'

const upload = (who: SignedIn, path: string, body: string, query = '') =>
  who.fetch(`/api/resources${path}${query}`, {
    method: 'POST',
    body,
    headers: { 'X-Operation': 'operation-1' },
  })

describe('undoing a replacement', () => {
  it.each([
    ['a save', 'PUT', ''],
    ['an upload', 'POST', '?override=true'],
  ])('by %s brings the content of before, and its Undo that of after', async (_, method, query) => {
    const { app, bob } = await opened({ 'a.txt': 'before' })
    await using _app = app
    await bob.fetch(`/api/resources/a.txt${query}`, { method, body: 'after' })
    expect((await undo(bob, (await latest(bob)).id)).done).toBe(1)
    expect(await app.tree.read('a.txt')).toBe('before')
    expect((await undo(bob, (await latest(bob)).id)).done).toBe(1)
    expect(await app.tree.read('a.txt')).toBe('after')
  })

  it('leaves what was saved since', async () => {
    const { app, bob } = await opened({ 'a.txt': 'before' })
    await using _ = app
    await bob.fetch('/api/resources/a.txt', { method: 'PUT', body: 'after' })
    const { id } = await latest(bob)
    await writeFile(join(app.tree.root, 'a.txt'), 'by somebody else')
    expect(await undo(bob, id)).toMatchObject({
      status: 409,
      kept: [{ path: '/a.txt', code: 'precondition_failed' }],
    })
    expect(await app.tree.read('a.txt')).toBe('by somebody else')
  })

  it.each(['copy', 'rename'])('by a %s brings both back', async (action) => {
    const { app, bob } = await opened({ 'a.txt': 'a', 'b.txt': 'b' })
    await using _ = app
    await patch(bob, '/a.txt', `action=${action}&destination=/b.txt&override=true`)
    expect(await app.tree.read('b.txt')).toBe('a')
    expect((await undo(bob, (await latest(bob)).id)).kept).toEqual([])
    expect(await app.tree.read('a.txt')).toBe('a')
    expect(await app.tree.read('b.txt')).toBe('b')
  })

  it('cannot be done without versions', async () => {
    const config = { versions: false }
    const { app, bob } = await opened({ 'a.txt': 'before' }, { config })
    await using _ = app
    await bob.fetch('/api/resources/a.txt', { method: 'PUT', body: 'after' })
    const { id, undo: can } = await latest(bob)
    expect(can).toBe('no')
    expect((await undo(bob, id)).status).toBe(409)
    expect(await app.tree.read('a.txt')).toBe('after')
  })
})

describe('undoing what is new', () => {
  it('takes an uploaded folder away as one entry of the trash, and its Undo brings it back', async () => {
    const { app, bob } = await opened({ 'own.txt': 'x' })
    await using _ = app
    await upload(bob, '/up/one.txt', '1')
    await upload(bob, '/up/sub/two.txt', '2')
    expect((await latest(bob)).kind).toBe('upload')
    expect(await undo(bob, 'operation-1')).toEqual({ status: 200, done: 4, kept: [] })
    expect(await names(app)).toEqual(['own.txt'])
    const { id, files } = await latest(bob)
    expect(files).toBe(1)
    expect((await undo(bob, id)).kept).toEqual([])
    expect(await app.tree.read('up/one.txt')).toBe('1')
    expect(await app.tree.read('up/sub/two.txt')).toBe('2')
  })

  it('leaves what somebody has added to a copy, and what was changed in it', async () => {
    const { app, bob } = await opened({ 'a/one': '1', 'a/two': '2', 'a/sub/three': '3' })
    await using _ = app
    await patch(bob, '/a', 'action=copy&destination=/b')
    await writeFile(join(app.tree.root, 'b/added'), 'x')
    await writeFile(join(app.tree.root, 'b/two'), 'changed')
    const { kept } = await undo(bob, (await latest(bob)).id)
    expect(kept.sort((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1))).toEqual([
      { path: '/b/added', code: 'precondition_failed' },
      { path: '/b/two', code: 'precondition_failed' },
    ])
    expect(await names(app, 'b')).toEqual(['added', 'two'])
    expect(await names(app, 'a')).toEqual(['one', 'sub', 'two'])
  })

  it('takes what was merged into a folder out of it again', async () => {
    const { app, bob } = await opened({ 'a/one': '1', 'a/sub/two': '2', 'b/own': 'x' })
    await using _ = app
    await patch(bob, '/a', 'action=copy&destination=/b&override=true')
    expect(await names(app, 'b')).toEqual(['one', 'own', 'sub'])
    expect((await undo(bob, (await latest(bob)).id)).kept).toEqual([])
    expect(await names(app, 'b')).toEqual(['own'])
  })

  it('takes a new folder away while nothing is in it', async () => {
    const { app, bob } = await opened({})
    await using _ = app
    await bob.fetch('/api/resources/new/', { method: 'POST' })
    const { id } = await latest(bob)
    await writeFile(join(app.tree.root, 'new/x'), '')
    expect((await undo(bob, id)).status).toBe(409)
    await rm(join(app.tree.root, 'new/x'))
    expect((await undo(bob, id)).done).toBe(1)
    expect(await names(app)).toEqual([])
  })
})

describe('undoing a deletion', () => {
  const remove = (who: SignedIn, path: string) =>
    who.fetch(`/api/resources${path}?trash=true`, {
      method: 'DELETE',
      headers: { 'X-Operation': 'operation-1' },
    })

  it('brings it back to where it was, and its Undo deletes it again', async () => {
    const { app, bob } = await opened({ 'a/b.txt': 'b', 'c.txt': 'c' })
    await using _ = app
    await remove(bob, '/a')
    await remove(bob, '/c.txt')
    expect(await names(app)).toEqual([])
    expect(await undo(bob, 'operation-1')).toEqual({ status: 200, done: 2, kept: [] })
    expect(await app.tree.read('a/b.txt')).toBe('b')
    expect(await app.tree.read('c.txt')).toBe('c')
    expect((await undo(bob, (await latest(bob)).id)).done).toBe(2)
    expect(await names(app)).toEqual([])
  })

  it('and then its Undo leaves what has come into it or was written since', async () => {
    const { app, bob } = await opened({
      'd/old.txt': 'o',
      'd/new/old.txt': 'o',
      'd/as-it-was/a': 'a',
    })
    await using _ = app
    await bob.fetch('/api/resources/d', { method: 'DELETE' })
    await undo(bob, (await latest(bob)).id)
    const { id } = await latest(bob)
    await writeFile(join(app.tree.root, 'd/new/by-another'), 'x')
    await writeFile(join(app.tree.root, 'd/old.txt'), 'written')
    // Not in the same millisecond.
    const later = new Date(Date.now() + 1_000)
    for (const path of ['d/new', 'd/old.txt']) await utimes(join(app.tree.root, path), later, later)
    expect(await undo(bob, id)).toEqual({
      status: 200,
      done: 1,
      kept: ['/d/new', '/d/old.txt'].map((path) => ({ path, code: 'precondition_failed' })),
    })
    expect(await names(app, 'd')).toEqual(['new', 'old.txt'])
    expect(await app.tree.read('d/new/by-another')).toBe('x')
  })

  it('leaves what has taken the place since', async () => {
    const { app, bob } = await opened({ 'a.txt': 'old' })
    await using _ = app
    await remove(bob, '/a.txt')
    await writeFile(join(app.tree.root, 'a.txt'), 'new')
    expect(await undo(bob, 'operation-1')).toMatchObject({
      status: 409,
      kept: [{ path: '/a.txt', code: 'exists' }],
    })
    expect(await app.tree.read('a.txt')).toBe('new')
  })

  it('puts back what a restore has replaced', async () => {
    const { app, bob } = await opened({ 'a.txt': 'old' })
    await using _ = app
    await remove(bob, '/a.txt')
    await writeFile(join(app.tree.root, 'a.txt'), 'new')
    const listed = await (await bob.fetch('/api/trash')).json()
    const ids = listed.items.map(({ id }: { id: string }) => id)
    const body = JSON.stringify({ ids, conflict: 'replace' })
    expect((await bob.fetch('/api/trash/restore', { method: 'POST', body })).status).toBe(200)
    expect(await app.tree.read('a.txt')).toBe('old')
    expect((await undo(bob, (await latest(bob)).id)).kept).toEqual([])
    expect(await app.tree.read('a.txt')).toBe('new')
  })

  it('for good cannot be done, and is told', async () => {
    const { app, bob } = await opened({ 'a.txt': 'old' })
    await using _ = app
    await bob.fetch('/api/resources/a.txt?trash=false', { method: 'DELETE' })
    const { id, kind, undo: can } = await latest(bob)
    expect([kind, can]).toEqual(['delete', 'no'])
    expect(await undo(bob, id)).toMatchObject({
      status: 409,
      kept: [{ path: '/a.txt', code: 'not_found' }],
    })
  })

  it('is told to be impossible once it has left the trash', async () => {
    const { app, bob } = await opened({ 'a.txt': 'old' })
    await using _ = app
    await remove(bob, '/a.txt')
    expect((await latest(bob)).undo).toBe('yes')
    await rm(join(app.tree.root, '.fb-trash'), { recursive: true })
    const { id, undo: can } = await latest(bob)
    expect(can).toBe('no')
    expect((await undo(bob, id)).status).toBe(409)
  })
})
