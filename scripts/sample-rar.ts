// Writes a RAR 5 archive whose entries are stored, which is all a test of reading one needs.
// https://www.rarlab.com/technote.htm

import { crc32 } from 'node:zlib'

const SIGNATURE = Buffer.from([0x52, 0x61, 0x72, 0x21, 0x1a, 0x07, 0x01, 0x00])

/** `claimedBytes`: the size each entry pretends to have once unpacked. */
export function storedRar(
  files: Record<string, string | Uint8Array>,
  claimedBytes?: number,
): Buffer {
  const parts = [SIGNATURE, block([1, 0, 0])]
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content as string)
    const nameBytes = Buffer.from(name)
    const crc = Buffer.alloc(4)
    crc.writeUInt32LE(crc32(data))
    const header = Buffer.concat([
      // file header, flags: a data area follows; then its size
      vints(2, 2, data.length),
      // file flags: CRC present; unpacked size; attributes
      vints(4, claimedBytes ?? data.length, 0o100644),
      crc,
      // method 0 = stored; made on Unix
      vints(0, 1, nameBytes.length),
      nameBytes,
    ])
    parts.push(block([...header]), data)
  }
  parts.push(block([5, 0, 0]))
  return Buffer.concat(parts)
}

/** Header bytes with their size and CRC in front. */
function block(bytes: number[]): Buffer {
  const body = Buffer.concat([vints(bytes.length), Buffer.from(bytes)])
  const crc = Buffer.alloc(4)
  crc.writeUInt32LE(crc32(body))
  return Buffer.concat([crc, body])
}

/** Variable-length integers: seven bits a byte, the lowest first. */
function vints(...values: number[]): Buffer {
  const out: number[] = []
  for (let value of values) {
    while (value > 127) {
      out.push((value % 128) | 128)
      value = Math.floor(value / 128)
    }
    out.push(value)
  }
  return Buffer.from(out)
}
