// Requests that are sent before the answer to the one before: one at a time, in their order.
import { readdir, readlink } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

const MIB = 1024 * 1024
const ASK_HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'

/** Descriptors of this process that lead to `name`. */
async function openOf(name: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  )
  return (await Promise.all(links)).filter((target) => target.endsWith(name)).length
}

async function allOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1')
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

it.runIf(process.platform === 'linux')(
  'a file is opened when its turn comes, and closed when the client leaves',
  async () => {
    await using app = await startApp({ tree: { 'pipelined.bin': Buffer.alloc(16 * MIB) } })
    const { token } = await app.as('admin')
    const ask = (range: string) =>
      `GET /api/raw/pipelined.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${range}\r\n`
    for (const range of ['', 'Range: bytes=0-9,20-29\r\n']) {
      const socket = connect(app.port, '127.0.0.1')
      socket.pause()
      socket.write(ask('') + ask(range) + ask(range))
      await waitFor('an open file', async () => (await openOf('pipelined.bin')) > 0)
      // Time enough for the others to be opened, if they were.
      await app.as('admin')
      expect(await openOf('pipelined.bin')).toBe(1)
      socket.destroy()
      await waitFor('closed files', async () => (await openOf('pipelined.bin')) === 0)
    }
  },
)

it('are answered in their order, whichever would be ready first', async () => {
  await using app = await startApp({ tree: { 'a.txt': 'first', 'b.txt': 'second' } })
  const { token } = await app.as('admin')
  const ask = (name: string, more = '') =>
    `GET /api/raw/${name} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${more}\r\n`
  const last = ask('b.txt', 'Connection: close\r\n')
  const text = await sendRaw(app.port, ask('a.txt') + ASK_HEALTH + last, true)
  expect(statusesOf(text)).toEqual([200, 200, 200])
  expect(text.indexOf('first')).toBeLessThan(text.indexOf('"OK"'))
  expect(text.indexOf('"OK"')).toBeLessThan(text.indexOf('second'))
})

it('a body that waits behind another request arrives whole', async () => {
  await using app = await startApp({ tree: {} })
  const { token } = await app.as('admin')
  const put = (name: string, text: string, more = '') =>
    `POST /api/resources/${name} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${more}` +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  const long = 'long '.repeat(100_000)
  const last = put('c.txt', 'c', 'Connection: close\r\n')
  const answer = await sendRaw(app.port, put('a.txt', 'a') + put('b.txt', long) + last, true)
  expect(statusesOf(answer)).toEqual([200, 200, 200])
  expect(await app.tree.read('b.txt')).toBe(long)
  expect(await app.tree.read('c.txt')).toBe('c')
})

it('far too many at once end the connection and nothing else', async () => {
  await using app = await startApp({ tree: { 'large.bin': Buffer.alloc(16 * MIB) } })
  const { token } = await app.as('admin')
  const socket = connect(app.port, '127.0.0.1')
  socket.on('error', () => {})
  const ended = allOf(socket)
  const large = `GET /api/raw/large.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`
  socket.write(large + ASK_HEALTH.repeat(1_000))
  await withDeadline('the end of the connection', 60_000, ended)
  expect((await app.fetch('/health')).status).toBe(200)
})
