// The trash by itself, on a real tree.
import { existsSync } from 'node:fs'
import {
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseInfo } from '../../src/keep/trash-info.ts'
import { type Setup, setUp } from '../support/operations.ts'
import { keepInTrash } from '../support/trash.ts'
import { AWKWARD_NAMES } from '../support/tree.ts'

const WHO = { userID: 1, operation: 'operation-1' }

async function put({ services, tree }: Setup, path: string) {
  const realPath = tree.at(path)
  const folder = await services.volume.openFolder(dirname(realPath))
  const place = { folder, name: basename(realPath), realPath }
  return services.trash.put(place, WHO).finally(folder.close)
}

async function restore({ services, tree }: Setup, id: string, path: string, replace = false) {
  const realPath = tree.at(path)
  const folder = await services.volume.openFolder(dirname(realPath))
  const place = { folder, name: basename(realPath), realPath }
  await services.trash.restoreTo(id, place, { replace }).finally(folder.close)
}

test('what is deleted lies whole in the trash of the top, with where it was', async () => {
  await using setup = await setUp({ 'a/b/file.txt': 'text' })
  const entry = await put(setup, 'a/b')
  expect(entry).toMatchObject({ path: 'a/b', isDir: true, userID: 1, operation: 'operation-1' })
  expect(await readdir(setup.tree.at('a'))).toEqual([])
  const kept = join(entry.store, 'files', entry.name, 'file.txt')
  expect(await readFile(kept, 'utf8')).toBe('text')
  const info = await readFile(join(entry.store, 'info', `${entry.name}.trashinfo`))
  expect(parseInfo(info)?.path?.toString()).toBe('a/b')
  expect(await setup.services.trash.entries()).toEqual([entry])
})

test('an entry is found again after a start, by the same id', async () => {
  await using setup = await setUp({ 'file.txt': 'text' })
  const entry = await put(setup, 'file.txt')
  await using later = await setUp({})
  await rename(entry.store, later.tree.at('.fb-trash'))
  const [found] = await later.services.trash.entries()
  expect(found).toMatchObject({ id: entry.id, path: 'file.txt', bytes: 4, userID: 1 })
  expect(found?.deletedAt).toBe(entry.deletedAt)
})

test('a file that was brought back when the server ended is in the trash no more', async () => {
  await using setup = await setUp({ 'a/file.txt': 'text', 'b.txt': 'b' })
  const [{ store, name }] = [await put(setup, 'a/file.txt'), await put(setup, 'b.txt')]
  // The first of the two steps.
  await link(join(store, 'files', name), setup.tree.at('a/file.txt'))
  const entries = await setup.services.trash.entries()
  expect(entries.map(({ path }) => path)).toEqual(['b.txt'])
  expect(await setup.tree.read('a/file.txt')).toBe('text')
  for (const part of ['files', 'info']) expect(await readdir(join(store, part))).toHaveLength(1)
})

test('entries come the newest first, whoever has added or taken some', async () => {
  await using setup = await setUp({ '0.txt': '0' })
  const { trash } = setup.services
  const pathsOf = async () => (await trash.entries()).map(({ path }) => path)
  const day = (at: number) => Date.UTC(2026, 0, 1 + at)
  const keep = (name: string, at: number) =>
    keepInTrash(setup.tree.root, name, name, {
      id: at.toString(16).padStart(32, '0'),
      deletedAt: day(at),
    })
  for (const at of [3, 1, 2]) await keep(`theirs-${at}`, at)
  expect(await pathsOf()).toEqual(['theirs-3', 'theirs-2', 'theirs-1'])
  await put(setup, '0.txt')
  await trash.erase('2'.padStart(32, '0'), new AbortController().signal)
  await keep('theirs-4', 4)
  expect(await pathsOf()).toEqual(['0.txt', 'theirs-4', 'theirs-3', 'theirs-1'])
})

