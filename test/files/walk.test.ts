import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { listRecursive } from '../../src/files/recursive.ts'
import type { VPath } from '../../src/files/vpath.ts'
import { openScope } from '../support/archives.ts'
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

it('keeps the event loop turning in folders of 50,000 entries and 5,000 folders', async () => {
  await using tree = await makeTree({})
  mkdirSync(tree.at('wide'))
  for (let i = 0; i < 50_000; i++) writeFileSync(tree.at(`wide/${i * 7919}`), '')
  for (let i = 0; i < 5_000; i++) {
    mkdirSync(tree.at(`d${i}`))
    writeFileSync(tree.at(`d${i}/f`), '')
  }
  await walked(tree.root)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const paths = await walked(tree.root)
  let entries = 0
  for await (const batch of listRecursive(openScope(tree.root), '/' as VPath, NEVER))
    entries += batch.length
  delay.disable()
  expect(paths).toHaveLength(60_001)
  expect(entries).toBe(60_001)
  // The goal is 20 ms; a shared test machine adds pauses of its own, which percentiles forgive.
  expect(delay.percentile(99) / 1e6).toBeLessThan(20)
}, 60_000)

it('stops when told to', async () => {
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
