// Advisories of the other File Browser (Quantum): the same product, the same temptations.

import { describe, expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { recordsOf } from '../support/records.ts'
import { makeShare, PUBLIC_DOORS, readPublic } from '../support/shares.ts'

const tree = {
  'pub/a.txt': 'shared bytes',
  'pub/evil.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>fire()</script></svg>',
  'pub/film.srt': '1\n00:00:01,000 --> 00:00:02,000\nshared bytes\n',
  'private.txt': 'private bytes',
  'private.srt': '1\n00:00:01,000 --> 00:00:02,000\nprivate bytes\n',
}

it('CVE-2026-27611, CVE-2026-30933: no information about a protected share without its password', async () => {
  await using app = await startApp({ tree })
  const hash = await makeShare(app, '/pub/', { password: 'sesame' })
  for (const below of ['', '/a.txt', '/none']) {
    const { statuses, text } = await readPublic(app, hash, below)
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(text).not.toMatch(/a\.txt|shared|"pub"|"expire"|"path"/)
  }
  const head = await app.fetch(`/api/public/share/${hash}`)
  expect(head.headers.get('x-share-expires')).toBeNull()
})

it('CVE-2026-30934: what describes a share is data and nothing of the page', async () => {
  const name = '"><script>fire()<script>'
  await using app = await startApp({ tree: { [`${name}/a.txt`]: 'a' } })
  const hash = await makeShare(app, `/${encodeURIComponent(name)}/`)
  const page = await app.fetch(`/share/${hash}`)
  expect(await page.text()).not.toContain('fire()')
  expect(page.headers.get('content-security-policy')).toContain("'nonce-")
  const info = await app.fetch(`/api/public/share/${hash}`)
  expect(info.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await info.text()).not.toContain('<script>')
})

it('GHSA-mmpx-jh39-wrv6: a drawing in a share runs nothing', async () => {
  await using app = await startApp({ tree })
  const hash = await makeShare(app, '/pub/')
  for (const door of ['dl', 'preview/big', 'preview/thumb']) {
    const path = `/api/public/${door}/${hash}/evil.svg?inline=true`
    const response = await app.fetch(path)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-security-policy'), path).toContain("script-src 'none'")
    expect(response.headers.get('content-security-policy'), path).toContain('sandbox')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

it('GHSA-7789-65hx-f26w, GHSA-r4v7-6wcg-ghj5: names are not found out by asking often', async () => {
  // Equal time and the limit itself: login-abuse. Here: the limit holds for names that do not exist.
  const loginRateLimit = { attempts: 3, windowMs: 60_000 }
  await using app = await startApp({ config: { loginRateLimit } })
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    const body = JSON.stringify({ username: `nobody-${i}`, password: 'guess' })
    statuses.push((await app.fetch('/api/login', { method: 'POST', body })).status)
  }
  expect(statuses).toEqual([403, 403, 403, 429, 429])
})

describe('CVE-2026-44542, CVE-2026-48777: a visitor of a share', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('changes nothing by %s', async (method) => {
    await using app = await startApp({ tree })
    const hash = await makeShare(app, '/pub/')
    const targets = PUBLIC_DOORS.flatMap((door) =>
      ['', '/a.txt', '/new.txt'].map(
        (below) => `/api/public/${door.replace('HASH', hash + below)}`,
      ),
    )
    const disguised = ['resources', 'tus', 'raw', 'share'].flatMap((door) => [
      `/api/${door}/pub/a.txt?token=${hash}`,
      `/api/public/${door}/${hash}/a.txt?action=rename&destination=/pub/b.txt&override=true`,
      `/api/public/dl/../../${door}/pub/a.txt`,
    ])
    for (const path of [...targets, ...disguised]) {
      const response = await app.fetch(path, { method, body: 'changed', redirect: 'follow' })
      expect(response.status, path).toBeGreaterThanOrEqual(400)
    }
    expect(await app.tree.read('pub/a.txt')).toBe('shared bytes')
    await expect(app.tree.read('pub/new.txt')).rejects.toThrow()
    await expect(app.tree.read('pub/b.txt')).rejects.toThrow()
    expect(recordsOf(app.store).shares).toHaveLength(1)
  })
})

it('CVE-2026-46410: without a session nothing tells what the server serves', async () => {
  await using app = await startApp({ tree })
  for (const path of [
    ...['/api/usage/', '/api/resources/', '/api/resources/pub/', '/api/settings', '/api/users'],
    ...['/api/users/1', '/api/shares', '/api/share/pub', '/api/sessions', '/api/search/?query='],
    ...['/api/raw/private.txt', '/api/preview/thumb/pub/evil.svg', '/api/subtitle/private.srt'],
    ...['/api/resources/recursive/', '/api/command/', '/api/tus/private.txt'],
  ]) {
    const response = await app.fetch(path)
    expect(response.status, path).toBe(401)
    expect(await response.text(), path).toBe('401 Unauthorized\n')
  }
  for (const path of ['/', '/files/pub/', '/login', '/health', '/api/openapi.json', '/static/']) {
    const text = await (await app.fetch(path, { redirect: 'follow' })).text()
    expect(text, path).not.toContain(app.tree.root)
    expect(text, path).not.toContain('private.txt')
  }
})

it('CVE-2026-54910: subtitles are read from the share alone', async () => {
  await using app = await startApp({ tree })
  const hash = await makeShare(app, '/pub/')
  const open = await app.fetch(`/api/public/subtitle/${hash}/film.srt`)
  expect(await open.text()).toContain('shared bytes')
  for (const below of [
    '/../private.srt',
    '/..%2fprivate.srt',
    '/%2e%2e/private.srt',
    '/film.srt/../../private.srt',
    '/..%5cprivate.srt',
    '/%00/../private.srt',
    '//private.srt',
  ]) {
    const path = `/api/public/subtitle/${hash}${below}`
    const response = await app.fetch(path, { redirect: 'follow' })
    expect(await response.text(), path).not.toContain('private bytes')
  }
})
