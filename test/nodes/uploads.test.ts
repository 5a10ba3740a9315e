// Two servers over one database and one folder: an upload goes on with either of them.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor } from '../support/deadline.ts'
import { holdRequest } from '../support/held-request.ts'
import { hasPostgres } from '../support/postgres.ts'
import { address, freshDatabases, postgres, startNode } from '../support/postgres-tests.ts'
import { cwd, login, PASSWORD, type Served } from '../support/serve.ts'
import { pieceHeaders, tusAt } from '../support/tus.ts'

let [one, two]: [Served, Served] = [] as never
let token: string

describe.runIf(hasPostgres())('uploads with two servers', () => {
  freshDatabases()
  beforeEach(async () => {
    one = await startNode(1)
    two = await startNode(2)
    token = await (await login(one.origin, PASSWORD)).text()
  })

  test('go on piece by piece, now here and now there', async () => {
    const [here, there] = both('b.bin')
    expect(await here.create(9)).toBe(201)
    expect(await there.head()).toEqual({ status: 200, offset: 0 })
    expect(await there.append(0, Buffer.from('abc'))).toEqual({ status: 204, offset: 3 })
    expect(await listed(one)).toEqual([{ path: '/b.bin', offset: 3 }])
    expect(await here.append(3, Buffer.from('def'))).toEqual({ status: 204, offset: 6 })
    expect(await here.append(3, Buffer.from('def'))).toMatchObject({ status: 409 })
    expect(await listed(two)).toEqual([{ path: '/b.bin', offset: 6 }])
    expect(await there.append(6, Buffer.from('ghi'))).toEqual({ status: 204, offset: 9 })
    expect(await content('b.bin')).toBe('abcdefghi')
    expect(await here.head()).toMatchObject({ status: 404 })
    expect([...(await listed(one)), ...(await listed(two)), ...(await hidden())]).toEqual([])
    await nothingIsHeld()
  })

  test('leave who receives a piece for who brings the next one', async () => {
    const [here, there] = both('b.bin')
    await here.create(6)
    const held = await holdRequest(one.port, 'PATCH /api/tus/b.bin', 'abc', {
      ...pieceHeaders(0),
      'X-Auth': token,
    })
    await waitFor('the first byte', async () => (await there.head()).offset === 1)
    expect(await there.append(1, Buffer.from('bcdef'))).toEqual({ status: 204, offset: 6 })
    expect(await held.finish()).toBe(409)
    expect(await content('b.bin')).toBe('abcdef')
    await nothingIsHeld()
  })

  test('stay with a node for a moment between two pieces, and are given to another at once', {
    timeout: 60_000,
  }, async () => {
    const [here, there] = both('b.bin')
    // A busy machine takes longer, but not each time.
    const takenMs = await leastOf(400, async () => {
      // Once both have heard of each other.
      const { epoch } = await waitFor('an upload that stays', async () => {
        await here.create(9, { override: true })
        const held = await lease()
        if (held.node === '') return null
        expect(await here.append(0, Buffer.from('abc'))).toEqual({ status: 204, offset: 3 })
        return (await lease()).epoch === held.epoch ? held : null
      })
      const begun = performance.now()
      expect(await there.append(3, Buffer.from('def'))).toEqual({ status: 204, offset: 6 })
      const ms = performance.now() - begun
      expect((await lease()).epoch).not.toBe(epoch)
      await waitFor('it to be let go of', async () => (await lease()).node === '')
      expect(await here.append(6, Buffer.from('ghi'))).toEqual({ status: 204, offset: 9 })
      expect(await content('b.bin')).toBe('abcdefghi')
      return ms
    })
    expect(takenMs).toBeLessThan(400)
    await nothingIsHeld()
  })

  test('never get the file of an earlier one', async () => {
    const [here, there] = both('b.bin')
    await here.create(6)
    await here.append(0, Buffer.from('old'))
    const before = await hidden()
    expect(await there.create(6)).toBe(201)
    const after = await hidden()
    expect([before.length, after.length]).toEqual([1, 1])
    expect(after).not.toEqual(before)
    expect(await here.head()).toEqual({ status: 200, offset: 0 })
  })

  test('end everywhere when one ends them', async () => {
    const [here, there] = both('b.bin')
    await here.create(6)
    expect(await there.remove()).toBe(204)
    expect(await here.append(0, Buffer.from('abcdef'))).toMatchObject({ status: 404 })
    expect(await hidden()).toEqual([])
    await nothingIsHeld()
  })

  test('are put in place once when both are asked for that', async () => {
    await writeFile(join(cwd, 'srv', 'b.bin'), 'old')
    const [here, there] = both('b.bin')
    await here.create(6, { override: true })
    await here.append(0, Buffer.from('abc'))
    // All bytes are there, as after a crash.
    const [name = ''] = await hidden()
    await writeFile(join(cwd, 'srv', name), 'abcdef')
    const answers = await Promise.all([here.head(), there.head()])
    expect(answers.every(({ status, offset }) => status === 404 || offset === 6)).toBe(true)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(await content('b.bin')).toBe('abcdef')
    await nothingIsHeld()
  })

  test('of which all bytes have come are put in place by who leads', {
    timeout: 90_000,
  }, async () => {
    const [here] = both('b.bin')
    await here.create(6)
    await here.append(0, Buffer.from('abc'))
    const [name = ''] = await hidden()
    await writeFile(join(cwd, 'srv', name), 'abcdef')
    await waitFor('it to be let go of', async () => (await lease()).node === '')
    // As if its node had ended in the middle of a piece.
    await ask(`update filebrowser.fb_leases set node = 'gone' where key like 'upload%'`)
    await waitFor(
      'the file',
      () =>
        content('b.bin').then(
          (text) => text === 'abcdef',
          () => false,
        ),
      60_000,
    )
    await nothingIsHeld()
  })

  test('that nobody goes on with are removed by who leads', { timeout: 90_000 }, async () => {
    await Promise.all([one.stop(), two.stop()])
    one = await startNode(1, { words: ['--tusExpiry', '1s'] })
    const [here] = both('b.bin')
    await here.create(6)
    await here.append(0, Buffer.from('abc'))
    await waitFor('the end', async () => (await hidden()).length === 0, 60_000)
    await nothingIsHeld()
  })

  test('in parts of Nextcloud’s clients come to both at once and are put together by either', async () => {
    const parts = Array.from({ length: 8 }, (_, n) => `part ${n} `)
    const id = '/remote.php/dav/uploads/admin/abc'
    const put = (n: number) => dav(n % 2 ? one : two, 'PUT', `${id}/${n + 1}`, {}, parts[n])
    expect(await dav(one, 'MKCOL', id)).toBe(201)
    expect(await dav(two, 'MKCOL', id)).toBe(405)
    expect(await Promise.all(parts.map((_, n) => put(n)))).toEqual(Array(8).fill(201))
    const Destination = `${two.origin}/remote.php/dav/files/admin/c.txt`
    const joined = await Promise.all([
      dav(two, 'MOVE', `${id}/.file`, { Destination }),
      dav(one, 'MOVE', `${id}/.file`, { Destination: Destination.replace(two.origin, one.origin) }),
    ])
    expect(joined.filter((status) => status === 201)).toHaveLength(1)
    expect(await content('c.txt')).toBe(parts.join(''))
    expect(await dav(one, 'PUT', `${id}/9`, {}, 'late')).toBe(404)
    expect(await hidden()).toEqual([])
    await nothingIsHeld()
  })

  test('in parts are given up by either, or removed when nobody goes on', {
    timeout: 90_000,
  }, async () => {
    await Promise.all([one.stop(), two.stop()])
    one = await startNode(1, { words: ['--tusExpiry', '1s'] })
    two = await startNode(2, { words: ['--tusExpiry', '1s'] })
    const id = '/remote.php/dav/uploads/admin/'
    for (const name of ['one', 'two']) {
      expect(await dav(one, 'MKCOL', id + name)).toBe(201)
      expect(await dav(two, 'PUT', `${id}${name}/1`, {}, 'x')).toBe(201)
    }
    expect(await hidden()).toHaveLength(4)
    expect(await dav(two, 'DELETE', `${id}one`)).toBe(204)
    expect(await hidden()).toHaveLength(2)
    await waitFor('the end', async () => (await hidden()).length === 0, 60_000)
    await nothingIsHeld()
  })

  test('one of two saves wins that have seen the same file', async () => {
    const save = (server: Served, body: string, etag?: string) =>
      send(server, '/api/resources/a.txt', {
        method: 'PUT',
        body,
        ...(etag && { headers: { 'If-Match': etag } }),
      })
    let etag = (await save(one, 'first')).headers.get('etag') ?? ''
    for (let round = 0; round < 10; round++) {
      const saved = await Promise.all(
        [one, two].map((server, n) => save(server, `round ${round} by ${n}`, etag)),
      )
      const statuses = saved.map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 412])
      const winner = statuses.indexOf(200)
      expect(await content('a.txt')).toBe(`round ${round} by ${winner}`)
      etag = saved[winner]?.headers.get('etag') ?? ''
    }
    await nothingIsHeld()
  })
})

