// Two servers over one PostgreSQL: what is taken from somebody on one is refused by the other within a second,
// also when that has lost the database.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'
import { type Cut, cutInFront } from '../support/cut.ts'
import { waitFor } from '../support/deadline.ts'
import { hasPostgres } from '../support/postgres.ts'
import {
  address,
  done,
  ENV,
  freshDatabases,
  postgres,
  startNode,
} from '../support/postgres-tests.ts'
import { cwd, login, PASSWORD, type Served } from '../support/serve.ts'

let cut: Cut
/** The second one reaches the database through what can be cut. */
let [one, two]: [Served, Served] = [] as never
let token: string

describe.runIf(hasPostgres())('two servers over one database', () => {
  freshDatabases()
  beforeAll(async () => {
    cut = await cutInFront(postgres.port)
  })
  afterAll(() => cut?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    one = await startNode(1)
    two = await startNode(2, {
      database: address.replace(String(postgres.port), String(cut.port)),
    })
    token = await (await login(one.origin, PASSWORD)).text()
  })

  test('know at once who has signed in on the other', async () => {
    expect(await ask(two, '/api/users')).toBe(200)
  })

  test('refuse who has signed out on the other', async () => {
    await ask(two, '/api/users')
    expect(await ask(one, '/api/logout', { method: 'POST' })).toBeLessThan(300)
    await refusedBy(two, '/api/users', 401)
  })

  test('know what was changed on the other by the time that is answered', async () => {
    for (let i = 0; i < 20; i++) {
      const made = await send(two, '/api/share/a.txt', { method: 'POST', body: '{}' })
      const { hash } = (await made.json()) as { hash: string }
      expect(await ask(one, `/api/public/share/${hash}`)).toBe(200)
      expect(await ask(two, `/api/share/${hash}`, { method: 'DELETE' })).toBe(200)
      expect(await ask(one, `/api/public/share/${hash}`)).toBe(404)
    }
  })

  test('refuse what a right was taken for, and what a rule has closed, by a command', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    const mona = await tokenOf('mona')
    expect(await ask(two, '/api/resources/a.txt', {}, mona)).toBe(200)
    await cli('rules', 'add', '/a.txt', '--username', 'mona')
    await refusedBy(two, '/api/resources/a.txt', 403, mona)
    await cli('users', 'update', 'mona', '--perm.create=false')
    await refusedBy(two, '/api/resources/new/', 403, mona, 'POST')
    await cli('users', 'rm', 'mona')
    await refusedBy(two, '/api/resources/', 401, mona)
  })

  test('answer no share that was ended on the other', async () => {
    const made = await send(one, '/api/share/a.txt', { method: 'POST', body: '{}' })
    const { hash } = (await made.json()) as { hash: string }
    const shared = `/api/public/share/${hash}`
    expect(await ask(two, shared)).toBe(200)
    expect(await ask(one, `/api/share/${hash}`, { method: 'DELETE' })).toBe(200)
    await refusedBy(two, shared, 404)
  })

  test('show what was set by a command', async () => {
    await cli('config', 'set', '--branding.name', 'Both')
    await waitFor('the name on the other', async () =>
      (await (await fetch(`${two.origin}/login`)).text()).includes('Both'),
    )
  })

  test.each(['cut', 'hang'] as const)(
    'refuse with 503 when the database is %s, and answer when it is back',
    async (how) => {
      expect(await ask(two, '/api/resources/')).toBe(200)
      cut[how]()
      const lost = performance.now()
      expect(await ask(one, '/api/logout', { method: 'POST' })).toBeLessThan(300)
      const status = await waitFor('a refusal', async () => {
        const begun = performance.now()
        const found = await ask(two, '/api/resources/')
        // Whatever is asked for a second after the end of the session is refused.
        if (begun - lost > 1_000) expect(found).not.toBe(200)
        return found !== 200 && found
      })
      expect(status).toBe(503)
      const refused = await send(two, '/api/resources/')
      expect(refused.headers.get('X-Error-Code')).toBe('records_unavailable')
      expect((await fetch(`${two.origin}/health`)).status).toBe(200)
      expect(await (await fetch(`${two.origin}/ready`)).text()).toContain('records')
      cut.mend()
      await waitFor('an answer', async () => (await ask(two, '/api/resources/')) === 401)
      expect((await login(two.origin, PASSWORD)).status).toBe(200)
    },
  )

  test('tell Prometheus how old what they know of each other is', async () => {
    const three = await startNode(3, {
      database: address.replace(String(postgres.port), String(cut.port)),
      words: ['--metrics', '127.0.0.1:0'],
    })
    const [, url = ''] = await waitFor('the listener', () =>
      /Metrics at (\S+)/.exec(three.cli.output().stdout),
    )
    const lag = async () => {
      const text = await (await fetch(url)).text()
      return Number(/^filebrowser_records_lag_seconds (\S+)$/m.exec(text)?.[1])
    }
    await waitFor('a look', async () => (await lag()) < 1)
    cut.cut()
    await waitFor('what is known to grow old', async () => (await lag()) > 1.5)
    cut.mend()
    await waitFor('a look', async () => (await lag()) < 1)
  })

  test('count guesses together: twenty by turns are refused like twenty on one', async () => {
    const guess = async (server: Served) => {
      const body = JSON.stringify({ username: 'admin', password: 'wrong' })
      return (await fetch(`${server.origin}/api/login`, { method: 'POST', body })).status
    }
    const three = await startNode(3)
    const statuses: number[] = []
    for (let n = 0; n < 20; n++) statuses.push(await guess([one, two, three][n % 3] as Served))
    const refused = statuses.indexOf(429)
    expect(statuses.slice(0, refused)).toEqual(Array(10).fill(403))
    expect(statuses.filter((status) => status === 403).length).toBeLessThan(13)
    const right = await login(two.origin, PASSWORD)
    expect(right.status).toBe(429)
  })

  test('send what was selected for a download on the other', async () => {
    const made = await send(one, '/api/selections', {
      method: 'POST',
      body: JSON.stringify({ files: ['a.txt'] }),
    })
    const { id } = (await made.json()) as { id: string }
    const archive = await send(two, `/api/raw/?algo=tar&selection=${id}`)
    expect(archive.status).toBe(200)
    expect(Buffer.from(await archive.arrayBuffer()).toString('latin1')).toContain('a.txt')
    expect((await send(two, '/api/raw/?algo=tar&selection=unknown')).status).toBe(404)
  })

  test('let a session go on that neither has made lately, and end one that nobody uses', async () => {
    for (const server of [one, two]) await server.stop()
    await postgres.query(
      new URL(address).pathname.slice(1),
      `update filebrowser.sessions set age = 1, doc = regexp_replace(doc, '"lastSeenMs":[0-9]+', '"lastSeenMs":1')`,
    )
    const fresh = await startNode(3)
    expect(await ask(fresh, '/api/users')).toBe(401)
    token = await (await login(fresh.origin, PASSWORD)).text()
    await fresh.stop()
    const count = `select count(*) from filebrowser.sessions`
    const [[left] = []] = await postgres.query(new URL(address).pathname.slice(1), count)
    expect(left).toBe('1')
    expect(await ask(await startNode(4), '/api/users')).toBe(200)
  })

  test('hold what was locked and noted by WebDAV on the other', async () => {
    const dav = (server: Served, method: string, body: string, headers = {}) =>
      fetch(`${server.origin}/dav/a.txt`, {
        method,
        body,
        headers: {
          Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
          ...headers,
        },
      })
    const note =
      '<propertyupdate xmlns="DAV:"><set><prop><n xmlns="urn:x">noted here</n></prop></set></propertyupdate>'
    expect((await dav(one, 'PROPPATCH', note)).status).toBe(207)
    await waitFor('the note on the other', async () => {
      const found = await dav(two, 'PROPFIND', '<propfind xmlns="DAV:"><allprop/></propfind>', {
        Depth: '0',
      })
      return (await found.text()).includes('noted here')
    })
    const lock =
      '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>'
    const both = await Promise.all([dav(one, 'LOCK', lock), dav(two, 'LOCK', lock)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 423])
    const [lockToken = ''] = both.flatMap(({ headers }) => headers.get('lock-token') ?? [])
    for (const server of [one, two])
      await refusedBy(server, '/api/resources/a.txt', 423, token, 'PUT')
    const holder = both[0]?.status === 200 ? two : one
    expect((await dav(holder, 'UNLOCK', '', { 'Lock-Token': lockToken })).status).toBe(204)
  })

  test('are shown to administrators, and by a command', async () => {
    const response = await send(two, '/api/nodes')
    expect(response.status).toBe(200)
    const nodes = (await response.json()) as { name: string; state: string; leader: boolean }[]
    expect(nodes.map(({ name, state }) => [name, state])).toEqual([
      ['node1', 'ready'],
      ['node2', 'ready'],
    ])
    expect(nodes.filter(({ leader }) => leader)).toHaveLength(1)
    await cli('users', 'add', 'mona', PASSWORD)
    expect(await ask(two, '/api/nodes', {}, await tokenOf('mona'))).toBe(403)
    const words = ['database', 'nodes', '--json', '-d', address]
    expect(JSON.parse((await runCli(words, { cwd, env: ENV })).stdout)).toMatchObject(
      nodes.map(({ name }) => ({ name })),
    )
    expect(await fetch(`${two.origin}/login`).then((page) => page.text())).toContain('"Nodes":true')
  })

  test('let one win where both want the same name', async () => {
    const add = (server: Served, name: string) =>
      ask(server, '/api/users', {
        method: 'POST',
        body: JSON.stringify({
          what: 'user',
          which: [],
          current_password: PASSWORD,
          data: { username: name, password: PASSWORD, scope: '.', perm: {} },
        }),
      })
    for (const name of ['a', 'b', 'c', 'd']) {
      const statuses = await Promise.all([add(one, name), add(two, name)])
      expect(statuses.sort()).toEqual([201, 409])
    }
  })
})

const cli = (...words: string[]) => done(...words, '-d', address)

async function tokenOf(username: string): Promise<string> {
  const body = JSON.stringify({ username, password: PASSWORD })
  return (await fetch(`${one.origin}/api/login`, { method: 'POST', body })).text()
}

function send(
  server: Served,
  path: string,
  init: RequestInit = {},
  auth = token,
): Promise<Response> {
  return fetch(`${server.origin}${path}`, { ...init, headers: { 'X-Auth': auth } })
}

async function ask(server: Served, path: string, init: RequestInit = {}, auth = token) {
  const response = await send(server, path, init, auth)
  await response.arrayBuffer()
  return response.status
}

/** Refused within a second of now. */
async function refusedBy(
  server: Served,
  path: string,
  status: number,
  auth = token,
  method = 'GET',
) {
  const from = performance.now()
  await waitFor(`${status} for ${path}`, async () => {
    const begun = performance.now()
    const found = await ask(server, path, { method }, auth)
    if (found !== status && begun - from > 1_000)
      throw new Error(`${path} was answered ${found} after a second`)
    return found === status
  })
}
