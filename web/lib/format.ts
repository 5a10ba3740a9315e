// Sizes, dates, numbers and durations as people of the active language write them.

import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { intlLocale, isRtl } from './i18n.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A memo: formatters are slow to make, a long list asks for thousands, and a locale needs few. */
const made = new Map<string, unknown>()

function cached<T>(kind: string, make: (locale: string) => T): T {
  const locale = intlLocale()
  const key = `${locale} ${kind}`
  let formatter = made.get(key) as T | undefined
  if (formatter === undefined) {
    formatter = make(locale)
    made.set(key, formatter)
  }
  return formatter
}

export function formatNumber(value: number, digits = 0): string {
  return cached(
    `n${digits}`,
    (locale) =>
      new Intl.NumberFormat(locale, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  ).format(value)
}

/** "3 folders, 1,024 files"; what there is none of is left out. */
export function formatCounts(folders: number, files: number): string {
  const parts: string[] = []
  if (folders > 0) parts.push(plural(folders, { one: '# folder', other: '# folders' }))
  if (files > 0) parts.push(plural(files, { one: '# file', other: '# files' }))
  return formatSeries(parts)
}

/** `value` from 0 to 100. */
export function formatPercent(value: number, digits = 0): string {
  return cached(
    `p${digits}`,
    (locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }),
  ).format(value / 100)
}

/** Binary units with one decimal from KiB on. Whole values of the largest units stay whole. */
export function formatSize(bytes: number): string {
  const text = sizeText(bytes)
  return /[A-Za-z]/.test(text) ? leftToRight(text) : text
}

/** Width and height in pixels, such as "1600 × 1067". */
export function formatDimensions({ width, height }: { width: number; height: number }): string {
  const { format } = cached('px', (locale) => new Intl.NumberFormat(locale, { useGrouping: false }))
  return leftToRight(`${format(width)} × ${format(height)}`)
}

/** In Arabic and Hebrew, what stands on either side of a unit or sign would change places. */
function leftToRight(text: string): string {
  return isRtl() ? `\u2066${text}\u2069` : text
}

function sizeText(bytes: number): string {
  if (bytes < 1024) {
    const count = formatNumber(Math.max(0, Math.round(bytes)))
    return i18n._(msg`${count} B`)
  }
  let value = bytes / 1024
  let unit = 0
  // 1023.95 KiB would be written as 1,024.0 KiB.
  while (value >= 1023.95 && unit < 4) {
    value /= 1024
    unit++
  }
  const count = formatNumber(value, 1)
  if (unit === 0) return i18n._(msg`${count} KiB`)
  if (unit === 1) return i18n._(msg`${count} MiB`)
  if (unit === 2) return i18n._(msg`${count} GiB`)
  if (unit === 3) return i18n._(msg`${count} TiB`)
  return i18n._(msg`${count} PiB`)
}

function toMs(moment: number | string | Date): number {
  return typeof moment === 'number' ? moment : new Date(moment).getTime()
}

/** Date and time to the minute, for tooltips and for those who want exact dates. */
export function formatMoment(moment: number | string | Date): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return '—'
  return cached(
    'moment',
    (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' }),
  ).format(ms)
}

/** The day, such as 12 Nov 2026. */
export function formatDay(moment: number | string | Date): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return '—'
  return cached('day', (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })).format(
    ms,
  )
}

/**
 * How long ago, or how long until: `12 minutes ago`, `Yesterday`, `in 3 days`. Days are those of the
 * calendar. What has passed counts whole units only; what is to come is rounded, so that a link made
 * for five hours reads `in 5 hours` also a moment later. The first letter is a capital, as the text
 * stands alone.
 */
export function formatDistance(moment: number | string | Date, nowMs = Date.now()): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return '—'
  const [count, unit] = toDistance(ms, nowMs)
  // `Yesterday` and `now`, but `1 month ago`: `last month` is the one of the calendar.
  const numeric = unit === 'month' || unit === 'year' ? 'always' : 'auto'
  const format = cached(
    `ago ${numeric}`,
    (locale) => new Intl.RelativeTimeFormat(locale, { numeric }),
  )
  const text = format.format(count, unit)
  return text.charAt(0).toLocaleUpperCase(intlLocale()) + text.slice(1)
}

