import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { statNames } from '../../src/files/disks/stat-many.ts'
import { DISKS, openTop } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

it('finds every name in a folder whose disk becomes quick while it is asked', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `${i}.txt`)
  await using tree = await makeTree(Object.fromEntries(names.map((name) => [name, 'x'])))
  let asked = 0
  const device = Object.defineProperty(createLocalDevice(), 'isDirect', {
    get: () => ++asked > names.length + 10,
  })
  const { folder } = await openTop(tree, device)
  const where = { ref: folder.ref, disks: DISKS }
  const found = await statNames(where, names, () => device, new AbortController().signal)
  await folder.close()
  expect(found.filter((stats) => stats !== 'unreachable' && stats?.isFile())).toHaveLength(40)
})
