// What every engine that keeps records must do, tried with operations at random against a model.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/lib/errors.ts'
import { isWithin } from '../../src/lib/vpath.ts'
import type {
  Collection,
  Key,
  Life,
  Records,
  Store,
  Transaction,
} from '../../src/store/collection.ts'
import { ENGINES, type Engine } from '../support/engines.ts'
import { LONG } from '../support/scale.ts'

/** Of each engine, at random. */
const OPERATIONS = LONG ? 100_000 : 200
const MAX_STEPS = LONG ? 12 : 5
// Each series makes records anew and each act compares all of them, so many operations need long series of large acts.
const series = (act: fc.Arbitrary<Act>) =>
  LONG
    ? fc.noBias(fc.array(act, { maxLength: 400, size: 'max' }))
    : fc.array(act, { maxLength: 40 })
const LIMIT_MS = LONG ? 20 * 60_000 : 120_000
/** How long is looked for the shortest of series that fail. */
const SHRINKING_MS = LIMIT_MS / 4

/** Those below `/a"` are not below `/a`. */
const PATHS = ['/', '/a', '/a/b', '/a/\u{1f600}', '/a"/b', '/a0']

interface Thing {
  id: Key
  name: string
  group: number
  note?: string
}

type Things = Collection<Thing, 'name' | 'group' | 'path'>

function pathOf({ name }: Thing): string | undefined {
  return name.startsWith('/') ? name : undefined
}

function things(name: string, life: Life, own: Partial<Things> = {}): Things {
  return {
    name,
    life,
    keyOf: ({ id }) => id,
    indexes: {
      name: (thing) => thing.name,
      group: ({ group }) => group || undefined,
      path: pathOf,
    },
    unique: ['name'],
    parse: (r) => ({
      id: typeof r.raw('id') === 'number' ? r.int('id') : r.str('id'),
      name: r.str('name'),
      group: r.int('group'),
      ...(r.has('note') && { note: r.str('note') }),
    }),
    ...own,
  }
}

const KEPT = things('kept', 'kept')
const SHORT = things('short', 'short')
/** An engine need not hold it as a whole. */
const LARGE = things('large', 'short', {
  isLarge: true,
  unindexed: ['path'],
  ageOf: ({ group }) => group,
  unique: [],
})
/** The same, all of which is in memory while it is small. */
const SMALL = things('small', 'kept', { isLarge: true, wholeUpTo: 2, ageOf: ({ group }) => group })
/** The same, where reading what was not loaded is a mistake. */
const LOADED = things('loaded', 'kept', {
  isLarge: true,
  mustBeLoaded: true,
  ageOf: ({ group }) => group,
})
/** What belongs to those, by a value and by its key. */
const OWNED = things('owned', 'kept', {
  isLarge: true,
  belongsTo: { owner: 'loaded', by: 'group' },
  ageOf: ({ group }) => group,
  unique: [],
})
const BESIDE = things('beside', 'short', {
  isLarge: true,
  belongsTo: { owner: 'loaded' },
  unique: [],
})
const ALL = [KEPT, SHORT, LARGE, SMALL, LOADED, OWNED, BESIDE]

interface Step {
  what: 'insert' | 'replace' | 'remove'
  of: Things
  thing: Thing
}
type Act = { what: 'change'; steps: Step[]; fails: boolean; ahead: boolean } | { what: 'reopen' }

const thing: fc.Arbitrary<Thing> = fc.record(
  {
    id: fc.constantFrom<Key>(1, 2, 3, '3', 'four', 'fünf'),
    name: fc.constantFrom('a', 'b', 'c', 'd', '\u{1f600}', 'NUL \0', 'line\nline', ...PATHS),
    group: fc.constantFrom(0, 1, 2),
    note: fc.constantFrom('x', 'y'),
  },
  { requiredKeys: ['id', 'name', 'group'] },
)
const step = (of: readonly Things[]): fc.Arbitrary<Step> =>
  fc.record({
    what: fc.constantFrom('insert', 'insert', 'replace', 'remove'),
    of: fc.constantFrom(...of),
    thing,
  })
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: change(ALL, false) },
  { weight: 3, arbitrary: change([SHORT, LARGE, SMALL, LOADED, OWNED, BESIDE], true) },
  { weight: 1, arbitrary: fc.constant<Act>({ what: 'reopen' }) },
)

