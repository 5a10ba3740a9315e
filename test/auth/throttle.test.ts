import { expect, it, vi } from 'vitest'
import { createThrottle } from '../../src/auth/throttle.ts'
import { createShortLived } from '../../src/store/short-lived/short-lived.ts'
import { waitFor } from '../support/deadline.ts'

const DAY_MS = 24 * 60 * 60 * 1000

it('a clock that ran ahead keeps nobody out when it is put right', async () => {
  const throttle = createThrottle(createShortLived(), 'test', { attempts: 1, windowMs: 100 })
  const isOpen = async () => {
    const attempt = throttle.attempt()
    try {
      await attempt.begin('somebody')
      await attempt.over()
      return true
    } catch {
      return false
    }
  }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * DAY_MS })
  try {
    const wrong = throttle.attempt()
    wrong.fail('somebody')
    await wrong.over()
    expect(await isOpen()).toBe(false)
  } finally {
    vi.useRealTimers()
  }
  await waitFor('the end of the block', isOpen)
})
