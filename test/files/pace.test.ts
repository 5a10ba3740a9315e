import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createPace } from '../../src/files/place/pace.ts'

function busy(ms: number): void {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt);
}

it('is quick until one call has been slow', () => {
  const pace = createPace()
  expect(pace.time(() => 'result')).toBe('result')
  expect(pace.isQuick).toBe(true)
  expect(() =>
    pace.time(() => {
      busy(25)
      throw new Error('slow')
    }),
  ).toThrow('slow')
  expect(pace.isQuick).toBe(false)
})

it('is slow when many calls are a little slow', () => {
  const pace = createPace()
  for (let n = 0; n < 16; n++) pace.time(() => busy(2))
  expect(pace.isQuick).toBe(false)
})

it('gives others a turn when its own has lasted', async () => {
  const pace = createPace()
  let others = 0
  const other = turn().then(() => others++)
  const endsAt = performance.now() + 100
  while (performance.now() < endsAt && others === 0) {
    pace.time(() => busy(1))
    await pace.turn()
  }
  await other
  expect(performance.now()).toBeLessThan(endsAt)
})
