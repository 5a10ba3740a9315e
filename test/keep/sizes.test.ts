import { expect, it } from 'vitest'
import { formatSizes, parseSizes } from '../../src/keep/sizes.ts'

it('sizes of folders are read as they were written, whatever their names are', () => {
  const sizes = new Map([
    ['a b', { bytes: 0, infoTime: 1 }],
    ['ü\n%', { bytes: 2 ** 40, infoTime: 1_700_000_000 }],
  ])
  expect(parseSizes(formatSizes(sizes))).toEqual(sizes)
})

it('lines of others that say nothing are left out', () => {
  expect([...parseSizes('x\n1 2\n1 2 %E4\n-1 2 a\n3 4 b c\n5 6 good').keys()]).toEqual(['good'])
})
