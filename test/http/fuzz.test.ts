import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { withDeadline } from '../support/deadline.ts'
import { fuzz } from '../support/fuzz.ts'
import { fuzzShell } from '../support/fuzz-shell.ts'

/** Different requests every day, the same ones for everybody who runs the tests that day. */
const DAILY_SEED = Math.floor(Date.now() / 86_400_000)

it('answers 2,000 strange requests without a failure, a leak or a change outside', async () => {
  await fuzz(2_000, 1_000, DAILY_SEED)
})

it.runIf(process.platform === 'linux')(
  'ends 200 shell connections with strange frames as it should, and leaves no program',
  () => fuzzShell(200, DAILY_SEED),
)

it('answers or closes on what is no HTTP', async () => {
  await using app = await startApp()
  const lines = [
    'GET\r\n\r\n',
    'GET /\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET //etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/raw/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET \\..\\..\\x HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET /api/command/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${'\u0001'}\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    '\u0000\u0001\u0002\u0003',
  ]
  for (const line of lines) {
    const socket = connect(app.port, '127.0.0.1')
    socket.on('error', () => {})
    let answer = ''
    socket.on('data', (part: Buffer) => {
      answer += part.toString('latin1')
    })
    socket.end(Buffer.from(line, 'latin1'))
    await withDeadline(
      `the end of ${JSON.stringify(line.slice(0, 40))}`,
      60_000,
      once(socket, 'close'),
    )
    expect(answer, line).not.toMatch(/^HTTP\/1.1 500|root:x:/m)
  }
  expect((await fetch(`${app.origin}/health`)).status).toBe(200)
  expect(app.errors).toEqual([])
})
