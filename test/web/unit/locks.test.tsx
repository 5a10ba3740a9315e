// Locks of programs that mount the files, as details and failures tell them.
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TokenUser } from '../../../src/access-types.ts'
import type { LockRecord } from '../../../src/lock-types.ts'
import { call } from '../../../web/api/client.ts'
import { messageOf } from '../../../web/api/error-text.ts'
import { boot } from '../../../web/lib/boot.ts'
import { formatMoment } from '../../../web/lib/format.ts'
import { Locks } from '../../../web/listing/details/locks.tsx'
import { session } from '../../../web/state/session.ts'
import { render } from './render.tsx'

const UNTIL = '2026-11-24T01:00:00Z'
const lock: LockRecord = {
  id: 'abc',
  user: 'anna',
  isOwn: false,
  isExclusive: true,
  isDeep: false,
  expires: UNTIL,
}

function answer(...answers: Response[]) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    asked.push(`${init.method} ${url}`)
    return answers.shift() ?? Response.json({ items: [] })
  })
  return asked
}

const signIn = (admin: boolean) => {
  session.user = { id: 2, username: 'ben', perm: { admin } } as TokenUser
}

beforeEach(() => {
  Object.assign(boot, { Dav: true })
  signIn(false)
})
afterEach(() => {
  vi.unstubAllGlobals()
  session.user = null
})

describe('locks in the details', () => {
  it('say whose they are and until when, and are for others to look at', async () => {
    answer(Response.json({ items: [lock] }))
    const place = await render(<Locks vpath="/a b.txt" />)
    expect(place.textContent).toBe(`LockedBy anna until ${formatMoment(UNTIL)}`)
    expect(place.querySelector('button')).toBeNull()
  })

  it.each([
    ['their owner', { ...lock, isOwn: true }, false],
    ['an administrator', lock, true],
  ])('are ended by %s, and gone then', async (_, found, admin) => {
    signIn(admin)
    const gone = new Response('', { status: 204 })
    const asked = answer(Response.json({ items: [found] }), gone)
    const place = await render(<Locks vpath="/a b.txt" />)
    await act(async () => place.querySelector('button')?.click())
    expect(asked).toEqual([
      'GET /api/locks/a%20b.txt',
      'DELETE /api/locks/a%20b.txt?id=abc',
      'GET /api/locks/a%20b.txt',
    ])
    expect(place.textContent).toBe('')
  })

  it('are gone as well where they have ended meanwhile', async () => {
    signIn(true)
    const headers = { 'X-Error-Code': 'not_found' }
    answer(Response.json({ items: [lock] }), new Response('', { status: 404, headers }))
    const place = await render(<Locks vpath="/a.txt" />)
    await act(async () => place.querySelector('button')?.click())
    expect(place.textContent).toBe('')
  })

  it('are not asked for where nobody can mount the files', async () => {
    Object.assign(boot, { Dav: undefined })
    const asked = answer()
    await render(<Locks vpath="/a.txt" />)
    expect(asked).toEqual([])
  })
})

it('a change that meets a lock is refused with whose it is and until when', async () => {
  const headers = {
    'X-Error-Code': 'locked',
    'X-Locked-By': 'j%C3%BCrgen%20o',
    'X-Locked-Until': UNTIL,
  }
  answer(new Response('423 Locked', { status: 423, headers }))
  const error: unknown = await call('/resources/a.txt', { method: 'DELETE' }).catch((e) => e)
  const time = formatMoment(UNTIL)
  expect(messageOf(error)).toBe(`This item is locked by jürgen o until ${time}.`)
})
