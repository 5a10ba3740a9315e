// Read-only reader of bbolt files (format version 2), the old program's database. Everything is
// bounds-checked: a damaged file gives an error that says where, never a crash or an endless walk.
import { AppError } from '../../lib/errors.ts'

const MAGIC = 0xed0cdaed
const FORMAT_VERSION = 2
const PAGE_HEADER_BYTES = 16
const META_BYTES = 64
const ELEMENT_BYTES = 16
const BUCKET_HEADER_BYTES = 16
const BRANCH = 0x01
const LEAF = 0x02
const BUCKET_ELEMENT = 0x01
const MIN_PAGE_BYTES = 1024
const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** Trees of a database of users are two or three levels; this is far beyond any real one. */
const MAX_DEPTH = 40

/** Bytes from the start of a meta page that tell whether it is one. */
export const META_PROBE_BYTES = PAGE_HEADER_BYTES + META_BYTES

/** Offsets at which the second meta page may begin; the first is at 0. */
export function* secondMetaOffsets(): Generator<number> {
  for (let size = MIN_PAGE_BYTES; size <= MAX_PAGE_BYTES; size *= 2) yield size
}

/** True when the bytes at the start of a page carry the mark of a bbolt meta page, good or damaged. */
export function hasBoltMark(page: Buffer): boolean {
  if (page.length < PAGE_HEADER_BYTES + 4) return false
  return (
    page.readUInt32LE(PAGE_HEADER_BYTES) === MAGIC || page.readUInt32BE(PAGE_HEADER_BYTES) === MAGIC
  )
}

export interface BoltBucket {
  /** Plain records in key order. The buffers are views into the file. */
  records: { key: Buffer; value: Buffer }[]
  /** Names of the nested buckets with what `readBucket` needs. */
  buckets: Map<string, BucketRef>
}

/** Where a nested bucket is: a page, or a leaf page inside the value. */
export type BucketRef = { pageId: number } | { inline: Buffer }

export interface BoltFile {
  pageSizeBytes: number
  /** Counts up with every change of the file. */
  transactionId: bigint
  root: BucketRef
  /** Reads one bucket completely. Each bucket may be read once. Throws AppError when damaged. */
  readBucket(ref: BucketRef): BoltBucket
}

function damaged(what: string): AppError {
  return new AppError('unsupported', `the file is damaged: ${what}`)
}

interface Meta {
  pageSizeBytes: number
  rootPageId: number
  highWater: number
  transactionId: bigint
  littleEndian: boolean
}

