// Sessions of one account that are opened on two nodes: not more than there may be, whoever counts them.
import { expect, test } from 'vitest'
import { createSessions } from '../../src/auth/sessions.ts'
import { facts, LIMITS, oneAccount } from '../support/one-account.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres } from '../support/postgres.ts'
import { makeTree } from '../support/tree.ts'

const postgres = onePostgres()

test.runIf(hasPostgres())('an account has as many sessions as it may, over two nodes', async () => {
  await using tree = await makeTree({})
  const { address, open: openStore } = await oneAccount(postgres.server, tree)
  const stores = [await openStore(), await openStore()]
  try {
    const nodes = stores.map((store) => createSessions(store, LIMITS))
    const open = (n: number) => Promise.all(nodes.map((node) => many(n, () => node.open(1, facts))))
    const [[first] = []] = await open(1)
    // Of the 998 that are free each lets in a quarter before it counts again.
    await open(480)
    expect(await nodes[0]?.list(1)).toHaveLength(962)
    expect(nodes[0]?.use(first?.id ?? '')).not.toBeNull()
    await open(60)
    const { length } = (await nodes[1]?.list(1)) ?? []
    expect(length).toBeGreaterThan(880)
    expect(length).toBeLessThan(1_030)
  } finally {
    for (const store of stores) await store.close()
  }
  // Of one that has as many as it may, a sign-in does not read all of them.
  const before = await sessionsRead(address)
  const store = await openStore()
  const sessions = createSessions(store, LIMITS)
  await many(200, () => sessions.open(1, facts))
  await store.close()
  expect(await sessionsRead(address)).toBeLessThan(before + 60_000)
})

/** How many rows of sessions the server has looked up for connections that have ended. */
async function sessionsRead(address: string): Promise<number> {
  const name = new URL(address).pathname.slice(1)
  const text = `select idx_tup_fetch from pg_stat_user_tables where relname = 'sessions'`
  return Number((await postgres.server.query(name, text))[0]?.[0])
}

async function many<T>(n: number, work: () => Promise<T>): Promise<T[]> {
  const all: T[] = []
  for (let i = 0; i < n; i++) all.push(await work())
  return all
}
