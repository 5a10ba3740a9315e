import { describe, expect, it } from 'vitest'
import { formatChunkSize, parseChunkSize, readChunkSize } from '../../../web/settings/chunk-size.ts'

const MB = 1024 * 1024

describe('chunk size', () => {
  it.each([
    ['10 MB', 10 * MB],
    ['10m', 10 * MB],
    ['512K', 512 * 1024],
    ['512kb', 512 * 1024],
    ['1.5 G', 1.5 * 1024 * MB],
    ['0,5 MB', MB / 2],
    ['1tb', MB * MB],
    ['2048', 2048],
    ['2048 b', 2048],
    ['0', 0],
    ['0 MB', 0],
  ])('reads %s', (text, bytes) => {
    expect(parseChunkSize(text)).toBe(bytes)
  })

  it.each([
    '',
    'ten',
    '10 XB',
    '10 MiB',
    '-1 MB',
    '1 2 MB',
    '0.2 B',
    'NaN',
    '1e9',
    '99999999999 TB',
  ])('takes 1 MB for %j', (text) => {
    expect(readChunkSize(text)).toBeNull()
    expect(parseChunkSize(text)).toBe(MB)
  })

  it.each([
    [10 * MB, '10 MB'],
    [MB, '1 MB'],
    [1.5 * 1024 * MB, '1.5 GB'],
    [MB + 1, '1048577 B'],
    [1000, '1000 B'],
    [0, '0 B'],
    [MB * MB, '1 TB'],
  ])('shows %d in the largest unit that loses nothing', (bytes, text) => {
    expect(formatChunkSize(bytes)).toBe(text)
    expect(parseChunkSize(text)).toBe(bytes)
  })
})
