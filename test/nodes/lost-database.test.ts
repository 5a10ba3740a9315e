// PostgreSQL ends as in a power failure while two nodes write: what was answered is there, once and whole.
import { expect, test } from 'vitest'
import type { Collection, Store } from '../../src/store/collection.ts'
import { SCHEMA_VERSION } from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { cutInFront } from '../support/cut.ts'
import { waitFor } from '../support/deadline.ts'
import { hasPostgres, POSTGRES_PASSWORD, startPostgres } from '../support/postgres.ts'
import { makeTree } from '../support/tree.ts'

interface Entry {
  id: string
  count: number
}

const ENTRIES: Collection<Entry, never> = {
  name: 'entries',
  life: 'short',
  keyOf: ({ id }) => id,
  indexes: {},
  unique: [],
  parse: (r) => ({ id: r.str('id'), count: r.int('count') }),
}

async function open(address: string, stateDir: string): Promise<Store> {
  const env = { PGPASSWORD: POSTGRES_PASSWORD }
  const place = { stateDir, env, collections: [ENTRIES] as Collection[] }
  const create = async () => ({ version: SCHEMA_VERSION })
  return (await openPostgres(address, place, { create })).store
}

/** Adds an entry and counts it in another one. */
function add(store: Store, id: string): Promise<void> {
  return store.transaction((tx) => {
    tx.insert(ENTRIES, { id, count: 1 })
    const sum = tx.get(ENTRIES, 'sum')
    if (sum) tx.replace(ENTRIES, { ...sum, count: sum.count + 1 })
    else tx.insert(ENTRIES, { id: 'sum', count: 1 })
  })
}

test.runIf(hasPostgres())(
  'what was answered is there, once and whole',
  { timeout: 180_000 },
  async () => {
    await using postgres = await startPostgres({ isDurable: true })
    await using cut = await cutInFront(postgres.port)
    await using tree = await makeTree({})
    const address = await postgres.makeDatabase()
    const one = await open(address, tree.base)
    const two = await open(address.replace(String(postgres.port), String(cut.port)), tree.base)
    const answered = new Set<string>()
    let isOver = false
    const write = async (store: Store, name: string) => {
      for (let n = 0; !isOver; n++) {
        const id = `${name}-${n}`
        try {
          await add(store, id)
          answered.add(id)
        } catch (error) {
          expect(error).toMatchObject({ code: 'records_unavailable' })
        }
      }
    }
    const writers = [one, two, one, two].map((store, n) => write(store, `w${n}`))
    const someMore = () => {
      const before = answered.size
      return waitFor('more answers', () => answered.size > before + 20)
    }
    await someMore()
    for (let round = 0; round < 3; round++) {
      await postgres.kill()
      await postgres.start()
      await someMore()
      // In the middle of whatever is asked, most of all of what is being committed.
      for (let times = 0; times < 10; times++) {
        cut.cut()
        cut.mend()
        await someMore()
      }
    }
    isOver = true
    await Promise.all(writers)
    await one.transaction(() => {})
    await two.transaction(() => {})
    expect(two.all(ENTRIES)).toEqual(one.all(ENTRIES))
    const ids = new Set(one.all(ENTRIES).map(({ id }) => id))
    expect([...answered].filter((id) => !ids.has(id))).toEqual([])
    expect(one.get(ENTRIES, 'sum')?.count).toBe(ids.size - 1)
    await Promise.all([one.close(), two.close()])
    const again = await open(address, tree.base)
    expect(again.all(ENTRIES)).toEqual(one.all(ENTRIES))
    await again.close()
  },
)