async function dav(
  { origin }: Served,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<number> {
  const Authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`
  const response = await fetch(origin + path, {
    method,
    headers: { Authorization, ...headers },
    ...(body !== undefined && { body }),
  })
  await response.arrayBuffer()
  return response.status
}

function both(path: string) {
  return [tusAt(one.origin, token, path), tusAt(two.origin, token, path)] as const
}

function send(server: Served, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.origin}${path}`, {
    ...init,
    headers: { 'X-Auth': token, ...init.headers },
  })
}

async function listed(server: Served): Promise<{ path: string; offset: number }[]> {
  const found = (await (await send(server, '/api/uploads')).json()) as {
    path: string
    offset: number
  }[]
  return found.map(({ path, offset }) => ({ path, offset }))
}

const content = (name: string) => readFile(join(cwd, 'srv', name), 'utf8')

async function hidden(): Promise<string[]> {
  return (await readdir(join(cwd, 'srv'))).filter((name) => name.startsWith('.fb-tmp-'))
}

function ask(text: string): Promise<unknown[][]> {
  return postgres.query(new URL(address).pathname.slice(1), text)
}

/** Of the only upload. */
async function lease(): Promise<{ node: string; epoch: string }> {
  const rows = await ask(`select node, epoch from filebrowser.fb_leases where key like 'upload%'`)
  return { node: String(rows[0]?.[0]), epoch: String(rows[0]?.[1]) }
}

/** Neither uploads nor places; they are let go of beside the answer. */
async function nothingIsHeld(): Promise<void> {
  await waitFor('all to be let go of', async () => {
    const held = await ask(`select key from filebrowser.fb_leases where key <> 'leader'`)
    return held.length === 0
  })
}
