// The query language of the server as the overlay uses it, where a name matches, and how well. Pure.

import type { SearchHit } from '../../../src/api-types.ts'
import { foldBy, wordsOf } from '../../../src/lib/fold-text.ts'
import { nameOf } from '../../lib/paths.ts'

export type TypeFilter = 'image' | 'audio' | 'video' | 'pdf'

interface SearchTerms {
  text: string
  filter: TypeFilter | null
  matchCase: boolean
}

/** What is sent; empty when there is nothing to search for. */
export function toQuery({ text, filter, matchCase }: SearchTerms): string {
  const parts: string[] = []
  if (filter !== null) parts.push(`type:${filter}`)
  // Two spaces in a row would be an empty word to the server, which every name contains.
  const words = text.trim().replace(/\s+/g, ' ')
  if (words !== '') parts.push(words)
  if (parts.length === 0) return ''
  return (matchCase ? ['case:sensitive', ...parts] : parts).join(' ')
}

/** The other way round: what a query made by `toQuery` was made of. */
export function fromQuery(query: string): SearchTerms {
  const [, exact, rest = ''] = /^(case:sensitive(?:\s|$))?(.*)$/s.exec(query) ?? []
  const typed = takeTypedFilter(`${rest} `)
  return {
    text: (typed?.rest ?? rest).trim(),
    filter: typed?.filter ?? null,
    matchCase: exact !== undefined,
  }
}

const TYPED_FILTER = /^type:(image|audio|music|video|pdf)\s/i

/** A filter typed as a word at the start becomes the chip; null when there is none. */
export function takeTypedFilter(text: string): { filter: TypeFilter; rest: string } | null {
  const match = TYPED_FILTER.exec(text)
  if (match === null) return null
  const word = match[1]?.toLowerCase()
  return {
    filter: word === 'music' ? 'audio' : (word as TypeFilter),
    rest: text.slice(match[0].length),
  }
}

/** The words and quoted phrases to look for in names. */
export function termsOf(text: string): string[] {
  return wordsOf(text.replace(/\b(type|case):\S+/gi, ''))
}

interface NamePart {
  text: string
  matches: boolean
}

export function markMatches(
  name: string,
  terms: readonly string[],
  matchCase: boolean,
): NamePart[] {
  const fold = foldBy(matchCase)
  // What becomes of each letter, and whose each unit of it is: an accent belongs to the letter before it.
  const letters = name.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
  const pieces = letters.map(fold)
  const folded = pieces.join('')
  const owners = pieces.flatMap((piece, at) => Array<number>(piece.length).fill(at))
  const marked = new Uint8Array(letters.length)
  for (const term of terms.map(fold)) {
    if (term === '') continue
    for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + 1)) {
      const last = owners[at + term.length - 1] ?? 0
      marked.fill(1, owners[at], last + 1)
    }
  }
  const parts: NamePart[] = []
  for (let at = 0; at < letters.length; ) {
    let end = at + 1
    while (end < letters.length && marked[end] === marked[at]) end++
    parts.push({ text: letters.slice(at, end).join(''), matches: marked[at] === 1 })
    at = end
  }
  return parts
}

const MOST_DEPTH = 31

/**
 * Tells how well a hit fits a query, from 0, the best, to 255: by its whole name, its beginning, beginnings of words, or
 * something inside; then folders before files, then what is near.
 */
export function rankBy(query: string): (hit: SearchHit) => number {
  const fold = foldBy(query.includes('case:sensitive'))
  const terms = termsOf(query).map(fold)
  return ({ path, dir }) => {
    const depth = Math.min(path.split('/').length - 1, MOST_DEPTH)
    return (fitOf(fold(nameOf(path)), terms) * 2 + (dir ? 0 : 1)) * (MOST_DEPTH + 1) + depth
  }
}

function fitOf(name: string, terms: readonly string[]): 0 | 1 | 2 | 3 {
  const whole = terms.join(' ')
  if (name === whole || name.replace(/\.[^.]+$/, '') === whole) return 0
  if (name.startsWith(whole)) return 1
  const beginsWord = (term: string) => {
    for (let at = name.indexOf(term); at !== -1; at = name.indexOf(term, at + 1))
      if (at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1] as string)) return true
    return false
  }
  return terms.every(beginsWord) ? 2 : 3
}
