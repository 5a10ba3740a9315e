// A large file whose copy is broken off: what has come stays hidden, and the next run goes on with it.
import { spawnSync } from 'node:child_process'
import { truncateSync, utimesSync } from 'node:fs'
import { open, readdir, stat, truncate, utimes } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import type { Course, HalfCopy } from '../../src/files/transfer/course.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { openScope } from '../support/archives.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024
const SIZE = 80 * MIB
/** Parts of it are synced on the way. */
const HUGE = 270 * MIB

const LARGE = '/from/large.bin'

let tree: Tree
/** What the copy tells of the hidden file, the last word by target. */
let halves: Map<string, HalfCopy>
let toldBytes: number
/** How much was there before the first byte moved. */
let startBytes: number | null

beforeAll(async () => {
  tree = await makeTree({ 'from/': null, 'to/': null })
  await fill('from/large.bin', SIZE)
  await fill('huge.bin', HUGE)
})
afterAll(() => tree[Symbol.asyncDispose]())
beforeEach(() => {
  halves = new Map()
})

async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(tree.at(path), 'w')
  await file.truncate(bytes)
  for (let at = 0; at < bytes; at += 10 * MIB) await file.write(`part ${at}`, at)
  await file.close()
}

const hidden = async () => (await readdir(tree.at('to'))).filter((name) => name.startsWith('.fb-'))

/** Copies it, up to so many bytes. */
async function copy(
  name: string,
  { until = HUGE * 2, goesOn = true, source = LARGE, meanwhile = () => {} } = {},
) {
  const control = new AbortController()
  toldBytes = 0
  startBytes = null
  const course: Course = {
    begin: async () => {},
    at: () => {},
    bytes: (count) => {
      if (startBytes === null) meanwhile()
      startBytes ??= count
      toldBytes += count
      if (toldBytes >= until) control.abort(new Error('stopped'))
    },
    passed: () => {},
    failed: (_source, error) => {
      throw error
    },
    earlier: () => null,
    hasMade: () => false,
    half: (target) => halves.get(target) ?? null,
    safe: (target, half) => void halves.set(target, half),
    goesOn: () => goesOn,
  }
  const options = { replace: true, signal: control.signal, reserve: async () => {}, course }
  const [from, to] = [vpathOf(source.slice(1)), vpathOf(`to/${name}`)] as const
  await copyTree(openScope(tree.root), from, to, options)
}

const isWhole = (name: string, source = LARGE) =>
  spawnSync('cmp', [tree.at(source), tree.at(`to/${name}`)]).status === 0

describe.each([
  ['a file', LARGE, (name: string) => name],
  ['a file in a folder', '/from', (name: string) => `${name}/large.bin`],
])('%s', (_what, source, pathOf) => {
  it('goes on where it was broken off, in the same hidden file', async () => {
    const name = `on-${source.length}`
    await expect(copy(name, { until: 52 * MIB, source })).rejects.toThrow('stopped')
    const [half] = [...halves.values()]
    const { ino } = await stat(half?.path ?? '')
    expect(half?.safeBytes).toBe(52 * MIB)
    await copy(name, { source })
    expect(toldBytes).toBe(SIZE)
    expect((await stat(tree.at(`to/${pathOf(name)}`))).ino).toBe(ino)
    expect(isWhole(pathOf(name))).toBe(true)
    await expect(stat(half?.path ?? '')).rejects.toThrow('ENOENT')
  })
})

it('what has come behind what is safe is not written again after a kill', async () => {
  await expect(copy('killed.bin', { until: 52 * MIB })).rejects.toThrow('stopped')
  const [target, half] = [...halves][0] as [string, HalfCopy]
  // The last word before the kill.
  halves.set(target, { ...half, safeBytes: 10 * MIB })
  const seen: number[] = []
  const set = halves.set.bind(halves)
  halves.set = (target, half) => {
    seen.push(half.safeBytes)
    return set(target, half)
  }
  // What was on its way has come as well.
  const { size } = await stat(half.path)
  expect(size).toBeGreaterThanOrEqual(52 * MIB)
  await copy('killed.bin')
  expect(startBytes).toBe(size)
  // It was compared, and is synced with the rest.
  expect(seen[0]).toBe(10 * MIB)
  expect(isWhole('killed.bin')).toBe(true)
})

it('it tells what is safe while it copies, and what was not at a power cut is copied again', async () => {
  const seen: number[] = []
  const set = halves.set.bind(halves)
  halves.set = (target, half) => {
    seen.push(half.safeBytes)
    return set(target, half)
  }
  const source = '/huge.bin'
  await expect(copy('cut.bin', { until: 268 * MIB, source })).rejects.toThrow('stopped')
  // On a slow disk parts are safe before so much has come.
  expect([seen[0], seen.at(-1)]).toEqual([0, 268 * MIB])
  expect(seen.length).toBeGreaterThan(2)
  const [target, half] = [...halves][0] as [string, HalfCopy]
  // As the last word before the cut was, and what the disk has made of the rest.
  halves.set(target, { ...half, safeBytes: 256 * MIB })
  const file = await open(half.path, 'r+')
  await file.write(Buffer.alloc(5 * MIB, 'garbage'), 0, 5 * MIB, 258 * MIB)
  await file.close()
  await copy('cut.bin', { source })
  // Of what was not safe it keeps what came.
  expect(startBytes).toBe(258 * MIB)
  expect(isWhole('cut.bin', 'huge.bin')).toBe(true)
})

it('a hidden file that has lost what was safe goes on with what is left', async () => {
  await expect(copy('lost.bin', { until: 52 * MIB })).rejects.toThrow('stopped')
  await truncate([...halves.values()][0]?.path ?? '', 20 * MIB)
  await copy('lost.bin')
  expect(startBytes).toBe(20 * MIB)
  expect(isWhole('lost.bin')).toBe(true)
})

it('a source that has changed meanwhile is copied anew', async () => {
  await expect(copy('new.bin', { until: 52 * MIB })).rejects.toThrow('stopped')
  const file = await open(tree.at('from/large.bin'), 'r+')
  await file.write('changed', 5 * MIB)
  await file.close()
  await utimes(tree.at('from/large.bin'), new Date(), new Date(Date.now() + 5_000))
  await copy('new.bin')
  expect(startBytes).toBe(0)
  expect(isWhole('new.bin')).toBe(true)
  expect(await hidden()).toEqual([])
})

it.each([
  ['cut', (path: string) => truncateSync(path, 5 * MIB)],
  ['written', (path: string) => utimesSync(path, 1, 1)],
])('what is %s while it is copied leaves nothing, and is told', async (what, change) => {
  await fill(`from/${what}.bin`, SIZE)
  const meanwhile = () => change(tree.at(`from/${what}.bin`))
  const copied = copy('torn.bin', { source: `/from/${what}.bin`, meanwhile })
  await expect(copied).rejects.toMatchObject({ code: 'precondition_failed' })
  expect(await hidden()).toEqual([])
  await expect(stat(tree.at('to/torn.bin'))).rejects.toThrow('ENOENT')
})

it('what is cancelled leaves nothing', async () => {
  const cancelled = copy('gone.bin', { until: 52 * MIB, goesOn: false })
  await expect(cancelled).rejects.toThrow('stopped')
  expect(await hidden()).toEqual([])
  await expect(stat(tree.at('to/gone.bin'))).rejects.toThrow('ENOENT')
})
