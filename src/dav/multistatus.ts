// Answers about several entries (RFC 4918 13), as text to be sent piece by piece.
import { COMMON_NAMES, type EntryFacts, livePropertyOf } from './live.ts'
import type { Wanted } from './propfind.ts'
import { escapeXml, keyOf, nameOf, writeElement, type XmlName } from './xml.ts'

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
  const propstats = all.map(
    ([status, content]) =>
      `<D:propstat><D:prop>${content}</D:prop>${statusOf(status)}${status === 403 ? condition : ''}</D:propstat>`,
  )
  return `<D:response><D:href>${escapeXml(href)}</D:href>${propstats.join('')}</D:response>`
}

/** An entry about which there is a status alone. */
export function writeStatus(href: string, status: number): string {
  return `<D:response><D:href>${escapeXml(href)}</D:href>${statusOf(status)}</D:response>`
}

/** What was asked for of an entry; `noted` is what clients have set, as XML by keyOf. */
export function describeEntry(
  href: string,
  wanted: Wanted,
  facts: EntryFacts,
  noted: ReadonlyMap<string, string> = NONE,
): string {
  if (wanted.kind === 'names') {
    const own = COMMON_NAMES.filter((name) => livePropertyOf(name, facts) !== null)
    const names = [...own, ...[...noted.keys()].map(nameOf)].map((name) => writeElement(name))
    return writeResponse(href, new Map([[200, names.join('')]]))
  }
  let found = ''
  let missing = ''
  const add = (name: XmlName, isAsked: boolean) => {
    const value = livePropertyOf(name, facts)
    const note = value === null ? noted.get(keyOf(name)) : undefined
    if (value !== null) found += writeElement(name, value)
    else if (note !== undefined) found += note
    else if (isAsked) missing += writeElement(name)
  }
  if (wanted.kind === 'some') for (const name of wanted.names) add(name, true)
  else {
    for (const name of COMMON_NAMES) add(name, false)
    for (const note of noted.values()) found += note
    for (const name of wanted.also)
      if (!IS_COMMON.has(keyOf(name)) && !noted.has(keyOf(name))) add(name, true)
  }
  return writeResponse(
    href,
    new Map([
      [200, found],
      [404, missing],
    ]),
  )
}

const NONE: ReadonlyMap<string, string> = new Map()
const IS_COMMON = new Set(COMMON_NAMES.map(keyOf))

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

function encodePart(part: string): string {
  return /^[\w.~-]*$/.test(part) ? part : encodeURIComponent(part.toWellFormed())
}
