import { expect, test } from 'vitest'
import { markMatches, takeTypedFilter, termsOf, toQuery } from '../../../web/search/query.ts'

const terms = (text: string, more = {}) => ({ text, filter: null, matchCase: false, ...more })

test('nothing to search for gives no query', () => {
  expect(toQuery(terms('  '))).toBe('')
  expect(toQuery(terms('', { matchCase: true }))).toBe('')
})

test('spaces in a row become one, as an empty word would match every name', () => {
  expect(toQuery(terms(' a   b '))).toBe('a b')
})

test('the filter and the case go before the words', () => {
  expect(toQuery(terms('x', { filter: 'pdf', matchCase: true }))).toBe('case:sensitive type:pdf x')
  expect(toQuery(terms('', { filter: 'image' }))).toBe('type:image')
})

test('a typed filter becomes a chip once a space follows it', () => {
  expect(takeTypedFilter('type:music song')).toEqual({ filter: 'audio', rest: 'song' })
  expect(takeTypedFilter('type:image')).toBe(null)
  expect(takeTypedFilter('type:docx a')).toBe(null)
})

test('words are looked for one by one, a quoted phrase as it is', () => {
  expect(termsOf('type:docx big  plan')).toEqual(['big', 'plan'])
  expect(termsOf('"big plan"')).toEqual(['big plan'])
  expect(termsOf('""')).toEqual([])
})

test('every place of a match is marked and nothing of the name is lost', () => {
  const parts = markMatches('Dawn-dawn_DAWN.jpg', ['dawn'], false)
  expect(parts.filter((part) => part.matches).map((part) => part.text)).toEqual([
    'Dawn',
    'dawn',
    'DAWN',
  ])
  expect(parts.map((part) => part.text).join('')).toBe('Dawn-dawn_DAWN.jpg')
  expect(markMatches('Dawn dawn', ['dawn'], true).filter((part) => part.matches)).toHaveLength(1)
  expect(markMatches('aaa', ['aa'], false)).toEqual([{ text: 'aaa', matches: true }])
  expect(
    markMatches('İİ.txt', ['i'], false)
      .map((part) => part.text)
      .join(''),
  ).toBe('İİ.txt')
})
