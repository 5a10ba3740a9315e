// A session that is opened does not wait for the disk of the database, since a crash costs one more sign-in; one that ends
// does. A server whose stand-by never answers lets nothing through that waits for a disk.
import { expect, test } from 'vitest'
import { createSessions } from '../../src/auth/sessions.ts'
import { waitFor } from '../support/deadline.ts'
import { facts, LIMITS, oneAccount } from '../support/one-account.ts'
import { onePostgres } from '../support/one-postgres.ts'
import { hasPostgres } from '../support/postgres.ts'
import { makeTree } from '../support/tree.ts'

const postgres = onePostgres()

async function setStandby(name: string): Promise<void> {
  await postgres.server.query('postgres', `alter system set synchronous_standby_names = '${name}'`)
  await postgres.server.query('postgres', 'select pg_reload_conf()')
  const shown = async () =>
    (await postgres.server.query('postgres', 'show synchronous_standby_names'))[0]?.[0] === name
  await waitFor('the setting', shown)
}

async function waitingForStandby(): Promise<number> {
  const text = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
  return Number((await postgres.server.query('postgres', text))[0]?.[0])
}

test.runIf(hasPostgres())('opening a session waits for no disk, ending it does', async () => {
  await using tree = await makeTree({})
  const store = await (await oneAccount(postgres.server, tree)).open()
  const sessions = createSessions(store, LIMITS)
  try {
    await sessions.open(1, facts)
    await setStandby('nobody')
    const { id } = await sessions.open(1, facts)
    expect(await waitingForStandby()).toBe(0)
    const ending = sessions.end(id)
    await waitFor('the end of the session at its disk', async () => (await waitingForStandby()) > 0)
    await setStandby('')
    expect(await ending).toBe(true)
  } finally {
    await setStandby('')
    await store.close()
  }
})
