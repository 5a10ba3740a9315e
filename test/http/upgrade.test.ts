// Clients that offer another protocol with an ordinary request (Java's to every address without TLS,
// `curl --http2`, proxies that pass the header on) get the answer to that request.
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'
import { openShell } from '../support/shell.ts'

const WEBSOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const OFFERS: Record<string, string> = {
  'HTTP/2':
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n',
  TLS: 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n',
  'a WebSocket where there is none': WEBSOCKET,
}

it.each(Object.entries(OFFERS))('%s: the request is answered as any', async (_, offer) => {
  await using app = await startApp({ tree: { 'a.txt': 'old' } })
  const { token } = await app.as('admin')
  const ask = (line: string, body: string) =>
    sendRaw(
      app.port,
      `${line} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${offer}` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
      true,
    )
  const text = 'new '.repeat(50_000)
  expect(statusesOf(await ask('PUT /api/resources/a.txt', text))).toEqual([200])
  expect(await app.tree.read('a.txt')).toBe(text)
  const read = await ask('GET /api/raw/a.txt', '')
  expect(statusesOf(read)).toEqual([200])
  expect(read.endsWith(text)).toBe(true)
  // What follows in the same packet is lost, so the client is told to ask on another connection.
  expect(read).toContain('\r\nConnection: close\r\n')
})

it('a WebSocket is opened where commands run, by GET alone', async () => {
  await using app = await startApp()
  const { token } = await app.as('admin')
  const { socket } = await openShell(app, token)
  socket.terminate()
  const head = `POST /api/command/ HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${WEBSOCKET}\r\n`
  expect(statusesOf(await sendRaw(app.port, head, true))).toEqual([404])
})
