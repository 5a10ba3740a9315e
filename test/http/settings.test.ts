// PUT /api/settings replaces all of them, so what is stored must come back through it, whoever stored
// it, and nothing that is no number may get in.
import { describe, expect, it } from 'vitest'
import { openApp } from '../support/app.ts'

describe('sizes and counts', () => {
  it('of the command line or an old database are saved again as they are', async () => {
    const tus = { chunkSize: 2 ** 53 - 1, retryCount: 65_535 }
    await using app = await openApp({ settings: { tus } })
    const admin = await app.as('admin')
    const shown = await (await admin.fetch('/api/settings')).json()
    expect(shown.tus).toEqual(tus)
    const body = JSON.stringify({ ...shown, signup: true })
    expect((await admin.fetch('/api/settings', { method: 'PUT', body })).status).toBe(200)
    expect(app.store.settings()).toMatchObject({ tus, signup: true })
  })

  it.each([
    ['"chunkSize": 9007199254740993', 'tus.chunkSize must be a whole number'],
    ['"chunkSize": 1e300', 'tus.chunkSize must be a whole number'],
    ['"chunkSize": 1.5', 'tus.chunkSize must be a whole number'],
    ['"chunkSize": "10MB"', 'tus.chunkSize must be a whole number'],
    ['"chunkSize": -1', 'tus.chunkSize must be between 0 and 9007199254740991'],
    ['"retryCount": 65536', 'tus.retryCount must be between 0 and 65535'],
  ])('are refused by name: %s', async (given, reason) => {
    await using app = await openApp()
    const admin = await app.as('admin')
    const before = app.store.settings()
    const record = await (await admin.fetch('/api/settings')).text()
    const [key = ''] = given.split(':')
    const body = record.replace(new RegExp(`${key}:\\d+`), given)
    expect(body).not.toBe(record)
    const response = await admin.fetch('/api/settings', { method: 'PUT', body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)])
    expect(app.store.settings()).toEqual(before)
  })
})
