// Clients that are gone without having said so.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createOutput } from '../../src/http/deliver.ts'
import { createBuffers } from '../../src/lib/buffers.ts'
import { isAbort } from '../../src/lib/errors.ts'
import { startApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { childrenOf } from '../support/process-facts.ts'
import { openShell } from '../support/shell.ts'

/** The code of a running keep-alive timer in /proc/net/tcp. */
const KEEPALIVE_TIMER = '02'

describe.runIf(process.platform === 'linux')('a client that has vanished', () => {
  it('is looked for by the kernel', async () => {
    await using app = await startApp()
    const socket = connect(app.port, '127.0.0.1')
    await once(socket, 'connect')
    const timerOf = async () => {
      const rows = (await readFile('/proc/net/tcp', 'utf8'))
        .split('\n')
        // From the thousandth row on its number leaves no space before it.
        .map((row) => row.trim().split(/\s+/))
      const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
      const row = rows.find(
        ([, local = '', remote = '']) =>
          local.endsWith(`:${hex(app.port)}`) && remote.endsWith(`:${hex(socket.localPort ?? 0)}`),
      )
      return row?.[5]?.split(':')[0]
    }
    await waitFor('the timer of the connection', async () => (await timerOf()) === KEEPALIVE_TIMER)
    socket.destroy()
  })

  it('does not keep its shell command, one that answers does', async () => {
    await using app = await startApp({
      config: { enableExec: true },
      users: [{ username: 'bob', commands: ['sleep'] }],
      pingMs: 50,
    })
    const { token } = await app.as('bob')
    const silent = await openShell(app, token, '/', { autoPong: false })
    const alive = await openShell(app, token)
    let pings = 0
    alive.socket.on('ping', () => pings++)
    silent.socket.send('sleep 600')
    alive.socket.send('sleep 601')
    await withDeadline('the end of the silent connection', 60_000, silent.closed)
    const seen = pings
    await waitFor('more pings than a silent client survives', () => pings > seen + 5)
    const running = async () => {
      const pids = await childrenOf(process.pid)
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')))
      return lines.filter((line) => line.startsWith('sleep')).map((line) => line.split('\0')[1])
    }
    await waitFor('the end of its command', async () => (await running()).join() === '601')
    alive.socket.close()
    await withDeadline('the end of the other', 60_000, alive.closed)
  })
})

it('a write that is cut off is told as a client that left, not as a fault', async () => {
  let outgoing: ServerResponse | undefined
  const server = createServer((_request, response) => {
    outgoing = response
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.pause()
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await waitFor('the request', () => outgoing)
  // More than the kernel takes from a client that does not read.
  const chunk = Buffer.alloc(64 * 1024 * 1024)
  const output = createOutput(response, createBuffers(), () => response.writeHead(200))
  const failures = [output.write(chunk), output.end(chunk)].map((written) =>
    written.then(
      () => 'written',
      (error: unknown) => isAbort(error),
    ),
  )
  response.socket?.destroy()
  expect(await Promise.all(failures)).toEqual([true, true])
  client.destroy()
  server.close()
})