/** Opens the bytes of a whole file. Throws AppError `unsupported` when no meta page is good. */
export function openBolt(data: Buffer): BoltFile {
  const meta = chooseMeta(data)
  const { pageSizeBytes } = meta
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const visited = new Set<number>()
  let recordBytes = 0

  function logicalPage(pageId: number): Buffer {
    const at = pageId * pageSizeBytes
    if (pageId < 2 || pageId >= meta.highWater) throw damaged(`page ${pageId} is out of range`)
    if (at + pageSizeBytes > data.length) {
      throw damaged(
        `page ${pageId} lies behind the end, the file was cut off at ${data.length} bytes`,
      )
    }
    if (Number(view.getBigUint64(at, meta.littleEndian)) !== pageId)
      throw damaged(`page ${pageId} carries another number`)
    const overflow = view.getUint32(at + 12, meta.littleEndian)
    const end = at + (overflow + 1) * pageSizeBytes
    if (end > data.length) {
      throw damaged(
        `page ${pageId} reaches behind the end, the file was cut off at ${data.length} bytes`,
      )
    }
    for (let id = pageId; id <= pageId + overflow; id++) {
      if (visited.has(id)) throw damaged(`page ${id} is used twice`)
      visited.add(id)
    }
    return data.subarray(at, end)
  }

  function readBucket(ref: BucketRef): BoltBucket {
    const bucket: BoltBucket = { records: [], buckets: new Map() }
    let last: Buffer | null = null
    const takeLeaf = (page: Buffer, name: string) => {
      for (const { key, value, isBucket } of leafElements(page, name, meta.littleEndian)) {
        if (key.length === 0) throw damaged(`${name} holds an empty key`)
        if (last && Buffer.compare(last, key) >= 0) throw damaged(`${name} has keys out of order`)
        last = key
        recordBytes += key.length + value.length
        if (recordBytes > data.length) throw damaged(`${name} has records that overlap`)
        if (isBucket) bucket.buckets.set(key.toString('latin1'), bucketRef(value, name, meta))
        else bucket.records.push({ key, value })
      }
    }
    const walk = (pageId: number, depth: number): void => {
      if (depth > MAX_DEPTH) throw damaged(`the tree at page ${pageId} is too deep`)
      const page = logicalPage(pageId)
      const name = `page ${pageId}`
      const kind = pageKind(page, meta.littleEndian)
      if (kind === LEAF) takeLeaf(page, name)
      else if (kind === BRANCH) {
        for (const child of branchChildren(page, name, meta.littleEndian)) walk(child, depth + 1)
      } else throw damaged(`${name} is neither branch nor leaf`)
    }
    if ('inline' in ref) takeLeaf(ref.inline, 'an inline bucket')
    else walk(ref.pageId, 0)
    return bucket
  }

  return {
    pageSizeBytes,
    transactionId: meta.transactionId,
    root: { pageId: meta.rootPageId },
    readBucket,
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function pageKind(page: Buffer, littleEndian: boolean): number {
  return viewOf(page).getUint16(8, littleEndian)
}

function* elements(page: Buffer, name: string, littleEndian: boolean) {
  const view = viewOf(page)
  const count = view.getUint16(10, littleEndian)
  if (PAGE_HEADER_BYTES + count * ELEMENT_BYTES > page.length)
    throw damaged(`${name} claims ${count} elements, more than fit`)
  for (let i = 0; i < count; i++) yield { view, at: PAGE_HEADER_BYTES + i * ELEMENT_BYTES }
}

function* leafElements(page: Buffer, name: string, littleEndian: boolean) {
  for (const { view, at } of elements(page, name, littleEndian)) {
    const flags = view.getUint32(at, littleEndian)
    const start = at + view.getUint32(at + 4, littleEndian)
    const valueAt = start + view.getUint32(at + 8, littleEndian)
    const end = valueAt + view.getUint32(at + 12, littleEndian)
    if (end > page.length) throw damaged(`${name} has a record that reaches out of it`)
    yield {
      key: page.subarray(start, valueAt),
      value: page.subarray(valueAt, end),
      isBucket: (flags & BUCKET_ELEMENT) !== 0,
    }
  }
}

function* branchChildren(page: Buffer, name: string, littleEndian: boolean): Generator<number> {
  for (const { view, at } of elements(page, name, littleEndian)) {
    const child = view.getBigUint64(at + 8, littleEndian)
    if (child > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged(`${name} points out of the file`)
    yield Number(child)
  }
}

function bucketRef(value: Buffer, name: string, { littleEndian }: Meta): BucketRef {
  if (value.length < BUCKET_HEADER_BYTES) throw damaged(`${name} has a bucket without its header`)
  const rootPage = viewOf(value).getBigUint64(0, littleEndian)
  if (rootPage !== 0n) {
    if (rootPage > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged(`${name} points out of the file`)
    return { pageId: Number(rootPage) }
  }
  const inline = value.subarray(BUCKET_HEADER_BYTES)
  if (inline.length < PAGE_HEADER_BYTES || pageKind(inline, littleEndian) !== LEAF)
    throw damaged(`${name} has an inline bucket that is no leaf`)
  return { inline }
}

function chooseMeta(data: Buffer): Meta {
  const first = readMeta(data, 0)
  const candidates: Meta[] = []
  if (first) {
    candidates.push(first)
    const second = readMeta(data, first.pageSizeBytes)
    if (second) candidates.push(second)
  } else {
    for (const offset of secondMetaOffsets()) {
      const second = readMeta(data, offset)
      if (second?.pageSizeBytes === offset) {
        candidates.push(second)
        break
      }
    }
  }
  candidates.sort((a, b) => (a.transactionId < b.transactionId ? 1 : -1))
  const [best] = candidates
  if (!best) throw damaged('neither of its two head pages is intact')
  if (data.length < best.pageSizeBytes * 2) throw damaged('it is shorter than its two head pages')
  return best
}

/** The meta at a page offset when magic, version and checksum are right, else null. */
function readMeta(data: Buffer, offset: number): Meta | null {
  const start = offset + PAGE_HEADER_BYTES
  if (start + META_BYTES > data.length) return null
  const meta = data.subarray(start, start + META_BYTES)
  const view = viewOf(meta)
  const littleEndian = view.getUint32(0, true) === MAGIC
  if (view.getUint32(0, littleEndian) !== MAGIC) return null
  if (view.getUint32(4, littleEndian) !== FORMAT_VERSION) return null
  if (view.getBigUint64(56, littleEndian) !== fnv1a64(meta.subarray(0, 56))) return null
  const pageSizeBytes = view.getUint32(8, littleEndian)
  const isPower = (pageSizeBytes & (pageSizeBytes - 1)) === 0
  if (!isPower || pageSizeBytes < MIN_PAGE_BYTES || pageSizeBytes > MAX_PAGE_BYTES) return null
  return {
    pageSizeBytes,
    rootPageId: Number(view.getBigUint64(16, littleEndian)),
    highWater: Number(view.getBigUint64(40, littleEndian)),
    transactionId: view.getBigUint64(48, littleEndian),
    littleEndian,
  }
}

/** FNV-1a, 64 bit. */
export function fnv1a64(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return hash
}
