// Takes a range of bytes out of an ELF executable whose addresses nothing uses any more: all others stay at
// the addresses they have. https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html

const LOAD = 1
const SEGMENT_BYTES = 56
const SECTION_BYTES = 64

interface Segment {
  type: number
  flags: number
  offset: number
  address: number
  physical: number
  fileBytes: number
  memoryBytes: number
  align: number
}

/**
 * The file without those of its bytes from `start` to `end` that make up whole pages; the file itself where its table of
 * segments has no room for one more, as that of Node for linux-arm64. Throws where they are not within one segment.
 */
export function cutOut(file: Buffer, start: number, end: number): Buffer {
  const segments = readSegments(file)
  const index = segments.findIndex(
    ({ type, offset, fileBytes }) => type === LOAD && offset <= start && end <= offset + fileBytes,
  )
  const whole = segments[index]
  if (!whole || whole.fileBytes !== whole.memoryBytes)
    throw new Error('what is to be cut out is not within one segment of the file')
  const page = Math.max(...segments.filter(isLoad).map(({ align }) => Math.min(align, 0x10000)))
  const from = Math.ceil(start / page) * page
  const to = Math.floor(end / page) * page
  if (to <= from) return file
  const gap = to - from
  const before = { ...whole, fileBytes: from - whole.offset, memoryBytes: from - whole.offset }
  const behind = shifted(whole, to - whole.offset)
  const parts = [...segments.slice(0, index), before, behind, ...segments.slice(index + 1)]
  const fitting = parts.length > segments.length ? joinTwo(parts, segments.length) : parts
  if (!fitting) return file
  const moved = fitting.map((one) =>
    one.offset >= to ? { ...one, offset: one.offset - gap } : one,
  )
  const result = Buffer.concat([file.subarray(0, from), file.subarray(to)])
  moved.forEach((one, i) => {
    writeSegment(result, tableOf(file) + i * SEGMENT_BYTES, one)
  })
  moveSections(result, Number(file.readBigUInt64LE(40)), { from, to, gap })
  return result
}

/** All that the file puts into memory: addresses with their bytes. */
export function loadedBytes(file: Buffer): { address: number; bytes: Buffer }[] {
  return readSegments(file)
    .filter(isLoad)
    .map(({ address, offset, fileBytes }) => ({
      address,
      bytes: file.subarray(offset, offset + fileBytes),
    }))
}

function isLoad({ type }: Segment): boolean {
  return type === LOAD
}

function shifted(segment: Segment, bytes: number): Segment {
  return {
    ...segment,
    offset: segment.offset + bytes,
    address: segment.address + bytes,
    physical: segment.physical + bytes,
    fileBytes: segment.fileBytes - bytes,
    memoryBytes: segment.memoryBytes - bytes,
  }
}

/** Makes one of two that follow each other in the file as they do in memory, so that one more fits into the table; null without any. */
function joinTwo(segments: Segment[], room: number): Segment[] | null {
  for (const [i, one] of segments.entries()) {
    const next = segments[i + 1]
    if (!next || !isLoad(one) || !isLoad(next) || one.flags !== next.flags) continue
    const bytes = next.offset - one.offset
    if (bytes !== next.address - one.address || one.fileBytes !== one.memoryBytes) continue
    // Two parts that a cut has made are not joined again.
    if (bytes - one.fileBytes > Math.max(one.align, next.align)) continue
    const joined = {
      ...one,
      align: Math.max(one.align, next.align),
      fileBytes: bytes + next.fileBytes,
      memoryBytes: bytes + next.memoryBytes,
    }
    const fewer = [...segments.slice(0, i), joined, ...segments.slice(i + 2)]
    if (fewer.length <= room) return fewer
  }
  return null
}

function moveSections(
  file: Buffer,
  tableBefore: number,
  { from, to, gap }: { from: number; to: number; gap: number },
): void {
  const table = tableBefore >= to ? tableBefore - gap : tableBefore
  file.writeBigUInt64LE(BigInt(table), 40)
  for (let i = 0; i < file.readUInt16LE(60); i++) {
    const at = table + i * SECTION_BYTES
    const offset = Number(file.readBigUInt64LE(at + 24))
    const bytes = Number(file.readBigUInt64LE(at + 32))
    if (offset >= to) file.writeBigUInt64LE(BigInt(offset - gap), at + 24)
    else if (offset <= from && offset + bytes >= to)
      file.writeBigUInt64LE(BigInt(from - offset), at + 32)
  }
}

function tableOf(file: Buffer): number {
  return Number(file.readBigUInt64LE(32))
}

function readSegments(file: Buffer): Segment[] {
  if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    throw new Error('no 64-bit ELF file')
  return Array.from({ length: file.readUInt16LE(56) }, (_, i) => {
    const at = tableOf(file) + i * SEGMENT_BYTES
    const number = (place: number) => Number(file.readBigUInt64LE(at + place))
    return {
      type: file.readUInt32LE(at),
      flags: file.readUInt32LE(at + 4),
      offset: number(8),
      address: number(16),
      physical: number(24),
      fileBytes: number(32),
      memoryBytes: number(40),
      align: number(48),
    }
  })
}

function writeSegment(file: Buffer, at: number, segment: Segment): void {
  file.writeUInt32LE(segment.type, at)
  file.writeUInt32LE(segment.flags, at + 4)
  const { offset, address, physical, fileBytes, memoryBytes, align } = segment
  for (const [i, value] of [offset, address, physical, fileBytes, memoryBytes, align].entries())
    file.writeBigUInt64LE(BigInt(value), at + 8 + i * 8)
}
