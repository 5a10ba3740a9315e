import { expect, test } from 'vitest'
import {
  fromQuery,
  markMatches,
  rankBy,
  takeTypedFilter,
  termsOf,
  toQuery,
} from '../../../web/operations/search/query.ts'

const terms = (text: string, more = {}) => ({ text, filter: null, matchCase: false, ...more })

test('nothing to search for gives no query', () => {
  expect(toQuery(terms('  '))).toBe('')
  expect(toQuery(terms('', { matchCase: true }))).toBe('')
})

test('spaces in a row become one, as an empty word would match every name', () => {
  expect(toQuery(terms(' a   b '))).toBe('a b')
})

test('a query gives back what it was made of', () => {
  for (const given of [
    terms('dawn of "a b"'),
    terms('x', { filter: 'pdf', matchCase: true }),
    terms('', { filter: 'image' }),
    terms('y', { matchCase: true }),
    terms('type:zip a'),
  ])
    expect(fromQuery(toQuery(given))).toEqual(given)
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
  expect(termsOf('plan "big red" "old')).toEqual(['plan', 'big red', 'old'])
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

test('letters are marked whole, with accents or composed of several', () => {
  const marked = (name: string, term: string) =>
    markMatches(name, [term], false)
      .filter((part) => part.matches)
      .map((part) => part.text)
  expect(marked('Straße.txt', 'strasse')).toEqual(['Straße'])
  expect(marked('Cafe\u0301 Müller', 'cafe')).toEqual(['Cafe\u0301'])
  expect(marked('Cafe Müller', 'MULLER')).toEqual(['Müller'])
})

test('a whole name ranks before a beginning, a word and what is inside; folders and near ones first', () => {
  const hits = [
    { path: 'unmatched report.txt', dir: false },
    { path: 'my old report.txt', dir: false },
    { path: 'a/b/Report.txt', dir: false },
    { path: 'a/Réport.md', dir: false },
    { path: 'a/reports', dir: true },
    { path: 'reports.txt', dir: false },
    { path: 'a/b/c/report', dir: true },
    { path: 'myreport', dir: true },
  ]
  const rank = rankBy('report')
  const sorted = hits.toSorted((a, b) => rank(a) - rank(b)).map(({ path }) => path)
  expect(sorted).toEqual([
    'a/b/c/report',
    'a/Réport.md',
    'a/b/Report.txt',
    'a/reports',
    'reports.txt',
    'unmatched report.txt',
    'my old report.txt',
    'myreport',
  ])
})
