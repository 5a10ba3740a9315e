// Zips as nobody should make them.
import { crc32, deflateRawSync } from 'node:zlib'

interface ZipFile {
  name: string
  content: string | Buffer
  /** 8 without it: deflated. */
  method?: 0 | 8
  /** What it claims, instead of the truth. */
  sizeBytes?: number
}

export function zipOf(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, method = 8, sizeBytes } of files) {
    const bytes = Buffer.from(content)
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const path = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    // Names in UTF-8.
    facts.writeUInt16LE(0x800, 2)
    facts.writeUInt16LE(method, 4)
    facts.writeUInt16LE(0x21, 8)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(sizeBytes ?? bytes.length, 18)
    facts.writeUInt16LE(path.length, 22)
    const at = Buffer.alloc(14)
    at.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, path, packed])
    const made = Buffer.from([20, 0])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), made, facts, at, path]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
