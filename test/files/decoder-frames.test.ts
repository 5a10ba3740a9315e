// What the decoder process sends, as the server reads it.
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createOutput } from '../../src/files/extract/output.ts'
import { readFrames } from '../../src/files/extract/wire.ts'

const MIB = 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const entry = { name: 'a.bin', kind: 'file', mode: null, mtimeMs: 0, sizeBytes: 0 } as const

it.each([
  ['at once', [6 * MIB]],
  ['after a small piece', [50_000, 6 * MIB]],
  ['after a large piece', [MIB, 6 * MIB]],
])('a file of which a decompressor gives six mebibytes %s comes whole', async (_, pieces) => {
  const content = randomBytes(pieces.reduce((sum, bytes) => sum + bytes))
  const sent: Buffer[] = []
  const output = createOutput((buffers) => sent.push(Buffer.concat(buffers)))
  output.entry(entry)
  let at = 0
  for (const bytes of pieces) {
    output.data(content.subarray(at, at + bytes))
    at += bytes
  }
  output.end()
  output.over(null)
  expect(Buffer.concat(await bodiesOf(Buffer.concat(sent), CHUNK_BYTES)).equals(content)).toBe(true)
})

it.each([1, 7, 100, 1000])('small files come whole in chunks of %i bytes', async (chunkBytes) => {
  const contents = [randomBytes(300), Buffer.alloc(0), randomBytes(2000), randomBytes(1)]
  const sent: Buffer[] = []
  const output = createOutput((buffers) => sent.push(Buffer.concat(buffers)))
  for (const content of contents) {
    output.entry(entry)
    output.data(content)
    output.end()
  }
  output.over(null)
  const bodies = await bodiesOf(Buffer.concat(sent), chunkBytes)
  // Behind them comes what is no file.
  expect(bodies.slice(0, contents.length)).toEqual(contents)
})

it('a frame longer than any is damaged', async () => {
  const broken = Buffer.alloc(8)
  broken.writeUInt32LE(2 ** 31, 4)
  await expect(bodiesOf(broken, CHUNK_BYTES)).rejects.toMatchObject({ code: 'damaged' })
})

/** What frames hold that come in such chunks, several at a time. */
async function bodiesOf(bytes: Buffer, chunkBytes: number): Promise<Buffer[]> {
  async function* source() {
    for (let at = 0; at < bytes.length; ) {
      const chunks: Buffer[] = []
      for (let i = 0; i < 3 && at < bytes.length; i++, at += chunkBytes)
        chunks.push(Buffer.from(bytes.subarray(at, at + chunkBytes)))
      yield chunks
    }
  }
  const bodies: Buffer[] = []
  for await (const frames of readFrames(source()))
    for (const { body } of frames) bodies.push(Buffer.concat(body))
  return bodies
}
