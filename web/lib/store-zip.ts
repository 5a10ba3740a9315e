// ZIP archives in which nothing is compressed.

/** The first day that a ZIP archive can name. */
const FIRST_DAY = 0x21

/** A ZIP archive of the parts, stored, each of 1 January 1980. */
export function storeZip(
  parts: readonly [string, Uint8Array<ArrayBuffer>][],
): Uint8Array<ArrayBuffer> {
  const locals: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const [name, bytes] of parts) {
    const nameBytes = new TextEncoder().encode(name)
    const facts = { crc: crc32(bytes), size: bytes.length, nameLength: nameBytes.length }
    const local = header(0x04034b50, 30, 4, facts)
    const central = header(0x02014b50, 46, 6, facts)
    new DataView(central.buffer).setUint32(42, offset, true)
    locals.push(local, nameBytes, bytes)
    directory.push(central, nameBytes)
    offset += local.length + nameBytes.length + bytes.length
  }
  const size = directory.reduce((sum, piece) => sum + piece.length, 0)
  const end = new DataView(new ArrayBuffer(22))
  end.setUint32(0, 0x06054b50, true)
  end.setUint16(8, parts.length, true)
  end.setUint16(10, parts.length, true)
  end.setUint32(12, size, true)
  end.setUint32(16, offset, true)
  return join([...locals, ...directory, new Uint8Array(end.buffer)])
}

interface Facts {
  crc: number
  size: number
  nameLength: number
}

/** The fields local and central headers share lie one after the other from `versionAt` on. */
function header(signature: number, length: number, versionAt: number, facts: Facts) {
  const view = new DataView(new ArrayBuffer(length))
  view.setUint32(0, signature, true)
  view.setUint16(versionAt, 20, true)
  view.setUint16(versionAt + 2, 0x800, true)
  view.setUint16(versionAt + 8, FIRST_DAY, true)
  view.setUint32(versionAt + 10, facts.crc, true)
  view.setUint32(versionAt + 14, facts.size, true)
  view.setUint32(versionAt + 18, facts.size, true)
  view.setUint16(versionAt + 22, facts.nameLength, true)
  return new Uint8Array(view.buffer)
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
