// Deleting much of the trash for good at once.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrashEntry } from '../../src/keep/trash.ts'
import { type Setup, setUp } from '../support/operations.ts'
import { keepInTrash } from '../support/trash.ts'

const COUNT = 20
const idOf = (i: number) => i.toString(16).padStart(32, '0')
const nameOf = (i: number) => `${idOf(i)}-x`

/** Files in the trash of the top, the last of which is a folder. */
async function setUpTrash() {
  const setup = await setUp({ 'a.txt': 'a' })
  const base = setup.tree.root
  for (let i = 0; i < COUNT; i++) await keepInTrash(base, `${i}.txt`, 'text', { id: idOf(i) })
  const store = join(base, '.fb-trash')
  const folder = join(store, 'files', nameOf(COUNT - 1))
  await rm(folder)
  await mkdir(join(folder, 'deep'), { recursive: true })
  return Object.assign(setup, { store })
}

async function eraseAll({ services }: Setup, signal = new AbortController().signal) {
  const { trash } = services
  const ended = new Map<string, unknown>()
  const onEnd = ({ id }: TrashEntry, error: unknown) => void ended.set(id, error)
  await trash.eraseAll(await trash.entries(), signal, onEnd)
  return ended
}

test('files and folders of the trash go, and nothing is left of it', async () => {
  await using setup = await setUpTrash()
  const ended = await eraseAll(setup)
  expect([...ended.keys()].sort()).toEqual(Array.from({ length: COUNT }, (_, i) => idOf(i)))
  expect([...ended.values()].every((error) => error === null)).toBe(true)
  expect(await readdir(setup.tree.root)).toEqual(['a.txt'])
  expect(await setup.services.trash.entries()).toEqual([])
})

test('what others have taken or changed meanwhile goes as well', async () => {
  await using setup = await setUpTrash()
  const { services, store } = setup
  await services.trash.entries()
  const file = (i: number) => join(store, 'files', nameOf(i))
  await rm(file(1))
  await rm(file(2))
  await mkdir(join(file(2), 'deep'), { recursive: true })
  await rm(join(store, 'info', `${nameOf(3)}.trashinfo`))
  await mkdir(join(store, 'info', `${nameOf(3)}.trashinfo`))
  const all = await Promise.all(
    Array.from({ length: COUNT }, (_, i) => services.trash.find(idOf(i))),
  )
  const errors: unknown[] = []
  await services.trash.eraseAll(all, new AbortController().signal, (_, error) => errors.push(error))
  expect(errors).toEqual(all.map(() => null))
  expect(existsSync(store)).toBe(false)
})

test('an end leaves what was not reached in the trash', async () => {
  await using setup = await setUpTrash()
  const controller = new AbortController()
  controller.abort(new Error('enough'))
  await expect(eraseAll(setup, controller.signal)).rejects.toThrow('enough')
  expect(await setup.services.trash.entries()).toHaveLength(COUNT)
})
