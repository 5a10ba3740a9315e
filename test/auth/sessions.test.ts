import { expect, it } from 'vitest'
import { createSessions } from '../../src/auth/sessions.ts'
import type { Session } from '../../src/store/document.ts'
import { startApp } from '../support/app.ts'

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
  await app.store.update((doc) => [{ ...doc, sessions: [person, ...calls] }, undefined])
  const sessions = createSessions(app.store, { idleMs: 24 * HOUR_MS, maxMs: 90 * HOUR_MS })
  const opened = await sessions.open(1, facts)
  expect(sessions.use('person')).not.toBeNull()
  expect(sessions.use(opened.id)).not.toBeNull()
  expect(sessions.use('call 0')).toBeNull()
  expect(sessions.use('call 1')).not.toBeNull()
  expect(sessions.list(1)).toHaveLength(1_000)
})
