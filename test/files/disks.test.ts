import { execFile } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createDisks } from '../../src/files/disks/disks.ts'
import { createJail } from '../../src/files/place/jail.ts'
import { HAS_FUSE, mountFuse } from '../support/fuse-disk.ts'
import { MAY_MOUNT } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

const run = promisify(execFile)

const disks = createDisks()

it('asks anew each time, by whatever way', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one', 'b/x.txt': 'other' })
  await symlink('a', tree.at('link'))
  const path = tree.at('link/x.txt')
  expect(await disks.realpath(path)).toBe(tree.at('a/x.txt'))
  await rename(tree.at('a'), tree.at('c'))
  await expect(disks.realpath(path)).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(disks.lstat(tree.at('a/x.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  await mkdir(tree.at('a'))
  await writeFile(tree.at('a/x.txt'), 'longer')
  expect(await disks.realpath(path)).toBe(tree.at('a/x.txt'))
  expect((await disks.lstat(tree.at('a/x.txt'))).size).toBe(6n)
})

it.runIf(process.platform === 'linux')('takes the short way only after a look', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one', 'a/y.txt': 'two' })
  expect(disks.isNear(tree.at('a/x.txt'))).toBe(false)
  await disks.realpath(tree.at('a/x.txt'))
  expect(disks.isNear(tree.at('a/x.txt'))).toBe(true)
  expect(disks.isNear(tree.at('a'))).toBe(true)
  expect(disks.isNear(tree.at('a/y.txt'))).toBe(false)
  // What the kernel makes up is no disk, and stays none when a link there leads to one.
  await disks.realpath(`/proc/${process.pid}/status`)
  expect(disks.isNear(`/proc/${process.pid}/status`)).toBe(false)
  const cwd = await disks.realpath(`/proc/${process.pid}/cwd`)
  expect(disks.isNear(cwd)).toBe(true)
  expect(disks.isNear(`/proc/${process.pid}/cwd`)).toBe(false)
  expect(disks.isNear(`/proc/${process.pid}`)).toBe(false)
})

it.runIf(process.platform === 'linux')(
  'remembers where nothing was, never that it is so',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one' })
    const path = tree.at('a/new.txt')
    await disks.realpath(tree.at('a'))
    expect(disks.isStillMissing(path)).toBe(false)
    expect(await disks.lstatIfThere(path)).toBeNull()
    expect(disks.isStillMissing(path)).toBe(true)
    await writeFile(path, 'made')
    expect(disks.isStillMissing(path)).toBe(false)
    expect((await disks.lstatIfThere(path))?.size).toBe(4)
  },
)

it.runIf(process.platform === 'linux')(
  'beside a file just written no first look waits',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one' })
    expect(await isDirect(disks.lstatIfThere(tree.at('a/one')))).toBe(false)
    disks.noteWritten(tree.at('a'))
    expect(await isDirect(disks.lstatIfThere(tree.at('a/two')))).toBe(true)
    // What is mounted in it may be far away.
    disks.noteWritten('/')
    expect(await isDirect(disks.lstatIfThere('/proc'))).toBe(false)
  },
)

it.runIf(process.platform === 'linux')(
  'the root of a tree is near by whatever spelling',
  async () => {
    await using tree = await makeTree({})
    const root = () => createJail(`${tree.root}/`, false, disks).root()
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
  const lookFile = join(import.meta.dirname, '..', '..', 'src', 'files', 'disks', 'disks.ts')
  const script = `
    import { createDisks } from ${JSON.stringify(lookFile)}
    const disks = createDisks()
    disks.noteWritten(${JSON.stringify(tree.at('a'))})
    for (const name of ['x.txt', 'new.txt'])
      console.log((await disks.lstatIfThere(${JSON.stringify(tree.at('a'))} + '/' + name)) !== null)`
  const words = ['-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh', process.execPath]
  const { stdout } = await run('unshare', [...words, '--input-type=module', '-e', script])
  expect(stdout).toBe('true\nfalse\n')
})

it.runIf(HAS_FUSE)(
  'asks anew for each part of a path also beside a disk that may hang',
  async () => {
    await using tree = await makeTree({ 'a/b/x.txt': 'one' })
    await using _ = await mountFuse(`${tree.base}/source`, tree.at('disk'))
    const own = createDisks()
    await own.realpath(tree.at('a/b'))
    await own.realpath(tree.at('a/b/x.txt'))
    await rename(tree.at('a/b'), tree.at('c'))
    await expect(own.realpath(tree.at('a/b/new.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    await symlink('../c', tree.at('a/b'))
    expect(await own.realpath(tree.at('a/b/x.txt'))).toBe(tree.at('c/x.txt'))
  },
)
