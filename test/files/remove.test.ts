// Removing a tree: all of it, nothing beside it, and others get their turn meanwhile.
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
} from 'node:fs'
import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { createKernelDevice } from '../../src/files/disks/device.ts'
import { openFolder } from '../../src/files/volume/open-folder.ts'
import { removeEntry } from '../../src/files/volume/remove.ts'
import { toVPath } from '../../src/lib/vpath.ts'
import { waitFor } from '../support/deadline.ts'
import { treesInMemory } from '../support/in-memory.ts'
import { DISKS, scopeOf } from '../support/scope.ts'
import { makeChain, makeTree, type Tree } from '../support/tree.ts'

/** A slow disk that refuses to remove what is called so. */
const disk = vi.hoisted(() => ({ refused: '', underWay: 0 }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    unlink: async (path: string) => {
      if (!disk.refused) return real.unlink(path)
      if (path.endsWith(disk.refused)) throw Object.assign(new Error('EIO'), { code: 'EIO' })
      disk.underWay++
      for (let turn = 0; turn < 20; turn++) await nextTurn()
      await real.unlink(path).finally(() => disk.underWay--)
    },
  }
})

afterEach(() => {
  disk.refused = ''
})

const vpath = (text: string) => toVPath(text) ?? expect.unreachable(text)

function remove(tree: Tree, signal = new AbortController().signal): Promise<void> {
  const scope = scopeOf(tree)
  return scope.remove(vpath('/gone'), signal)
}

it('removes names of every kind, large files, and links but nothing behind them', async () => {
  await using tree = await makeTree({
    'gone/a.txt': 'a',
    'gone/sub/deep/b.txt': 'b',
    'gone/sub/out': { link: '../../kept' },
    'gone/nowhere': { link: 'missing' },
    'kept/c.txt': 'c',
  })
  await writeFile(Buffer.concat([Buffer.from(`${tree.at('gone')}/`), Buffer.from([0xe4])]), '')
  await mkdir(Buffer.concat([Buffer.from(`${tree.at('gone/sub')}/`), Buffer.from([0xe4])]))
  await writeFile(tree.at('gone/\ufffd'), '')
  await writeFile(tree.at('gone/large.bin'), new Uint8Array(3 * 1024 * 1024))
  await writeFile(tree.at('gone/sparse.bin'), '')
  await truncate(tree.at('gone/sparse.bin'), 2 ** 33)
  await remove(tree)
  expect(await readdir(tree.root)).toEqual(['kept'])
  expect(await tree.read('kept/c.txt')).toBe('c')
})

it('ends no earlier than what it began, though one file cannot be removed', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await using tree = await makeTree({
    ...Object.fromEntries(
      names.flatMap((name) => [`gone/${name}`, `other/${name}`].map((path) => [path, ''])),
    ),
  })
  disk.refused = '/a'
  // Through the pool.
  const folder = { ...(await openFolder(DISKS, tree.root)), device: createKernelDevice() }
  const { signal } = new AbortController()
  const removing = removeEntry(folder, 'gone', { signal }).finally(folder.close)
  await expect(removing).rejects.toThrow('EIO')
  // The numbers of the folders that were let go are given out again at once.
  const held = [1, 2].map(() => openSync(tree.at('other'), constants.O_RDONLY))
  await waitFor('the last removal', () => disk.underWay === 0)
  for (const fd of held) closeSync(fd)
  expect((await readdir(tree.at('other'))).sort()).toEqual(names)
  expect(await readdir(tree.at('gone'))).toEqual(['a'])
})

it('lets others work meanwhile, and stops when it is cancelled', async () => {
  await using tree = await makeTree({ 'gone/first': '' })
  // Empty folders are what takes no way through the pool at all.
  for (let n = 0; n < 3_000; n++) mkdirSync(tree.at(`gone/d${n}`))
  const controller = new AbortController()
  let running = true
  const watch = () => {
    if (readdirSync(tree.at('gone')).length <= 3_000) controller.abort(new Error('enough'))
    else if (running) setImmediate(watch)
  }
  setImmediate(watch)
  await expect(remove(tree, controller.signal)).rejects.toThrow()
  running = false
  expect(controller.signal.aborted).toBe(true)
  expect(readdirSync(tree.at('gone')).length).toBeGreaterThan(0)
})

const openFolders = () => readdirSync('/proc/self/fd')

it.runIf(process.platform === 'linux')(
  'a tree 5,000 deep goes with few folders open, and others get their turn',
  async () => {
    treesInMemory()
    await using tree = await makeTree({ 'gone/beside.txt': '' })
    makeChain(tree.at('gone'), { name: 'd', depth: 5_000 }, { 'last.txt': '' })
    const before = openFolders().length
    const most = { folders: 0, turns: 0 }
    const watching = setInterval(() => {
      most.folders = Math.max(most.folders, openFolders().length - before)
      most.turns++
    }, 5)
    await remove(tree).finally(() => clearInterval(watching))
    expect(existsSync(tree.at('gone'))).toBe(false)
    expect(most.folders).toBeLessThan(100)
    expect(most.turns).toBeGreaterThan(10)
  },
)

it.runIf(process.platform === 'linux')(
  'a removal does not climb to another place when a folder is moved there meanwhile',
  async () => {
    treesInMemory()
    await using tree = await makeTree({ 'elsewhere/d/kept.txt': 'kept', gone: null })
    makeChain(tree.at('gone'), { name: 'd', depth: 300 }, { 'last.txt': '' })
    let isCut = false
    const signal = new AbortController().signal
    // Asked at each step: as soon as it has come far down, its way back is cut.
    const watching = {
      get aborted() {
        return signal.aborted
      },
      throwIfAborted: () => {
        const isDeep = openFolders().some((fd) => placeOf(fd).includes('/d'.repeat(200)))
        if (isCut || !isDeep) return
        isCut = true
        renameSync(tree.at(`gone${'/d'.repeat(100)}`), tree.at('elsewhere/moved'))
      },
    } as AbortSignal
    const folder = await openFolder(DISKS, tree.root)
    const removing = removeEntry(folder, 'gone', { signal: watching }).finally(folder.close)
    await expect(removing).rejects.toMatchObject({ code: 'forbidden' })
    expect(isCut).toBe(true)
    expect(readdirSync(tree.at('elsewhere')).sort()).toEqual(['d', 'moved'])
    expect(await tree.read('elsewhere/d/kept.txt')).toBe('kept')
  },
)

function placeOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
