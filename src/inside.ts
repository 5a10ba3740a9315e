// What travels inside of the executable, by its path in the folder that was packaged.
import { getRawAsset, isSea } from 'node:sea'
import { zstdDecompressSync } from 'node:zlib'

/** True in the executable; elsewhere the same files lie in folders. */
export const isExecutable = isSea()

/**
 * A file inside of the executable; null when there is none. What is not stored compressed is where the
 * executable is mapped into memory: writing to it ends the program.
 */
export function readInside(path: string): Buffer | null {
  const plain = rawAsset(path)
  if (plain) return plain
  const packed = rawAsset(`${path}.zst`)
  return packed && zstdDecompressSync(packed)
}

function rawAsset(path: string): Buffer | null {
  try {
    return Buffer.from(getRawAsset(path))
  } catch {
    return null
  }
}
