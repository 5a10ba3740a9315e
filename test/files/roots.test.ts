// Further roots: which folders they may be, and that nothing else is ever taken for one.
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acceptRoot, checkRoots, createRoots } from '../../src/files/place/roots.ts'
import { KNOWN_ROOTS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument } from '../../src/store/document.ts'
import { createStore } from '../../src/store/store.ts'
import { DISKS } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

async function rootAt(path: string, database: string) {
  const store = await createStore(database, emptyDocument(defaultSettings()))
  const roots = createRoots(store, DISKS, { photos: path }, new Set())
  const ask = () =>
    roots
      .get('photos')
      ?.requirePresent()
      .then(
        () => 'there',
        (error) => error.code,
      )
  return { store, ask }
}

it('is missing while its folder is away, and there again when that is back', async () => {
  await using tree = await makeTree({ photos: null })
  const { store, ask } = await rootAt(tree.at('photos'), join(tree.base, 'filebrowser.db'))
  expect(await ask()).toBe('there')
  await rename(tree.at('photos'), tree.at('away'))
  expect(await ask()).toBe('not_mounted')
  await rename(tree.at('away'), tree.at('photos'))
  expect(await ask()).toBe('there')
  await store.close()
})

it('is missing while a folder of another disk has its place, until that is accepted', async () => {
  await using tree = await makeTree({ disk: null })
  const memory = await mkdtemp('/dev/shm/filebrowser-root-')
  await symlink(memory, tree.at('photos'))
  const { store, ask } = await rootAt(tree.at('photos'), join(tree.base, 'filebrowser.db'))
  expect(await ask()).toBe('there')
  await rm(tree.at('photos'))
  await mkdir(tree.at('photos'))
  expect(await ask()).toBe('not_mounted')
  await acceptRoot(store, 'photos')
  expect(await ask()).toBe('there')
  await rm(tree.at('photos'), { recursive: true })
  await symlink(memory, tree.at('photos'))
  expect(await ask()).toBe('not_mounted')
  await store.close()
  await rm(memory, { recursive: true })
})

it('is the same disk under another number, by inode and time of birth', async () => {
  await using tree = await makeTree({ photos: null })
  const { store, ask } = await rootAt(tree.at('photos'), join(tree.base, 'filebrowser.db'))
  await ask()
  const [known] = store.all(KNOWN_ROOTS)
  if (!known) expect.unreachable()
  await store.transaction((tx) => tx.replace(KNOWN_ROOTS, { ...known, dev: '1' }))
  expect(await ask()).toBe('there')
  await store.transaction((tx) => tx.replace(KNOWN_ROOTS, { ...known, dev: '1', bornNs: '1' }))
  expect(await ask()).toBe('not_mounted')
  await store.close()
})

it('is noted anew when the server is given another folder for the name', async () => {
  await using tree = await makeTree({ photos: null, other: null })
  const { store, ask } = await rootAt(tree.at('photos'), join(tree.base, 'filebrowser.db'))
  const elsewhere = { name: 'photos', path: '/elsewhere', dev: '1', ino: '1', bornNs: '1' }
  await store.transaction((tx) => tx.insert(KNOWN_ROOTS, elsewhere))
  expect(await ask()).toBe('there')
  expect(store.all(KNOWN_ROOTS)).toMatchObject([{ path: tree.at('photos') }])
  await store.close()
})

it('lies in no other root and not in the served folder, links resolved', async () => {
  await using tree = await makeTree({ 'photos/2024': null, docs: null })
  await symlink(tree.at('photos/2024'), tree.at('link'))
  const check = (roots: Record<string, string>, served = tree.outside) => checkRoots(served, roots)
  const [photos, docs, link] = [tree.at('photos'), tree.at('docs'), tree.at('link')]
  await check({ photos, docs, missing: tree.at('missing') })
  await expect(check({ photos, link })).rejects.toThrow('the root link lies in the root photos')
  await expect(check({ link, photos })).rejects.toThrow('the root link lies in the root photos')
  await expect(check({ photos, again: photos })).rejects.toThrow(
    'the root again is the same folder as the root photos',
  )
  await expect(check({ photos }, tree.root)).rejects.toThrow(
    'the root photos lies in the served folder',
  )
  await expect(check({ photos: tree.root }, photos)).rejects.toThrow(
    'the served folder lies in the root photos',
  )
})
