// zip with deflated entries, on all cores: blocks are packed in the thread pool beside each other, and leave in their order.
import { crc32 } from 'node:zlib'
import type { Gate } from '../../lib/gate.ts'
import { freeMemory } from '../../lib/memory/free-memory.ts'
import { giveBack } from '../transfer/give-back.ts'
import { MAX_JOBS } from './blocks.ts'
import type { ByteSink } from './byte-sink.ts'
import type { Content } from './content.ts'
import { DEFLATE_END, deflateBlock } from './deflated-block.ts'
import type { Container, EntryFacts } from './tar.ts'
import {
  createZipWriter,
  DEFLATED,
  descriptor,
  FLAG_DESCRIPTOR,
  type Item,
  itemOf,
  writeFolder,
  writeHeader,
  type ZipWriter,
} from './zip.ts'

const BLOCK_BYTES = 512 * 1024

/** What is written when its turn has come. */
interface Piece {
  packed: Promise<Uint8Array>
  write(packed: Uint8Array): Promise<void>
}

interface Packing {
  writer: ZipWriter
  pack(block: Uint8Array): Promise<Uint8Array>
  /** Blocks of large files that are done with. */
  free: Buffer[]
  /** Takes a further piece, once it may wait. */
  add(piece: Piece): Promise<void>
}

/** Builds a zip; `inTurn` lets MAX_JOBS blocks be packed at a time. */
export function createDeflatedZip(sink: ByteSink, inTurn: Gate): Container {
  const writer = createZipWriter(sink)
  const pieces: Piece[] = []
  const writeOldest = async () => {
    const oldest = pieces.shift()
    const packed = await oldest?.packed
    if (packed) await oldest?.write(packed)
  }
  const packing: Packing = {
    writer,
    pack: (block) => inTurn(() => deflateBlock(block)),
    free: [],
    add: async (piece) => {
      // Awaited in order; a failure meanwhile must not count as unhandled.
      piece.packed.catch(() => {})
      pieces.push(piece)
      // So many that a thread which comes free finds work, also beside large ones.
      while (pieces.length > 2 * MAX_JOBS) await writeOldest()
    },
  }
  return {
    folder: (entry) => packing.add({ packed: NOTHING, write: () => writeFolder(writer, entry) }),
    file: (entry, content) =>
      content.whole ? addWhole(packing, entry, content.whole) : addLarge(packing, entry, content),
    end: async () => {
      while (pieces.length > 0) await writeOldest()
      for (const block of packing.free) freeMemory(block)
      await writer.end()
    },
  }
}

const NOTHING = Promise.resolve(Buffer.alloc(0))

async function addWhole(packing: Packing, entry: EntryFacts, whole: Buffer): Promise<void> {
  const { writer, pack, add } = packing
  const item = itemOf(entry, whole.length)
  item.crc = crc32(whole)
  // The memory is the next file's once this is left.
  const block = Buffer.allocUnsafeSlow(whole.length)
  block.set(whole)
  const write = async (packed: Uint8Array) => {
    const packedBytes = packed.length + DEFLATE_END.length
    const isSmaller = block.length > 0 && packedBytes < block.length
    item.packedBytes = isSmaller ? packedBytes : block.length
    if (isSmaller) item.method = DEFLATED
    await writeHeader(writer, item)
    await writer.write(isSmaller ? packed : block)
    freeMemory(packed)
    giveBack([block])
    if (isSmaller) await writer.write(DEFLATE_END)
    writer.list(item)
  }
  await add({ packed: block.length > 0 ? pack(block) : NOTHING, write })
}

async function addLarge(
  packing: Packing,
  entry: EntryFacts,
  content: Extract<Content, { whole: null }>,
): Promise<void> {
  const { writer, add, free } = packing
  const item: Item = { ...itemOf(entry, content.sizeBytes), method: DEFLATED }
  item.flags |= FLAG_DESCRIPTOR
  await add({ packed: NOTHING, write: () => writeHeader(writer, item) })
  let block: Buffer | null = null
  let used = 0
  const flush = async (full: Buffer) => {
    const packed = packing.pack(full.subarray(0, used)).finally(() => free.push(full))
    block = null
    used = 0
    await add({
      packed,
      write: async (bytes) => {
        item.packedBytes += bytes.length
        await writer.write(bytes)
        freeMemory(bytes)
      },
    })
  }
  await content.copyTo({
    write: async (chunk) => {
      item.crc = crc32(chunk, item.crc)
      for (let at = 0; at < chunk.length; ) {
        const bytes = Math.min(chunk.length - at, BLOCK_BYTES - used)
        block ??= free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
        block.set(chunk.subarray(at, at + bytes), used)
        used += bytes
        at += bytes
        if (used === BLOCK_BYTES) await flush(block)
      }
    },
  })
  if (block) await flush(block)
  await add({
    packed: NOTHING,
    write: async () => {
      item.packedBytes += DEFLATE_END.length
      await writer.write(DEFLATE_END)
      await writer.write(descriptor(item))
      writer.list(item)
    },
  })
}
