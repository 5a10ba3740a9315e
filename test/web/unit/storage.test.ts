import { afterEach, describe, expect, it, vi } from 'vitest'
import { storage } from '../../../web/lib/storage.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser's storage that takes values of up to `most` characters. */
function smallStorage(most: number) {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > most) throw new DOMException('full', 'QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key: string) => void values.delete(key),
  }
}

describe('the storage', () => {
  it('gives what was kept last, not what had still fitted before', () => {
    vi.stubGlobal('localStorage', smallStorage(5))
    storage.set('key', 'short')
    storage.set('key', 'much longer')
    expect(storage.get('key')).toBe('much longer')
    expect(localStorage.getItem('key')).toBeNull()
    storage.remove('key')
    expect(storage.get('key')).toBeNull()
  })
})
