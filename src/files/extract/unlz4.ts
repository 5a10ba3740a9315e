// LZ4 frames. https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
import { AppError } from '../../lib/errors.ts'
import { createByteReader } from './source.ts'

const FRAME = 0x184d2204
/** Of the first of sixteen kinds of frames that are to be passed over. */
const SKIPPABLE = 0x184d2a50
const WINDOW_BYTES = 64 * 1024
const BLOCK_BYTES: Record<number, number> = { 4: 2 ** 16, 5: 2 ** 18, 6: 2 ** 20, 7: 2 ** 22 }

function damaged(): AppError {
  return new AppError('damaged', 'lz4')
}

/** What is packed. Throws `damaged`; checksums are passed over, the tar inside has its own. */
export async function* unpackLz4(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const reader = createByteReader(source)
  const exactly = async (bytes: number) => {
    const taken = await reader.take(bytes)
    if (!taken) throw damaged()
    return taken
  }
  for (;;) {
    const mark = (await reader.take(4))?.readUInt32LE(0)
    if (mark === undefined) return
    if ((mark & 0xfffffff0) >>> 0 === SKIPPABLE) {
      for (let left = (await exactly(4)).readUInt32LE(0); left > 0; ) {
        const passed = await reader.some(left)
        if (!passed) return
        left -= passed.length
      }
      continue
    }
    if (mark !== FRAME) throw damaged()
    const [flags = 0, descriptor = 0] = await exactly(2)
    if (flags & 1) throw new AppError('unsupported', 'lz4 with a dictionary')
    await exactly(flags & 8 ? 9 : 1)
    const most = BLOCK_BYTES[(descriptor >> 4) & 7]
    if (!most) throw damaged()
    // What was unpacked last stands before what comes, as blocks may refer to it.
    const memory = Buffer.allocUnsafe(WINDOW_BYTES + most)
    let used = 0
    for (;;) {
      const head = (await exactly(4)).readUInt32LE(0)
      if (head === 0) break
      const bytes = head & 0x7fffffff
      if (bytes > most) throw damaged()
      const block = await exactly(bytes)
      if (used > WINDOW_BYTES) {
        memory.copyWithin(0, used - WINDOW_BYTES, used)
        used = WINDOW_BYTES
      }
      const start = used
      if (head >= 0x80000000) used += block.copy(memory, used)
      else used = unpackBlock(block, memory, used, start + most)
      yield Buffer.from(memory.subarray(start, used))
      if (flags & 0x10) await exactly(4)
    }
    if (flags & 4) await exactly(4)
  }
}

/** Unpacks a block behind what the memory has; gives where it ends. */
function unpackBlock(block: Buffer, memory: Buffer, from: number, limit: number): number {
  let at = 0
  let to = from
  const lengthFrom = (nibble: number) => {
    let length = nibble
    if (nibble < 15) return length
    for (;;) {
      const byte = block[at++]
      if (byte === undefined) throw damaged()
      length += byte
      if (byte < 255) return length
    }
  }
  while (at < block.length) {
    const token = block[at++] ?? 0
    const literals = lengthFrom(token >> 4)
    if (at + literals > block.length || to + literals > limit) throw damaged()
    block.copy(memory, to, at, at + literals)
    at += literals
    to += literals
    if (at === block.length) return to
    if (at + 2 > block.length) throw damaged()
    const offset = block.readUInt16LE(at)
    at += 2
    const length = lengthFrom(token & 15) + 4
    if (offset === 0 || offset > to || to + length > limit) throw damaged()
    if (offset >= length) memory.copyWithin(to, to - offset, to - offset + length)
    else for (let i = 0; i < length; i++) memory[to + i] = memory[to + i - offset] ?? 0
    to += length
  }
  return to
}
