// How the server ends: what is let finish, and what is not.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { runCli } from '../support/cli.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { cwd, freshFolders, health, login, PASSWORD, serve } from '../support/serve.ts'

freshFolders()

/** The default of --drainTimeout. */
const DRAIN_MS = 10_000

describe('stopping', () => {
  test('lets a running download finish, refuses new connections, ends with 0', async () => {
    const size = 24 * 1024 * 1024
    await writeFile(join(cwd, 'srv', 'big.bin'), Buffer.alloc(size, 1))
    const { origin, port, stop } = await serve(['--password', PASSWORD])
    const token = await (await login(origin, PASSWORD)).text()
    const response = await fetch(`${origin}/api/raw/big.bin`, { headers: { 'X-Auth': token } })
    const reader = response.body?.getReader()
    let received = (await reader?.read())?.value?.length ?? 0
    const stopped = stop()
    await waitFor('the closed door', () =>
      health({ host: '127.0.0.1', port }).then(
        () => false,
        () => true,
      ),
    )
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) break
      received += chunk.value.length
    }
    expect(received).toBe(size)
    expect(await stopped).toBe(0)
  })

  test('a stray failure meanwhile is logged and ends no transfer', async () => {
    const { cli, port, stop } = await serve()
    const body = httpRequest({ port, host: '127.0.0.1', path: '/api/login', method: 'POST' })
    body.setHeader('Content-Length', 2)
    const answered = once(body, 'response')
    body.write('{')
    await waitFor('the request', () => body.socket?.bytesWritten)
    await health({ host: '127.0.0.1', port })
    const stopped = stop()
    await waitFor('the stop', () => cli.output().stdout.includes('stopping'))
    expect(cli.stray(new Error('belongs to no request'))).toBe(true)
    body.end('}')
    const [answer] = await withDeadline('the answer', 60_000, answered)
    answer.resume()
    expect(await stopped).toBe(0)
    expect(cli.output().stdout).toContain('belongs to no request')
  })

  test('idle connections do not hold it up', async () => {
    const { origin, stop } = await serve()
    await Promise.all(
      Array.from({ length: 5 }, () => fetch(`${origin}/health`).then((r) => r.text())),
    )
    const began = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(DRAIN_MS)
  })

  test('a WebSocket is told to go and does not hold it up', async () => {
    const { origin, stop, port } = await serve(['--password', PASSWORD, '--disableExec=false'])
    const token = await (await login(origin, PASSWORD)).text()
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/command/`, {
      headers: { 'X-Auth': token, Cookie: `auth=${token}`, Origin: origin },
    })
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    const code = new Promise<number>((resolve) => socket.once('close', resolve))
    const began = performance.now()
    expect(await stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(DRAIN_MS)
    expect(await code).toBe(1001)
  })

  test('tells balancers at once, takes requests for the delay, and reuses no connection meanwhile', async () => {
    const { cli, port, stop } = await serve(['--drainDelay', '3s'])
    const agent = new Agent({ keepAlive: true })
    const ask = (path: string) =>
      new Promise<{ status: number | undefined; connection: string | undefined; text: string }>(
        (resolve, reject) => {
          const request = httpRequest({ host: '127.0.0.1', port, path, agent })
          request.once('error', reject).once('response', async (response) => {
            const text = (await response.toArray()).join('')
            const { connection } = response.headers
            resolve({ status: response.statusCode, connection, text })
          })
          request.end()
        },
      )
    expect(await ask('/ready')).toEqual({
      status: 200,
      connection: 'keep-alive',
      text: '{"ready":true}',
    })
    const stopped = stop()
    await waitFor('the signal', () => cli.output().stdout.includes('are taken for 3 s'))
    expect(await ask('/ready')).toEqual({
      status: 503,
      connection: 'close',
      text: '{"ready":false,"reasons":["draining"]}',
    })
    expect(await ask('/health')).toMatchObject({ status: 200, connection: 'close' })
    expect(await stopped).toBe(0)
    agent.destroy()
  })

  test('cuts off what still runs after the time that was given', async () => {
    const { cli, port, stop } = await serve(['--drainTimeout', '200ms'])
    const body = httpRequest({ port, host: '127.0.0.1', path: '/api/login', method: 'POST' })
    body.setHeader('Content-Length', 2)
    const cut = once(body, 'error')
    body.write('{')
    await waitFor('the request', () => body.socket?.bytesWritten)
    await health({ host: '127.0.0.1', port })
    const began = performance.now()
    expect(await stop()).toBe(1)
    expect(performance.now() - began).toBeLessThan(DRAIN_MS)
    await cut
    expect(cli.output().stdout).toContain('after 0.2 s and were cut off')
  })

  test('the database of the run stays usable', async () => {
    const { stop } = await serve()
    await stop()
    expect((await runCli(['users', 'ls'], { cwd })).stdout).toContain('admin')
  })
})
