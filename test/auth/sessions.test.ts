import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { createSessions } from '../../src/auth/sessions.ts'
import { defaultSettings, emptyDocument, type Session } from '../../src/store/document.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import { startApp } from '../support/app.ts'
import { leastMs } from '../support/cpu-time.ts'
import { changeRecords } from '../support/records.ts'
import { makeTree } from '../support/tree.ts'

const HOUR_MS = 3_600_000
const facts = { remember: false, address: '127.0.0.1', userAgent: 'test' }

it('keeps the browser of a person when a script signs in again and again', async () => {
  await using app = await startApp()
  const nowMs = Date.now()
  const session = (id: string, createdMs: number, lastSeenMs: number): Session => ({
    ...facts,
    id,
    userID: 1,
    createdMs,
    lastSeenMs,
  })
  const person = session('person', nowMs - 30 * HOUR_MS, nowMs - 20 * HOUR_MS)
  const calls = Array.from({ length: 999 }, (_, n) =>
    session(`call ${n}`, nowMs - HOUR_MS + n, nowMs - HOUR_MS + n + 50),
  )
  await changeRecords(app.store, (doc) => ({ ...doc, sessions: [person, ...calls] }))
  const sessions = createSessions(app.store, { idleMs: 24 * HOUR_MS, maxMs: 90 * HOUR_MS })
  const opened = await sessions.open(1, facts)
  expect(sessions.use('person')).not.toBeNull()
  expect(sessions.use(opened.id)).not.toBeNull()
  expect(sessions.use('call 0')).toBeNull()
  expect(sessions.use('call 1')).not.toBeNull()
  expect(await sessions.list(1)).toHaveLength(1_000)
})

it('a sign-in among 5,000 accounts and 20,000 sessions holds up the event loop for less than 20 ms', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'db.json')
  const { defaults } = defaultSettings()
  const person = { ...defaults, password: 'x'.repeat(97), lockPassword: false, rules: [] }
  const users = Array.from({ length: 5_000 }, (_, n) => ({
    ...person,
    id: n + 1,
    username: `user${n}`,
  }))
  await (await createStore(file, { ...emptyDocument(defaultSettings()), users })).close()
  const nowMs = Date.now()
  const put = Array.from({ length: 20_000 }, (_, n) => ({
    ...{ ...facts, id: `session ${n}`, userID: (n % 5_000) + 1 },
    ...{ createdMs: nowMs, lastSeenMs: nowMs },
  }))
  await writeFile(`${file}.sessions`, `${JSON.stringify({ put })}\n`)
  const store = await openStore(file)
  const sessions = createSessions(store, { idleMs: HOUR_MS, maxMs: HOUR_MS })
  expect(await sessions.list('all')).toHaveLength(20_000)
  const { ino } = await stat(file)
  // The time the loop is busy in all turns of one.
  const busyMs = await leastMs(20, async () => {
    const before = performance.eventLoopUtilization()
    await sessions.open(7, facts)
    return performance.eventLoopUtilization(before).active
  })
  expect(busyMs).toBeGreaterThan(0)
  expect(busyMs).toBeLessThan(20)
  expect((await stat(file)).ino).toBe(ino)
  await store.close()
})