function change(of: readonly Things[], ahead: boolean): fc.Arbitrary<Act> {
  return fc.record({
    what: fc.constant('change' as const),
    steps: fc.array(step(of), { minLength: 1, maxLength: MAX_STEPS }),
    fails: fc.boolean().map((fails) => fails && !ahead),
    ahead: fc.constant(ahead),
  })
}

/** A list for each collection, in the order of insertion. */
type Model = Map<string, Thing[]>

function applyToModel(model: Model, { what, of, thing }: Step): 'exists' | 'not_found' | null {
  const list = model.get(of.name) ?? []
  const at = list.findIndex(({ id }) => id === thing.id)
  const isTaken =
    of.unique.length > 0 && list.some(({ id, name }) => id !== thing.id && name === thing.name)
  if (what === 'insert' && at >= 0) return 'exists'
  if (what === 'replace' && at < 0) return 'not_found'
  if (what !== 'remove' && isTaken) return 'exists'
  if (what === 'insert') model.set(of.name, [...list, thing])
  if (what === 'replace') model.set(of.name, list.with(at, thing))
  if (what === 'remove')
    model.set(
      of.name,
      list.filter(({ id }) => id !== thing.id),
    )
  return null
}

function apply(tx: Transaction, { what, of, thing }: Step): 'exists' | 'not_found' | null {
  try {
    if (what === 'remove') tx.remove(of, thing.id)
    else tx[what](of, thing)
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return (error as AppError).code as 'exists'
  }
}

/** Everything a store answers, by each of its ways. */
async function compareStore(store: Store, model: Model): Promise<void> {
  compare(store, model, [KEPT, SHORT])
  for (const of of [LARGE, SMALL, LOADED, OWNED])
    await compareLarge(store, of, model.get(of.name) ?? [])
  await compareCompanions(store, model)
  await store.read((records) => compare(records, model))
}

/** What belongs to records is there with them. */
async function compareCompanions(store: Store, model: Model): Promise<void> {
  const { large } = store
  const owners = (model.get(LOADED.name) ?? []).map(({ id }) => id)
  const compare = (id: Key) => {
    const own = (model.get(OWNED.name) ?? []).filter(({ group }) => group === id)
    expect(store.find(OWNED, 'group', id)).toEqual(own)
    const beside = (model.get(BESIDE.name) ?? []).find((one) => one.id === id)
    expect(store.get(BESIDE, id)).toEqual(beside)
  }
  const release = await large.hold(LOADED, owners)
  for (const id of owners) compare(id)
  release()
  for (const [n, id] of owners.entries()) {
    await large.load(LOADED, id)
    compare(id)
    if (n % 2) large.drop(LOADED, [id])
  }
}

async function compareLarge(store: Store, of: Things, list: readonly Thing[]): Promise<void> {
  const { large } = store
  const pieces: Thing[] = []
  for await (const piece of large.pieces(of)) pieces.push(...piece)
  expect(pieces).toEqual(list)
  expect(await large.count(of)).toBe(list.length)
  for (const group of [1, 2])
    expect(await large.find(of, 'group', group)).toEqual(list.filter((one) => one.group === group))
  const groups = new Set(list.map(({ group }) => group).filter((group) => group > 0))
  expect(new Set(await large.values(of, 'group'))).toEqual(groups)
  const older = list.filter(({ group }) => group < 2)
  expect(new Set(await large.older(of, 2, 10))).toEqual(new Set(older))
  expect(await large.older(of, 2, 1)).toHaveLength(Math.min(1, older.length))
  for (const [n, thing] of list.entries()) {
    expect(await large.load(of, thing.id)).toEqual(thing)
    expect(store.get(of, thing.id)).toEqual(thing)
    expect(large.isHeld(of, thing.id)).toBe(true)
    // What comes next finds some of them in memory.
    if (n % 2 && !of.belongsTo) large.drop(of, [thing.id])
  }
  expect(await large.load(of, 'nobody')).toBeUndefined()
  expect(store.get(of, 'nobody')).toBeUndefined()
}

