import { expect, test } from 'vitest'
import { retryDelaysMs } from '../../../web/uploads/send-tus.ts'

test('an upload is tried again at once, after a second, and then after twice as long up to 20 s', () => {
  expect(retryDelaysMs(8)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
  expect(retryDelaysMs(0)).toEqual([])
})
