// Reads a log and its rotated pieces block by block, from either end, so that a hundred megabytes take little memory.
import { type FileHandle, open } from 'node:fs/promises'
import { unless } from './errors.ts'
import { listBackups } from './log-file.ts'

const BLOCK_BYTES = 256 * 1024
export const NEWLINE = 10

/** A rotated piece keeps its inode, so that a cursor stays good. */
export interface Piece {
  handle: FileHandle
  inode: bigint
  sizeBytes: number
}

/** Whole lines of a piece, as they stand in it. */
export interface Block {
  bytes: Buffer
  offset: number
}

/** The pieces there are, the newest first unless told otherwise; each is closed after its turn. */
export async function* piecesOf(path: string, isOldestFirst = false): AsyncGenerator<Piece> {
  const rotated = (await listBackups(path).catch(unless('ENOENT'))) ?? []
  const paths = [path, ...rotated.map((backup) => backup.path)]
  const seen = new Set<bigint>()
  for (const piecePath of isOldestFirst ? paths.reverse() : paths) {
    const handle = await open(piecePath).catch(unless('ENOENT'))
    if (!handle) continue
    try {
      const { ino, size } = await handle.stat({ bigint: true })
      // It may have been rotated since the folder was read.
      if (seen.has(ino)) continue
      seen.add(ino)
      yield { handle, inode: ino, sizeBytes: Number(size) }
    } finally {
      await handle.close()
    }
  }
}

/**
 * Whole lines up to `end`, the last block first. One buffer for all blocks: what is yielded is good until the next
 * one. Only the line that lies across two blocks is copied.
 */
export async function* blocksBackwards({ handle }: Piece, end: number): AsyncGenerator<Block> {
  const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, end))
  let rest = Buffer.alloc(0)
  for (let at = end; at > 0; ) {
    const offset = Math.max(0, at - BLOCK_BYTES)
    const bytes = await readBytes(handle, buffer, offset, at - offset)
    at = offset
    const last = bytes.lastIndexOf(NEWLINE) + 1
    if (last === 0 && offset > 0) {
      rest = Buffer.concat([bytes, rest])
      continue
    }
    // What stands before the first line end belongs to a line of the block before.
    const first = offset === 0 ? 0 : bytes.indexOf(NEWLINE) + 1
    yield { bytes: Buffer.concat([bytes.subarray(last), rest]), offset: offset + last }
    yield { bytes: bytes.subarray(first, last), offset: offset + first }
    rest = Buffer.from(bytes.subarray(0, first))
  }
}

/** The same from the beginning on. */
export async function* blocksForwards({ handle, sizeBytes }: Piece): AsyncGenerator<Block> {
  const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, sizeBytes))
  let rest = Buffer.alloc(0)
  for (let at = 0; at < sizeBytes; ) {
    const bytes = await readBytes(handle, buffer, at, Math.min(BLOCK_BYTES, sizeBytes - at))
    if (bytes.length === 0) return
    const first = bytes.indexOf(NEWLINE) + 1
    const last = bytes.lastIndexOf(NEWLINE) + 1
    if (last > 0) {
      const line = Buffer.concat([rest, bytes.subarray(0, first)])
      yield { bytes: line, offset: at - rest.length }
      yield { bytes: bytes.subarray(first, last), offset: at + first }
      rest = Buffer.alloc(0)
    }
    rest = Buffer.concat([rest, bytes.subarray(last)])
    at += bytes.length
  }
}

async function readBytes(
  handle: FileHandle,
  buffer: Buffer,
  offset: number,
  length: number,
): Promise<Buffer> {
  const { bytesRead } = await handle.read(buffer, 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
