// Bodies that never become whole: they end after a while, hold little, give way to others, and are
// nobody's failed attempt to sign in.
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createPendingBodies } from '../../src/http/pending-bodies.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { holdRequest } from '../support/held-request.ts'
import { sendRaw, statusesOf } from '../support/raw-http.ts'

const KIB = 1024
const UNFINISHED = 'Host: x\r\nContent-Length: 1000\r\n\r\n{"username":'

const signIn = (app: TestApp, username: string, password: string) =>
  app.fetch('/api/login', { method: 'POST', body: JSON.stringify({ username, password }) })

it.each([
  'POST /api/login',
  'POST /api/signup',
  'PUT /api/settings',
  'POST /api/public/selections/HASH',
])('%s is answered 408 when its body does not come, and the connection ends', async (line) => {
  await using app = await startApp({ settings: { signup: true }, bodyTimeoutMs: 300 })
  const admin = await app.as('admin')
  const made = await admin.fetch('/api/share/', { method: 'POST', body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  const head = `${line.replace('HASH', hash)} HTTP/1.1\r\nX-Auth: ${admin.token}\r\n`
  expect(statusesOf(await sendRaw(app.port, head + UNFINISHED, true))).toEqual([408])
  expect(app.errors).toEqual([])
})

it('a byte at a time does not make it longer', async () => {
  await using app = await startApp({ bodyTimeoutMs: 500 })
  const socket = connect(app.port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`POST /api/login HTTP/1.1\r\n${UNFINISHED}`)
  const drip = setInterval(() => socket.writable && socket.write(' '), 20)
  await withDeadline('the end of the connection', 60_000, closed)
  clearInterval(drip)
})

it('a sign-in that is broken off is no failed one', async () => {
  await using app = await startApp({
    config: { loginRateLimit: { attempts: 3, windowMs: 60_000 } },
  })
  for (let i = 0; i < 10; i++) {
    const socket = connect(app.port, '127.0.0.1')
    socket.write(`POST /api/login HTTP/1.1\r\n${UNFINISHED}`)
    await new Promise((resolve) => setImmediate(resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.end()
    socket.resume()
    await withDeadline('the end of the connection', 60_000, closed)
  }
  expect((await signIn(app, 'admin', PASSWORD)).status).toBe(200)
})

it.each(['/api/login', '/api/signup'])('%s takes 16 KiB and no more', async (path) => {
  await using app = await startApp({ settings: { signup: true } })
  const post = (bytes: number) =>
    app.fetch(path, { method: 'POST', body: JSON.stringify({ username: 'x'.repeat(bytes) }) })
  // Of a size that is read, both are refused for what they say.
  expect((await post(15 * KIB)).status).toBe(path === '/api/login' ? 403 : 400)
  expect((await post(17 * KIB)).status).toBe(path === '/api/login' ? 403 : 400)
  expect((await post(17 * KIB)).headers.get('x-error-code')).toBe(
    path === '/api/login' ? 'wrong_credentials' : 'too_large',
  )
})

it('unfinished bodies of one visitor give way to later ones, so that signing in goes on', async () => {
  await using app = await startApp()
  const sockets: Socket[] = []
  let ended = 0
  for (let i = 0; i < 100; i++) {
    const socket = connect(app.port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.once('close', () => {
      ended++
    })
    socket.write(`POST /api/login HTTP/1.1\r\n${UNFINISHED}`)
    sockets.push(socket)
  }
  await waitFor('the oldest to end', () => ended >= 36)
  expect((await signIn(app, 'admin', PASSWORD)).status).toBe(200)
  expect(ended).toBeLessThan(100)
  for (const socket of sockets) socket.destroy()
})

it('a slow one that is whole in time is answered as any', async () => {
  await using app = await startApp()
  const body = JSON.stringify({ username: 'admin', password: PASSWORD })
  const held = await holdRequest(app.port, 'POST /api/login', body)
  await app.as('admin')
  expect(await held.finish()).toBe(200)
})

it('bodies give way by number and by size, the oldest first, an owner’s before those of others', () => {
  const bodies = createPendingBodies({
    own: { count: 3, bytes: 100 },
    all: { count: 5, bytes: 150 },
  })
  const gone: string[] = []
  const begin = (name: string) => bodies.begin(name.charAt(0), () => void gone.push(name))
  const [a1] = ['a1', 'a2', 'a3'].map(begin)
  begin('a4')
  expect(gone).toEqual(['a1'])
  const b1 = begin('b1')
  b1.hold(90)
  a1?.hold(1_000)
  const a5 = begin('a5')
  expect(gone).toEqual(['a1', 'a2'])
  a5.hold(90)
  expect(gone).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
  a5.end()
  const c1 = begin('c1')
  c1.hold(1_000)
  expect(gone).toHaveLength(5)
})
