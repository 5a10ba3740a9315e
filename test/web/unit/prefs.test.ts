import { afterEach, describe, expect, it, vi } from 'vitest'
import { movePinned, prefs, setPref } from '../../../web/state/prefs.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser's storage; gives how often something was stored. */
function countedStorage(): () => number {
  const setItem = vi.fn()
  vi.stubGlobal('localStorage', { getItem: () => null, setItem, removeItem: () => {} })
  return () => setItem.mock.calls.length
}

const pinned = () => prefs.pinned.map(({ path, name }) => `${name}: ${path}`)

describe('pinned folders', () => {
  it('follow a folder that moves with them, and store nothing for all that moves beside them', () => {
    setPref('pinned', [
      { path: '/a/b', name: 'b' },
      { path: '/c', name: 'c' },
    ])
    const storedTimes = countedStorage()
    for (let i = 0; i < 100; i++) movePinned(`/a/b/${i}.txt`, `/c/${i}.txt`)
    movePinned('/a/bb', '/d')
    expect(storedTimes()).toBe(0)
    movePinned('/a', '/z')
    movePinned('/c', '/z/e')
    expect(pinned()).toEqual(['b: /z/b', 'e: /z/e'])
    expect(storedTimes()).toBeGreaterThan(0)
  })
})
