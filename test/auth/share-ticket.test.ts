import { describe, expect, it } from 'vitest'
import { acceptsTicket, issueTicket } from '../../src/auth/share-ticket.ts'
import type { Share } from '../../src/store/document.ts'

describe('tickets', () => {
  const key = Buffer.alloc(64, 7).toString('base64')
  const one: Share = {
    hash: 'abcd1234',
    path: '/a',
    userID: 1,
    expire: 0,
    passwordHash: '$argon2id$one',
    token: '',
  }

  it('expire after a day', () => {
    const now = Date.now()
    const ticket = issueTicket(one, key, now)
    expect(acceptsTicket(one, ticket, key, now + 23 * 3_600_000)).toBe(true)
    expect(acceptsTicket(one, ticket, key, now + 25 * 3_600_000)).toBe(false)
  })

  it('end with the password they were given for', () => {
    const ticket = issueTicket(one, key)
    expect(acceptsTicket({ ...one, passwordHash: '$argon2id$two' }, ticket, key)).toBe(false)
  })

  it('cannot be made longer by changing their time', () => {
    const bytes = Buffer.from(issueTicket(one, key), 'base64url')
    bytes.writeBigUInt64BE(BigInt(Date.now() + 1e12))
    expect(acceptsTicket(one, bytes.toString('base64url'), key)).toBe(false)
  })

  it('treat an empty imported token as none', () => {
    expect(acceptsTicket(one, '', key)).toBe(false)
    expect(acceptsTicket({ ...one, token: 'imported' }, 'imported', key)).toBe(true)
  })
})
