// Servers that keep a connection for ever by giving next to nothing.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { parseFetchFrom } from '../../src/config/fetch-from.ts'
import { type Pace, requestRemote } from '../../src/files/remote/request.ts'

/** Asks a server that drips by `each` every few milliseconds. */
async function ask(head: string, each: string, pace: Pace) {
  const drip = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(head))
    const timer = setInterval(() => socket.write(each), 10)
    socket.once('close', () => clearInterval(timer))
  }
  const server = createServer(drip)
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const from = parseFetchFrom(host)
  if (!from) throw new Error('nothing is allowed')
  const control = new AbortController()
  onTestFinished(() => control.abort())
  return requestRemote(new URL(`http://${host}/`), { from, pace, signal: control.signal })
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'

it('an answer that does not come to its body is given up', async () => {
  const asked = ask('HTTP/1.1 200 OK\r\nX: ', 'x', { minBytes: 1, withinMs: 200 })
  await expect(asked).rejects.toMatchObject({ code: 'fetch_failed' })
})

it('a file of which too little comes at a time breaks off', async () => {
  const { body } = await ask(HEAD, 'x', { minBytes: 1_000, withinMs: 200 })
  await expect(text(body)).rejects.toThrow('too slow')
})

it('a file that comes fast enough, or is not read for a while, goes on', async () => {
  const { body } = await ask(HEAD, 'x'.repeat(1_000), { minBytes: 1_000, withinMs: 200 })
  body.resume()
  await sleep(500)
  body.pause()
  await sleep(500)
  expect(body.destroyed).toBe(false)
})
