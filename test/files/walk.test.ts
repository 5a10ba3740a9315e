import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { listRecursive } from '../../src/files/listing/recursive.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { openScope } from '../support/archives.ts'
import { leastMs } from '../support/cpu-time.ts'
import { treesInMemory } from '../support/in-memory.ts'
import { makeTree } from '../support/tree.ts'

const NEVER = new AbortController().signal

async function walked(root: string, allow?: (vpath: VPath) => boolean) {
  const paths: string[] = []
  const options = { signal: NEVER, intoDenied: false }
  for await (const batch of openScope(root, allow).walk('/' as VPath, options))
    paths.push(...batch.map(({ vpath }) => vpath))
  return paths
}

it('does not look into denied folders', async () => {
  await using tree = await makeTree({ 'a/x': '', 'no/x': '' })
  expect(await walked(tree.root, (vpath) => !vpath.startsWith('/no'))).toEqual(['/a', '/a/x'])
})

it('tells nothing of a folder that is swapped for a link to the outside', async () => {
  await using tree = await makeTree({ 'a/x': '', 'b/y': '' })
  const paths: string[] = []
  // Names are asked for before the next folder is entered: the moment to swap.
  const match = (name: string) => {
    if (name === 'x') {
      renameSync(tree.at('b'), tree.at('gone'))
      symlinkSync(tree.outside, tree.at('b'))
    }
    return true
  }
  const options = { signal: NEVER, intoDenied: true, match }
  for await (const batch of openScope(tree.root).walk('/' as VPath, options))
    paths.push(...batch.map(({ vpath }) => vpath))
  expect(paths).toEqual(['/a', '/a/x', '/b'])
})

/** In one go they take some 60 and 200 ms. */
const TURN_MS = 25

/** Runs a task and gives the longest time of the processor that one turn of the loop took, in ms. */
async function longestTurn(task: () => Promise<void>): Promise<number> {
  let longest = 0
  let running = true
  // Time of this thread, not of the clock: a busy test machine takes turns of its own.
  const turns = (async () => {
    for (let last = process.threadCpuUsage(); running; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.threadCpuUsage(last)
      last = process.threadCpuUsage()
      longest = Math.max(longest, (user + system) / 1000)
    }
  })()
  await task()
  running = false
  await turns
  return longest
}

it('keeps the event loop turning in folders of 30,000 entries and 3,000 folders', async () => {
  treesInMemory()
  await using tree = await makeTree({})
  mkdirSync(tree.at('wide'))
  for (let i = 0; i < 30_000; i++) writeFileSync(tree.at(`wide/${i * 7919}`), '')
  for (let i = 0; i < 3_000; i++) {
    mkdirSync(tree.at(`d${i}`))
    writeFileSync(tree.at(`d${i}/f`), '')
  }
  await walked(tree.root)
  let paths: string[] = []
  let entries = 0
  const walking = await leastMs(TURN_MS, () =>
    longestTurn(async () => {
      paths = await walked(tree.root)
    }),
  )
  const listing = await leastMs(TURN_MS, () =>
    longestTurn(async () => {
      entries = 0
      for await (const batch of listRecursive(openScope(tree.root), '/' as VPath, NEVER))
        entries += batch.length
    }),
  )
  expect(paths).toHaveLength(36_001)
  expect(entries).toBe(36_001)
  expect(walking).toBeLessThan(TURN_MS)
  expect(listing).toBeLessThan(TURN_MS)
})

it('stops when told to', async () => {
  treesInMemory()
  await using tree = await makeTree({})
  for (let i = 0; i < 3_000; i++) mkdirSync(tree.at(`d${i}`))
  const controller = new AbortController()
  const options = { signal: controller.signal, intoDenied: false }
  const walk = openScope(tree.root).walk('/' as VPath, options)
  controller.abort()
  const all = async () => {
    for await (const _batch of walk);
  }
  await expect(all()).rejects.toThrow(/abort/i)
})

it('lists recursively with facts, folders first, links as themselves', async () => {
  await using tree = await makeTree({ 'a/b.txt': 'four', 'c.txt': '' })
  await symlink('a', tree.at('link'))
  const entries = []
  for await (const batch of listRecursive(openScope(tree.root), '/' as VPath, NEVER))
    entries.push(...batch)
  expect(entries.map(({ path, isDir }) => [path, isDir])).toEqual([
    ['/a', true],
    ['/a/b.txt', false],
    ['/c.txt', false],
    ['/link', false],
  ])
  expect(entries[1]).toMatchObject({ name: 'b.txt', size: 4 })
})
