import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { foldsCase } from '../../src/files/caseless/folds-case.ts'
import { MAY_MOUNT, mountFolder } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

// Linux disks keep case unless made otherwise; elsewhere the disk itself says what to expect.
async function foldsTruly(folder: string): Promise<boolean> {
  const probe = join(folder, 'Probe')
  await mkdir(probe)
  const other = await stat(join(folder, 'pROBE')).catch(() => null)
  return other !== null
}

it('a tree is judged by what is in it', async () => {
  await using tree = await makeTree({ 'a.txt': '', '1': '', 'both.txt': '', 'Both.txt': '' })
  const folds = await foldsCase(tree.root)
  expect(folds).toBe(await foldsTruly(tree.root))
})

it('an empty tree is judged by its own name', async () => {
  await using tree = await makeTree({ Empty: null })
  const folds = await foldsCase(tree.at('Empty'))
  expect(folds).toBe(await foldsTruly(tree.root))
})

it.runIf(MAY_MOUNT)('a disk is not judged by the folder it is mounted in', async () => {
  await using tree = await makeTree({ 'source/a.txt': '' })
  await using _disk = await mountFolder(tree.at('source'), tree.at('disk'))
  // The folder around knows the disk under both names, as one that ignores case would.
  await using _twin = await mountFolder(tree.at('source'), tree.at('Disk'))
  expect(await foldsCase(tree.at('disk'))).toBe(false)
})
