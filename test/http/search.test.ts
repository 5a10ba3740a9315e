import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import type { SearchHit } from '../../src/api-types.ts'
import { openApp, startApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor } from '../support/deadline.ts'

const hitsOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as SearchHit)

it('answers one JSON object per line, and adds facts only when asked', async () => {
  await using app = await openApp({ tree: { 'a/report.txt': 'four', 'Report <2>.pdf': '' } })
  const admin = await app.as('admin')
  const response = await admin.fetch('/api/search/?query=report')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(await response.text()).toBe(
    '{"dir":false,"path":"Report \\u003c2\\u003e.pdf"}\n{"dir":false,"path":"a/report.txt"}\n',
  )
  const detailed = await admin.fetch('/api/search/a/?query=report&details=true')
  expect(hitsOf(await detailed.text())).toEqual([
    { dir: false, path: 'report.txt', size: 4, modified: expect.stringMatching(/^\d{4}-/) },
  ])
})

it('finds names with any of the words, and with match=all those with every one', async () => {
  await using app = await openApp({ tree: { 'Müller 2025.txt': '', 'muller.txt': '' } })
  const admin = await app.as('admin')
  const find = async (more: string) => {
    const response = await admin.fetch(`/api/search/?query=2025%20muller${more}`)
    return hitsOf(await response.text()).map(({ path }) => path)
  }
  expect(await find('')).toEqual(['Müller 2025.txt', 'muller.txt'])
  expect(await find('&match=all')).toEqual(['Müller 2025.txt'])
})

it('has no type and no body without hits', async () => {
  await using app = await openApp({ tree: { 'a.txt': '' } })
  const admin = await app.as('admin')
  for (const path of [
    '/api/search/?query=zzz',
    '/api/search/none/?query=',
    '/api/search/a.txt?query=',
  ]) {
    const response = await admin.fetch(path)
    expect(
      [response.status, response.headers.get('content-type'), await response.text()],
      path,
    ).toEqual([200, null, ''])
  }
})

it('shows first hits before the walk is over, and stops when the client goes', async () => {
  await using app = await startApp({ tree: {} })
  for (let i = 0; i < 150; i++)
    for (let j = 0; j < 100; j++) mkdirSync(app.tree.at(`d${i}/e${j}`), { recursive: true })
  const { token } = await app.as('admin')
  const call = get(`${app.origin}/api/search/?query=`, {
    headers: { 'X-Auth': token },
    agent: false,
  })
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  const [first] = (await once(response, 'data')) as [Buffer]
  expect(first.toString()).toContain('"path":"d0"')
  expect(first.toString().split('\n').length).toBeLessThan(15_000)
  response.destroy()
  // A walk that went on would keep the loop busy: the next answers come at once.
  await waitFor('the end of the walk', async () => {
    const startedAt = performance.now()
    await app.fetch('/health')
    return performance.now() - startedAt < 50
  })
  expect(app.errors).toEqual([])
})

it('judges hits by rules and hidden names', async () => {
  await using app = await openApp({
    tree: { 'deny/x.txt': '', 'deny/open/x.txt': '', '.hidden/x.txt': '', 'x.txt': '' },
    settings: {
      rules: [
        { regex: false, allow: false, path: '/deny', regexp: null },
        { regex: false, allow: true, path: '/deny/open', regexp: null },
      ],
    },
    users: [{ username: 'bob', hideDotfiles: true }],
  })
  const find = async (username: string) => {
    const response = await (await app.as(username)).fetch('/api/search/?query=x.txt')
    return hitsOf(await response.text()).map(({ path }) => path)
  }
  expect(await find('admin')).toEqual(['.hidden/x.txt', 'deny/open/x.txt', 'x.txt'])
  expect(await find('bob')).toEqual(['deny/open/x.txt', 'x.txt'])
})

it('hides names with a dot from listings, downloads and archives of who asked for that', async () => {
  const tree = { '.hidden/x.txt': 'deep', '.secret': 'dotted', 'dir/.env': 'dotted', 'x.txt': 'x' }
  await using app = await openApp({ tree, users: [{ username: 'bob', hideDotfiles: true }] })
  const seenBy = async (username: string) => {
    const { fetch } = await app.as(username)
    const listing = (await (await fetch('/api/resources/')).json()) as { items: { name: string }[] }
    const paths = ['.secret', '.hidden/x.txt', 'dir/.env', 'x.txt']
    const raw = await Promise.all(
      paths.map(async (path) => (await fetch(`/api/raw/${path}`)).status),
    )
    const archive = await (await fetch('/api/raw/?algo=tar')).text()
    return {
      names: listing.items.map(({ name }) => name).sort(),
      raw,
      archived: ['.hidden', '.secret', '.env', 'x.txt'].filter((name) => archive.includes(name)),
    }
  }
  expect(await seenBy('admin')).toEqual({
    names: ['.hidden', '.secret', 'dir', 'x.txt'],
    raw: [200, 200, 200, 200],
    archived: ['.hidden', '.secret', '.env', 'x.txt'],
  })
  expect(await seenBy('bob')).toEqual({
    names: ['dir', 'x.txt'],
    raw: [403, 403, 403, 200],
    archived: ['x.txt'],
  })
})

it('lists recursively as one JSON list, links unfollowed', async () => {
  await using app = await openApp()
  const admin = await app.as('admin')
  const entries = (await (await admin.fetch('/api/resources/recursive/')).json()) as {
    path: string
  }[]
  const paths = entries.map(({ path }) => path)
  expect(paths).toContain('/folder/inner.txt')
  expect(paths).toContain('/link-inside')
  expect(paths).not.toContain('/link-outside')
  expect(JSON.stringify(entries)).not.toContain('secret')
  expect((await admin.fetch('/api/resources/recursive/plain.txt')).status).toBe(400)
  expect((await admin.fetch('/api/resources/recursive/none')).status).toBe(404)
})

it('a query has at most 100 different words', async () => {
  await using app = await openApp({ tree: { 'word 1.txt': '' } })
  const admin = await app.as('admin')
  const search = (count: number, of = count) => {
    const words = Array.from({ length: count }, (_, i) => `w${i % of}`).join(' ')
    return admin.fetch(`/api/search/?query=${encodeURIComponent(words)}`)
  }
  expect((await search(100)).status).toBe(200)
  expect((await search(1_000, 100)).status).toBe(200)
  expect((await search(101)).status).toBe(400)
})

it('many searches at once stop the loop no longer than one', async () => {
  const tree = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`dir${i}/a.txt`, '']))
  await using app = await openApp({ tree })
  for (let i = 0; i < 40; i++)
    await Promise.all(
      Array.from({ length: 250 }, (_, j) => writeFile(app.tree.at(`dir${i}/name ${j}.txt`), '')),
    )
  const admin = await app.as('admin')
  const words = Array.from({ length: 90 }, (_, i) => `word${i}`).join(' ')
  const measure = async (count: number) => {
    const delay = monitorEventLoopDelay({ resolution: 2 })
    delay.enable()
    const answers = Array.from({ length: count }, async () =>
      (await admin.fetch(`/api/search/?query=${encodeURIComponent(words)}`)).text(),
    )
    await Promise.all(answers)
    delay.disable()
    return delay.percentile(90) / 1e6
  }
  await measure(1)
  // Thirty turns in a row would be 150 ms.
  const times = await leastOf(1, async () => {
    const one = await measure(1)
    return (await measure(30)) / Math.max(40, one * 5)
  })
  expect(times).toBeLessThan(1)
})
