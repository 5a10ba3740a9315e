import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinLines, lineEndLabel, splitLines } from '../../web/text/line-ends.ts'

describe('line ends', () => {
  it('finds the usual end and lists only the lines that differ', () => {
    expect(splitLines('a\r\nb\nc\r\nd\re\r\n')).toEqual({
      lines: ['a', 'b', 'c', 'd', 'e', ''],
      ends: {
        usual: '\r\n',
        others: [
          { line: 1, end: '\n' },
          { line: 3, end: '\r' },
        ],
      },
    })
  })

  it('takes the feed for usual when there is a tie or no line end at all', () => {
    expect(splitLines('a\r\nb\nc').ends.usual).toBe('\n')
    expect(splitLines('alone').ends).toEqual({ usual: '\n', others: [] })
    expect(splitLines('').lines).toEqual([''])
  })

  it('knows files of nothing but carriage returns', () => {
    expect(splitLines('a\rb\rc\n').ends).toEqual({ usual: '\r', others: [{ line: 2, end: '\n' }] })
  })

  it('leaves separators of Unicode within their line', () => {
    expect(splitLines('a\u2028b\u0085c\vd\fe').lines).toHaveLength(1)
  })

  it('puts every text together again exactly', () => {
    const piece = fc.constantFrom('\n', '\r\n', '\r', 'a', 'word', '\u2028', '')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        const { lines, ends } = splitLines(text)
        expect(joinLines(lines, ends)).toBe(text)
        expect(lines.join('')).toBe(text.replace(/[\r\n]/g, ''))
      }),
    )
  })

  it('has a short name for each', () => {
    expect((['\n', '\r\n', '\r'] as const).map(lineEndLabel)).toEqual(['LF', 'CRLF', 'CR'])
  })
})
