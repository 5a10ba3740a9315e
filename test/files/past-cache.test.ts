// Large files are copied past the kernel's memory, where the disk can.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { openTemp } from '../../src/files/volume/temp-file.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { openTop, scopeOf } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024
/** Ends within a page of memory. */
const SIZE = 66 * MIB + 4096 + 5
/** File systems that are written past the kernel's memory, by their magic numbers: ext4 and XFS. */
const WITH_PAGES = [0xef53, 0x58465342]
const PLACE = '/var/tmp'
const canPass =
  process.platform === 'linux' &&
  WITH_PAGES.includes(statfsSync(PLACE).type) &&
  spawnSync('fincore', ['--version']).status === 0

function fill(path: string): void {
  const file = openSync(path, 'w')
  for (let at = 0; at < SIZE; at += 3 * MIB + 1) writeSync(file, `part ${at}`, at)
  closeSync(file)
  truncateSync(path, SIZE)
}

const isSame = (tree: Tree, a: string, b: string) =>
  spawnSync('cmp', [tree.at(a), tree.at(b)]).status === 0

it.runIf(canPass)('a copied file of 66 MiB takes no memory of the kernel', async () => {
  await using tree = await makeTree({ to: null }, undefined, PLACE)
  fill(tree.at('large.bin'))
  const signal = new AbortController().signal
  const options = { replace: false, signal, reserve: async () => {} }
  await copyTree(scopeOf(tree), vpathOf('/large.bin'), vpathOf('/to/large.bin'), options)
  const args = ['--bytes', '--noheadings', '--output', 'RES', tree.at('to/large.bin')]
  const cachedBytes = Number(spawnSync('fincore', args, { encoding: 'utf8' }).stdout)
  expect(cachedBytes).toBeLessThan(MIB)
  expect(isSame(tree, 'large.bin', 'to/large.bin')).toBe(true)
})

it('what does not begin on a page, or ends with none, is written as well', async () => {
  await using tree = await makeTree({})
  const device = createLocalDevice({ takesPages: true })
  const { folder } = await openTop(tree, device)
  const temp = await openTemp(folder, 'a.bin', { fileMode: 0o640 })
  const [buffer] = temp.pages?.take() ?? []
  if (!buffer) throw new Error('no buffers')
  const pieces = [8192, 4096 + 7, 5, 3 * 4096, 1]
  let written = ''
  for (const [i, bytes] of pieces.entries()) {
    buffer.fill(`${i}`, 0, bytes)
    await temp.write([buffer.subarray(0, bytes)], written.length, {
      direct: true,
      isPastCache: true,
    })
    written += `${i}`.repeat(bytes)
  }
  await temp.commit({ replace: false })
  expect(await tree.read('a.bin')).toBe(written)
})

it('memory that begins on no page is written as well', async () => {
  await using tree = await makeTree({}, undefined, PLACE)
  const { folder } = await openTop(tree, createLocalDevice({ takesPages: true }))
  const temp = await openTemp(folder, 'a.bin', { fileMode: 0o640 })
  const bytes = Buffer.alloc(3 * 4096, 'a').subarray(1, 8193)
  await temp.write([bytes, Buffer.from('b')], 0, { direct: false, isPastCache: true })
  await temp.commit({ replace: false })
  expect(await tree.read('a.bin')).toBe(`${'a'.repeat(8192)}b`)
})
