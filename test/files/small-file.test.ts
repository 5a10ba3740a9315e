// Files of few bytes that are made in few calls: whole and with all that belongs to them, or not at all.
import { readFileSync, statSync } from 'node:fs'
import { readdir, symlink } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { createSmall } from '../../src/files/volume/new-file.ts'
import { openTop } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const FILE = {
  content: [Buffer.from('of two '), Buffer.from('pieces')],
  fileMode: 0o640,
  mode: 0o604,
  mtimeMs: 1_000_000_000_000,
}
/** One such call, and the disk is asked through the pool for a while. */
const SLOW_MS = 1_000

async function create(tree: Tree, name: string, device = createLocalDevice()) {
  const { folder } = await openTop(tree, device)
  try {
    return await createSmall(folder, name, FILE)
  } finally {
    await folder.close()
  }
}

it('has content, bits and time, and leaves nothing beside it', async () => {
  await using tree = await makeTree({})
  const made = await create(tree, 'a.txt')
  const found = statSync(tree.at('a.txt'), { bigint: true })
  expect(made).toMatchObject({ sizeBytes: 13, ino: found.ino, mtimeNs: found.mtimeNs })
  expect(found.mtimeMs).toBe(1_000_000_000_000n)
  expect(found.mode & 0o777n).toBe(0o604n)
  expect(readFileSync(tree.at('a.txt'), 'utf8')).toBe('of two pieces')
  expect(await readdir(tree.root)).toEqual(['a.txt'])
})

it('takes no name that is taken, and follows no link', async () => {
  await using tree = await makeTree({ 'a.txt': 'first', 'b.txt': 'behind the link' })
  await symlink('b.txt', tree.at('link.txt'))
  for (const name of ['a.txt', 'link.txt'])
    await expect(create(tree, name)).rejects.toMatchObject({ code: 'exists' })
  expect(await tree.read('a.txt')).toBe('first')
  expect(await tree.read('b.txt')).toBe('behind the link')
  expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'b.txt', 'link.txt'])
})

it('is not made where the disk is slow', async () => {
  await using tree = await makeTree({})
  const device = createLocalDevice()
  for (const ms of [SLOW_MS, SLOW_MS]) device.measure(ms)
  expect(await create(tree, 'a.txt', device)).toBeNull()
  expect(await readdir(tree.root)).toEqual([])
})
