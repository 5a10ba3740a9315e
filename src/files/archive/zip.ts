// zip: entries stored, as the original sends them, or deflated (zip-deflated.ts); ZIP64 where sizes or counts need it; names in
// UTF-8. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (sections 4.3 and 4.5)
import { crc32 } from 'node:zlib'
import type { ByteSink } from './byte-sink.ts'
import type { Container, EntryFacts } from './tar.ts'

const LOCAL = 0x04034b50
const DESCRIPTOR = 0x08074b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END64 = 0x06064b50
const END64_LOCATOR = 0x07064b50
const EXTRA_ZIP64 = 0x0001
const EXTRA_TIME = 0x5455
/** Checksum and sizes follow the content. */
export const FLAG_DESCRIPTOR = 0x0008
const FLAG_UTF8 = 0x0800
const VERSION = 20
const VERSION_ZIP64 = 45
const MADE_BY_UNIX = 3 << 8
const MAX32 = 0xffffffff
const MAX16 = 0xffff
const S_IFREG = 0o100000
const S_IFDIR = 0o040000
const DOS_DIRECTORY = 0x10
/** Longer than any header, which has names of up to 64 KiB. */
const DIRECTORY_PART_BYTES = 128 * 1024

export const STORED = 0
export const DEFLATED = 8

export interface Item {
  name: Buffer
  method: number
  flags: number
  time: Buffer
  mtimeSeconds: number
  crc: number
  sizeBytes: number
  /** As it stands in the archive. */
  packedBytes: number
  offset: number
  attributes: number
}

/** What all zips are made of: pieces one after the other, and the directory at the end. */
export interface ZipWriter {
  /** Where the next piece goes. */
  offset(): number
  write(bytes: Uint8Array): Promise<void>
  /** An item that is complete. */
  list(item: Item): void
  end(): Promise<void>
}

/** Keeps about 100 bytes plus the name per entry for the directory at the end. */
export function createZipWriter(sink: ByteSink): ZipWriter {
  const directory = createDirectory()
  let offset = 0
  const write = async (bytes: Uint8Array) => {
    offset += bytes.length
    await sink.write(bytes)
  }
  return {
    offset: () => offset,
    write,
    list: (item) => directory.add(centralHeader(item)),
    end: async () => {
      const start = offset
      for (const part of directory.parts()) await write(part)
      await write(endOfDirectory(directory.count(), start, offset - start))
    },
  }
}

/** Headers in memory of their own: each would keep all of what small buffers share with it. */
function createDirectory() {
  const full: Buffer[] = []
  let part: Buffer = Buffer.alloc(0)
  let used = 0
  let count = 0
  return {
    add(header: Buffer) {
      if (used + header.length > part.length) {
        full.push(part.subarray(0, used))
        part = Buffer.allocUnsafeSlow(DIRECTORY_PART_BYTES)
        used = 0
      }
      part.set(header, used)
      used += header.length
      count++
    },
    parts: () => [...full, part.subarray(0, used)],
    count: () => count,
  }
}

/** A zip of entries as they are. */
export function createZip(sink: ByteSink): Container {
  const writer = createZipWriter(sink)
  return {
    folder: (entry) => writeFolder(writer, entry),
    file: async (entry, content) => {
      const item = itemOf(entry, content.sizeBytes)
      item.packedBytes = content.sizeBytes
      if (content.whole) {
        item.crc = crc32(content.whole)
        await writeHeader(writer, item)
        await writer.write(content.whole)
      } else {
        // The checksum is known only behind the content.
        item.flags |= FLAG_DESCRIPTOR
        await writeHeader(writer, item)
        await content.copyTo({
          write: (chunk) => {
            item.crc = crc32(chunk, item.crc)
            return writer.write(chunk)
          },
        })
        await writer.write(descriptor(item))
      }
      writer.list(item)
    },
    end: writer.end,
  }
}

export async function writeFolder(writer: ZipWriter, entry: EntryFacts): Promise<void> {
  const item = folderItemOf(entry)
  await writeHeader(writer, item)
  writer.list(item)
}

export function folderItemOf(entry: EntryFacts): Item {
  const item = toItem(entry, `${entry.name}/`, S_IFDIR)
  item.attributes |= DOS_DIRECTORY
  return item
}

/** A file that is stored. */
export function itemOf(entry: EntryFacts, sizeBytes: number): Item {
  return { ...toItem(entry, entry.name, S_IFREG), sizeBytes }
}

/** Puts the header of an item where the writer is. */
export async function writeHeader(writer: ZipWriter, item: Item): Promise<void> {
  item.offset = writer.offset()
  await writer.write(localHeader(item))
}

function toItem(entry: EntryFacts, name: string, type: number): Item {
  return {
    name: Buffer.from(name),
    flags: FLAG_UTF8,
    time: dosTime(new Date(entry.mtimeMs)),
    mtimeSeconds: Math.floor(entry.mtimeMs / 1000),
    crc: 0,
    method: STORED,
    sizeBytes: 0,
    packedBytes: 0,
    offset: 0,
    attributes: ((type | (entry.mode & 0o777)) << 16) >>> 0,
  }
}