/** The largest unit of which there is one at least, after rounding: 59.5 minutes are an hour. */
function toDistance(ms: number, nowMs: number): [count: number, Intl.RelativeTimeFormatUnit] {
  const gapMs = ms - nowMs
  const days = daysBetween(nowMs, ms)
  const count = (value: number) =>
    (gapMs > 0 ? Math.round(value) : Math.ceil(value)) || Math.sign(value)
  const minutes = count(gapMs / MINUTE_MS)
  const hours = count(gapMs / HOUR_MS)
  const months = count(days / 30.44)
  if (Math.abs(gapMs) < 45_000) return [0, 'second']
  if (Math.abs(minutes) < 60) return [minutes, 'minute']
  // The end of a day is not a day away.
  if (days === 0) return [Math.min(hours, 23), 'hour']
  if (Math.abs(hours) < 6) return [hours, 'hour']
  if (Math.abs(days) < 30) return [days, 'day']
  if (Math.abs(months) < 12) return [months, 'month']
  return [count(days / 365.25), 'year']
}

/** Like `formatDistance`, for the middle of a sentence. */
export function formatDistanceInText(moment: number | string | Date, nowMs = Date.now()): string {
  const text = formatDistance(moment, nowMs)
  return text.charAt(0).toLocaleLowerCase(intlLocale()) + text.slice(1)
}

/** Like `formatDistance`, of what ends by itself: `In 1 minute` until it has, as nothing ends `now`. */
export function formatEnd(moment: number | string | Date, nowMs = Date.now()): string {
  return formatDistance(Math.max(toMs(moment), nowMs + MINUTE_MS), nowMs)
}

/** Like `formatEnd`, for the middle of a sentence. */
export function formatEndInText(moment: number | string | Date, nowMs = Date.now()): string {
  return formatDistanceInText(Math.max(toMs(moment), nowMs + MINUTE_MS), nowMs)
}

/** Day and time for comparing two moments: `Today, 09:12`, `2 Nov 2026, 11:20`. */
export function formatDayAndTime(moment: number | string | Date, nowMs = Date.now()): string {
  const ms = toMs(moment)
  if (Number.isNaN(ms)) return '—'
  const days = daysBetween(nowMs, ms)
  const day = days === 0 || days === -1 ? nameOfDay(days) : formatDay(ms)
  const time = cached(
    'time',
    (locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
  ).format(ms)
  return i18n._(msg`${day}, ${time}`)
}

/** Today, yesterday: how the language calls the day so many days from now. */
function nameOfDay(days: number): string {
  const format = cached(
    'ago auto',
    (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  )
  const text = format.format(days, 'day')
  return text.charAt(0).toLocaleUpperCase(intlLocale()) + text.slice(1)
}

/** As lists show it: relative for less than a week, then the day; exact when the person prefers that. */
export function formatDate(
  moment: number | string | Date,
  exact = false,
  nowMs = Date.now(),
): string {
  if (exact) return formatMoment(moment)
  const ms = toMs(moment)
  return Math.abs(daysBetween(nowMs, ms)) < 7 ? formatDistance(ms, nowMs) : formatDay(ms)
}

/** Midnights between two moments, positive when `toMs` is later. */
function daysBetween(fromMs: number, untilMs: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  // Rounded, because days of 23 and 25 hours exist.
  return Math.round((midnight(untilMs) - midnight(fromMs)) / DAY_MS)
}

/** `h:mm:ss` or `m:ss` for media; `—` when unknown. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '—'
  const whole = Math.floor(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** One after the other with the comma of the language, without an “and”. */
export function formatSeries(items: readonly string[]): string {
  return items.reduce((first, next) => (first === '' ? next : i18n._(msg`${first}, ${next}`)), '')
}

/** Keeps the direction of a name from that of the text around it. */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`
}

/** `a, b and c`. */
export function formatList(items: readonly string[]): string {
  return cached('list', (locale) => new Intl.ListFormat(locale)).format(items)
}
