// What travels inside of the executable, by its path in the folder that was packaged.
import { getRawAsset, isSea } from 'node:sea'
import { zstdDecompressSync } from 'node:zlib'
import { memo } from './lib/memo.ts'

/** True in the executable; elsewhere the same files lie in folders. */
export const isExecutable = isSea()

/**
 * A file inside of the executable; null when there is none. What is not stored compressed is where the
 * executable is mapped into memory: writing to it ends the program.
 */
export function readInside(path: string): Buffer | null {
  const plain = rawAsset(path) ?? partOfContents(path)
  if (plain) return plain
  const packed = partOfContents(`${path}.zst`)
  return packed && zstdDecompressSync(packed)
}

/**
 * Most files are one asset, with a table of where each begins and how long it is: Node looks at the head of every asset
 * when it starts, and for 850 of them half of what is inside would be read from the disk and stay in memory.
 */
function partOfContents(path: string): Buffer | null {
  const { bytes, table } = contents(getRawAsset)
  const [at, length] = table.get(path) ?? []
  return at === undefined || length === undefined ? null : bytes.subarray(at, at + length)
}

// One view for all reads: V8 counts each as memory of that length.
const contents = memo((read: typeof getRawAsset) => ({
  bytes: Buffer.from(read(CONTENTS)),
  table: new Map(
    JSON.parse(Buffer.from(read(TABLE)).toString()) as [path: string, place: [number, number]][],
  ),
}))

/** Names of those two assets. */
export const CONTENTS = 'contents'
export const TABLE = 'contents.json'

function rawAsset(path: string): Buffer | null {
  try {
    return Buffer.from(getRawAsset(path))
  } catch {
    return null
  }
}
