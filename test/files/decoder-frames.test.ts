// What the decoder process sends, as the server reads it.
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { createOutput } from '../../src/files/extract/output.ts'
import { readFrames } from '../../src/files/extract/wire.ts'

const MIB = 1024 * 1024
const entry = { name: 'a.bin', kind: 'file', mode: null, mtimeMs: 0, sizeBytes: 0 } as const

it.each([
  ['at once', [6 * MIB]],
  ['after a small piece', [50_000, 6 * MIB]],
  ['after a large piece', [MIB, 6 * MIB]],
])('a file of which a decompressor gives six mebibytes %s comes whole', async (_, pieces) => {
  const content = randomBytes(pieces.reduce((sum, bytes) => sum + bytes))
  const stream = new PassThrough()
  const output = createOutput(stream)
  const send = async () => {
    await output.entry(entry)
    let at = 0
    for (const bytes of pieces) {
      await output.data(content.subarray(at, at + bytes))
      at += bytes
    }
    await output.end()
    await output.over(null)
    stream.end()
  }
  const bodies: Buffer[] = []
  const receive = async () => {
    for await (const { body } of readFrames(stream)) bodies.push(Buffer.from(body))
  }
  await Promise.all([send(), receive()])
  expect(Buffer.concat(bodies).equals(content)).toBe(true)
})
