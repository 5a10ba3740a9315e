// Answers that wait behind another on their connection when the client leaves.
import { readdir, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { it } from 'vitest'
import { startApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'

const MIB = 1024 * 1024

/** Descriptors of this process that lead to `name`. */
async function openOf(name: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  )
  return (await Promise.all(links)).filter((target) => target.endsWith(name)).length
}

it.runIf(process.platform === 'linux')('close their files', async () => {
  await using app = await startApp({ tree: { 'pipelined.bin': Buffer.alloc(16 * MIB) } })
  const { token } = await app.as('admin')
  const ask = (range: string) =>
    `GET /api/raw/pipelined.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n${range}\r\n`
  for (const range of ['', 'Range: bytes=0-9,20-29\r\n']) {
    const socket = connect(app.port, '127.0.0.1')
    socket.pause()
    socket.write(ask('') + ask(range) + ask(range))
    await waitFor('three open files', async () => (await openOf('pipelined.bin')) === 3)
    socket.destroy()
    await waitFor('closed files', async () => (await openOf('pipelined.bin')) === 0)
  }
})
