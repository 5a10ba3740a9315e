// What is kept leaves when it is old, when it is too much, and when something else needs the room.
import { describe, expect, it } from 'vitest'
import { createRetention, type Kept } from '../../src/keep/retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 1_000 * DAY_MS

/** A disk of 1000 bytes on which these are kept, and so much besides is used; `bytes` null is not counted yet. */
function diskWith(
  kept: { ageMs: number; bytes: number | null; really?: number }[],
  otherBytes = 0,
) {
  const counted: number[] = []
  const left = new Set<Kept>()
  const sizes = new Map<Kept, number>()
  for (const { ageMs, bytes, really = bytes ?? 0 } of kept) {
    const one: Kept = {
      store: '/disk/.fb-trash',
      keptAt: NOW_MS - ageMs,
      bytes,
      measure: async () => {
        counted.push(really)
        one.bytes = really
        return really
      },
      erase: async () => void left.delete(one),
    }
    left.add(one)
    sizes.set(one, really)
  }
  const usedBytes = () => [...left].reduce((sum, one) => sum + (sizes.get(one) ?? 0), otherBytes)
  const retention = createRetention({
    volume: {
      statAt: async () => ({ dev: 1n }) as never,
      space: async () => ({ totalBytes: 1000, freeBytes: 1000 - usedBytes() }),
    },
    tidy: async () => {},
    kept: async () => [...left],
    policy: () => ({ ageMs: 30 * DAY_MS, size: { percent: 10 } }),
    log: { warn: (line: string) => expect.unreachable(line) },
    now: () => NOW_MS,
  })
  const ages = () => [...left].map(({ keptAt }) => (NOW_MS - keptAt) / HOUR_MS)
  return { retention, ages, counted }
}

describe('a sweep', () => {
  it('lets go what is older than it is to be kept, and nothing else', async () => {
    const { retention, ages } = diskWith([
      { ageMs: 31 * DAY_MS, bytes: 1 },
      { ageMs: 29 * DAY_MS, bytes: 1 },
    ])
    await retention.sweep()
    expect(ages()).toEqual([29 * 24])
  })

  it('lets the oldest go until what is kept takes no more than its part of the disk', async () => {
    const { retention, ages } = diskWith([
      { ageMs: 48 * HOUR_MS, bytes: 60 },
      { ageMs: 72 * HOUR_MS, bytes: null, really: 60 },
      { ageMs: 30 * HOUR_MS, bytes: 30 },
    ])
    await retention.sweep()
    expect(ages()).toEqual([48, 30])
  })

  it('keeps for a day what is too much', async () => {
    const { retention, ages } = diskWith([
      { ageMs: 23 * HOUR_MS, bytes: 500 },
      { ageMs: 25 * HOUR_MS, bytes: 10 },
    ])
    await retention.sweep()
    expect(ages()).toEqual([23])
  })

  it('lets the oldest go while the disk is nearly full', async () => {
    const kept = [
      { ageMs: 50 * HOUR_MS, bytes: 20 },
      { ageMs: 40 * HOUR_MS, bytes: 20 },
      { ageMs: 2 * HOUR_MS, bytes: 20 },
    ]
    const { retention, ages } = diskWith(kept, 900)
    await retention.sweep()
    expect(ages()).toEqual([40, 2])
  })

  it('counts nothing where all that is used is less than what may be kept', async () => {
    const { retention, counted } = diskWith([{ ageMs: 2 * DAY_MS, bytes: null, really: 50 }])
    await retention.sweep()
    expect(counted).toEqual([])
  })
})

describe('room for something else', () => {
  it('is made of the oldest, and of no more than it takes', async () => {
    const kept = [
      { ageMs: 1 * HOUR_MS, bytes: 100 },
      { ageMs: 3 * HOUR_MS, bytes: null, really: 100 },
      { ageMs: 2 * HOUR_MS, bytes: 100 },
    ]
    const { retention, ages } = diskWith(kept, 600)
    expect(await retention.makeRoom('/disk/folder', 250)).toBe(true)
    expect(ages()).toEqual([1])
  })

  it('is not made of what is younger than ten minutes', async () => {
    const { retention, ages } = diskWith([{ ageMs: 9 * 60_000, bytes: 500 }], 400)
    expect(await retention.makeRoom('/disk', 300)).toBe(false)
    expect(ages()).toHaveLength(1)
  })

  it('is not made where all of it would not be enough', async () => {
    const { retention, ages } = diskWith([{ ageMs: DAY_MS, bytes: 100 }], 900)
    expect(await retention.makeRoom('/disk', 101)).toBe(false)
    expect(ages()).toEqual([24])
  })
})
