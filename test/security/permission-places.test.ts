// The doors of the interface in places below the served folder and beside it: what records say there counts for
// members, strangers, visitors of shares and tokens as for the account itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../../src/lib/verbs.ts'
import { CANARY, subjectByToken } from '../support/doors.ts'
import { DOORS_AT, type DoorsAt, needsOf, openDoorsAt, PLACES } from '../support/doors-at.ts'
import { makeGroup, NO_PERMISSIONS } from '../support/groups.ts'
import type { SignedIn } from '../support/login.ts'

const ALL = VERBS.slice(1)
const said = (allowed: boolean) => Object.fromEntries(ALL.map((verb) => [verb, allowed]))

describe.each(PLACES)('in %s', (where) => {
  let at: DoorsAt
  let subject: SignedIn
  beforeAll(async () => {
    at = await openDoorsAt(where)
    await makeGroup(at.app.store, { members: [2] })
    subject = await at.app.as('subject')
  })
  afterAll(() => at[Symbol.asyncDispose]())

  async function expectClosed(user = subject, doors = DOORS_AT): Promise<void> {
    for (const door of doors) {
      const { status, text } = await at.go(door, user)
      expect(status, door.name).toBe(door.denied)
      expect(text, door.name).not.toContain(CANARY)
    }
  }

  it.each(ALL)('a record that takes the right to %s closes its doors', async (verb) => {
    await at.say({ who: 'user:2', [verb]: false })
    const closed = DOORS_AT.filter((door) => (needsOf(door) as string[]).includes(verb))
    expect(closed).not.toEqual([])
    await expectClosed(subject, closed)
  })

  it.each(['user:2', 'group:1', 'everyone'])(
    'one that takes every right of %s closes all',
    async (who) => {
      await at.say({ who, ...said(false) })
      await expectClosed()
    },
  )

  it('a stranger, who does not see it, finds all closed', async () => {
    await at.say({ who: 'everyone', see: false })
    for (const door of DOORS_AT) {
      const { status, text } = await at.go(door, subject)
      // What is not seen is not there, where it has no address of its own.
      const closed = [door.denied, 403, ...(door.open === 404 ? [] : [404])]
      expect(closed, door.name).toContain(status)
      expect(text, door.name).not.toContain(CANARY)
    }
  })

  it('a token without rights gets none of those that a record gives its account', async () => {
    await at.say({ who: 'user:2', ...said(true) })
    const token = await subjectByToken(at.app, NO_PERMISSIONS)
    await expectClosed(
      token,
      DOORS_AT.filter(({ name }) => !name.startsWith('visitors')),
    )
  })

  it('one that gives every right to a group opens all to its member', async () => {
    await using fresh = await openDoorsAt(where)
    await makeGroup(fresh.app.store, { members: [2] })
    await fresh.allow(NO_PERMISSIONS)
    await fresh.say({ who: 'group:1', ...said(true) })
    const subject = await fresh.app.as('subject')
    for (const door of DOORS_AT)
      expect((await fresh.go(door, subject)).status, door.name).toBe(door.open)
  })
})
