// Nobody reaches the machine or its network by letting the server fetch something: not by spelling, not by a name
// that resolves there, not by a name that changes its mind, and not by a redirect.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseFetchFrom } from '../../src/config/fetch-from.ts'
import { isWithinReach, reachOf } from '../../src/files/remote/reach.ts'
import { pinnedTo, type Resolve, requestRemote } from '../../src/files/remote/request.ts'
import { openApp } from '../support/app.ts'
import { post, runToEnd } from '../support/jobs.ts'
import { openRemote, type RemoteServer } from '../support/remote-server.ts'

const reach = (url: string, from: string) => {
  const allowed = parseFetchFrom(from)
  if (!allowed) throw new Error('nothing is allowed')
  return reachOf(new URL(url), allowed)
}

/** A server that counts who has come, and must not. */
async function victim(): Promise<RemoteServer> {
  const server = await openRemote((_, response) => response.end('secret'))
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const fetchWith = (
  url: string,
  from: string,
  resolve: Resolve,
  signal = AbortSignal.timeout(5_000),
) => {
  const allowed = parseFetchFrom(from)
  if (!allowed) throw new Error('nothing is allowed')
  return requestRemote(new URL(url), { from: allowed, signal, resolve })
}

describe('addresses', () => {
  const SPECIAL = [
    ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '169.254.169.254', '169.254.1.1'],
    ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.7', '203.0.113.9'],
    ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...[
      '100.100.100.200',
      'fd00:ec2::254',
      '::',
      '::1',
      'fe80::1',
      'febf::1',
      'fec0::1',
      'ff02::1',
    ],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1'],
    ...['64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1'],
  ]
  const PRIVATE = [
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fd12::1',
  ]
  const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1']

  it.each(SPECIAL)('%s is reached by no name', (address) => {
    expect([isWithinReach(address, 'public'), isWithinReach(address, 'private')]).toEqual([
      false,
      false,
    ])
  })

  it.each(PRIVATE)('%s is reached by a name that is listed, and no other', (address) => {
    expect([isWithinReach(address, 'public'), isWithinReach(address, 'private')]).toEqual([
      false,
      true,
    ])
  })

  it.each(PUBLIC)('%s is reached', (address) => {
    expect([isWithinReach(address, 'public'), isWithinReach(address, 'private')]).toEqual([
      true,
      true,
    ])
  })

  it('of this machine are reached by no name, whatever network they are of', () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
      expect([isWithinReach(address, 'public'), isWithinReach(address, 'private')]).toEqual([
        false,
        false,
      ])
  })
})

describe('hosts', () => {
  it.each([
    ['http://example.org/a', 'public', 'public'],
    ['https://example.org:8443/a', 'public', 'public'],
    ['http://example.org:25/', 'public', null],
    ['http://example.org:22/', 'example.org', null],
    ['http://example.org:22/', 'example.org:22', 'private'],
    ['http://example.org:8080/', 'example.org:22', null],
    ['http://EXAMPLE.org./', 'example.org', 'private'],
    ['http://a.example.org/', 'example.org', null],
    ['http://a.example.org/', '*.example.org', 'public'],
    ['http://example.org/', '*.example.org', null],
    ['http://badexample.org/', '*.example.org', null],
    ['http://example.org.evil.test/', 'example.org', null],
    ['http://example.org@evil.test/', 'example.org', null],
    ['http://evil.test/?example.org', 'example.org', null],
    ['http://evil.test#example.org', 'example.org', null],
    ['http://192.168.1.5/', '192.168.1.5', 'any'],
    ['http://[fd00::5]/', '[fd00:0::5]', 'any'],
    ['http://192.168.1.6/', '192.168.1.5', null],
    // One address in other spellings is that one.
    ['http://0x7f.1/', '127.0.0.1', 'any'],
    ['http://2130706433/', 'public', 'public'],
    ['ftp://example.org/', 'public', null],
    ['file:///etc/passwd', 'public', null],
  ])('%s with %s: %s', (url, from, expected) => {
    expect(reach(url, from)).toBe(expected)
  })

  it.each(['http://x', 'x/y', 'x:0', 'x:70000', '*', '*.10.0.0.1', 'a@b', 'x?', '[::1', 'x y:z'])(
    'fetchFrom refuses %j',
    (text) => {
      expect(() => parseFetchFrom(text)).toThrow(/neither|expected/)
    },
  )

  it.each([
    ...[
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f000001',
      'http://0177.0.0.1',
    ],
    ...['http://0', 'http://[::1]', 'http://[::ffff:127.0.0.1]', 'http://[::127.0.0.1]'],
    ...['http://[64:ff9b::127.0.0.1]', 'http://localhost', 'http://localhost.'],
  ])('%s does not reach this machine with "public"', async (origin) => {
    const server = await victim()
    const answer = fetchWith(`${origin}:${server.port}/`, 'public', async () => [
      '127.0.0.1',
      '::1',
    ])
    await expect(answer).rejects.toMatchObject({ code: 'fetch_failed' })
    expect(server.asked).toEqual([])
  })
})

