import { i18n } from '@lingui/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { percentOf } from '../../../web/state/uploads.ts'
import { createSpeedMeter, formatTimeLeft, secondsLeft } from '../../../web/uploads/speed.ts'

test('the first second seeds the speed, later ones move it by a fifth', () => {
  const meter = createSpeedMeter()
  meter.sample(0, 0)
  expect(meter.bytesPerSecond()).toBe(0)
  meter.sample(1000, 1000)
  expect(meter.bytesPerSecond()).toBe(1000)
  meter.sample(4000, 2000)
  // mean(1000, 3000) = 2000; 0.2 * 2000 + 0.8 * 1000
  expect(meter.bytesPerSecond()).toBeCloseTo(1200)
})

test('averages the last five samples only', () => {
  const meter = createSpeedMeter()
  let sent = 0
  meter.sample(0, 0)
  for (let second = 1; second <= 40; second++) {
    sent += second === 1 ? 1_000_000 : 500
    meter.sample(sent, second * 1000)
  }
  // 1,000,000 fades by 0.8 a second once it left the window of five.
  expect(meter.bytesPerSecond()).toBeLessThan(1500)
})

test('the tick after a late one counts although it comes before a second is over', () => {
  const meter = createSpeedMeter()
  meter.sample(0, 0)
  meter.sample(1030, 1030)
  meter.sample(4000, 2020)
  // mean(1000, 3000) = 2000; 0.2 * 2000 + 0.8 * 1000
  expect(meter.bytesPerSecond()).toBeCloseTo(1200)
})

test('samples closer than half a second are ignored and files ending together lose none', () => {
  const meter = createSpeedMeter()
  meter.sample(0, 0)
  meter.sample(500, 100)
  meter.sample(900, 400)
  meter.sample(2000, 1000)
  expect(meter.bytesPerSecond()).toBe(2000)
})

test('a cancelled file is no negative speed', () => {
  const meter = createSpeedMeter()
  meter.sample(5000, 0)
  meter.sample(1000, 1000)
  expect(meter.bytesPerSecond()).toBe(0)
})

test('time left is told in one unit or two, or not at all when it cannot be known', () => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  // British English has other short forms.
  vi.stubGlobal('navigator', { languages: ['en-US'] })
  onTestFinished(() => void vi.unstubAllGlobals())
  const told = [0.2, 13, 59.5, 61, 3_600, 3_661, 360_000].map(formatTimeLeft)
  expect(told).toEqual(['1 sec', '13 sec', '1 min', '2 min', '1 hr', '1 hr 2 min', '4 days'])
  for (const unknown of [secondsLeft(100, 0), null, 0]) expect(formatTimeLeft(unknown)).toBe(null)
})

test('percentages stay between 0 and 100', () => {
  expect(percentOf(1, 4)).toBe(25)
  expect(percentOf(5, 4)).toBe(100)
  expect(percentOf(0, 0)).toBe(100)
})
