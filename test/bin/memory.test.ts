// Large transfers go through in bounded memory and arrive as they were sent.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
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
