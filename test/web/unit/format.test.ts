import { i18n } from '@lingui/core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../../web/api/client.ts'
import { messageOf } from '../../../web/lib/error-text.ts'
import { formatDate, formatDistance, formatDuration, formatSize } from '../../../web/lib/format.ts'
import { chooseLocale, matchLocale } from '../../../web/lib/i18n.ts'

const NOW = new Date(2026, 10, 20, 18, 30).getTime()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

beforeAll(() => {
  vi.stubGlobal('navigator', { languages: ['en-GB', 'nb-NO'] })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
})

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1024, '1.0 KiB'],
    [86_221, '84.2 KiB'],
    [1024 ** 2 - 1, '1.0 MiB'],
    [520 * 1024 ** 2, '520.0 MiB'],
    [1024 ** 5 * 1.5, '1.5 PiB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text)
  })

  it('keep number and unit in order among letters from right to left', () => {
    i18n.loadAndActivate({ locale: 'ar', messages: {} })
    expect(formatSize(86_221)).toBe('\u206684.2 KiB\u2069')
    i18n.loadAndActivate({ locale: 'en', messages: {} })
  })
})

describe('dates', () => {
  it.each([
    [0, 'Now'],
    [-MINUTE * 12, '12 minutes ago'],
    [-HOUR * 2, '2 hours ago'],
    [-HOUR * 20, 'Yesterday'],
    [-DAY * 3, '3 days ago'],
    [DAY * 3, 'In 3 days'],
    [HOUR * 5, 'In 5 hours'],
  ])('%d ms away is %s', (away, text) => {
    expect(formatDistance(NOW + away, NOW)).toBe(text)
  })

  it('are days after a week, and exact when that is preferred', () => {
    expect(formatDate(NOW - 8 * DAY, false, NOW)).toBe('12 Nov 2026')
    expect(formatDate(NOW, true, NOW)).toBe('20/11/2026, 18:30')
  })

  it('that are none are a dash', () => {
    expect(formatDistance('no date', NOW)).toBe('—')
  })
})

describe('durations', () => {
  it.each([
    [65, '1:05'],
    [3725, '1:02:05'],
    [Number.NaN, '—'],
  ])('%d s are %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })
})

describe('languages', () => {
  it.each([
    ['pt-PT', 'pt-pt'],
    ['pt-AO', 'pt'],
    ['zh-Hant-HK', 'zh-tw'],
    ['zh', 'zh-cn'],
    ['nb-NO', 'no'],
    ['sv', 'sv-se'],
    ['iw', 'he'],
    ['tlh', null],
  ])('%s is shown as %s', (tag, code) => {
    expect(matchLocale(tag)).toBe(code)
  })

  it('follow the account, then the browser', () => {
    expect(chooseLocale('de')).toBe('de')
    expect(chooseLocale('tlh')).toBe('en')
  })
})

describe('failures', () => {
  it('are put in words by code, by status, and never as a status line', () => {
    expect(messageOf(new ApiError(507, 'no_space', 'x'))).toMatch(/not enough space/)
    expect(messageOf(new ApiError(404, null, '404 Not Found'))).toMatch(/no longer exists/)
    expect(messageOf(new ApiError(0, null, ''))).toBe('No connection to the server.')
    expect(messageOf(new ApiError(418, null, 'teapot'))).toBe('Something went wrong.')
    expect(messageOf(new TypeError('x'))).toBe('Something went wrong.')
  })
})
