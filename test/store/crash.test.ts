// What a kill or a power cut leaves at any moment of a write is what was before or what was to be.
import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Collection, Records, Store } from '../../src/store/collection.ts'
import { openStore } from '../../src/store/store.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** Told of each change of a file before it is made, and of what is about to be written. */
const disk = vi.hoisted(() => ({
  before: (_file: string, _text?: { whole: string; isAppended: boolean }) => {},
}))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const told =
    <T extends (file: string, to: string) => Promise<void>>(change: T) =>
    (file: string, to: string) => {
      disk.before(file)
      return change(file, to)
    }
  return {
    ...real,
    rename: told(real.rename),
    link: told(real.link),
    unlink: told(real.unlink as () => Promise<void>),
    open: async (file: string, flags: string, mode: number) => {
      if (flags !== 'r') disk.before(file)
      const handle = await real.open(file, flags, mode)
      const { writeFile: write, truncate } = handle
      return Object.assign(handle, {
        writeFile: (data: string | Iterable<string>) => {
          const whole = typeof data === 'string' ? data : [...data].join('')
          disk.before(file, { whole, isAppended: flags === 'a' })
          return write.call(handle, whole)
        },
        truncate: (size: number) => {
          disk.before(file)
          return truncate.call(handle, size)
        },
      })
    },
  }
})

interface Thing {
  id: string
  turn: number
}

const things = (name: string, life: 'kept' | 'short'): Collection<Thing, 'turn'> => ({
  name,
  life,
  keyOf: ({ id }) => id,
  indexes: { turn: ({ turn }) => turn },
  unique: [],
  parse: (r) => ({ id: r.str('id'), turn: r.int('turn') }),
})
const KEPT = things('kept', 'kept')
const SHORT = things('short', 'short')
const OTHER = things('other', 'short')
const ALL = [KEPT, SHORT, OTHER] as Collection[]

const TURNS = 4

/** Each turn changes the document and both logs, or one log alone. */
async function turn(store: Store, n: number): Promise<void> {
  if (n % 3 === 0) return store.transaction((tx) => void tx.insert(SHORT, { id: `${n}`, turn: n }))
  await store.transaction((tx) => {
    tx.replace(KEPT, { id: 'last', turn: n })
    tx.insert(SHORT, { id: `${n}`, turn: n })
    tx.insert(OTHER, { id: `${n}`, turn: n })
    tx.remove(SHORT, `${n - 1}`)
  })
}

function expected(turns: number): unknown {
  const numbers = Array.from({ length: turns }, (_, i) => i + 1)
  const whole = numbers.filter((n) => n % 3 !== 0)
  return {
    kept: [{ id: 'last', turn: whole.at(-1) ?? 0 }],
    short: numbers
      .filter((n) => n === turns || (n + 1) % 3 === 0)
      .map((n) => ({ id: `${n}`, turn: n })),
    other: whole.map((n) => ({ id: `${n}`, turn: n })),
  }
}

const found = (records: Records) => ({
  kept: records.all(KEPT),
  short: records.all(SHORT),
  other: records.all(OTHER),
})

interface Moment {
  file: string
  /** Turns that were answered before. */
  done: number
}

/** Copies of the folder as it is before each change of a file, and amid each write. */
async function runWatched(tree: Tree, file: string): Promise<Moment[]> {
  const moments: Moment[] = []
  let done = 0
  const keep = (amid?: (copy: string) => void) => {
    const folder = join(tree.root, `${moments.length}`)
    cpSync(tree.at('now'), folder, { recursive: true })
    amid?.(folder)
    moments.push({ file: join(folder, basename(file)), done })
  }
  const store = await openStore(file, ALL)
  disk.before = (path, text) => {
    keep()
    if (!text) return
    const half = text.whole.slice(0, Math.ceil(text.whole.length / 2))
    const write = text.isAppended ? appendFileSync : writeFileSync
    keep((copy) => write(join(copy, basename(path)), half))
    keep((copy) => write(join(copy, basename(path)), text.whole))
  }
  for (let n = 1; n <= TURNS; n++) {
    await turn(store, n)
    done = n
  }
  disk.before = () => {}
  await store.close()
  keep()
  return moments
}

async function check({ file, done }: Moment): Promise<void> {
  // The lock of whoever was killed is taken over, which is another test.
  await rm(`${file}.lock`, { force: true })
  const store = await openStore(file, ALL)
  expect([expected(done), expected(done + 1)]).toContainEqual(found(store))
  // What the next one writes is not spoiled by what was left.
  const before = found(store)
  await store.transaction((tx) => {
    tx.replace(KEPT, { id: 'last', turn: 99 })
    tx.insert(SHORT, { id: 'next', turn: 99 })
  })
  await store.close()
  const again = await openStore(file, ALL)
  expect(found(again)).toEqual({
    ...before,
    kept: [{ id: 'last', turn: 99 }],
    short: [...before.short, { id: 'next', turn: 99 }],
  })
  await again.close()
}

it.each([
  ['a new database', 2, ''],
  ['a database of schema 1, which is migrated', 1, ''],
  [
    'a log that is due to be written anew',
    2,
    `${'{"put":[{"id":"old","turn":1}]}\n{"del":["old"]}\n'.repeat(600)}`,
  ],
])(
  '%s loses nothing that was answered and shows no half of a change',
  { timeout: 120_000 },
  async (_, version, log) => {
    await using tree = await makeTree({ now: null })
    const file = tree.at('now/records.db')
    await writeFile(file, JSON.stringify({ version, kept: [{ id: 'last', turn: 0 }], short: [] }))
    if (log !== '') await writeFile(`${file}.short`, log)
    const moments = await runWatched(tree, file)
    expect(moments.length).toBeGreaterThan(60)
    for (const moment of moments) await check(moment)
    expect((await readdir(tree.at('now'))).sort()).toEqual(
      [
        'records.db',
        'records.db.bak',
        'records.db.other',
        ...(version === 1 ? ['records.db.schema1'] : []),
        'records.db.short',
      ].sort(),
    )
  },
)
