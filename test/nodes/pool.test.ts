// How many connections to PostgreSQL a node opens: as many as it may while much is asked, and no more than before after.
import { describe, expect, test } from 'vitest'
import { SESSIONS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument, type Session } from '../../src/store/document.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { waitFor } from '../support/deadline.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { makeTree } from '../support/tree.ts'

const AT_A_TIME = 200

const postgres = onePostgres()

describe.runIf(hasPostgres())('the connections of a node', () => {
  test('are as many as they may be amid 200 questions, and few again after', async () => {
    await using tree = await makeTree({})
    const address = await postgres.server.makeDatabase()
    const store = await open(address, tree.base, 7)
    try {
      const before = await connectionsTo(address)
      expect(before).toBeLessThanOrEqual(4)
      let most = 0
      let isDone = false
      const asked = askMuch(store).finally(() => {
        isDone = true
      })
      while (!isDone) most = Math.max(most, await connectionsTo(address))
      expect(await asked).toEqual(Array(AT_A_TIME).fill(500))
      expect(most).toBeGreaterThan(4)
      expect(most).toBeLessThanOrEqual(7)
      await waitFor('the end of those that nobody uses', async () => {
        return (await connectionsTo(address)) <= before
      })
    } finally {
      await store.close()
    }
    expect(await connectionsTo(address)).toBe(0)
  })

  test('do with those they have where the server gives no more', async () => {
    await using tree = await makeTree({})
    const made = await postgres.server.makeDatabase()
    const name = new URL(made).pathname.slice(1)
    const role = `create role small login connection limit 3 password '${POSTGRES_PASSWORD}'`
    await postgres.server.query(name, `${role}; alter database ${name} owner to small`)
    const address = made.replace('//fb@', '//small@')
    const store = await open(address, tree.base, 10)
    try {
      expect(await askMuch(store)).toEqual(Array(AT_A_TIME).fill(500))
    } finally {
      await store.close()
    }
  })
})

async function open(address: string, stateDir: string, maxConnections: number): Promise<Store> {
  const place = { stateDir, env: { PGPASSWORD: POSTGRES_PASSWORD }, maxConnections }
  const create = async () => emptyDocument(defaultSettings())
  const { store } = await openPostgres(address, place, { create })
  await store.transaction((tx) => {
    for (let n = 0; n < 500; n++) tx.insert(SESSIONS, sessionOf(n))
  })
  return store
}

function sessionOf(n: number): Session {
  const facts = { remember: false, address: '127.0.0.1', userAgent: 'test' }
  return { id: `session ${n}`, userID: 1, createdMs: 0, lastSeenMs: 0, ...facts }
}

/** Asks 200 times at once; how much each question has found. */
function askMuch(store: Store): Promise<number[]> {
  const ask = async () => (await store.large.find(SESSIONS, 'userID', 1)).length
  return Promise.all(Array.from({ length: AT_A_TIME }, ask))
}

async function connectionsTo(address: string): Promise<number> {
  const name = new URL(address).pathname.slice(1)
  const text = `select count(*) from pg_stat_activity where datname = '${name}'`
  return Number((await postgres.server.query('postgres', text))[0]?.[0])
}
