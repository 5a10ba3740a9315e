// Much is removed by a thread, with the care of a removal on the event loop.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRemovalThread, type RemovalThread } from '../../src/files/disks/removal-thread.ts'
import { openFolder } from '../../src/files/volume/open-folder.ts'
import { removeEntry } from '../../src/files/volume/remove.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { waitFor } from '../support/deadline.ts'
import { DISKS } from '../support/scope.ts'
import { makeChain, makeTree } from '../support/tree.ts'

const MANY = 2_000
const never = new AbortController().signal

/** Tells of much, name by name. */
function hasMany(thread: RemovalThread): boolean {
  for (let n = 1; n < MANY; n++) if (thread.wants(1)) return true
  return thread.wants(1)
}

/** A thread that has seen much go, with the numbers of what it has removed. */
async function busyThread(): Promise<RemovalThread & { gone: number[] }> {
  const thread = createRemovalThread(createThreads())
  await waitFor('the thread', () => hasMany(thread))
  const gone: number[] = []
  const remove: RemovalThread['remove'] = async (work, signal) => {
    const count = await thread.remove(work, signal)
    gone.push(count)
    return count
  }
  return { ...thread, remove, gone }
}

it('little is no work for a thread; much is, as soon as it has started, or when it is all in one folder', async () => {
  const thread = createRemovalThread(createThreads())
  expect(thread.wants(MANY - 1)).toBe(false)
  await waitFor('the thread', () => hasMany(thread))
  expect(createRemovalThread(createThreads()).wants(MANY)).toBe(true)
})

/** How far each thread of this process stands behind others, from /proc: 0 where nothing has set it. */
function nicenesses(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const [, facts = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'latin1').split(/\) (?=\S )/)
    return Number(facts.split(' ')[16])
  })
}

it.runIf(process.platform === 'linux')('the processor is for everybody else first', async () => {
  const own = getPriority(process.pid)
  await using tree = await makeTree({ gone: null })
  for (let n = 0; n < 10; n++) writeFileSync(tree.at(`gone/${n}`), '')
  const folder = await openFolder(DISKS, tree.at('gone'))
  const thread = await busyThread()
  const names = readdirSync(tree.at('gone'))
  await thread.remove({ ref: folder.ref, names, areFolders: false }, never).finally(folder.close)
  expect(nicenesses()).toContain(Math.max(own, 10))
  expect(getPriority(process.pid)).toBe(own)
})

it.runIf(process.platform === 'linux')(
  'names of every kind go, deep folders and full ones, and links but nothing behind them',
  async () => {
    await using tree = await makeTree({
      'gone/sub/deep/b.txt': 'b',
      'gone/sub/out': { link: '../../kept' },
      'gone/full/d': null,
      'gone/other/c.txt': 'c',
      'kept/c.txt': 'c',
    })
    const raw = (path: string) => Buffer.concat([Buffer.from(tree.at(path)), Buffer.from([0xe4])])
    for (let n = 0; n < 2_500; n++) writeFileSync(tree.at(`gone/full/${n}`), '')
    mkdirSync(raw('gone/sub/'))
    mkdirSync(raw('gone/'))
    writeFileSync(raw('gone/sub/deep/'), '')
    makeChain(tree.at('gone'), { name: 'e', depth: 100 }, { 'last.txt': '' })
    const folder = await openFolder(DISKS, tree.root)
    const thread = await busyThread()
    await removeEntry(folder, 'gone', { signal: never, thread }).finally(folder.close)
    expect(readdirSync(tree.root)).toEqual(['kept'])
    expect(await tree.read('kept/c.txt')).toBe('c')
    expect(Math.max(...thread.gone)).toBeGreaterThan(0)
  },
)

it.runIf(process.platform === 'linux')(
  'what is no file, or a link where a folder was, is left to the caller with what follows',
  async () => {
    await using tree = await makeTree({ a: '', dir: null, b: '', 'kept/c.txt': 'c' })
    symlinkSync(tree.at('kept'), join(tree.root, 'link'))
    const folder = await openFolder(DISKS, tree.root)
    const thread = await busyThread()
    const { ref } = folder
    const files = { ref, names: ['missing', 'a', 'dir', 'b'], areFolders: false }
    expect(await thread.remove(files, never)).toBe(2)
    expect(await thread.remove({ ref, names: ['link', 'dir'], areFolders: true }, never)).toBe(0)
    await folder.close()
    expect(readdirSync(tree.root).sort()).toEqual(['b', 'dir', 'kept', 'link'])
    expect(await tree.read('kept/c.txt')).toBe('c')
  },
)

it.runIf(process.platform === 'linux')('an abort leaves what was not reached', async () => {
  await using tree = await makeTree({ 'gone/a': '', 'gone/b': '' })
  const folder = await openFolder(DISKS, tree.root)
  const controller = new AbortController()
  const thread = createRemovalThread(createThreads())
  thread.wants(MANY)
  const work = { ref: folder.ref, names: ['gone'], areFolders: true }
  // The thread has not even started then.
  const removing = thread.remove(work, controller.signal)
  controller.abort()
  expect(await removing).toBe(0)
  await folder.close()
  expect(readdirSync(tree.at('gone'))).toEqual(['a', 'b'])
})
