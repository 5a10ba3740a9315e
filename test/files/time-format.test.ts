import { afterEach, expect, it } from 'vitest'
import { formatTime } from '../../src/files/listing/time-format.ts'

const before = process.env.TZ
afterEach(() => {
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
})

/** Nanoseconds of a moment written with a zone. */
const at = (moment: string, nanos = 0) => BigInt(Date.parse(moment)) * 1_000_000n + BigInt(nanos)

it.each([
  ['UTC', '2026-01-02T03:04:05Z', 0, '2026-01-02T03:04:05Z'],
  ['UTC', '2026-01-02T03:04:05Z', 120_000_000, '2026-01-02T03:04:05.12Z'],
  ['UTC', '2026-12-31T23:59:59Z', 999_999_999, '2026-12-31T23:59:59.999999999Z'],
  ['UTC', '1970-01-01T00:00:00Z', -1, '1969-12-31T23:59:59.999999999Z'],
  ['UTC', '2000-02-29T12:00:00Z', 1, '2000-02-29T12:00:00.000000001Z'],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 0, '2026-03-29T01:59:59+01:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 0, '2026-03-29T03:00:00+02:00'],
  ['Europe/Berlin', '2026-07-01T22:30:00Z', 0, '2026-07-02T00:30:00+02:00'],
  ['America/St_Johns', '2026-01-01T03:00:00Z', 0, '2025-12-31T23:30:00-03:30'],
  ['Asia/Kathmandu', '2026-01-01T18:15:00Z', 0, '2026-01-02T00:00:00+05:45'],
])('in %s %s and %d ns is written %s', (zone, moment, nanos, written) => {
  process.env.TZ = zone
  // What was kept of another zone must be learnt anew, as it is at the start of a program.
  formatTime(at('1999-01-01T00:00:00Z'))
  formatTime(at('2026-06-15T12:00:00Z'))
  expect(formatTime(at(moment, nanos))).toBe(written)
})

// tmpfs, btrfs and ZFS keep such times, and `touch` writes them.
it.each([
  ['far ahead', 10n ** 14n, '9999-12-31T'],
  ['long ago', -(10n ** 14n), '0001-01-02T'],
])(
  'writes a time %s of what a year of four digits holds as the last it has',
  (_, seconds, written) => {
    process.env.TZ = 'Africa/Lagos'
    expect(formatTime(seconds * 1_000_000_000n).startsWith(written)).toBe(true)
    expect(formatTime(seconds * 1_000_000_000n)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]/)
  },
)

it('agrees with the calendar over a year, whatever came before', () => {
  process.env.TZ = 'Europe/Berlin'
  for (let i = 0; i < 5_000; i++) {
    const ms = Date.parse('2026-01-01T00:00:00Z') + ((i * 7919 * 60_007) % (365 * 86_400_000))
    const offset = -new Date(ms).getTimezoneOffset()
    const wall = new Date(ms + offset * 60_000).toISOString().slice(0, 19)
    expect(formatTime(BigInt(ms) * 1_000_000n).slice(0, 19)).toBe(wall)
  }
})
