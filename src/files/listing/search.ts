// Search by name: the query language, and the walk that answers it (docs/http-api.md 15).
import type { SearchHit } from '../../api-types.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { foldBy, wordsOf } from '../../lib/fold-text.ts'
import { suffixOf, type VPath } from '../../lib/vpath.ts'
import type { Scope } from '../place/scope.ts'
import type { Walked } from '../place/walk.ts'
import { mimeOfExtension } from './mime.ts'
import { formatTime } from './time-format.ts'

/** Tests the last segment of a path. */
type NameTest = (name: string) => boolean

/** Each name is compared with each word. */
const MAX_WORDS = 100

/**
 * Compiles a query. `case:sensitive` anywhere makes words match exactly; each `type:<word>` is an
 * alternative condition (`image`, `audio` or `music`, `video`, otherwise an exact extension); the
 * rest is one quoted phrase or words of which any may be part of the name. Two spaces in a row make
 * an empty word, which every name contains: clients know it so. The empty query matches everything.
 * With `all` every word and quoted phrase must be part of the name, without regard to case, accents
 * and the way they are composed. Throws 400 for more than 100 different words.
 */
export function parseQuery(query: string, { all = false } = {}): NameTest {
  const caseSensitive = query.includes('case:sensitive')
  const conditions: NameTest[] = []
  const rest = query
    .replaceAll('case:insensitive', '')
    .replaceAll('case:sensitive', '')
    .replace(/type:(\w+)/g, (_text, word: string) => {
      conditions.push(typeTest(word))
      return ''
    })
    .trim()
  const lower = (text: string) => (caseSensitive ? text : text.toLowerCase())
  const fold = all ? foldBy(caseSensitive) : lower
  const terms = all ? wordsOf(rest).map(fold) : [...new Set(splitTerms(fold(rest)))]
  if (terms.length + conditions.length > MAX_WORDS)
    throw badRequest(`the query has more than ${MAX_WORDS} words`)
  if (conditions.length === 0 && terms.includes('')) return () => true
  return (name) => {
    if (conditions.length > 0 && !conditions.some((holds) => holds(name))) return false
    const text = fold(name)
    const holds = (term: string) => text.includes(term)
    return all ? terms.every(holds) : terms.some(holds)
  }
}

function splitTerms(text: string): string[] {
  if (text === '') return ['']
  if (text.startsWith('"') && text.endsWith('"')) return [text.slice(1, -1)]
  return text.split(' ')
}

function typeTest(word: string): NameTest {
  switch (word) {
    case 'image':
    case 'video':
      return (name) => mimeOfExtension(suffixOf(name)).startsWith(word)
    case 'audio':
    case 'music':
      return (name) => mimeOfExtension(suffixOf(name)).startsWith('audio')
    default:
      return (name) => suffixOf(name) === `.${word}`
  }
}

interface SearchOptions {
  signal: AbortSignal
  /** Adds size and time to each hit; costs one stat(2) per hit. */
  details: boolean
}

/**
 * Yields hits below `base` in byte order, in batches as they are found, possibly empty. A base that
 * is missing or is no folder has no hits. Folders denied by a rule are searched, because a later
 * rule may allow what they hold.
 */
export async function* search(
  scope: Scope,
  base: VPath,
  test: NameTest,
  options: SearchOptions,
): AsyncGenerator<SearchHit[], void> {
  const skip = base === '/' ? 1 : base.length + 1
  const walk = scope.walk(base, { signal: options.signal, intoDenied: true, match: test })
  try {
    for await (const batch of walk) {
      const hits = batch.map((entry) => toHit(entry, skip))
      if (options.details) await addDetails(scope, hits, batch, options.signal)
      yield hits
    }
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'forbidden'].includes(error.code)) return
    throw error
  }
}

function toHit(entry: Walked, skip: number): SearchHit {
  return { dir: entry.kind === 'dir', path: entry.vpath.slice(skip) }
}

async function addDetails(
  scope: Scope,
  hits: SearchHit[],
  entries: Walked[],
  signal: AbortSignal,
): Promise<void> {
  const stats = await scope.statMany(entries, signal)
  for (const [i, found] of stats.entries()) {
    const hit = hits[i] as SearchHit
    if (found === 'unreachable') hit.unreachable = true
    // An entry that went meanwhile is still a hit, without details.
    else if (found) {
      hit.size = Number(found.size)
      hit.modified = formatTime(found.mtimeNs)
    }
  }
}
