// What is no HTTP (class 15, GHSA-6jqf-mv7m-3q7p): two readers of one connection must not see
// different requests in it, so everything ambiguous is refused and the connection ends.
import { describe, expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

/** Comes through only if the server takes it for a second request. */
const SMUGGLED = 'GET /health?smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const head = (lines: string, rest: string) =>
  `POST /api/login HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n${rest}`

const CASES: Record<string, string> = {
  'length and chunks': head(
    'Content-Length: 4\r\nTransfer-Encoding: chunked',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'chunks and length': head(
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'two lengths': head('Content-Length: 0\r\nContent-Length: 4', SMUGGLED),
  'two equal lengths': head('Content-Length: 2\r\nContent-Length: 2', `{}${SMUGGLED}`),
  'a list of lengths': head('Content-Length: 2, 2', `{}${SMUGGLED}`),
  'a negative length': head('Content-Length: -1', SMUGGLED),
  'a signed length': head('Content-Length: +2', `{}${SMUGGLED}`),
  'a length in hexadecimal': head('Content-Length: 0x2', `{}${SMUGGLED}`),
  'a length that overflows': head('Content-Length: 18446744073709551618', SMUGGLED),
  'a length with a blank in it': head('Content-Length: 1 2', `{}${SMUGGLED}`),
  'an unknown coding': head('Transfer-Encoding: xchunked', `0\r\n\r\n${SMUGGLED}`),
  'a coding after chunked': head('Transfer-Encoding: chunked, identity', `0\r\n\r\n${SMUGGLED}`),
  'two codings': head(
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    `0\r\n\r\n${SMUGGLED}`,
  ),
  'a blank before the colon': head('Transfer-Encoding : chunked', `0\r\n\r\n${SMUGGLED}`),
  'a folded line': head('X-Fold: a\r\n b', SMUGGLED),
  'a folded coding': head('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${SMUGGLED}`),
  'a bare line feed after a chunk size': head(
    'Transfer-Encoding: chunked',
    `2\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a bare line feed after a chunk': head(
    'Transfer-Encoding: chunked',
    `2\r\n{}\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a bare line feed in an extension': head(
    'Transfer-Encoding: chunked',
    `2;a\nb\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a chunk size that is none': head(
    'Transfer-Encoding: chunked',
    `zz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a negative chunk': head('Transfer-Encoding: chunked', `-2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  'a chunk size that overflows': head(
    'Transfer-Encoding: chunked',
    `fffffffffffffffff\r\n{}${SMUGGLED}`,
  ),
  'a chunk in 0x': head('Transfer-Encoding: chunked', `0x2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`),
  'a chunk longer than it says': head(
    'Transfer-Encoding: chunked',
    `1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  'a header with a control character': head('X-A: a\u0001b', SMUGGLED),
  'a header with NUL': head('X-A: a\u0000b', SMUGGLED),
  'a header name with a blank': head('X A: b', SMUGGLED),
  'a header without a colon': head('nothing', SMUGGLED),
  'a bare carriage return': head('X-A: a\rX-B: b', SMUGGLED),
  'no host': 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
  'an unknown version': 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n',
  'HTTP/2 by force': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a target with a blank': 'GET /hea lth HTTP/1.1\r\nHost: x\r\n\r\n',
  'an unknown method': 'G\u0001T /health HTTP/1.1\r\nHost: x\r\n\r\n',
}

describe('GHSA-6jqf-mv7m-3q7p: the answer is 400 and the end of the connection', () => {
  it.each(Object.entries(CASES))('to %s', async (_, bytes) => {
    await using app = await startApp()
    const answer = await sendRaw(app.port, bytes)
    const statuses = statusesOf(answer)
    expect(statuses.at(-1)).toBe(400)
    expect(statuses).not.toContain(200)
    expect(answer).not.toContain('"status":"OK"')
    expect((await app.fetch('/health')).status).toBe(200)
  })

  it('to headers larger than any client sends: 431', async () => {
    await using app = await startApp()
    const large = `GET /health HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`
    expect(statusesOf(await sendRaw(app.port, large)).at(-1)).toBe(431)
  })

  it('also to bytes that are no request at all', async () => {
    await using app = await startApp()
    for (const bytes of [
      '\u0016\u0003\u0001\u0002',
      '\u0000\u0000\u0000',
      'hello\r\n\r\n',
      '\r\n\r\nx\r\n\r\n',
    ])
      expect(statusesOf(await sendRaw(app.port, bytes))).toEqual([400])
  })
})

it('two honest requests on one connection are both answered', async () => {
  await using app = await startApp()
  const first = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
  expect(statusesOf(await sendRaw(app.port, first + SMUGGLED, true))).toEqual([200, 200])
})

it('two Host headers are 400, whatever they say', async () => {
  await using app = await startApp()
  for (const second of ['Host: x', 'host: other', 'HOST:'])
    for (const more of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
      const head = `GET /health HTTP/1.1\r\nHost: x\r\n${second}\r\n${more}\r\n`
      expect(statusesOf(await sendRaw(app.port, head, true))).toEqual([400])
    }
})