describe('names', () => {
  it('that resolve to this machine are refused, listed or not', async () => {
    const server = await victim()
    for (const from of ['public', 'evil.test', '*.test']) {
      const answer = fetchWith(`http://evil.test:${server.port}/`, from, async () => ['127.0.0.1'])
      await expect(answer).rejects.toMatchObject({ code: 'fetch_failed' })
    }
    expect(server.asked).toEqual([])
  })

  it('are resolved once, and what they resolve to later does not count', async () => {
    const server = await victim()
    let times = 0
    // Nobody is there; the system itself would resolve the name to this machine.
    const rebinding: Resolve = async () => (++times === 1 ? ['10.255.255.1'] : ['127.0.0.1'])
    const late = AbortSignal.timeout(700)
    const answer = fetchWith(`http://localhost:${server.port}/`, 'localhost', rebinding, late)
    await expect(answer).rejects.toThrow()
    expect([times, server.asked]).toEqual([1, []])
  })

  it('lead to the address that was judged, with the name for the server', async () => {
    const server = await victim()
    const asking = request(`http://somewhere.test:${server.port}/`, {
      agent: false,
      lookup: pinnedTo(['127.0.0.1']),
    }).end()
    const [answer] = await once(asking, 'response')
    answer.resume()
    expect(server.asked[0]?.headers.host).toBe(`somewhere.test:${server.port}`)
  })

  it('with addresses of both kinds are reached by the good ones alone', async () => {
    const server = await victim()
    const mixed: Resolve = async () => ['127.0.0.1', '10.255.255.1', '::1', 'no address']
    const late = AbortSignal.timeout(700)
    const answer = fetchWith(`http://mixed.test:${server.port}/`, 'mixed.test', mixed, late)
    await expect(answer).rejects.toThrow()
    expect(server.asked).toEqual([])
  })
})

describe('redirects', () => {
  const to = async (location: (inside: RemoteServer) => string) => {
    const inside = await victim()
    const outside = await openRemote((_, response) =>
      response.writeHead(302, { Location: location(inside) }).end(),
    )
    onTestFinished(() => outside[Symbol.asyncDispose]())
    return { inside, outside }
  }

  it.each([
    ['the same machine', ({ port }: RemoteServer) => `http://127.0.0.1:${port}/`],
    ['it by name', ({ port }: RemoteServer) => `http://localhost:${port}/`],
    ['it by IPv6', ({ port }: RemoteServer) => `http://[::ffff:127.0.0.1]:${port}/`],
    ['it without a scheme', ({ port }: RemoteServer) => `//127.0.0.1:${port}/`],
    ['secrets of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file', () => 'file:///etc/passwd'],
    ['a socket', () => 'unix:///run/docker.sock'],
    ['with a password', ({ port }: RemoteServer) => `http://a:b@127.0.0.1:${port}/`],
  ])('to %s are not followed', async (_, location) => {
    const { inside, outside } = await to(location)
    const answer = fetchWith(`${outside.origin}/`, `${outside.host},public`, async () => [
      '127.0.0.1',
    ])
    await expect(answer).rejects.toMatchObject({ code: 'fetch_failed' })
    expect([outside.asked.length, inside.asked]).toEqual([1, []])
  })

  it('end after five', async () => {
    const loop = await openRemote((_, response) => response.writeHead(307, { Location: '/' }).end())
    onTestFinished(() => loop[Symbol.asyncDispose]())
    const answer = fetchWith(`${loop.origin}/`, loop.host, async () => [])
    await expect(answer).rejects.toMatchObject({ code: 'fetch_failed' })
    expect(loop.asked).toHaveLength(6)
  })
})

it('a server that answers with another protocol is not waited for', async () => {
  const odd = await openRemote(({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  )
  onTestFinished(() => odd[Symbol.asyncDispose]())
  const answer = fetchWith(`${odd.origin}/`, odd.host, async () => [])
  await expect(answer).rejects.toMatchObject({ code: 'fetch_failed' })
})

it('refused, closed, silent and odd servers are one and the same answer', async () => {
  const server = await victim()
  const gone = await openRemote(() => {})
  await gone[Symbol.asyncDispose]()
  const broken = await openRemote((request_) => request_.socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
  onTestFinished(() => broken[Symbol.asyncDispose]())
  await using app = await openApp({
    tree: { to: null },
    config: { fetchFrom: parseFetchFrom(`localhost:${server.port},${gone.host},${broken.host}`) },
  })
  const admin = await app.as('admin')
  const origins = [`http://localhost:${server.port}`, gone.origin, broken.origin]
  for (const origin of origins) {
    const job = await runToEnd(admin, { kind: 'fetch', url: `${origin}/`, to: '/to' })
    expect(job).toMatchObject({ state: 'failed', reason: 'fetch_failed', items: [], errors: [] })
  }
  const unlisted = { kind: 'fetch', url: 'http://127.0.0.1:1/', to: '/to' }
  expect((await post(admin, unlisted)).headers.get('X-Error-Code')).toBe('fetch_failed')
  expect(server.asked).toEqual([])
  expect(await readdir(app.tree.at('to'))).toEqual([])
})