export function localHeader(item: Item): Buffer {
  const large = isLarge(item)
  const extras = [timeExtra(item)]
  // How small it will be is known behind the content, and then neither size stands here.
  const isKnown = item.method === STORED || !(item.flags & FLAG_DESCRIPTOR)
  const [size, packed] = isKnown ? [item.sizeBytes, item.packedBytes] : [0, 0]
  if (large) extras.push(zip64Extra([size, packed]))
  const extra = Buffer.concat(extras)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL, 0)
  header.writeUInt16LE(large ? VERSION_ZIP64 : VERSION, 4)
  header.writeUInt16LE(item.flags, 6)
  header.writeUInt16LE(item.method, 8)
  header.set(item.time, 10)
  header.writeUInt32LE(item.flags & FLAG_DESCRIPTOR ? 0 : item.crc, 14)
  header.writeUInt32LE(large ? MAX32 : packed, 18)
  header.writeUInt32LE(large ? MAX32 : size, 22)
  header.writeUInt16LE(item.name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, item.name, extra])
}

/** Room for the header of deflate around what does not shrink. */
function isLarge({ sizeBytes }: Item): boolean {
  return sizeBytes >= MAX32 - 2 ** 22
}

export function descriptor(item: Item): Buffer {
  const large = isLarge(item)
  const bytes = Buffer.alloc(large ? 24 : 16)
  bytes.writeUInt32LE(DESCRIPTOR, 0)
  bytes.writeUInt32LE(item.crc, 4)
  if (large) {
    bytes.writeBigUInt64LE(BigInt(item.packedBytes), 8)
    bytes.writeBigUInt64LE(BigInt(item.sizeBytes), 16)
  } else {
    bytes.writeUInt32LE(item.packedBytes, 8)
    bytes.writeUInt32LE(item.sizeBytes, 12)
  }
  return bytes
}

export function centralHeader(item: Item): Buffer {
  const large = isLarge(item)
  const far = item.offset >= MAX32
  const values = [
    ...(large ? [item.sizeBytes, item.packedBytes] : []),
    ...(far ? [item.offset] : []),
  ]
  const extras = [timeExtra(item)]
  if (values.length > 0) extras.push(zip64Extra(values))
  const extra = Buffer.concat(extras)
  const version = values.length > 0 ? VERSION_ZIP64 : VERSION
  const header = Buffer.alloc(46)
  header.writeUInt32LE(CENTRAL, 0)
  header.writeUInt16LE(MADE_BY_UNIX | version, 4)
  header.writeUInt16LE(version, 6)
  header.writeUInt16LE(item.flags, 8)
  header.writeUInt16LE(item.method, 10)
  header.set(item.time, 12)
  header.writeUInt32LE(item.crc, 16)
  header.writeUInt32LE(large ? MAX32 : item.packedBytes, 20)
  header.writeUInt32LE(large ? MAX32 : item.sizeBytes, 24)
  header.writeUInt16LE(item.name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(item.attributes, 38)
  header.writeUInt32LE(far ? MAX32 : item.offset, 42)
  return Buffer.concat([header, item.name, extra])
}

export function endOfDirectory(count: number, start: number, sizeBytes: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(Math.min(count, MAX16), 8)
  end.writeUInt16LE(Math.min(count, MAX16), 10)
  end.writeUInt32LE(Math.min(sizeBytes, MAX32), 12)
  end.writeUInt32LE(Math.min(start, MAX32), 16)
  if (count < MAX16 && start < MAX32 && sizeBytes < MAX32) return end

  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(END64, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 12)
  end64.writeUInt16LE(VERSION_ZIP64, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(sizeBytes), 40)
  end64.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(END64_LOCATOR, 0)
  locator.writeBigUInt64LE(BigInt(start + sizeBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

function zip64Extra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8)
  extra.writeUInt16LE(EXTRA_ZIP64, 0)
  extra.writeUInt16LE(values.length * 8, 2)
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + i * 8)
  return extra
}

/** The time in UTC to the second; the DOS time is local and even. Absent outside 32 bits. */
function timeExtra({ mtimeSeconds }: Item): Buffer {
  if (mtimeSeconds < -0x80000000 || mtimeSeconds > 0x7fffffff) return Buffer.alloc(0)
  const extra = Buffer.alloc(9)
  extra.writeUInt16LE(EXTRA_TIME, 0)
  extra.writeUInt16LE(5, 2)
  // Bit 0: the modification time follows.
  extra.writeUInt8(1, 4)
  extra.writeInt32LE(mtimeSeconds, 5)
  return extra
}

/** Time and date words of DOS, which knows the years 1980 to 2107. */
function dosTime(date: Date): Buffer {
  const year = Math.min(2107, Math.max(1980, date.getFullYear()))
  const words = Buffer.alloc(4)
  words.writeUInt16LE(
    (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1),
    0,
  )
  words.writeUInt16LE(((year - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate(), 2)
  return words
}
