// A node that has just come is waited for like the others, and one that has ended is not.
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/collection.ts'
import { SETTINGS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument } from '../../src/store/document.ts'
import type { PostgresNodes } from '../../src/store/postgres/nodes.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { cutInFront } from '../support/cut.ts'
import { waitFor } from '../support/deadline.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { makeTree } from '../support/tree.ts'

/** How often a node asks who is there, and less than a change waits for one that does not answer. */
const BEAT_MS = 3_000
const WAITED_MS = 500
const log = { info() {}, warn() {}, error() {}, request() {} }

const postgres = onePostgres()

test.runIf(hasPostgres())('a node knows at once who comes and who goes', async () => {
  await using tree = await makeTree({})
  await using cut = await cutInFront(postgres.server.port)
  await using stack = new AsyncDisposableStack()
  const address = await postgres.server.makeDatabase()
  const join = async (at: string): Promise<Store> => {
    const place = { stateDir: tree.base, env: { PGPASSWORD: POSTGRES_PASSWORD } }
    const create = async () => emptyDocument(defaultSettings())
    const { store } = await openPostgres(at, place, { create })
    await store.shared?.nodes.join({ version: '1', log })
    return stack.adopt(store, (opened) => opened.close())
  }
  const one = await join(address)
  await join(address.replace(String(postgres.server.port), String(cut.port)))
  const nodes = one.shared?.nodes as PostgresNodes
  const others = () => nodes.others()
  await waitFor('the second one', () => others().length === 1, BEAT_MS)
  cut.hang()
  const startedAt = performance.now()
  await one.transaction((tx) => {
    const [settings = defaultSettings()] = tx.all(SETTINGS)
    tx.replace(SETTINGS, { ...settings, signup: !settings.signup })
  })
  expect(performance.now() - startedAt).toBeGreaterThan(WAITED_MS)
  cut.mend()

  const third = await join(address)
  await waitFor('the third one', () => others().length === 2, BEAT_MS)
  await third.close()
  await waitFor('its end', () => others().length === 1, BEAT_MS)
})
