// Names that other systems left behind, in bytes that are no UTF-8.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/store/document.ts'
import { openApp } from '../support/app.ts'
import { changeRecords } from '../support/records.ts'

describe('names that are not UTF-8', () => {
  const latin1 = (tree: { at(name: string): string }, name: string) =>
    Buffer.concat([Buffer.from(tree.at('old/')), Buffer.from(name, 'latin1')])

  it('do not keep their folder from being deleted', async () => {
    await using app = await openApp({ tree: { 'old/plain.txt': 'x' } })
    await mkdir(latin1(app.tree, 'M\u00e4rz'))
    await writeFile(latin1(app.tree, 'M\u00e4rz/f\u00fcr.txt'), 'x')
    await writeFile(latin1(app.tree, '\u00fcber.txt'), 'x')
    const admin = await app.as('admin')
    expect((await admin.fetch('/api/resources/old?trash=false', { method: 'DELETE' })).status).toBe(
      204,
    )
    expect(await readdir(app.tree.root)).toEqual([])
  })

  it.each([
    ['DELETE', '', 204],
    ['PATCH', '?action=rename&destination=/new', 200],
    ['PATCH', '?action=copy&destination=/new', 500],
  ])('of folders bear rules that concern others (%s%s)', async (method, query, status) => {
    const rule = (path: string) => ({ regex: false, allow: false, path, regexp: null })
    await using app = await openApp({
      tree: { 'old/plain.txt': 'x' },
      settings: { rules: [rule('/elsewhere')] },
    })
    await mkdir(latin1(app.tree, 'M\u00e4rz/deep'), { recursive: true })
    await writeFile(latin1(app.tree, 'M\u00e4rz/deep/.key'), 'x')
    const admin = await app.as('admin')
    const ofKeys = { regex: true, allow: false, path: '', regexp: { raw: '\\.key$' } }
    const withRules = (rules: Settings['rules']) =>
      changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, rules } }))
    await withRules([ofKeys])
    const change = () => admin.fetch(`/api/resources/old${query}`, { method })
    expect((await change()).status).toBe(403)
    expect(await readdir(app.tree.root)).toEqual(['old'])
    await withRules([rule('/elsewhere')])
    expect((await change()).status).toBe(status)
    if (status !== 204) expect(await app.tree.read('new/plain.txt')).toBe('x')
  })

  it('of folders do not keep their siblings from being copied', async () => {
    await using app = await openApp({ tree: { 'old/plain.txt': 'x' } })
    await mkdir(latin1(app.tree, 'M\u00e4rz'))
    const admin = await app.as('admin')
    const query = 'action=copy&destination=/new'
    const copied = await admin.fetch(`/api/resources/old?${query}`, { method: 'PATCH' })
    expect(copied.status).toBe(500)
    expect(await app.tree.read('new/plain.txt')).toBe('x')
  })

  it('keep their folder from being merged into another, of which nothing is moved then', async () => {
    await using app = await openApp({ tree: { 'old/plain.txt': 'x', 'new/old/other.txt': 'y' } })
    await writeFile(latin1(app.tree, '\u00fcber.txt'), 'x')
    const admin = await app.as('admin')
    const query = 'action=rename&destination=/new/old&override=true'
    const moved = await admin.fetch(`/api/resources/old?${query}`, { method: 'PATCH' })
    expect(moved.status).toBe(500)
    expect(await readdir(app.tree.at('old'))).toHaveLength(2)
  })

  it('are not left out of a copy in silence', async () => {
    await using app = await openApp({ tree: { 'old/plain.txt': 'x' } })
    await writeFile(latin1(app.tree, '\u00fcber.txt'), 'x')
    const admin = await app.as('admin')
    const query = 'action=copy&destination=/new'
    const copied = await admin.fetch(`/api/resources/old?${query}`, { method: 'PATCH' })
    expect(copied.status).toBe(500)
    expect(await app.tree.read('new/plain.txt')).toBe('x')
  })
})
