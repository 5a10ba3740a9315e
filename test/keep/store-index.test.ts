// What is written down of a large trash, on a real tree.
import { existsSync } from 'node:fs'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createStoreIndex } from '../../src/keep/store-index.ts'
import { type Setup, setUp } from '../support/operations.ts'
import { keepInTrash } from '../support/trash.ts'

const MANY = 20
const idOf = (i: number) => i.toString(16).padStart(32, '0')
const nameOf = (i: number) => `${idOf(i)}-x`

/** A trash of as many as are written down, all of which were read. */
async function setUpRead(): Promise<Setup & { store: string }> {
  const setup = await setUp({})
  const base = setup.tree.root
  const keep = (i: number) => keepInTrash(base, `${i}.txt`, 'text', { id: idOf(i) })
  for (let i = 0; i < MANY; i++) await keep(i)
  await readAgain(setup)
  return Object.assign(setup, { store: join(base, '.fb-trash') })
}

/** As after a start. */
function readAgain({ services, tree }: Setup) {
  return createStoreIndex(services.volume, tree.root, { many: MANY }).entries()
}

async function pathsOf(setup: Setup): Promise<Map<string, string | null>> {
  const entries = await readAgain(setup)
  return new Map(entries.map(({ id, path }) => [id, path]))
}

const writePath = (store: string, i: number, path: string) =>
  writeFile(join(store, 'info', `${nameOf(i)}.trashinfo`), `[Trash Info]\nPath=${path}\n`)

test('what was read of a large trash is not read again after a start', async () => {
  await using setup = await setUpRead()
  await writePath(setup.store, 1, 'elsewhere.txt')
  expect((await pathsOf(setup)).get(idOf(1))).toBe('1.txt')
})

test('after a start a large trash has what has come, and nothing that has gone', async () => {
  await using setup = await setUpRead()
  await rm(join(setup.store, 'files', nameOf(1)))
  await keepInTrash(setup.tree.root, 'new.txt', 'text', { id: idOf(MANY) })
  const paths = await pathsOf(setup)
  expect(paths.size).toBe(MANY)
  expect(paths.has(idOf(1))).toBe(false)
  expect(paths.get(idOf(MANY))).toBe('new.txt')
})

test('a file of a large trash that was brought back when the server ended is in it no more', async () => {
  await using setup = await setUpRead()
  const { services, tree, store } = setup
  // Ends between the two steps of a restore.
  const folder = await services.volume.openFolder(tree.root)
  const place = { folder, name: '1.txt', realPath: tree.at('1.txt') }
  await tree.add({ '1.txt': 'in the way' })
  await expect(services.trash.restoreTo(idOf(1), place, { replace: false })).rejects.toThrow()
  await folder.close()
  await rm(tree.at('1.txt'))
  await link(join(store, 'files', nameOf(1)), tree.at('1.txt'))
  const paths = await pathsOf(setup)
  expect(paths.size).toBe(MANY - 1)
  expect(paths.has(idOf(1))).toBe(false)
  expect(await tree.read('1.txt')).toBe('text')
})

test.each([
  ['leads out of the folder', (text: string) => text.replace('"1.txt"', '"../1.txt"')],
  ['is no line', (text: string) => text.replace(`["${nameOf(1)}"`, '[')],
  ['is of another kind of file', (text: string) => text.replace('trash 1', 'trash 0')],
  ['is cut off', (text: string) => text.slice(0, -1)],
])('what somebody has written that %s is read again', async (_, change) => {
  await using setup = await setUpRead()
  const { tree, store } = setup
  const file = join(store, 'index')
  const text = await tree.read('.fb-trash/index')
  await writeFile(file, change(text))
  expect(change(text)).not.toBe(text)
  const paths = await pathsOf(setup)
  expect(paths.size).toBe(MANY)
  expect(paths.get(idOf(1))).toBe('1.txt')
})

test('nothing is written down of another program, whose names come again', async () => {
  await using setup = await setUp({})
  const store = setup.tree.at('.fb-trash')
  for (const part of ['files', 'info'])
    await mkdir(join(store, part), { recursive: true, mode: 0o700 })
  const write = async (i: number, path: string) => {
    const time = 'DeletionDate=2026-01-01T00:00:00'
    await writeFile(join(store, 'files', `${i}`), '')
    await writeFile(join(store, 'info', `${i}.trashinfo`), `[Trash Info]\nPath=${path}\n${time}\n`)
  }
  for (let i = 0; i < MANY; i++) await write(i, `${i}.txt`)
  await pathsOf(setup)
  expect(existsSync(join(store, 'index'))).toBe(true)
  await write(1, 'again.txt')
  expect([...(await pathsOf(setup)).values()]).toContain('again.txt')
})
