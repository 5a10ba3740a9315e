import { execFile } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import {
  isNear,
  isStillMissing,
  lstatIfThere,
  lstatOf,
  noteWritten,
  realpathOf,
} from '../../src/files/disk-look.ts'
import { createJail } from '../../src/files/jail.ts'
import { MAY_MOUNT } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

const run = promisify(execFile)

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

it.runIf(process.platform === 'linux')(
  'remembers where nothing was, never that it is so',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one' })
    const path = tree.at('a/new.txt')
    await realpathOf(tree.at('a'))
    expect(isStillMissing(path)).toBe(false)
    expect(await lstatIfThere(path)).toBeNull()
    expect(isStillMissing(path)).toBe(true)
    await writeFile(path, 'made')
    expect(isStillMissing(path)).toBe(false)
    expect((await lstatIfThere(path))?.size).toBe(4)
  },
)

it.runIf(process.platform === 'linux')(
  'beside a file just written no first look waits',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one' })
    expect(await isDirect(lstatIfThere(tree.at('a/one')))).toBe(false)
    noteWritten(tree.at('a'))
    expect(await isDirect(lstatIfThere(tree.at('a/two')))).toBe(true)
    // What is mounted in it may be far away.
    noteWritten('/')
    expect(await isDirect(lstatIfThere('/proc'))).toBe(false)
  },
)

it.runIf(process.platform === 'linux')(
  'the root of a tree is near by whatever spelling',
  async () => {
    await using tree = await makeTree({})
    const root = () => createJail(`${tree.root}/`, false).root()
    expect(await root()).toBe(tree.root)
    expect(await isDirect(root())).toBe(true)
  },
)

// A promise that is kept by the direct way is settled before the event loop turns.
async function isDirect(looking: Promise<unknown>): Promise<boolean> {
  let settled = false
  const done = looking.then(() => {
    settled = true
  })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  const direct = settled
  await done
  return direct
}

it.runIf(MAY_MOUNT)('works without /proc, as in a bare chroot', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one' })
  const lookFile = join(import.meta.dirname, '..', '..', 'src', 'files', 'disk-look.ts')
  const script = `
    import { lstatIfThere, noteWritten } from ${JSON.stringify(lookFile)}
    noteWritten(${JSON.stringify(tree.at('a'))})
    for (const name of ['x.txt', 'new.txt'])
      console.log((await lstatIfThere(${JSON.stringify(tree.at('a'))} + '/' + name)) !== null)`
  const words = ['-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh', process.execPath]
  const { stdout } = await run('unshare', [...words, '--input-type=module', '-e', script])
  expect(stdout).toBe('true\nfalse\n')
})
