// What one node at a time works on: leases, and the leader.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/collection.ts'
import { SCHEMA_VERSION } from '../../src/store/document.ts'
import type { Leases, Nodes } from '../../src/store/nodes/nodes.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { leastOf } from '../support/cpu-time.ts'
import { type Cut, cutInFront } from '../support/cut.ts'
import { waitFor } from '../support/deadline.ts'
import {
  hasPostgres,
  POSTGRES_PASSWORD,
  type Postgres,
  startPostgres,
} from '../support/postgres.ts'
import { makeTree, type Tree } from '../support/tree.ts'

let postgres: Postgres
let cut: Cut
let tree: Tree
let address: string
let stores: Store[]
let said: string[]

describe.runIf(hasPostgres())('nodes of one database', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    cut = await cutInFront(postgres.port)
  })
  afterAll(async () => {
    await cut?.[Symbol.asyncDispose]()
    await postgres?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    tree = await makeTree({})
    address = await postgres.makeDatabase()
    stores = []
    said = []
  })
  afterEach(async () => {
    cut.mend()
    for (const store of stores) await store.close()
    await tree[Symbol.asyncDispose]()
  })

  test('a lease is one holder’s; the next gets its note', async () => {
    const [one, two] = [await join('one'), await join('two')]
    const first = await one.leases.take('k', { stops: false })
    expect(first.note).toBeNull()
    const order: string[] = []
    const later = two.leases.take('k', { stops: false }).then((lease) => {
      order.push('taken')
      return lease
    })
    await first.write('half')
    expect(await two.leases.notes('k')).toEqual([{ key: 'k', note: 'half' }])
    order.push('released')
    await first.release('whole')
    const second = await later
    expect(order).toEqual(['released', 'taken'])
    expect(second.note).toBe('whole')
    expect(first.signal.aborted).toBe(false)
    await second.release(null)
    expect(await one.leases.notes('k')).toEqual([])
  })

  test('who asks for it to stop is heard at once', async () => {
    const [one, two] = [await join('one'), await join('two')]
    // A busy machine takes longer, but not each time.
    const takenMs = await leastOf(400, async () => {
      const held = await one.leases.take('k', { stops: true })
      const asked = performance.now()
      held.signal.addEventListener('abort', () => void held.release('left'))
      const lease = await two.leases.take('k', { stops: true })
      const ms = performance.now() - asked
      expect(lease.note).toBe('left')
      expect(held.signal.reason).toMatchObject({ code: 'conflict' })
      // Until it has let go it may put in place what it has.
      expect(held.signal.reason.message).toContain('took over')
      expect(() => held.demand()).not.toThrow()
      await lease.release(null)
      return ms
    })
    // Neither the next beat nor the next look was waited for.
    expect(takenMs).toBeLessThan(400)
  })

  test('those that are asked for together are each their own', async () => {
    const [one, two] = [await join('one'), await join('two')]
    const keys = Array.from({ length: 40 }, (_, n) => `k ${n % 7} ${n}`)
    const taken = await Promise.all(
      keys.map((key, n) => one.leases.take(key, { stops: false, note: `note ${n}` })),
    )
    const refused = two.leases.take(keys[3] ?? '', { stops: false, waitMs: 0 })
    await expect(refused).rejects.toMatchObject({ code: 'locked' })
    // Every third leaves another note, every third none.
    await Promise.all(
      taken.map((lease, n) => lease.release([`new ${n}`, lease.note, null][n % 3] ?? null)),
    )
    const left = (await two.leases.notes('k ')).map(({ key, note }) => [key, note])
    const wanted = keys.flatMap((key, n) =>
      n % 3 === 2 ? [] : [[key, `${n % 3 ? 'note' : 'new'} ${n}`]],
    )
    expect(new Map(left as [])).toEqual(new Map(wanted as []))
    // All are free for the other.
    const next = await Promise.all(
      keys.map((key) => two.leases.take(key, { stops: false, waitMs: 0 })),
    )
    await Promise.all(next.map((lease) => lease.release(null)))
    expect(await one.leases.notes('k ')).toEqual([])
  })

  test('each knows whether it hears the others', async () => {
    const one = await join('one')
    expect(one.leases.isHeard()).toBe(true)
    const two = await join('two')
    expect(two.leases.isHeard()).toBe(false)
    await waitFor('both to hear each other', () => one.leases.isHeard() && two.leases.isHeard())
  })

  test('one that is renewed lasts, and one of a lost node is free after ten seconds', {
    timeout: 60_000,
  }, async () => {
    const lost = await join('lost', address.replace(String(postgres.port), String(cut.port)))
    const other = await join('other')
    const held = await lost.leases.take('k', { stops: false })
    const kept = await other.leases.take('kept', { stops: false })
    let stoppedAt = 0
    held.signal.addEventListener('abort', () => {
      stoppedAt = performance.now()
    })
    cut.hang()
    const taken = await other.leases.take('k', { stops: false })
    // It has stopped before another began.
    expect(stoppedAt).toBeGreaterThan(0)
    expect(performance.now() - stoppedAt).toBeGreaterThan(500)
    expect(() => held.demand()).toThrow()
    cut.mend()
    // What it writes down late is nothing to the new holder.
    await expect(held.release('late')).rejects.toMatchObject({ code: 'records_unavailable' })
    expect(() => kept.demand()).not.toThrow()
    await taken.release('mine')
    expect(await other.leases.notes('k')).toEqual([{ key: 'k', note: 'mine' }])
    await kept.release(null)
  })

  test('one leads, and another when it is gone', async () => {
    const [one, two] = [await join('one'), await join('two')]
    expect([one.isLeading(), two.isLeading()]).toEqual([true, false])
    const listed = await two.list()
    expect(listed).toMatchObject([
      { id: one.id, name: 'one', version: '9.9.9', state: 'ready', leader: true },
      { id: two.id, name: 'two', version: '9.9.9', state: 'ready', leader: false },
    ])
    expect(Math.abs(Date.now() - Number(listed[0]?.seenAt))).toBeLessThan(5_000)
    let runs = 0
    two.whileLeading(async () => {
      runs++
    }, 1_000_000)
    one.drain()
    await waitFor('the other leads', () => two.isLeading())
    expect((await two.list()).map(({ state }) => state)).toEqual(['draining', 'ready'])
    await stores[0]?.close()
    expect((await two.list()).map(({ name }) => name)).toEqual(['two'])
    expect(runs).toBe(1)
    expect(said).toContain('Node two sweeps for all nodes from now on')
  })

  test('a node that does not say anything is gone; one of its name takes its place in the list', async () => {
    const one = await join('one')
    const { id } = await join('two')
    await ask(
      `update filebrowser.fb_nodes set seen_at = now() - interval '11 s' where id = '${id}'`,
    )
    expect((await one.list()).map(({ state }) => state)).toEqual(['ready', 'gone'])
    await join('two')
    expect((await one.list()).map(({ state }) => state)).toEqual(['ready', 'ready'])
  })

  test('an older program than the tables allow does not start, and says so', async () => {
    await join('one')
    await ask('update filebrowser.fb_meta set layout = 2, min_layout = 2')
    await expect(join('old')).rejects.toThrow(/newer version \(layout 2, this program knows 1\)/)
    await ask('update filebrowser.fb_meta set min_layout = 1')
    await expect(join('new enough')).resolves.toBeDefined()
  })

  test('a clock that differs by more than a second is logged', async () => {
    await join('right')
    expect(said.join()).not.toContain('clock')
    const real = Date.now
    Date.now = () => real() + 5_000
    try {
      await join('ahead')
    } finally {
      Date.now = real
    }
    expect(said.join()).toMatch(
      /the clock of this node is [45]\.\d s ahead of that of the database/,
    )
  })
})

async function ask(text: string): Promise<void> {
  await postgres.query(address.slice(address.lastIndexOf('/') + 1), text)
}

async function join(name: string, database = address): Promise<Nodes & { leases: Leases }> {
  const env = { PGPASSWORD: POSTGRES_PASSWORD }
  const place = { stateDir: tree.base, env, nodeName: name, collections: [] }
  const create = async () => ({ version: SCHEMA_VERSION })
  const { store } = await openPostgres(database, place, { create })
  stores.push(store)
  const nodes = store.shared?.nodes as Nodes
  const say = (line: string) => void said.push(line)
  await nodes.join({
    version: '9.9.9',
    log: { info: say, warn: say, error: say, debug: say } as never,
  })
  return nodes
}
