// How fast a job is, and how long it will take.
import { expect, it } from 'vitest'
import { createMeter } from '../../src/jobs/meter.ts'

function metering() {
  let nowMs = 0
  const meter = createMeter({ files: 0, bytes: 0 }, () => nowMs)
  const work = (ms: number, files: number, bytes: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      nowMs += 500
      meter.add((files * 500) / ms, (bytes * 500) / ms)
    }
  }
  return { meter, work }
}

it('foretells nothing in the first two seconds, nor before all is counted', () => {
  const { meter, work } = metering()
  work(1_500, 3, 3_000)
  expect(meter.pace()).toEqual({ bytesPerSecond: null, secondsLeft: null })
  work(1_000, 2, 2_000)
  expect(meter.pace()).toEqual({ bytesPerSecond: 2_000, secondsLeft: null })
  meter.total = { files: 10, bytes: 10_000 }
  expect(meter.pace().secondsLeft).toBe(3)
})

it('goes by the last ten seconds', () => {
  const { meter, work } = metering()
  work(60_000, 60, 60_000_000)
  work(10_000, 10, 10_000)
  meter.total = { files: 70, bytes: 60_020_000 }
  expect(meter.pace()).toEqual({ bytesPerSecond: 1_000, secondsLeft: 10 })
})

it('takes the slower of files and bytes', () => {
  const { meter, work } = metering()
  work(10_000, 100, 10_000)
  meter.total = { files: 1_100, bytes: 11_000 }
  expect(meter.pace().secondsLeft).toBe(100)
})

it('goes by bytes amid a large file, while no further one is done', () => {
  const { meter, work } = metering()
  work(20_000, 0, 20_000)
  meter.total = { files: 1, bytes: 50_000 }
  expect(meter.pace()).toEqual({ bytesPerSecond: 1_000, secondsLeft: 30 })
  meter.total = { files: 1, bytes: 20_000 }
  expect(meter.pace().secondsLeft).toBe(0)
})
