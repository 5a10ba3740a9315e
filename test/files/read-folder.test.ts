import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { inFolder } from '../../src/files/volume/open-folder.ts'
import { readEntries } from '../../src/files/volume/read-folder.ts'
import { treesInMemory } from '../support/in-memory.ts'
import { DISKS } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'

it('a folder is read whole when some of its many names are not UTF-8', async () => {
  treesInMemory()
  const names = Array.from({ length: 4_500 }, (_, i) => `file ${i} \u00fc`)
  // A name that holds the replacement character itself is UTF-8.
  names.push('\ufffd.txt')
  await using tree = await makeTree(Object.fromEntries(names.map((name) => [name, ''])))
  const raw = Buffer.from([0xe4, 0x2e, 0x74, 0x78, 0x74])
  await writeFile(Buffer.concat([Buffer.from(tree.at('/')), raw]), '')
  const { dirents, rawNames } = await inFolder(DISKS, tree.root, readEntries)
  expect(dirents.map(({ name }) => name).sort()).toEqual([...names, '\ufffd.txt'].sort())
  expect(dirents.every((dirent) => dirent.isFile())).toBe(true)
  expect([...rawNames].map(([{ name }, bytes]) => [name, bytes])).toEqual([['\ufffd.txt', raw]])
})
