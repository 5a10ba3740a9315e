// Checksums that clients of ownCloud send along with a file (`OC-Checksum: SHA1:<hex>`).
import { createHash } from 'node:crypto'

export interface Checksum {
  add(chunk: Uint8Array): void
  /** Whether what was added is what the client has. To be asked once. */
  holds(): boolean
}

const HASHES: Readonly<Record<string, string>> = { SHA1: 'sha1', SHA256: 'sha256', MD5: 'md5' }

/** Reads the header; null where it names no kind that is known here. */
export function readChecksum(header: string): Checksum | null {
  const [, kind = '', wanted = ''] = /^\s*([\w-]+):([0-9a-f]+)\s*$/i.exec(header) ?? []
  const sum = kind.toUpperCase() === 'ADLER32' ? adler32() : hashOf(kind.toUpperCase())
  return sum && { add: sum.add, holds: () => sum.hex() === wanted.toLowerCase() }
}

interface Sum {
  add(chunk: Uint8Array): void
  hex(): string
}

function hashOf(kind: string): Sum | null {
  const name = HASHES[kind]
  if (name === undefined) return null
  const hash = createHash(name)
  return { add: (chunk) => void hash.update(chunk), hex: () => hash.digest('hex') }
}

const MODULUS = 65_521
/** So many bytes can be added before either sum leaves 32 bits (RFC 1950, zlib's NMAX). */
const RUN = 5_552

function adler32(): Sum {
  let a = 1
  let b = 0
  return {
    add: (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        const end = Math.min(chunk.length, at + RUN)
        for (; at < end; at++) {
          a += chunk[at] as number
          b += a
        }
        a %= MODULUS
        b %= MODULUS
      }
    },
    hex: () => (b * 65_536 + a).toString(16).padStart(8, '0'),
  }
}
