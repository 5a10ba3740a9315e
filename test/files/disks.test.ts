import { execFile } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { createDisks } from '../../src/files/disks/disks.ts'
import { createJail, locate } from '../../src/files/place/jail.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
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
  expect(await disks.lstat(tree.at('a/x.txt'))).toBeNull()
  await mkdir(tree.at('a'))
  await writeFile(tree.at('a/x.txt'), 'longer')
  expect(await disks.realpath(path)).toBe(tree.at('a/x.txt'))
  expect((await disks.lstat(tree.at('a/x.txt')))?.size).toBe(6n)
})

const onLinux = it.runIf(process.platform === 'linux')

onLinux(
  'a path counts as cached when it was asked for just now, and what it was is not kept',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one', 'a/y.txt': 'two' })
    expect(disks.isCached(tree.at('a/x.txt'))).toBe(false)
    await disks.realpath(tree.at('a/x.txt'))
    expect(disks.isCached(tree.at('a/x.txt'))).toBe(true)
    expect(disks.isCached(tree.at('a'))).toBe(true)
    expect(disks.isCached(tree.at('a/y.txt'))).toBe(false)
    // What the kernel makes up is no disk, and stays none when a link there leads to one.
    await disks.realpath(`/proc/${process.pid}/status`)
    expect(disks.isCached(`/proc/${process.pid}/status`)).toBe(false)
    const cwd = await disks.realpath(`/proc/${process.pid}/cwd`)
    expect(disks.isCached(cwd)).toBe(true)
    expect(disks.isCached(`/proc/${process.pid}/cwd`)).toBe(false)
    expect(disks.isCached(`/proc/${process.pid}`)).toBe(false)
  },
)

onLinux(
  'beside a file just synced no first call waits, but for what is mounted there',
  async () => {
    await using tree = await makeTree({ 'a/x.txt': 'one' })
    expect(disks.isCached(tree.at('a/one'))).toBe(false)
    disks.noteSynced(tree.at('a'))
    expect(disks.isCached(tree.at('a/one'))).toBe(true)
    disks.noteSynced('/')
    expect(disks.isCached('/proc')).toBe(false)
  },
)

onLinux('an entry that was asked for just now is resolved without the pool', async () => {
  await using tree = await makeTree({ 'a/x.txt': 'one' })
  const jail = () => createJail(createDiskVolume(disks), `${tree.root}/`, { follows: false })
  const paths = ['/', '/a/x.txt', '/a/missing'].map((path) => vpathOf(path))
  for (const path of paths) (await locate(jail(), path))[Symbol.dispose]()
  for (const path of paths) {
    const locating = locate(jail(), path).then((place) => place[Symbol.dispose]())
    expect(await isDirect(locating), path).toBe(true)
  }
})

// A promise that is kept by the direct way is settled before the event loop turns.
async function isDirect(looking: Promise<unknown>): Promise<boolean> {
  let settled = false
  const done = looking.then(() => {
    settled = true
  })
  for (let i = 0; i < 20; i++) await Promise.resolve()
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
    for (const name of ['x.txt', 'new.txt'])
      console.log((await disks.lstat(${JSON.stringify(tree.at('a'))} + '/' + name)) !== null)`
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

it('a file system in memory is asked directly also after calls that waited for a processor', () => {
  const [disk, memory] = [createLocalDevice(), createLocalDevice({ isMemory: true })]
  for (const device of [disk, memory]) for (const ms of [1_000, 1_000]) device.measure(ms)
  expect([disk.isDirect, memory.isDirect]).toEqual([false, true])
})

it('one slow call among quick ones does not make a disk slow, as it may have waited for a processor', () => {
  const device = createLocalDevice()
  for (const ms of [0.01, 1_000, 0.01]) device.measure(ms)
  expect(device.isDirect).toBe(true)
  device.measure(100)
  expect(device.isDirect).toBe(false)
})
