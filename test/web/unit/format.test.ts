import { i18n } from '@lingui/core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../../web/api/client.ts'
import { messageOf } from '../../../web/api/error-text.ts'
import {
  formatCounts,
  formatDate,
  formatDimensions,
  formatDistance,
  formatDuration,
  formatEnd,
  formatEndInText,
  formatSeries,
  formatSize,
} from '../../../web/lib/format.ts'
import { chooseLocale, matchLocale } from '../../../web/lib/i18n.ts'

const NOW = new Date(2026, 10, 20, 18, 30).getTime()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

beforeAll(() => {
  vi.stubGlobal('navigator', { languages: ['en-GB', 'nb-NO'] })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
})
afterAll(() => void vi.unstubAllGlobals())

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

  it('of pictures keep width before height among letters from right to left', () => {
    expect(formatDimensions({ width: 1600, height: 1067 })).toBe('1600 × 1067')
    i18n.loadAndActivate({ locale: 'he', messages: {} })
    expect(formatDimensions({ width: 1600, height: 1067 })).toBe('\u20661600 × 1067\u2069')
    i18n.loadAndActivate({ locale: 'en', messages: {} })
  })

  it('keep number and unit in order among letters from right to left', () => {
    i18n.loadAndActivate({ locale: 'ar', messages: {} })
    expect(formatSize(86_221)).toBe('\u206684.2 KiB\u2069')
    i18n.loadAndActivate({ locale: 'en', messages: {} })
  })
})

it('what stands one after the other has the comma of the language between', async () => {
  expect(formatCounts(3, 1024)).toBe('3 folders, 1,024 files')
  expect(formatSeries([])).toBe('')
  const { messages } = await import('../../../locales/ar.po')
  i18n.loadAndActivate({ locale: 'ar', messages })
  expect(formatSeries(['anna', 'ben', 'carla'])).toBe('anna، ben، carla')
  expect(formatCounts(3, 5)).toBe('3 مجلدات، 5 ملفات')
  i18n.loadAndActivate({ locale: 'en', messages: {} })
})

describe('dates', () => {
  it.each([
    [0, 'Now'],
    [-44_999, 'Now'],
    [-45_000, '1 minute ago'],
    [-MINUTE * 2 + 1, '1 minute ago'],
    [-MINUTE * 12, '12 minutes ago'],
    [-HOUR + 1, '59 minutes ago'],
    [-HOUR, '1 hour ago'],
    [-HOUR * 2 + 1, '1 hour ago'],
    [-HOUR * 2, '2 hours ago'],
    [-HOUR * 18, '18 hours ago'],
    [-HOUR * 20, 'Yesterday'],
    [-DAY * 3, '3 days ago'],
    [-DAY * 29, '29 days ago'],
    [-DAY * 30, '1 month ago'],
    [-DAY * 60, '1 month ago'],
    [-DAY * 61, '2 months ago'],
    [-DAY * 365, '11 months ago'],
    [-DAY * 366, '1 year ago'],
    [-DAY * 730, '1 year ago'],
    [-DAY * 731, '2 years ago'],
    [44_999, 'Now'],
    [45_000, 'In 1 minute'],
    [MINUTE * 1.5 - 1, 'In 1 minute'],
    [MINUTE * 1.5, 'In 2 minutes'],
    [MINUTE * 59.5 - 1, 'In 59 minutes'],
    [MINUTE * 59.5, 'In 1 hour'],
    [HOUR * 5 - 1, 'In 5 hours'],
    [HOUR * 5 - 29 * MINUTE, 'In 5 hours'],
    [HOUR * 5, 'In 5 hours'],
    [HOUR * 5.5, 'Tomorrow'],
    [DAY - 1, 'Tomorrow'],
    [DAY, 'Tomorrow'],
    [DAY * 3, 'In 3 days'],
    [DAY * 7 - 1, 'In 7 days'],
    [DAY * 29, 'In 29 days'],
    [DAY * 30 - 1, 'In 1 month'],
    [DAY * 45, 'In 1 month'],
    [DAY * 46, 'In 2 months'],
    [DAY * 350, 'In 11 months'],
    [DAY * 351, 'In 1 year'],
    [DAY * 548, 'In 2 years'],
  ])('%d ms away is %s', (away, text) => {
    expect(formatDistance(NOW + away, NOW)).toBe(text)
  })

  it.each([
    [-DAY, 'In 1 minute'],
    [0, 'In 1 minute'],
    [1000, 'In 1 minute'],
    [MINUTE * 2, 'In 2 minutes'],
  ])('%d ms away, of an end, is %s', (away, text) => {
    expect(formatEnd(NOW + away, NOW)).toBe(text)
    expect(formatEndInText(NOW + away, NOW)).toBe(text.replace('In', 'in'))
  })

  it('of this day never reach 24 hours', () => {
    const morning = new Date(2026, 10, 20, 0, 5).getTime()
    expect(formatDistance(morning + HOUR * 23.5 + MINUTE * 20, morning)).toBe('In 23 hours')
    expect(formatDistance(morning, morning + HOUR * 23.9)).toBe('23 hours ago')
  })

  it.each([
    [-DAY * 6, '6 days ago'],
    [-DAY * 7 + HOUR, '13 Nov 2026'],
    [-DAY * 7, '13 Nov 2026'],
    [DAY * 6, 'In 6 days'],
    [DAY * 7 - HOUR, '27 Nov 2026'],
  ])('of a list, %d ms away, read %s', (away, text) => {
    expect(formatDate(NOW + away, false, NOW)).toBe(text)
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
    expect(messageOf(new ApiError(507, 'no_space', 'x'))).toMatch(/enough space/)
    expect(messageOf(new ApiError(404, null, '404 Not Found'))).toMatch(/no longer exists/)
    expect(messageOf(new ApiError(0, null, ''))).toBe('No connection to the server.')
    expect(messageOf(new ApiError(418, null, 'teapot'))).toBe('Something went wrong.')
    expect(messageOf(new TypeError('x'))).toBe('Something went wrong.')
  })
})
