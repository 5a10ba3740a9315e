// Every failure names its reason in X-Error-Code, whatever made the answer.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { admitUnescapedTargets } from '../../src/http/unescaped-target.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { withDeadline } from '../support/deadline.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

interface Case {
  title: string
  path: string
  init?: RequestInit
  as?: 'bob' | 'nobody'
  status: number
  code: string
}

const head = { method: 'HEAD' }
const post = (body = '{}') => ({ method: 'POST', body })
const range = { headers: { Range: 'bytes=900000-' } }
const past = { headers: { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' } }

const CASES: Case[] = [
  // What no route has.
  at('an unknown address', '/api/nothing', 404, 'not_found'),
  at('a method no route has', '/api/usage/', 404, 'not_found', post()),
  at('HEAD of a route without it', '/api/raw/a.txt', 404, 'not_found', head),
  at('a post to the page', '/files/', 404, 'not_found', post()),
  at('HEAD of the page', '/files/', 404, 'not_found', head),
  at('a malformed path', '/api/raw/%zz', 400, 'bad_request'),
  at('a post to a share', '/api/public/share/x', 405, 'method_not_allowed', post()),
  at('HEAD of a share', '/api/public/share/x', 405, 'method_not_allowed', head),
  // The interface.
  at('a folder of static files', '/static/img/', 404, 'not_found'),
  at('a static file that is not there', '/static/none.js', 404, 'not_found'),
  // Accounts.
  at('no session', '/api/usage/', 401, 'unauthenticated', {}, 'nobody'),
  at('wrong credentials', '/api/login', 403, 'wrong_credentials', post(), 'nobody'),
  at('signup while it is off', '/api/signup', 405, 'method_not_allowed', post(), 'nobody'),
  at('settings without administration', '/api/settings', 403, 'forbidden', {}, 'bob'),
  at('a wrong current password', '/api/users/2', 400, 'invalid_password', {
    method: 'PUT',
    body: '{"what":"user","which":["all"],"current_password":"x","data":{"id":2}}',
  }),
  at('a body that is no JSON', '/api/settings', 400, 'bad_request', { method: 'PUT', body: '{' }),
  at('a session that is not there', '/api/sessions/x', 404, 'not_found', { method: 'DELETE' }),
  // Files.
  at('a missing file', '/api/resources/none', 404, 'not_found'),
  at('a file that exists', '/api/resources/a.txt', 409, 'exists', post()),
  at('a save with a trailing slash', '/api/resources/a.txt/', 405, 'method_not_allowed', {
    method: 'PUT',
    body: 'x',
  }),
  at('a save of another version', '/api/resources/a.txt', 412, 'precondition_failed', {
    method: 'PUT',
    body: 'x',
    headers: { 'If-Match': '"other"' },
  }),
  at('an unknown checksum', '/api/resources/a.txt?checksum=crc', 400, 'bad_request'),
  at('a range behind the end', '/api/raw/a.txt', 416, 'range_not_satisfiable', range),
  at('a changed file', '/api/raw/a.txt', 412, 'precondition_failed', past),
  at('a download without the right', '/api/raw/a.txt', 202, 'download_forbidden', {}, 'bob'),
  at('an unknown archive', '/api/raw/?algo=rar', 400, 'bad_request'),
  at(
    'a range behind the end of a preview',
    '/api/preview/thumb/a.png',
    416,
    'range_not_satisfiable',
    range,
  ),
  at('a preview of text', '/api/preview/thumb/a.txt', 501, 'not_implemented'),
  at('a preview in another size', '/api/preview/x/a.png', 400, 'bad_request'),
  at(
    'a range behind the end of subtitles',
    '/api/subtitle/a.srt',
    416,
    'range_not_satisfiable',
    range,
  ),
  at('changed subtitles', '/api/subtitle/a.srt', 412, 'precondition_failed', past),
  at('subtitles of a text', '/api/subtitle/a.txt', 400, 'bad_request'),
  at('an upload without a length', '/api/tus/t.bin', 400, 'bad_request', { method: 'POST' }),
  at('a chunk of another type', '/api/tus/t.bin', 415, 'unsupported', {
    method: 'PATCH',
    body: 'x',
    headers: { 'Upload-Offset': '0' },
  }),
  at('a share of nothing', '/api/share/none', 404, 'not_found', post()),
  at('a share that is not there', '/api/public/share/none', 404, 'not_found'),
  at('a command without a handshake', '/api/command/', 400, 'bad_request'),
]

function at(
  title: string,
  path: string,
  status: number,
  code: string,
  init: RequestInit = {},
  as?: 'bob' | 'nobody',
): Case {
  return { title, path, status, code, init, ...(as ? { as } : {}) }
}

it('every failure carries its reason', async () => {
  const { defaultPermissions } = await import('../../src/store/document.ts')
  await using app = await startApp({
    tree: { 'a.txt': 'a', 'a.png': PIXEL, 'a.srt': '1\n00:00:01,000 --> 00:00:02,000\nHi\n' },
    users: [{ username: 'bob', perm: { ...defaultPermissions(), download: false } }],
  })
  const [admin, bob] = [await app.as('admin'), await app.as('bob')]
  const seen: string[] = []
  for (const { title, path, init, as } of CASES) {
    const call = as === 'nobody' ? app.fetch : as === 'bob' ? bob.fetch : admin.fetch
    const response = await call(path, init)
    await response.arrayBuffer()
    seen.push(`${title}: ${response.status} ${response.headers.get('x-error-code')}`)
  }
  expect(seen).toEqual(CASES.map(({ title, status, code }) => `${title}: ${status} ${code}`))
})

it('also a refused upgrade', async () => {
  await using app = await startApp()
  expect(await refusedUpgrade(app, {})).toEqual({ status: 401, code: 'unauthenticated' })
  const { token } = await app.as('admin')
  const foreign = { 'X-Auth': token, Origin: 'http://elsewhere.example' }
  expect(await refusedUpgrade(app, foreign)).toEqual({ status: 403, code: 'forbidden' })
})

it('also a request that is refused before it is read', async () => {
  await using app = await startApp()
  const refused = async (head: string) => {
    const answer = await rawAnswer(app.port, head)
    return [/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1], /^X-Error-Code: (\w+)\r$/m.exec(answer)?.[1]]
  }
  expect(await refused('GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n')).toEqual([
    '400',
    'bad_request',
  ])
  const long = `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`
  expect(await refused(long)).toEqual(['431', 'too_large'])
})

it('also a request that does not come to its end in time', async () => {
  const server = createServer({ connectionsCheckingInterval: 20 })
  server.headersTimeout = 50
  admitUnescapedTargets(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const answer = await rawAnswer(port, 'GET / HTTP/1.1\r\nHost: x\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\r\nX-Error-Code: bad_request\r\n/)
  } finally {
    server.close()
  }
})

/** All that the server sends before it closes the connection. */
async function rawAnswer(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  // The server may close while what it does not want is still being sent.
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', (part: Buffer) => {
    answer += part.toString('latin1')
  })
  socket.write(sent)
  await withDeadline('the end of the connection', 60_000, once(socket, 'close'))
  return answer
}

function refusedUpgrade(
  app: TestApp,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; code: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request(`${app.origin}/api/command/`, {
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    call.on('response', ({ statusCode, headers: answer }) => {
      resolve({ status: statusCode, code: answer['x-error-code'] })
      call.destroy()
    })
    call.on('upgrade', () => reject(new Error('it was admitted')))
    call.on('error', reject)
    call.end()
  })
}
