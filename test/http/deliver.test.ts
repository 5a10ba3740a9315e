// How answers leave: over a connection, and in memory where there is none.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { answer, type Streamed, stream } from '../../src/http/answer.ts'
import type { Env } from '../../src/http/context.ts'
import { delivery } from '../../src/http/deliver.ts'
import type { Deps } from '../../src/http/deps.ts'
import { answerError } from '../../src/http/failures.ts'
import { createTransfers } from '../../src/http/transfers.ts'
import { waitFor } from '../support/deadline.ts'
import { incomingOf } from '../support/incoming.ts'
import { statusesOf } from '../support/raw-http.ts'

/** So many bytes, each value among them, in the middle of a larger memory. */
function everyByte(length: number): Buffer {
  return Buffer.from(Array.from({ length: length + 2 }, (_, i) => i % 256)).subarray(1, -1)
}
/** Few leave with the head, more by themselves. */
const LENGTHS = [256, 2_048, 2_049]

/** Bodies by their path, and which of them were closed. */
const BODIES: Record<string, Streamed['write']> = {
  '/whole': async (output) => {
    await output.write('one, ')
    await output.write(Buffer.from('two'))
  },
  '/last': (output) => output.end('all at once'),
  ...Object.fromEntries(
    LENGTHS.map((length): [string, Streamed['write']] => [
      `/last/${length}`,
      (output) => output.end(everyByte(length)),
    ]),
  ),
  '/empty': async () => {},
  '/fails': async () => {
    throw new Error('before the first byte')
  },
  '/breaks': async (output) => {
    await output.write('one, ')
    throw new Error('after the first byte')
  },
}

function createBodies() {
  const lines: string[] = []
  const closed: string[] = []
  const transfers = createTransfers()
  const log = { error: (text: string) => lines.push(text), request: () => {} }
  const deps = {
    transfers,
    log,
    clients: { addressOf: () => '', requestIdOf: () => 'a1' },
  } as unknown as Deps
  const app = new Hono<Env>()
  app.onError((error, c) => answerError(error, c as never, deps))
  app.use(async (c, next) => {
    c.env.target = { key: c.req.path, path: c.req.path } as never
    await next()
  })
  app.use(delivery(deps))
  for (const [path, write] of Object.entries(BODIES))
    app.get(path, () =>
      stream(
        { 'Content-Type': 'text/plain' },
        { what: 'a text', memoryBytes: 1, write, close: () => void closed.push(path) },
      ),
    )
  const close = () => Promise.reject(new Error('EIO: close'))
  const write: Streamed['write'] = (output) => output.end('all of it')
  app.get('/unclosed', () => stream({}, { what: 'a text', memoryBytes: 1, write, close }))
  app.get('/bytes', () => answer(Buffer.from('bytes'), { 'X-Two': ['1', '2'] }))
  for (const length of LENGTHS) app.get(`/bytes/${length}`, () => answer(everyByte(length)))
  app.get('/redirect', (c) => c.redirect('/bytes'))
  return { app, closed, lines, close: () => transfers.close() }
}

async function overSocket(paths: string[]) {
  const bodies = createBodies()
  const server = createServer(
    getRequestListener(bodies.app.fetch as never, { overrideGlobalObjects: false }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answers: string[] = []
  for (const path of paths) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      text += part
    })
    socket.on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await once(socket, 'close')
    answers.push(text)
  }
  await new Promise((resolve) => server.close(resolve))
  bodies.close()
  return { answers, ...bodies }
}

it('a body that fails before its first byte is an error answer, later it breaks the connection', async () => {
  const { answers, lines, closed } = await overSocket(['/fails', '/breaks'])
  const [fails = '', breaks = ''] = answers
  expect(statusesOf(fails)).toEqual([500])
  expect(fails).toMatch(/X-Request-Id: \w+[\s\S]*500 Internal Server Error\n$/)
  expect(statusesOf(breaks)).toEqual([200])
  // Neither the end of a chunked body nor all of it.
  expect(breaks).toMatch(/\r\n5\r\none, \r\n$/)
  expect(lines).toContain('a text broke off')
  await waitFor('both bodies to be closed', () => closed.join() === '/fails,/breaks')
})

it('a body that cannot be closed was answered all the same, once', async () => {
  const said = vi.spyOn(console, 'error')
  const { answers, lines } = await overSocket(['/unclosed'])
  expect(statusesOf(answers[0] ?? '')).toEqual([200])
  expect(answers[0]).toMatch(/\r\n\r\nall of it$/)
  await waitFor('the line', () => lines.includes('an answer ended badly'))
  // The library that carries answers tells there of a second one.
  expect(said).not.toHaveBeenCalled()
})

it('a head tells the length of a body that is written at once, and has no type for none', async () => {
  const { answers } = await overSocket(['/last', '/whole', '/empty', '/bytes'])
  const [last, whole, empty, bytes] = answers
  expect(last).toMatch(
    /Content-Type: text\/plain[\s\S]*Content-Length: 11\r\n[\s\S]*\r\n\r\nall at once$/,
  )
  expect(whole).toMatch(/Transfer-Encoding: chunked[\s\S]*\r\n5\r\none, \r\n3\r\ntwo\r\n0\r\n\r\n$/)
  expect(empty).not.toMatch(/Content-Type/)
  expect(bytes).toMatch(/X-Two: 1\r\nX-Two: 2\r\nContent-Length: 5\r\n[\s\S]*\r\n\r\nbytes$/)
})

it('bytes are what they were, few that leave with the head and more', async () => {
  const paths = LENGTHS.flatMap((length) => [`/last/${length}`, `/bytes/${length}`])
  const { answers } = await overSocket(paths)
  const bodies = answers.map((text) => text.slice(text.indexOf('\r\n\r\n') + 4))
  const wanted = LENGTHS.map((length) => everyByte(length).toString('latin1'))
  expect(bodies).toEqual(wanted.flatMap((text) => [text, text]))
})

it('is the same without a connection', async () => {
  const { app, closed, close } = createBodies()
  const ask = async (path: string) => app.request(path, {}, { incoming: await incomingOf(path) })
  const texts = ['/whole', '/last', '/empty', '/bytes'].map(async (path) =>
    (await ask(path)).text(),
  )
  expect(await Promise.all(texts)).toEqual(['one, two', 'all at once', '', 'bytes'])
  expect((await ask('/bytes')).headers.get('x-two')).toBe('1, 2')
  expect((await ask('/fails')).status).toBe(500)
  const redirect = await ask('/redirect')
  expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/bytes'])
  expect(closed.sort()).toEqual(['/empty', '/fails', '/last', '/whole'])
  close()
})
