import { describe, expect, test } from 'vitest'
import { AppError } from '../../src/lib/errors.ts'
import { type BoltFile, type BucketRef, openBolt } from '../../src/store/legacy/bolt.ts'
import { type BoltWriterOptions, type BucketContent, writeBolt } from '../support/bolt-writer.ts'
import { seeded } from '../support/legacy-database.ts'

interface Plain {
  records: [string, string][]
  buckets: Record<string, Plain>
}

function readAll(bolt: BoltFile, ref: BucketRef): Plain {
  const bucket = bolt.readBucket(ref)
  return {
    records: bucket.records.map(({ key, value }) => [key.toString('hex'), value.toString('hex')]),
    buckets: Object.fromEntries(
      [...bucket.buckets].map(([name, child]) => [name, readAll(bolt, child)]),
    ),
  }
}

function expected(content: BucketContent): Plain {
  const records = [...(content.records ?? [])].map(
    ([key, value]) =>
      [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')] as [string, string],
  )
  return {
    records: records.sort(([a], [b]) => (a < b ? -1 : 1)),
    buckets: Object.fromEntries(
      Object.entries(content.buckets ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, child]) => [name, expected(child)]),
    ),
  }
}

function randomBucket(random: () => number, depth: number): BucketContent {
  const count = Math.floor(random() ** 3 * 400)
  const records = new Map<string, Buffer>()
  for (let i = 0; i < count; i++) {
    const size = random() < 0.02 ? Math.floor(random() * 30_000) : Math.floor(random() * 60)
    records.set(`key-${Math.floor(random() * 1e9)}`, Buffer.alloc(size, i))
  }
  const buckets: Record<string, BucketContent> = {}
  if (depth > 0) {
    for (let i = Math.floor(random() * 4); i > 0; i--) {
      buckets[`_bucket-${i}`] = randomBucket(random, depth - 1)
    }
  }
  return { records: [...records], ...(Object.keys(buckets).length > 0 && { buckets }) }
}

const LAYOUTS: [string, BoltWriterOptions][] = [
  ['pages of 1024 bytes', { pageSizeBytes: 1024 }],
  ['pages of 4096 bytes', { pageSizeBytes: 4096 }],
  ['pages of 16384 bytes, as on Apple silicon', { pageSizeBytes: 16_384 }],
  ['pages of 65536 bytes', { pageSizeBytes: 65_536 }],
  ['deep trees with unused pages between', { maxElements: 3, gaps: true }],
  ['big-endian machines', { bigEndian: true }],
  ['the second head page as the newer one', { transactionId: 7 }],
]

describe('reading bbolt files', () => {
  for (const [name, options] of LAYOUTS) {
    test(`gives back every record with ${name}`, () => {
      for (let seed = 1; seed <= 12; seed++) {
        const content = { buckets: { top: randomBucket(seeded(seed * 77), 3) } }
        const bolt = openBolt(writeBolt(content.buckets, options))
        expect(readAll(bolt, bolt.root), `seed ${seed}`).toEqual(expected(content))
      }
    })
  }

  test('uses the older head page when the newer one is damaged', () => {
    const file = writeBolt({ a: { records: [['k', 'v']] } })
    file[16 + 20] = (file[16 + 20] ?? 0) ^ 0xff
    expect(openBolt(file).transactionId).toBe(7n)
  })

  test('finds the second head page when the first is destroyed, whatever the page size', () => {
    for (const pageSizeBytes of [1024, 4096, 65_536]) {
      const file = writeBolt({ a: { records: [['k', 'v']] } }, { pageSizeBytes, transactionId: 9 })
      file.fill(0, 0, 100)
      const bolt = openBolt(file)
      expect(bolt.pageSizeBytes).toBe(pageSizeBytes)
      expect([...bolt.readBucket(bolt.root).buckets.keys()]).toEqual(['a'])
    }
  })

  test('refuses a page that is used twice instead of walking in circles', () => {
    const records = Array.from(
      { length: 80 },
      (_, i) => [`key-${String(i).padStart(3, '0')}`, 'v'] as const,
    )
    const file = writeBolt({ a: { records } }, { maxElements: 4 })
    let changed = 0
    for (let page = 4; page * 4096 < file.length; page++) {
      const at = page * 4096
      if (file.readUInt16LE(at + 8) !== 0x01) continue
      // Every child of this branch becomes the branch itself.
      file.writeBigUInt64LE(BigInt(page), at + 16 + 8)
      changed += 1
    }
    expect(changed).toBeGreaterThan(0)
    const bolt = openBolt(file)
    expect(() => readAll(bolt, bolt.root)).toThrow(/used twice/)
  })

  test('says where a file was cut off, at any length', () => {
    const records = Array.from({ length: 300 }, (_, i) => [`k${i}`, 'value'.repeat(20)] as const)
    const file = writeBolt({ a: { records } })
    let refused = 0
    for (let length = 0; length < file.length; length += 997) {
      try {
        const bolt = openBolt(file.subarray(0, length))
        readAll(bolt, bolt.root)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        expect((error as Error).message).toMatch(/damaged/)
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(20)
  })

  test('answers damaged bytes with an error of its own or with records, never otherwise', () => {
    const random = seeded(42)
    const content = { top: randomBucket(seeded(5), 2), other: randomBucket(seeded(9), 1) }
    const file = writeBolt(content, { maxElements: 6 })
    let refused = 0
    for (let round = 0; round < 1500; round++) {
      const copy = Buffer.from(file)
      const flips = 1 + Math.floor(random() * 6)
      for (let i = 0; i < flips; i++) {
        // Half of the damage goes where it hurts: into the first bytes of a page.
        const page = Math.floor(random() * (copy.length / 4096)) * 4096
        const at =
          random() < 0.5 ? page + Math.floor(random() * 96) : Math.floor(random() * copy.length)
        copy[at] = Math.floor(random() * 256)
      }
      try {
        const bolt = openBolt(copy)
        readAll(bolt, bolt.root)
      } catch (error) {
        expect(error, `round ${round}: ${(error as Error).stack}`).toBeInstanceOf(AppError)
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(50)
  })
})