/** The same within a transaction. */
function compare(store: Records, model: Model, all = ALL): void {
  for (const of of all) {
    store.expect(of, () => [1, 'four'])
    const list = model.get(of.name) ?? []
    expect(store.all(of)).toEqual(list)
    expect(store.count(of)).toBe(list.length)
    for (const thing of list) {
      expect(store.get(of, thing.id)).toEqual(thing)
      expect(store.find(of, 'name', thing.name)).toEqual(
        list.filter(({ name }) => name === thing.name),
      )
    }
    for (const name of ['a', 'nobody'])
      expect(store.has(of, 'name', name)).toBe(list.some((one) => one.name === name))
    for (const group of [0, 1, 2])
      expect(store.find(of, 'group', group)).toEqual(
        list.filter((one) => one.group === group && group > 0),
      )
    for (const path of ['/', '/a', '/a"']) {
      const isBelow = (one: Thing) => pathOf(one) !== undefined && isWithin(path, one.name)
      const found = store.among(of, { path: { below: [path], is: ['/a0'] }, group: { is: [1] } })
      const meant = list.filter((one) => isBelow(one) || one.name === '/a0' || one.group === 1)
      expect(new Set(found)).toEqual(new Set(meant))
    }
    const groups = new Set(list.map(({ group }) => group).filter((group) => group > 0))
    expect(new Set(store.values(of, 'group'))).toEqual(groups)
    expect(store.get(of, 'nobody')).toBeUndefined()
  }
}

const REFUSED = new Error('the change is refused')

async function actOn(store: Store, model: Model, action: Act & { what: 'change' }): Promise<Model> {
  const next: Model = new Map(model)
  const expected = action.steps.map((one) => applyToModel(next, one))
  let runs = 0
  const run = (tx: Transaction) => {
    const codes = action.steps.map((one) => apply(tx, one))
    // An engine may run a change again, on what it has come to meanwhile.
    if (runs++ === 0) expect(codes).toEqual(expected)
    if (action.fails) throw REFUSED
    compare(tx, next)
  }
  if (action.ahead) await store.ahead(run)
  else if (action.fails) await expect(store.transaction(run)).rejects.toBe(REFUSED)
  else await store.transaction(run)
  return action.fails ? model : next
}

