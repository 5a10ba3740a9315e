// Answers about several entries (RFC 4918 13), as text to be sent piece by piece.
import { COMMON_NAMES, changesWith, type EntryFacts, liveProperty } from './live.ts'
import type { Wanted } from './propfind.ts'
import { escapeXml, keyOf, nameOf, tagsOf, writeElement, type XmlName } from './xml.ts'

export const MULTISTATUS_BEGIN =
  '<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">'
export const MULTISTATUS_END = '</D:multistatus>'

const REASONS: Record<number, string> = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  423: 'Locked',
  424: 'Failed Dependency',
  507: 'Insufficient Storage',
}

function statusOf(status: number): string {
  return `<D:status>HTTP/1.1 ${status} ${REASONS[status] ?? ''}</D:status>`
}

/** Properties as XML by the status that each has; one without any gets an empty 200. `condition` says why of a 403. */
export function writeResponse(
  href: string,
  byStatus: ReadonlyMap<number, string>,
  condition = '',
): string {
  const stats = [...byStatus].filter(([, content]) => content !== '')
  const all = stats.length > 0 ? stats : [[200, ''] as const]
  const propstats = all.map(([status, content]) =>
    propstat(content, statusOf(status) + (status === 403 ? condition : '')),
  )
  return response(href, propstats.join(''))
}

function response(href: string, content: string): string {
  return `<D:response><D:href>${escapeXml(href)}</D:href>${content}</D:response>`
}

function propstat(properties: string, status: string): string {
  return `<D:propstat><D:prop>${properties}</D:prop>${status}</D:propstat>`
}

/** An entry about which there is a status alone. */
export function writeStatus(href: string, status: number): string {
  return response(href, statusOf(status))
}

/** Tells an entry; `noted` is what clients have set, as XML by keyOf. */
type Describe = (href: string, facts: EntryFacts, noted?: ReadonlyMap<string, string>) => string

const NONE: ReadonlyMap<string, string> = new Map()
const FOUND = statusOf(200)
const MISSING = statusOf(404)

/** Gives what tells an entry as it is asked for: made once for all entries of an answer. */
export function describeAs(wanted: Wanted): Describe {
  if (wanted.kind === 'names') return describeNames
  const isAll = wanted.kind === 'all'
  const common = isAll ? COMMON : []
  const named = isAll ? wanted.also : wanted.names
  const asked = named.map(columnOf).filter(({ key }) => !common.some((each) => each.key === key))
  // Of what was not asked for by its name nothing is said where an entry has none.
  const columns = [...common.map((column) => ({ ...column, absent: '' })), ...asked]
  let file: Tell | undefined
  let folder: Tell | undefined
  return (href, facts, noted = NONE) => {
    if (noted.size > 0) return response(href, tellNoted(columns, facts, { noted, isAll }))
    if (facts.isFolder) folder ??= tellAs(columns, facts)
    else file ??= tellAs(columns, facts)
    const tell = facts.isFolder ? folder : file
    return response(href, tell?.(facts) ?? '')
  }
}

/** Gives the properties of an entry by their statuses. */
type Tell = (facts: EntryFacts) => string

/**
 * How all entries of a kind are told, found out with the first of them. What is the same for each is one piece of text
 * between what is not: a folder may hold 100,000.
 */
function tellAs(columns: readonly Column[], first: EntryFacts): Tell {
  const before: string[] = []
  const values: Live[] = []
  const atMoment: Column[] = []
  let text = ''
  let never = ''
  for (const column of columns) {
    const { live, changes, open, close, absent } = column
    if (live && changes === 'moment') atMoment.push(column)
    else if (!live || live(first) === null) never += absent
    else if (changes === 'kind') text += cellOf(column, first) ?? ''
    else {
      before.push(text + open)
      values.push(live)
      text = close
    }
  }
  return (facts) => {
    let found = ''
    let missing = never
    for (let i = 0; i < values.length; i++) found += `${before[i]}${values[i]?.(facts)}`
    found += text
    for (const column of atMoment) {
      const cell = cellOf(column, facts)
      if (cell === undefined) missing += column.absent
      else found += cell
    }
    return byStatus(found, missing)
  }
}

function byStatus(found: string, missing: string): string {
  const all = found !== '' || missing === '' ? propstat(found, FOUND) : ''
  return missing === '' ? all : all + propstat(missing, MISSING)
}

/** The same with what clients have set. */
function tellNoted(
  columns: readonly Column[],
  facts: EntryFacts,
  { noted, isAll }: { noted: ReadonlyMap<string, string>; isAll: boolean },
): string {
  let found = ''
  let missing = ''
  for (const column of columns) {
    const note = noted.get(column.key)
    if (note !== undefined && isAll) continue
    const cell = cellOf(column, facts) ?? note
    if (cell === undefined) missing += column.absent
    else found += cell
  }
  if (isAll) for (const note of noted.values()) found += note
  return byStatus(found, missing)
}

function describeNames(href: string, facts: EntryFacts, noted = NONE): string {
  const own = COMMON.filter(({ live }) => live?.(facts) != null).map(({ empty }) => empty)
  const others = [...noted.keys()].map((key) => writeElement(nameOf(key)))
  return response(href, propstat([...own, ...others].join(''), FOUND))
}

type Live = NonNullable<ReturnType<typeof liveProperty>>
type Column = ReturnType<typeof columnOf>

/** A property as it is written of each entry. */
function columnOf(name: XmlName) {
  const live = liveProperty(name)
  const tags = tagsOf(name)
  return { key: keyOf(name), live, changes: changesWith(name), absent: tags.empty, ...tags }
}

const COMMON = COMMON_NAMES.map(columnOf)

/** Undefined where the entry has none of the name by itself. */
function cellOf({ live, open, close, empty }: Column, facts: EntryFacts): string | undefined {
  const value = live?.(facts) ?? null
  if (value === null) return undefined
  return value === '' ? empty : open + value + close
}

/** The body of a failure: a condition of RFC 4918 16 where one fits, and a sentence for people. */
export function writeError(condition: string | null, sentence: string): string {
  const about = condition === null ? '' : `<D:${condition}/>`
  const message = `<s:message xmlns:s="http://sabredav.org/ns">${escapeXml(sentence)}</s:message>`
  return `<?xml version="1.0" encoding="utf-8"?>\n<D:error xmlns:D="DAV:">${about}${message}</D:error>\n`
}

/** The address of a path below a mount, each part percent-encoded; folders end with a slash. */
export function hrefOf(mount: string, path: string, isFolder: boolean): string {
  const parts = path === '/' ? '' : path.split('/').map(encodePart).join('/')
  return `${mount}${parts}${isFolder ? '/' : ''}`
}

/** The address of an entry in a folder, whose own is given. */
export function hrefIn(folder: string, name: string, isFolder: boolean): string {
  return folder + encodePart(name) + (isFolder ? '/' : '')
}

function encodePart(part: string): string {
  return /^[\w.~-]*$/.test(part) ? part : encodeURIComponent(part.toWellFormed())
}
