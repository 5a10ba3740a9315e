import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { isNear, lstatBigOf, lstatOf, realpathOf } from '../../src/files/disk-look.ts'
import { makeTree } from '../support/tree.ts'

it('asks anew each time, by whatever way', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one', 'b/x.txt': 'other' })
  await symlink('a', tree.at('link'))
  const path = tree.at('link/x.txt')
  expect(await realpathOf(path)).toBe(tree.at('a/x.txt'))
  await rename(tree.at('a'), tree.at('c'))
  await expect(realpathOf(path)).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(lstatOf(tree.at('a/x.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  await mkdir(tree.at('a'))
  await writeFile(tree.at('a/x.txt'), 'longer')
  expect(await realpathOf(path)).toBe(tree.at('a/x.txt'))
  expect((await lstatOf(tree.at('a/x.txt'))).size).toBe(6)
  expect((await lstatBigOf(tree.at('a/x.txt'))).size).toBe(6n)
})

it.runIf(process.platform === 'linux')('takes the short way only after a look', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one', 'a/y.txt': 'two' })
  expect(isNear(tree.at('a/x.txt'))).toBe(false)
  await realpathOf(tree.at('a/x.txt'))
  expect(isNear(tree.at('a/x.txt'))).toBe(true)
  expect(isNear(tree.at('a'))).toBe(true)
  expect(isNear(tree.at('a/y.txt'))).toBe(false)
  // What the kernel makes up is no disk, and stays none when a link there leads to one.
  await realpathOf(`/proc/${process.pid}/status`)
  expect(isNear(`/proc/${process.pid}/status`)).toBe(false)
  const cwd = await realpathOf(`/proc/${process.pid}/cwd`)
  expect(isNear(cwd)).toBe(true)
  expect(isNear(`/proc/${process.pid}/cwd`)).toBe(false)
  expect(isNear(`/proc/${process.pid}`)).toBe(false)
})
