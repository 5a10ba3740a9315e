// RFC 3339 with nanoseconds and the server's zone, as the API writes times (docs/http-api.md 1.6). A listing
// formats one per entry, so what neighbours share is remembered: the zone of a quarter of an hour, which
// no zone changes within, and the text of a day.
import { rememberLast } from '../../lib/memo.ts'

const QUARTER_S = 900
const DAY_S = 86_400
/** RFC 3339 has years of four digits, in every zone; disks keep times far beyond (tmpfs, btrfs, ZFS). */
const MIN_S = Date.parse('0001-01-02T00:00:00Z') / 1000
const MAX_S = Date.parse('9999-12-30T23:59:59Z') / 1000
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))

/**
 * Formats nanoseconds since the epoch; trailing zeros of the fraction are dropped. What the format
 * cannot write is written as its first or last second, so that one odd file spoils no listing.
 */
export function formatTime(timeNs: bigint): string {
  const { seconds, nanos } = toParts(timeNs)
  return formatParts(seconds, nanos)
}

/** Nanoseconds since the epoch as whole seconds and what is above them, 0 to 999,999,999. */
export function toParts(timeNs: bigint): { seconds: number; nanos: number } {
  const seconds = Number(timeNs / 1_000_000_000n)
  const nanos = Number(timeNs % 1_000_000_000n)
  return nanos < 0 ? { seconds: seconds - 1, nanos: nanos + 1_000_000_000 } : { seconds, nanos }
}

/** Formats such parts as formatTime does. */
export function formatParts(anySeconds: number, nanos: number): string {
  const seconds = Math.min(MAX_S, Math.max(MIN_S, anySeconds))
  const { offsetS, zone } = zoneIn(Math.floor(seconds / QUARTER_S))
  const local = seconds + offsetS
  const day = Math.floor(local / DAY_S)
  const second = local - day * DAY_S
  const hh = TWO_DIGITS[Math.floor(second / 3600)]
  const mm = TWO_DIGITS[Math.floor((second % 3600) / 60)]
  const text = `${dayText(day)}T${hh}:${mm}:${TWO_DIGITS[second % 60]}`
  return nanos === 0 ? text + zone : `${text}.${fraction(nanos)}${zone}`
}

const zoneIn = rememberLast((quarter) => {
  const minutes = -new Date(quarter * QUARTER_S * 1000).getTimezoneOffset()
  return { offsetS: minutes * 60, zone: zoneText(minutes) }
})

const dayText = rememberLast((day) => new Date(day * DAY_S * 1000).toISOString().slice(0, 10))

function fraction(nanos: number): string {
  const digits = String(nanos).padStart(9, '0')
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 48) end--
  return digits.slice(0, end)
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z'
  const minutes = Math.abs(offsetMinutes)
  const pad = (n: number) => String(n).padStart(2, '0')
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
