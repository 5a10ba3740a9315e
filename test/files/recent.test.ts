import { expect, test } from 'vitest'
import { createRecent } from '../../src/lib/memo.ts'

test('the last half is remembered, whatever came before, and no more than all', () => {
  const recent = createRecent<number, number>(10)
  for (let n = 1; n <= 1_000; n++) {
    recent.set(n, -n)
    for (let last = Math.max(1, n - 4); last <= n; last++) expect(recent.get(last)).toBe(-last)
    expect(recent.get(n - 10)).toBeUndefined()
  }
})

test('what is noted again is what was noted last', () => {
  const recent = createRecent<string, number>(4)
  for (const [i, key] of ['a', 'b', 'c', 'a'].entries()) recent.set(key, i)
  expect(recent.get('a')).toBe(3)
})
