import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  markReached,
  markUnreachable,
  network,
  retryOnceOnline,
  setProbe,
  whenOnline,
} from '../../../web/lib/page/network.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  markReached()
  vi.useRealTimers()
})

/** What breaks again and again while the server answers the question whether it is there. */
async function attempts(forMs: number): Promise<number[]> {
  const startMs = Date.now()
  const atMs: number[] = []
  let over = false
  const attempt = () => {
    if (over) return
    atMs.push(Date.now() - startMs)
    markUnreachable()
    void whenOnline().then(attempt)
  }
  attempt()
  await vi.advanceTimersByTimeAsync(forMs)
  over = true
  return atMs
}

describe('the connection', () => {
  it('is tried at growing distances where only the question for it is answered', async () => {
    setProbe(async () => {})
    expect(await attempts(40_000)).toEqual([0, 2000, 5200, 10_320, 18_512, 31_619])
  })

  it('is tried soon after a loss when it had held for a minute', async () => {
    setProbe(async () => {})
    await attempts(20_000)
    await vi.advanceTimersByTimeAsync(120_000)
    expect((await attempts(3000)).length).toBe(2)
  })

  it('is asked for again where a late answer came from a device that is offline', async () => {
    vi.stubGlobal('navigator', { onLine: false })
    onTestFinished(() => void vi.unstubAllGlobals())
    setProbe(() => Promise.reject(new Error('cut off')))
    markUnreachable()
    markReached()
    await vi.advanceTimersByTimeAsync(0)
    expect(network.online).toBe(false)
  })

  it('lets what could not be loaded be loaded once it is back', async () => {
    let isThere = false
    setProbe(() => (isThere ? Promise.resolve() : Promise.reject(new Error('cut off'))))
    const load = vi.fn(() =>
      isThere ? Promise.resolve('part') : Promise.reject(new Error('lost')),
    )
    const part = retryOnceOnline(load)
    await vi.advanceTimersByTimeAsync(1000)
    expect(network.online).toBe(false)
    isThere = true
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await part).toBe('part')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('lets a load fail that fails though it is there', async () => {
    setProbe(async () => {})
    const load = vi.fn(() => Promise.reject(new Error('not found')))
    await expect(retryOnceOnline(load)).rejects.toThrow('not found')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('is asked for once, however much cannot be loaded', async () => {
    const probe = vi.fn(() => Promise.reject(new Error('cut off')))
    setProbe(probe)
    const lost = () => Promise.reject(new Error('lost'))
    for (let part = 0; part < 100; part++) void retryOnceOnline(lost)
    await vi.advanceTimersByTimeAsync(1000)
    expect(probe).toHaveBeenCalledTimes(1)
  })
})