describe.each(ENGINES)('records kept by $name', (engine: Engine) => {
  afterAll(() => engine.end())

  it('are what a list would be, whatever is done to them', { timeout: LIMIT_MS }, async ({
    task,
  }) => {
    let operations = 0
    const property = fc.asyncProperty(series(act), async (acts) => {
      await using place = await engine.make(ALL as Collection[])
      let store = await place.open()
      let model: Model = new Map()
      for (const action of acts) {
        if (action.what === 'reopen') {
          await store.close()
          store = await place.open()
        } else {
          model = await actOn(store, model, action)
          operations += action.steps.length
        }
        await compareStore(store, model)
      }
      await store.close()
    })
    const parameters = { numRuns: LONG ? 1 : 10, interruptAfterTimeLimit: SHRINKING_MS }
    while (operations < OPERATIONS) await fc.assert(property, parameters)
    Object.assign(task.meta, { figures: { operations } })
  })

  it('change at once for who waits with others, in order, and each for itself', async () => {
    await using place = await engine.make(ALL as Collection[])
    const store = await place.open()
    const add = (n: number) =>
      store.transaction((tx) => {
        if (n % 5 === 0) throw REFUSED
        return tx.insert(n % 2 ? KEPT : SHORT, { id: n, name: `${n % 40}`, group: 0 })
      })
    const results = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => add(n)))
    const isDone = results.map(({ status }) => status === 'fulfilled')
    // Names come again after forty.
    expect(isDone).toEqual(results.map((_, n) => n % 5 !== 0 && n < 40))
    const ids = [...store.all(KEPT), ...store.all(SHORT)].map(({ id }) => id)
    const done = results.flatMap((_, n) => (isDone[n] ? [n] : []))
    expect(ids).toEqual([...done.filter((n) => n % 2), ...done.filter((n) => n % 2 === 0)])
    await store.close()
  })

  it('keep their order when one is removed and inserted again', async () => {
    await using place = await engine.make(ALL as Collection[])
    let store = await place.open()
    const [one, three] = [1, 3].map((id) => ({ id, name: `${id}`, group: 0 })) as [Thing, Thing]
    for (const of of ALL)
      await store.transaction((tx) => {
        tx.insert(of, one)
        tx.insert(of, three)
        tx.remove(of, 1)
        tx.insert(of, one)
      })
    await store.close()
    store = await place.open()
    for (const of of [KEPT, SHORT]) expect(store.all(of)).toEqual([three, one])
    for await (const piece of store.large.pieces(LARGE)) expect(piece).toEqual([three, one])
    await store.close()
  })

  it('refuse a change ahead of the disk that one being written has ruled out', async () => {
    await using place = await engine.make(ALL as Collection[])
    const store = await place.open()
    const first = { id: 'x', name: 'one', group: 1 }
    let second: Promise<unknown> | undefined
    const ahead = () => store.ahead((tx) => tx.insert(SHORT, { ...first, group: 2 }))
    await store.transaction((tx) => {
      // As soon as this is being written: what it has made shows to nobody yet.
      queueMicrotask(() => {
        second ??= ahead().catch((error) => error.code)
      })
      return tx.insert(SHORT, first)
    })
    expect(await second).toBe('exists')
    expect(store.all(SHORT)).toEqual([first])
    await store.close()
    const again = await place.open()
    expect(again.all(SHORT)).toEqual([first])
    await again.close()
  })

  it('are told of to who listens, with what was there before', async () => {
    await using place = await engine.make(ALL as Collection[])
    const store = await place.open()
    const told: unknown[] = []
    store.subscribe((changes) =>
      told.push(...[KEPT, SHORT].map((of) => Object.fromEntries(changes.before(of)))),
    )
    const one = { id: 'x', name: 'one', group: 1 }
    await store.transaction((tx) => tx.insert(KEPT, one))
    await store.ahead((tx) => tx.insert(SHORT, one))
    await store.transaction((tx) => {
      tx.replace(KEPT, { ...one, name: 'two' })
      tx.replace(KEPT, { ...one, name: 'three' })
      tx.remove(SHORT, 'x')
    })
    expect(told).toEqual([{ x: undefined }, {}, {}, { x: undefined }, { x: one }, { x: one }])
    await store.close()
  })

  it('are never given a number twice, also after the last one has gone', async () => {
    await using place = await engine.make(ALL as Collection[])
    let store = await place.open()
    await store.transaction((tx) => tx.insert(KEPT, { id: 7, name: 'seven', group: 0 }))
    const given = await store.transaction((tx) => {
      const id = tx.nextId(KEPT)
      return tx.insert(KEPT, { id, name: 'next', group: 0 }).id
    })
    expect(given).toBe(8)
    await store.transaction((tx) => tx.remove(KEPT, 8))
    await store.close()
    store = await place.open()
    expect(await store.transaction((tx) => tx.nextId(KEPT))).toBe(9)
    await store.close()
  })

  it('are the same for two who change them by turns', async () => {
    await using place = await engine.make(ALL as Collection[])
    const [one, two] = [await place.open(), await place.open()]
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const insert = (store: Store, name: string, id: string) =>
      store.transaction((tx) => {
        tx.insert(KEPT, { id, name, group: 1 })
        tx.insert(LOADED, { id, name, group: 1 })
        tx.insert(SHORT, { id, name, group: 2 })
      })
    // Each name is wanted by both, and one of them gets it.
    const won = await Promise.all(
      names.flatMap((name) => [
        insert(one, name, `1${name}`).then(
          () => 1,
          () => 0,
        ),
        insert(two, name, `2${name}`).then(
          () => 1,
          () => 0,
        ),
      ]),
    )
    expect(won.reduce<number>((sum, n) => sum + n, 0)).toBe(names.length)
    await one.transaction(() => {})
    await two.transaction(() => {})
    expect(one.all(KEPT)).toEqual(two.all(KEPT))
    expect(one.all(SHORT)).toEqual(two.all(SHORT))
    expect(one.all(KEPT).map(({ id }) => id)).toEqual(one.all(SHORT).map(({ id }) => id))
    for (const store of [one, two])
      expect(await store.read((records) => records.all(LOADED))).toEqual(one.all(KEPT))
    await Promise.all([one.close(), two.close()])
  })
})
