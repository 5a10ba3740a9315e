// Archives that are planned: every part of them is the same as that part of the whole, and reads no more than it needs.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, open, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ArchiveEntry, archiveEntries } from '../../src/files/archive/entries.ts'
import type { PlannedFormat } from '../../src/files/archive/layout.ts'
import { makePlan, type Plan } from '../../src/files/archive/plan.ts'
import { writePlanned } from '../../src/files/archive/planned.ts'
import type { Scope } from '../../src/files/place/scope.ts'
import { ROOT, type VPath } from '../../src/lib/vpath.ts'
import { archiveTo, describeTree, openScope, run, unpack } from '../support/archives.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { countTurns } from '../support/turns.ts'

const FORMATS = ['zip', 'tar'] as const
const NEVER = new AbortController().signal
const LIMITS = { entries: 1_000_000, bytes: 64 * 1024 * 1024 }

function planOf(scope: Scope, format: PlannedFormat, limits = LIMITS): Promise<Plan> {
  const entries = archiveEntries(scope, [ROOT], ROOT, NEVER)
  return makePlan(entries, { format, common: ROOT }, limits, NEVER)
}

async function partOf(plan: Plan, scope: Scope, start = 0, end = plan.sizeBytes): Promise<Buffer> {
  const chunks: Buffer[] = []
  const write = async (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  await writePlanned(plan, { start, end }, scope, { write }, NEVER)
  return Buffer.concat(chunks)
}

/** With names of every kind, contents of every size, and what must not be in it. */
async function awkwardTree(): Promise<Tree> {
  const tree = await makeTree()
  await tree.add({
    'sizes/none': '',
    'sizes/one': 'x',
    'sizes/block': randomBytes(512),
    'sizes/large': randomBytes(700_001),
    'sizes/last': randomBytes(300_000),
    [`${'long '.repeat(30)}/${'name'.repeat(40)}`]: 'long',
  })
  const odd = Buffer.concat([Buffer.from(`${tree.root}/caf`), Buffer.from([0xe9])])
  await mkdir(odd)
  await writeFile(Buffer.concat([odd, Buffer.from('/inner.txt')]), 'below bytes')
  await writeFile(Buffer.concat([odd, Buffer.from([0x2f, 0xff])]), 'bytes')
  await utimes(tree.at('sizes/one'), 1e9, 1e9)
  return tree
}

describe.each(FORMATS)('a planned %s', (format) => {
  it('holds what an archive that is not planned holds, and passes the test of the usual program', async () => {
    await using tree = await awkwardTree()
    const scope = openScope(tree.root)
    const plan = await planOf(scope, format)
    const whole = await partOf(plan, scope)
    expect(whole.length).toBe(plan.sizeBytes)
    const file = join(tree.base, 'planned')
    await writeFile(file, whole)
    if (format === 'zip') await run(['unzip', '-tqq', file])
    const other = join(tree.base, 'other')
    const handle = await open(other, 'w')
    const write = async (chunk: Uint8Array) => void (await handle.write(chunk))
    await archiveTo({ write }, scope, format)
    await handle.close()
    for (const one of [file, other]) {
      await mkdir(`${one}.out`)
      await unpack(format, one, `${one}.out`)
    }
    expect(await describeTree(`${file}.out`)).toEqual(await describeTree(`${other}.out`))
  })

  it('is made from any byte on to any other, by whoever has read nothing before', async () => {
    await using tree = await awkwardTree()
    const scope = openScope(tree.root)
    const first = await planOf(scope, format)
    const whole = await partOf(first, scope)
    const edges = new Set([0, whole.length, first.directoryOffset, first.endOffset])
    for (const { offset, endOffset, lineOffset, sizeBytes } of first.from(0))
      for (const at of [offset, endOffset - 16, endOffset - 16 - sizeBytes / 2, lineOffset])
        for (const edge of [at - 1, at, at + 1])
          edges.add(Math.max(0, Math.min(whole.length, Math.trunc(edge))))
    const cuts = [...edges].sort((a, b) => a - b)
    const fresh = await planOf(scope, format)
    expect(fresh.etag).toBe(first.etag)
    // From the end on, so that no sum is known of what comes before.
    for (let i = cuts.length - 2; i >= 0; i--) {
      const [start = 0, end = 0] = cuts.slice(i, i + 2)
      const part = await partOf(fresh, scope, start, end)
      if (!part.equals(whole.subarray(start, end))) expect([start, end]).toBe('another')
    }
    for (const start of cuts.filter((_, i) => i % 7 === 0)) {
      const again = await planOf(scope, format)
      expect((await partOf(again, scope, start)).equals(whole.subarray(start))).toBe(true)
    }
  })

  it('is another once a time, a size or a name is another', async () => {
    await using tree = await makeTree({ 'a/b.txt': 'b', 'c.txt': 'c' })
    const scope = openScope(tree.root)
    const tags = new Set<string>()
    const note = async () => tags.add((await planOf(scope, format)).etag)
    await note()
    await note()
    expect(tags.size).toBe(1)
    await utimes(tree.at('c.txt'), 1e9, 1e9)
    await note()
    await writeFile(tree.at('a/b.txt'), 'bb')
    await note()
    await tree.add({ d: null })
    await note()
    await rm(tree.at('c.txt'))
    await note()
    expect(tags.size).toBe(5)
  })

  it.each([
    ['size', 'not as long'],
    ['time', 'b'.repeat(400_000)],
  ])('breaks where a file has another %s', async (_, content) => {
    await using tree = await makeTree({ 'a.txt': 'a', 'b.txt': 'b'.repeat(400_000) })
    const scope = openScope(tree.root)
    await utimes(tree.at('b.txt'), 1e9, 1e9)
    const plan = await planOf(scope, format)
    await writeFile(tree.at('b.txt'), content)
    await expect(partOf(plan, scope)).rejects.toMatchObject({ code: 'precondition_failed' })
    await rm(tree.at('b.txt'))
    await expect(partOf(plan, scope)).rejects.toMatchObject({ code: 'precondition_failed' })
    // What comes before it is as it was.
    expect(await partOf(plan, scope, 0, 40)).toHaveLength(40)
  })

  it('breaks where a file changes while it is read', async () => {
    await using tree = await makeTree({ 'b.txt': 'b'.repeat(4_000_000) })
    const scope = openScope(tree.root)
    const plan = await planOf(scope, format)
    let written = 0
    const write = async (chunk: Uint8Array) => {
      if (written === 0) await writeFile(tree.at('b.txt'), 'c'.repeat(4_000_000))
      written += chunk.length
    }
    const whole = { start: 0, end: plan.sizeBytes }
    await expect(writePlanned(plan, whole, scope, { write }, NEVER)).rejects.toMatchObject({
      code: 'precondition_failed',
    })
  })

  it('is refused beyond its limits', async () => {
    await using tree = await makeTree({ a: 'a', b: 'b', c: 'c' })
    const scope = openScope(tree.root)
    const tooLarge = { code: 'too_large' }
    await expect(planOf(scope, format, { ...LIMITS, entries: 2 })).rejects.toMatchObject(tooLarge)
    await expect(planOf(scope, format, { ...LIMITS, bytes: 9 })).rejects.toMatchObject(tooLarge)
  })
})

it('takes less than 64 bytes of memory for an entry with a short name', async () => {
  const entries = (async function* (): AsyncGenerator<ArchiveEntry> {
    for (let i = 0; i < 20_000; i++) {
      const name = `d${i % 10}/folder ${i}`
      yield { kind: 'dir', name, vpath: `/${name}` as VPath, mode: 0o755, mtimeMs: 0 }
    }
  })()
  const plan = await makePlan(entries, { format: 'zip', common: ROOT }, LIMITS, NEVER)
  expect(plan.memoryBytes / plan.count).toBeLessThan(64)
})

it('has more than 65,535 entries and 4 GiB in a zip that the usual program reads', async () => {
  needProgram('unzip')
  await using tree = await makeTree({ 'folder/a.txt': 'a', 'z/last.txt': 'behind it' })
  await writeFile(tree.at('large'), '')
  await truncate(tree.at('large'), 2 ** 32 + 5)
  const scope = openScope(tree.root)
  const entries = async function* (): AsyncGenerator<ArchiveEntry> {
    for await (const entry of archiveEntries(scope, [ROOT], ROOT, NEVER)) yield entry
    for (let i = 0; i < 66_000; i++)
      yield { kind: 'dir', name: `z${i}`, vpath: `/z${i}` as VPath, mode: 0o755, mtimeMs: 0 }
  }
  const plan = await makePlan(entries(), { format: 'zip', common: ROOT }, LIMITS, NEVER)
  for (const { kind, index } of plan.from(0)) if (kind === 'file') plan.noteSum(index, index)
  // All but the zeros, which are a hole.
  const file = join(tree.base, 'large.zip')
  const handle = await open(file, 'w')
  const head = await partOf(plan, scope, 0, 200)
  const tail = await partOf(plan, scope, 2 ** 32)
  await handle.write(head, 0, head.length, 0)
  await handle.write(tail, 0, tail.length, 2 ** 32)
  await handle.close()
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const list = execFileSync('unzip', ['-Z1', file], options).split('\n').filter(Boolean)
  expect(list).toHaveLength(66_005)
  const facts = execFileSync('unzip', ['-Z', '-l', file, 'large'], options)
  expect(facts).toContain(String(2 ** 32 + 5))
  await rm(tree.at('large'))
})

it('others have turns while the directory of many files is written', async () => {
  await using tree = await makeTree({})
  const names = Array.from({ length: 5_000 }, (_, i) => tree.at(`${i}.txt`))
  for (const name of names) writeFileSync(name, '')
  const scope = openScope(tree.root)
  const plan = await planOf(scope, 'zip')
  const { directoryOffset: start, endOffset: end } = plan
  const turns = countTurns()
  await writePlanned(plan, { start, end }, scope, { write: async () => {} }, NEVER)
  expect(turns()).toBeGreaterThan(1)
})