test('a word of what is not there is forgotten once it is an hour old', async () => {
  await using setup = await setUp({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  const { trash } = setup.services
  const [old, young, there] = [
    await put(setup, 'a.txt'),
    await put(setup, 'b.txt'),
    await put(setup, 'c.txt'),
  ]
  const infoOf = ({ store, name }: typeof old) => join(store, 'info', `${name}.trashinfo`)
  for (const { store, name } of [old, young]) await rm(join(store, 'files', name))
  const hourAgo = Date.now() / 1000 - 3601
  for (const entry of [old, there]) await utimes(infoOf(entry), hourAgo, hourAgo)
  await trash.tidy()
  expect([old, young, there].map((entry) => existsSync(infoOf(entry)))).toEqual([false, true, true])
})

test('every name comes back as it was', async () => {
  const content = Object.fromEntries(AWKWARD_NAMES.map((name) => [name, name]))
  const long = `${'ä'.repeat(125)}.jpeg`
  await using setup = await setUp({ ...content, [long]: long })
  for (const name of [...AWKWARD_NAMES, long]) {
    const { id } = await put(setup, name)
    expect((await setup.services.trash.find(id)).path).toBe(name)
    await restore(setup, id, name)
    expect(await setup.tree.read(name)).toBe(name)
  }
})

test('nothing is left of a trash that became empty', async () => {
  await using setup = await setUp({ 'a.txt': '', 'b.txt': '' })
  const a = await put(setup, 'a.txt')
  const b = await put(setup, 'b.txt')
  await restore(setup, a.id, 'a.txt')
  await setup.services.trash.erase(b.id, new AbortController().signal)
  expect(await readdir(setup.tree.root)).toEqual(['a.txt'])
})

test('an entry is restored once', async () => {
  await using setup = await setUp({ 'a.txt': '' })
  const { id } = await put(setup, 'a.txt')
  await restore(setup, id, 'a.txt')
  await expect(restore(setup, id, 'b.txt')).rejects.toMatchObject({ code: 'not_found' })
})

test('what has taken the place stays when it is not to be replaced', async () => {
  await using setup = await setUp({ 'a.txt': 'old' })
  const { id } = await put(setup, 'a.txt')
  await setup.tree.add({ 'a.txt': 'new' })
  await expect(restore(setup, id, 'a.txt')).rejects.toMatchObject({ code: 'exists' })
  expect(await setup.tree.read('a.txt')).toBe('new')
  expect(await setup.services.trash.entries()).toHaveLength(1)
})

test('a link in the place of a trash is not followed, and nothing is deleted through it', async () => {
  await using setup = await setUp({ 'a.txt': 'text' })
  await symlink(setup.tree.outside, setup.tree.at('.fb-trash'))
  await expect(put(setup, 'a.txt')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await setup.tree.read('a.txt')).toBe('text')
})

test('where the trash of the top is of no use, that of a lower folder is taken', async () => {
  await using setup = await setUp({ 'a/b/file.txt': 'text', '.fb-trash': 'a file' })
  const entry = await put(setup, 'a/b/file.txt')
  expect(entry).toMatchObject({ store: setup.tree.at('a/.fb-trash'), path: 'b/file.txt' })
  expect(await setup.services.trash.entries()).toEqual([entry])
})

test.each(['../../etc/x', '/etc/x', 'a/../b', 'a//b', '', 'a%00b', '.'])(
  'the path %o that somebody has written leads nowhere',
  async (path) => {
    await using setup = await setUp({ 'a.txt': '' })
    const { store } = await put(setup, 'a.txt')
    await writeFile(join(store, 'files', 'other'), '')
    await writeFile(join(store, 'info', 'other.trashinfo'), `[Trash Info]\nPath=${path}\n`)
    const entries = await setup.services.trash.entries()
    expect(entries.find(({ name }) => name === 'other')).toMatchObject({
      path: null,
      realPath: null,
    })
  },
)

test('what another program has put into the trash is listed, and what it took is not', async () => {
  await using setup = await setUp({ 'a.txt': '' })
  const { store, name } = await put(setup, 'a.txt')
  expect(await setup.services.trash.entries()).toHaveLength(1)
  await mkdir(join(store, 'files', 'other'))
  await rename(join(store, 'files', name), join(store, 'gone'))
  const [other, ...rest] = await setup.services.trash.entries()
  expect(rest).toEqual([])
  expect(other).toMatchObject({ name: 'other', path: null, isDir: true, deletedAt: 0 })
})
