// The query language of the server as the overlay uses it, and where a name matches. Pure.

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

/** The words to look for in names: a quoted phrase is one. */
export function termsOf(text: string): string[] {
  const plain = text
    .replace(/\b(type|case):\S+/gi, '')
    .trim()
    .replace(/\s+/g, ' ')
  if (plain.length > 1 && plain.startsWith('"') && plain.endsWith('"')) {
    return [plain.slice(1, -1)].filter(Boolean)
  }
  return plain.split(' ').filter(Boolean)
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
  const fold = (value: string) => (matchCase ? value : value.toLowerCase())
  const folded = fold(name)
  // Lower case can be longer than upper case (İ): positions would not fit, so nothing is marked.
  if (folded.length !== name.length) return [{ text: name, matches: false }]
  const marked = new Uint8Array(name.length)
  for (const term of terms) {
    const wanted = fold(term)
    if (wanted === '') continue
    for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
      marked.fill(1, at, at + wanted.length)
    }
  }
  const parts: NamePart[] = []
  for (let at = 0; at < name.length; ) {
    let end = at + 1
    while (end < name.length && marked[end] === marked[at]) end++
    parts.push({ text: name.slice(at, end), matches: marked[at] === 1 })
    at = end
  }
  return parts
}
