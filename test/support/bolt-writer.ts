// Writes bbolt files the way the old program's library lays them out: leaf and branch pages,
// overflow, inline and paged nested buckets, garbage between pages. For tests of the reader.
import { fnv1a64 } from '../../src/store/legacy/bolt.ts'

export interface BucketContent {
  records?: Iterable<readonly [key: Buffer | string, value: Buffer | string]>
  buckets?: Record<string, BucketContent>
}

export interface BoltWriterOptions {
  pageSizeBytes?: number
  bigEndian?: boolean
  /** Most elements on a page, to force branches with few records. */
  maxElements?: number
  /** Leave unused pages of noise between the used ones. */
  gaps?: boolean
  transactionId?: number
}

interface Element {
  key: Buffer
  value: Buffer
  isBucket: boolean
}

const HEADER = 16
const ELEMENT = 16

/** The bytes of a database whose top level holds the given buckets. */
export function writeBolt(
  buckets: Record<string, BucketContent>,
  options: BoltWriterOptions = {},
): Buffer {
  const pageSize = options.pageSizeBytes ?? 4096
  const maxElements = options.maxElements ?? 1000
  const little = !options.bigEndian
  const pages: Buffer[] = []
  let nextPage = 4

  const u16 = (b: Buffer, v: number, at: number) =>
    little ? b.writeUInt16LE(v, at) : b.writeUInt16BE(v, at)
  const u32 = (b: Buffer, v: number, at: number) =>
    little ? b.writeUInt32LE(v, at) : b.writeUInt32BE(v, at)
  const u64 = (b: Buffer, v: bigint, at: number) =>
    little ? b.writeBigUInt64LE(v, at) : b.writeBigUInt64BE(v, at)

  function header(page: Buffer, id: number, type: number, count: number, overflow: number): void {
    u64(page, BigInt(id), 0)
    u16(page, type, 8)
    u16(page, count, 10)
    u32(page, overflow, 12)
  }

  function allocate(sizeBytes: number): { id: number; page: Buffer; overflow: number } {
    const count = Math.max(1, Math.ceil(sizeBytes / pageSize))
    if (options.gaps) pages[nextPage++] = Buffer.alloc(pageSize, 0xa5)
    const id = nextPage
    nextPage += count
    const page = Buffer.alloc(count * pageSize)
    pages[id] = page
    return { id, page, overflow: count - 1 }
  }

  function leafBytes(elements: Element[], into: Buffer): void {
    let data = HEADER + elements.length * ELEMENT
    for (const [i, { key, value, isBucket }] of elements.entries()) {
      const at = HEADER + i * ELEMENT
      u32(into, isBucket ? 1 : 0, at)
      u32(into, data - at, at + 4)
      u32(into, key.length, at + 8)
      u32(into, value.length, at + 12)
      key.copy(into, data)
      value.copy(into, data + key.length)
      data += key.length + value.length
    }
  }

  const sizeOf = (elements: Element[]) =>
    elements.reduce((sum, e) => sum + ELEMENT + e.key.length + e.value.length, HEADER)

  function writeLeaf(elements: Element[]): { id: number; key: Buffer } {
    const { id, page, overflow } = allocate(sizeOf(elements))
    header(page, id, 0x02, elements.length, overflow)
    leafBytes(elements, page)
    return { id, key: elements[0]?.key ?? Buffer.alloc(0) }
  }

  function writeBranch(children: { id: number; key: Buffer }[]): { id: number; key: Buffer } {
    const size = children.reduce((sum, { key }) => sum + ELEMENT + key.length, HEADER)
    const { id, page, overflow } = allocate(size)
    header(page, id, 0x01, children.length, overflow)
    let data = HEADER + children.length * ELEMENT
    for (const [i, child] of children.entries()) {
      const at = HEADER + i * ELEMENT
      u32(page, data - at, at)
      u32(page, child.key.length, at + 4)
      u64(page, BigInt(child.id), at + 8)
      child.key.copy(page, data)
      data += child.key.length
    }
    return { id, key: children[0]?.key ?? Buffer.alloc(0) }
  }

  function chunk<T>(items: T[], fits: (items: T[]) => boolean): T[][] {
    const out: T[][] = []
    let current: T[] = []
    for (const item of items) {
      if (current.length > 0 && !fits([...current, item])) {
        out.push(current)
        current = []
      }
      current.push(item)
    }
    out.push(current)
    return out
  }

  function writeTree(elements: Element[]): number {
    const leaves = chunk(elements, (e) => e.length <= maxElements && sizeOf(e) <= pageSize)
    let level = leaves.map(writeLeaf)
    while (level.length > 1) {
      const groups = chunk(level, (g) => {
        const size = g.reduce((sum, { key }) => sum + ELEMENT + key.length, HEADER)
        return g.length <= Math.max(2, maxElements) && (size <= pageSize || g.length <= 2)
      })
      level = groups.map(writeBranch)
    }
    return level[0]?.id ?? 0
  }

  function elementsOf(content: BucketContent): Element[] {
    const elements: Element[] = []
    for (const [key, value] of content.records ?? []) {
      elements.push({ key: Buffer.from(key), value: Buffer.from(value), isBucket: false })
    }
    for (const [name, child] of Object.entries(content.buckets ?? {})) {
      elements.push({ key: Buffer.from(name), value: bucketValue(child), isBucket: true })
    }
    return elements.sort((a, b) => Buffer.compare(a.key, b.key))
  }

  function bucketValue(content: BucketContent): Buffer {
    const elements = elementsOf(content)
    const inline = !content.buckets && sizeOf(elements) <= pageSize / 4
    const value = Buffer.alloc(16 + (inline ? sizeOf(elements) : 0))
    if (inline) {
      const page = value.subarray(16)
      header(page, 0, 0x02, elements.length, 0)
      leafBytes(elements, page)
    } else u64(value, BigInt(writeTree(elements)), 0)
    return value
  }

  const root = writeTree(elementsOf({ buckets }))
  const file = Buffer.alloc(Math.max(8, nextPage + 2) * pageSize)
  for (const [id, page] of pages.entries()) page?.copy(file, id * pageSize)
  header(file.subarray(2 * pageSize), 2, 0x10, 0, 0)

  const latest = BigInt(options.transactionId ?? 8)
  for (const id of [0, 1]) {
    const page = file.subarray(id * pageSize, (id + 1) * pageSize)
    header(page, id, 0x04, 0, 0)
    const meta = page.subarray(HEADER, HEADER + 64)
    // The page whose number has the parity of the transaction is the newer one.
    const mine = latest % 2n === BigInt(id) ? latest : latest - 1n
    u32(meta, 0xed0cdaed, 0)
    u32(meta, 2, 4)
    u32(meta, pageSize, 8)
    u64(meta, BigInt(mine === latest ? root : 3), 16)
    u64(meta, 2n, 32)
    u64(meta, BigInt(nextPage), 40)
    u64(meta, mine, 48)
    u64(meta, fnv1a64(meta.subarray(0, 56)), 56)
  }
  header(file.subarray(3 * pageSize), 3, 0x02, 0, 0)
  return file
}
