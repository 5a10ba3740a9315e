import { expect, test } from 'vitest'
import { surplusOf } from '../../src/keep/thinning.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 23, 12)

function at(...agesMs: number[]) {
  return agesMs.map((ageMs) => ({ replacedAt: NOW - ageMs, isKept: false }))
}

function agesLeft(versions: ReturnType<typeof at>): number[] {
  const gone = new Set(surplusOf(versions, NOW))
  return versions.filter((version) => !gone.has(version)).map((v) => NOW - v.replacedAt)
}

test('all versions of the last ten minutes stay', () => {
  const ages = Array.from({ length: 599 }, (_, i) => (i + 1) * 1_000)
  expect(agesLeft(at(...ages))).toEqual(ages)
})

test('one version stays of a minute, of an hour, of a day', () => {
  const every = (stepMs: number, fromMs: number, toMs: number) =>
    Array.from({ length: (toMs - fromMs) / stepMs }, (_, i) => fromMs + i * stepMs)
  expect(agesLeft(at(...every(10_000, 20 * MINUTE, 30 * MINUTE)))).toHaveLength(11)
  expect(agesLeft(at(...every(5 * MINUTE, 2 * HOUR, 12 * HOUR)))).toHaveLength(11)
  expect(agesLeft(at(...every(HOUR, 10 * DAY, 20 * DAY)))).toHaveLength(11)
})

test('the version that stood longest stays, however many come after it', () => {
  const longStood = 30 * DAY + 30 * MINUTE
  const burst = Array.from({ length: 50 }, (_, i) => longStood - (i + 1) * 1_000)
  expect(agesLeft(at(90 * DAY, longStood, ...burst))).toEqual([90 * DAY, longStood])
})

test('what was marked to be kept stays beside the one of its day', () => {
  const [kept, ...others] = at(5 * DAY, 5 * DAY - 1_000, 5 * DAY - 2_000)
  const versions = [{ ...(kept as (typeof others)[0]), isKept: true }, ...others]
  expect(agesLeft(versions)).toHaveLength(2)
  expect(surplusOf(versions, NOW)).not.toContain(versions[0])
})

test('thinning again takes no more', () => {
  const versions = at(...Array.from({ length: 500 }, (_, i) => 11 * MINUTE + i * 17_000))
  const gone = new Set(surplusOf(versions, NOW))
  expect(
    surplusOf(
      versions.filter((version) => !gone.has(version)),
      NOW,
    ),
  ).toEqual([])
})

test('the order in which they come does not matter', () => {
  const versions = at(3 * DAY, 3 * DAY - 2_000, 3 * DAY - 1_000, 3 * DAY - 9_000)
  expect(new Set(surplusOf([...versions].reverse(), NOW))).toEqual(
    new Set(surplusOf(versions, NOW)),
  )
})
