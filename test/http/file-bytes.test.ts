// How much of an open file is in memory while it is sent, to clients that read and to some that do not.
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openForReading } from '../../src/files/volume/read-handle.ts'
import type { Output } from '../../src/http/answer.ts'
import { sendRange } from '../../src/http/file-bytes.ts'
import { type Buffers, createBuffers } from '../../src/lib/buffers.ts'
import { waitFor } from '../support/deadline.ts'
import { makeTree } from '../support/tree.ts'

const KIB = 1024
const FILE_BYTES = 2 * 1024 * KIB

/** A client that takes pieces until it stops, and goes when it is told to. */
function client(buffers: Buffers, takes: (pieces: number) => boolean) {
  const { promise: gone, reject: go } = Promise.withResolvers<void>()
  gone.catch(() => {})
  const pieces: number[] = []
  const write = async (chunk: Uint8Array | string) => {
    pieces.push(chunk.length)
    if (!takes(pieces.length)) await gone
  }
  const output: Output = { write, end: write, buffers }
  return { output, pieces, go: () => go(new Error('gone')) }
}

async function openLarge(path: string) {
  await writeFile(path, Buffer.alloc(FILE_BYTES, 'filebrowser'))
  const handle = await openForReading(path, createLocalDevice(), false)
  return { handle, [Symbol.asyncDispose]: () => handle.close() }
}

it('many that read at the same time are sent large pieces', async () => {
  await using tree = await makeTree({})
  await using file = await openLarge(`${tree.root}/large.bin`)
  const buffers = createBuffers()
  const clients = Array.from({ length: 24 }, () => client(buffers, () => true))
  await Promise.all(clients.map(({ output }) => sendRange(output, file, 0, FILE_BYTES)))
  for (const { pieces } of clients) {
    expect(pieces.reduce((sum, piece) => sum + piece, 0)).toBe(FILE_BYTES)
    expect(pieces.length).toBeLessThan(8)
  }
  expect(buffers.takenBytes()).toBe(0)
})

it('what hundreds hold that have stopped reading is bounded, and one who reads still gets everything', async () => {
  await using tree = await makeTree({})
  await using file = await openLarge(`${tree.root}/large.bin`)
  const buffers = createBuffers()
  const stalled = Array.from({ length: 300 }, () => client(buffers, (pieces) => pieces < 3))
  const sending = stalled.map(({ output }) => sendRange(output, file, 0, FILE_BYTES))
  const ended = Promise.allSettled(sending)
  await waitFor('all have stopped', () => stalled.every(({ pieces }) => pieces.length === 3))
  // 16 MiB of large ones, and one of the smallest for each of the others.
  expect(buffers.takenBytes()).toBeLessThan((16 + 1) * 1024 * KIB + 300 * 32 * KIB)
  const reader = client(buffers, () => true)
  await sendRange(reader.output, file, 0, FILE_BYTES)
  expect(Math.max(...reader.pieces)).toBe(32 * KIB)
  for (const { go } of stalled) go()
  expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect(buffers.takenBytes()).toBe(0)
})
