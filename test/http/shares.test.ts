import { describe, expect, it } from 'vitest'
import { acceptsTicket, issueTicket } from '../../src/auth/share-ticket.ts'
import type { Share } from '../../src/store/document.ts'
import { startApp, type TestApp } from '../support/app.ts'

async function share(app: TestApp, path: string, body: object = {}): Promise<string> {
  const admin = await app.as('admin')
  const response = await admin.fetch(`/api/share${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  return (await response.json()).hash
}

describe('protected shares', () => {
  const tree = { 'dir/a.txt': 'inside', 'b.txt': 'beside' }

  it('show neither names nor bytes without the password', async () => {
    await using app = await startApp({ tree })
    const hash = await share(app, '/dir', { password: 'sesame' })
    for (const path of [
      `share/${hash}`,
      `dl/${hash}`,
      `dl/${hash}/a.txt`,
      `preview/thumb/${hash}/a.txt`,
    ]) {
      const response = await app.fetch(`/api/public/${path}`)
      expect(response.status, path).toBe(401)
      expect(await response.text()).not.toContain('a.txt')
    }
  })

  it('hand out a ticket for the password that opens this share alone', async () => {
    await using app = await startApp({ tree })
    const hash = await share(app, '/dir', { password: 'sesame' })
    const other = await share(app, '/b.txt', { password: 'sesame' })
    const opened = await app.fetch(`/api/public/share/${hash}`, {
      headers: { 'X-SHARE-PASSWORD': 'sesame' },
    })
    const { token } = await opened.json()
    expect(token).toMatch(/^[\w-]{128}$/)
    const download = await app.fetch(`/api/public/dl/${hash}/a.txt?token=${token}`)
    expect(await download.text()).toBe('inside')
    expect((await app.fetch(`/api/public/dl/${other}?token=${token}`)).status).toBe(401)
  })

  it('answer 400 to a password that is not percent-encoded', async () => {
    await using app = await startApp({ tree })
    const hash = await share(app, '/dir', { password: 'sesame' })
    const headers = { 'X-SHARE-PASSWORD': '%zz' }
    expect((await app.fetch(`/api/public/share/${hash}`, { headers })).status).toBe(400)
  })
})

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
