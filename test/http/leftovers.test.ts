// A refused upload: the client must see why, also on a slow line, and may use the connection again
// (docs/http-api.md 8.3).
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { withDeadline } from '../support/deadline.ts'
import type { SignedIn } from '../support/login.ts'

const CHUNK_BYTES = 64 * 1024
const CRLF = Buffer.from('\r\n')

async function withUpload(): Promise<{ app: TestApp; admin: SignedIn }> {
  const app = await startApp({ tree: {} })
  const admin = await app.as('admin')
  const headers = { 'Upload-Length': '5' }
  await admin.fetch('/api/tus/a.bin', { method: 'POST', headers })
  return { app, admin }
}

for (const [title, offset, status] of [
  ['at the wrong offset', 3, 409],
  ['longer than announced', 0, 413],
] as const)
  it(`a body ${title} is answered ${status} to a slow client, whose connection lives on`, async () => {
    const { app, admin } = await withUpload()
    await using _ = app
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const chunks = 20
    const sending = request(`${app.origin}/api/tus/a.bin`, {
      method: 'PATCH',
      agent,
      headers: {
        'X-Auth': admin.token,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(offset),
        'Content-Length': chunks * CHUNK_BYTES,
      },
    })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    // The line takes two seconds for what the server has refused at its first byte.
    for (let i = 0; i < chunks; i++) {
      sending.write(Buffer.alloc(CHUNK_BYTES))
      await pause(100)
    }
    sending.end()
    const [answer] = await withDeadline('the answer', 60_000, answered)
    expect(answer.statusCode).toBe(status)
    const { localPort } = answer.socket
    answer.resume()
    await once(answer, 'end')

    const next = request(`${app.origin}/health`, { agent }).end()
    const [health] = (await withDeadline('the next', 60_000, once(next, 'response'))) as [
      IncomingMessage,
    ]
    expect(health.statusCode).toBe(200)
    expect(health.socket.localPort).toBe(localPort)
    health.resume()
    agent.destroy()
  })

it('a client that never stops sending a refused body is cut off', async () => {
  const { app, admin } = await withUpload()
  await using _ = app
  const socket = connect(app.port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(
    'PATCH /api/tus/a.bin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n' +
      `X-Auth: ${admin.token}\r\nContent-Type: text/plain\r\n\r\n`,
  )
  const piece = Buffer.alloc(CHUNK_BYTES)
  const head = `${CHUNK_BYTES.toString(16)}\r\n`
  const send = () => {
    while (!socket.destroyed && socket.write(Buffer.concat([Buffer.from(head), piece, CRLF])));
  }
  socket.on('drain', send).resume()
  send()
  await withDeadline('the end of the connection', 60_000, closed)
})
