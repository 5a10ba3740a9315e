// Large transfers go through in bounded memory and arrive as they were sent.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { residentBytes, watchMemory } from '../support/process-facts.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const SIZE_BYTES = 256 * 1024 * 1024
const GROWTH_MB = 120

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

it('keeps resident memory within 120 MB of idle while 256 MiB go up and down', async () => {
  await using tree = await makeTree({})
  // Random blocks, so that nothing on the way can cheat; the same block with a counter is enough.
  const block = Buffer.alloc(1024 * 1024, 'filebrowser')
  const source = `${tree.base}/source.bin`
  const blocks = Array.from({ length: SIZE_BYTES / block.length }, (_, i) => {
    const copy = Buffer.from(block)
    copy.writeUInt32LE(i)
    return copy
  })
  await writeFile(source, blocks)
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  await admin.fetch('/api/resources/')
  const pid = program.process.pid ?? 0
  const idleMb = await residentMb(pid)
  let peakMb = idleMb
  const watch = setInterval(async () => {
    peakMb = Math.max(peakMb, await residentMb(pid))
  }, 20)

  const up = await admin.fetch('/api/resources/big.bin', {
    method: 'POST',
    body: createReadStream(source) as never,
    duplex: 'half',
  } as RequestInit)
  expect(up.status).toBe(200)
  const sent = createHash('sha256')
  for (const part of blocks) sent.update(part)
  const down = await admin.fetch('/api/raw/big.bin')
  const received = createHash('sha256')
  for await (const chunk of down.body as unknown as AsyncIterable<Uint8Array>)
    received.update(chunk)
  clearInterval(watch)

  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect(peakMb - idleMb).toBeLessThan(GROWTH_MB)
})

it('keeps it within 160 MB while 1,000 visitors of a share read nothing of what they asked for', async () => {
  await using tree = await makeTree({})
  const block = Buffer.alloc(1024 * 1024, 'filebrowser')
  await mkdir(`${tree.root}/shared`)
  for (let i = 0; i < 64; i++) {
    block.writeUInt32LE(i)
    await writeFile(`${tree.root}/shared/large.bin`, block, { flag: 'a' })
  }
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  const made = await admin.fetch('/api/share/shared/', { method: 'POST', body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  const idle = await residentBytes(program.process.pid ?? 0)
  const memory = watchMemory(program.process.pid ?? 0)

  const asked = [
    '/large.bin',
    '?algo=zip',
    '?algo=targz',
    '?algo=tarbr',
    '?algo=tarxz',
    '?algo=tarbz2',
  ]
  const sockets = Array.from({ length: 1_000 }, (_, i) => {
    // Each of a network of its own, as far as the server can tell.
    const localAddress = `127.1.${Math.floor(i / 200)}.${1 + (i % 200)}`
    const socket = connect({ port: program.port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {}).pause()
    const path = `/api/public/dl/${hash}${asked[i % asked.length]}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3))
    return socket
  })
  // Longer than those wait who find no room.
  await pause(12_000)
  const grownMb = ((await memory.stop()) - idle) / 1024 / 1024
  const { token } = await withDeadline('signing in', 60_000, loginAs(program.origin))
  expect(token).not.toBe('')
  for (const socket of sockets) socket.destroy()
  expect(grownMb).toBeLessThan(160)
})
