// Deleting over HTTP with the trash: what goes where, and by whose word.
import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openApp } from '../support/app.ts'

const kept = async (app: { tree: { root: string; at(name: string): string } }) => {
  const names = await readdir(app.tree.at('.fb-trash/files')).catch(() => [])
  return names.map((name) => name.slice(33)).sort()
}

test.each([
  ['all', '', ['d']],
  ['all', '?trash=true', ['d']],
  ['all', '?trash=false', []],
  ['own', '', []],
  ['own', '?trash=true', ['d']],
  ['own', '?trash=false', []],
  ['off', '', []],
  ['off', '?trash=false', []],
] as const)('with --trash %s, DELETE%s', async (trash, query, names) => {
  await using app = await openApp({ tree: { 'd/a.txt': 'a', b: '' }, config: { trash } })
  const admin = await app.as('admin')
  expect((await admin.fetch(`/api/resources/d${query}`, { method: 'DELETE' })).status).toBe(204)
  expect(await kept(app)).toEqual(names)
  expect(await readdir(app.tree.root)).toEqual(names.length > 0 ? ['.fb-trash', 'b'] : ['b'])
})

test.each([
  ['off', 'true'],
  ['all', 'yes'],
] as const)('nothing goes where --trash is %s and trash=%s is asked for', async (trash, word) => {
  await using app = await openApp({ tree: { 'a.txt': 'a' }, config: { trash } })
  const admin = await app.as('admin')
  const answer = await admin.fetch(`/api/resources/a.txt?trash=${word}`, { method: 'DELETE' })
  expect(answer.status).toBe(400)
  expect(await readdir(app.tree.root)).toEqual(['a.txt'])
})
