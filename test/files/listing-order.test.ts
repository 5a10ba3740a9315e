// Entries by columns, and the order of their places.
import { describe, expect, it } from 'vitest'
import { createColumns, type ListedEntry } from '../../src/files/listing/columns.ts'
import { sortEntries } from '../../src/files/listing/sort.ts'
import { formatParts, toParts } from '../../src/files/listing/time-format.ts'

function entry(name: string, facts: Partial<ListedEntry> = {}): ListedEntry {
  const none = { isDir: false, isSymlink: false, isUnreachable: false, sizeBytes: 0, mode: 0o644 }
  return { name, ...none, mtimeS: 0, mtimeNanos: 0, type: 'text', subtitles: [], ...facts }
}

function columnsOf(entries: ListedEntry[]) {
  const columns = createColumns()
  for (const one of entries) columns.add(one)
  return columns
}

describe('columns', () => {
  it('give back what was added, however many there are', () => {
    const entries = Array.from({ length: 1_000 }, (_, i) =>
      entry(`f${i}`, {
        isDir: i % 3 === 0,
        isSymlink: i % 5 === 0,
        isUnreachable: i % 7 === 0,
        sizeBytes: i * 2 ** 40,
        mode: 0o100000 + i,
        mtimeS: i - 500,
        mtimeNanos: 999_999_000 + i,
        type: i % 2 === 0 ? 'video' : 'image',
      }),
    )
    const columns = columnsOf(entries)
    expect(columns.count()).toBe(1_000)
    expect(entries.map((_, i) => columns.at(i))).toEqual(entries)
  })

  it('hold times that 64 bits of nanoseconds do not', () => {
    for (const ns of [
      -1n,
      0n,
      1_999_999_999n,
      -62_135_510_400_000_000_001n,
      253_370_764_800_123_456_789n,
    ]) {
      const { seconds, nanos } = toParts(ns)
      expect(BigInt(seconds) * 1_000_000_000n + BigInt(nanos)).toBe(ns)
      const { mtimeS, mtimeNanos } = columnsOf([
        entry('a', { mtimeS: seconds, mtimeNanos: nanos }),
      ]).at(0)
      expect(formatParts(mtimeS, mtimeNanos)).toBe(formatParts(seconds, nanos))
      expect([mtimeS, mtimeNanos]).toEqual([seconds, nanos])
    }
  })

  it('have the subtitles of those that have some', () => {
    const columns = columnsOf([entry('a.mp4'), entry('b.mp4')])
    columns.setSubtitles(1, ['/b.srt' as never])
    expect([columns.at(0).subtitles, columns.at(1).subtitles]).toEqual([[], ['/b.srt']])
  })
})

describe('the order', () => {
  const columns = columnsOf([
    entry('B', { isDir: true, sizeBytes: 4096, mtimeS: 5 }),
    entry('a10', { sizeBytes: 1, mtimeS: 9, mtimeNanos: 1 }),
    entry('a2', { sizeBytes: 30, mtimeS: 9, mtimeNanos: 2 }),
    entry('c', { sizeBytes: 30, mtimeS: -1, mtimeNanos: 999_999_999 }),
  ])
  const names = async (by: string, asc: boolean) =>
    (await sortEntries(columns, by, asc)).map((at) => columns.nameAt(at))

  it('of names is that of people, folders first, and ascending means from Z to A', async () => {
    expect(await names('name', false)).toEqual(['B', 'a2', 'a10', 'c'])
    expect(await names('name', true)).toEqual(['B', 'c', 'a10', 'a2'])
  })

  it('of times goes to the nanosecond, of sizes has folders below all files', async () => {
    expect(await names('modified', false)).toEqual(['a2', 'a10', 'B', 'c'])
    expect(await names('modified', true)).toEqual(['c', 'B', 'a10', 'a2'])
    expect(await names('size', false)).toEqual(['a2', 'c', 'a10', 'B'])
    expect(await names('size', true)).toEqual(['B', 'a10', 'a2', 'c'])
  })

  it('that is not known is that of bytes', async () => {
    expect(await names('', false)).toEqual(['B', 'a10', 'a2', 'c'])
  })
})
