// Files that are ZIP archives of parts (EPUB, OpenDocument): parts by name, with limits that no
// genuine document reaches.

import type { FileEntry } from '../../src/api-types.ts'
import { createMarkupBudget, MAX_MARKUP_BYTES } from './markup-limits.ts'
import type { FileSource } from './source.ts'
import { listZip, readZipEntry, type ZipEntry, ZipError } from './zip-reader.ts'

const MAX_PARTS = 20_000
/** Of one part, unpacked. */
const MAX_PART_BYTES = 64 * 1024 * 1024
/** Of all parts read while the document is open. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024
/** Up to this size the whole file is fetched at once, which is quicker than many ranges. */
const WHOLE_BYTES = 8 * 1024 * 1024

export interface PackageFile {
  has(name: string): boolean
  /** @throws ZipError when the part is missing, damaged or beyond a limit. */
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>
  /** As much as the page can hold, or ZipError `too_large`. */
  text(name: string): Promise<string>
  /** Parsed; a part that is no XML throws ZipError `damaged`. Entities of a DTD are not expanded. */
  xml(name: string): Promise<Document>
}

export async function openPackage(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<PackageFile> {
  const whole =
    entry.size <= WHOLE_BYTES ? await source.readRange(entry, 0, entry.size, signal) : null
  const read = (start: number, end: number) =>
    whole ? Promise.resolve(whole.slice(start, end)) : source.readRange(entry, start, end, signal)
  const { entries } = await listZip(read, entry.size, MAX_PARTS)
  const byName = new Map<string, ZipEntry>(entries.map((part) => [part.name, part]))
  let totalBytes = 0

  async function unpack(name: string, maxBytes: number) {
    const part = byName.get(name)
    if (!part) throw new ZipError('damaged', `no part ${name}`)
    const content = await readZipEntry(read, part, Math.min(maxBytes, MAX_TOTAL_BYTES - totalBytes))
    totalBytes += content.length
    return content
  }
  async function text(name: string) {
    const content = new TextDecoder().decode(await unpack(name, MAX_MARKUP_BYTES))
    createMarkupBudget().spend(content)
    return content
  }
  return {
    has: (name) => byName.has(name),
    bytes: (name) => unpack(name, MAX_PART_BYTES),
    text,
    async xml(name) {
      const content = await text(name)
      // The parser of a browser reads no outside entities, but does expand inner ones, and those can
      // be nested into a bomb. Documents of these kinds have none.
      const parsed = new DOMParser().parseFromString(withoutDoctype(content), 'text/xml')
      if (parsed.querySelector('parsererror')) throw new ZipError('damaged', `${name} is no XML`)
      return parsed
    },
  }
}

/** Without document type, so that no entity is declared; the named ones of XHTML become characters. */
export function withoutDoctype(xml: string): string {
  const start = xml.search(/<!DOCTYPE/i)
  if (start < 0) return namedEntities(xml)
  const inner = xml.indexOf('[', start)
  const plainEnd = xml.indexOf('>', start)
  const end = inner >= 0 && inner < plainEnd ? xml.indexOf(']>', inner) + 2 : plainEnd + 1
  return namedEntities(end < 2 ? xml.slice(0, start) : xml.slice(0, start) + xml.slice(end))
}

const entities = new Map(
  Object.entries({
    nbsp: '\u00a0',
    shy: '\u00ad',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
    ccedil: 'ç',
  }),
)

function namedEntities(xml: string): string {
  return xml.replace(/&([A-Za-z]{2,8});/g, (whole, name: string) => {
    if (['amp', 'lt', 'gt', 'quot', 'apos'].includes(name)) return whole
    return entities.get(name) ?? `&amp;${name};`
  })
}

/** `href` as written in the part `from`, as the name of a part; null when it leads outside. */
export function resolvePart(from: string, href: string): { name: string; fragment: string } | null {
  const base = 'https://package.invalid/'
  try {
    const url = new URL(href, base + from.split('/').map(encodeURIComponent).join('/'))
    if (url.origin !== new URL(base).origin) return null
    return {
      name: decodeURIComponent(url.pathname.slice(1)),
      fragment: decodeURIComponent(url.hash.slice(1)),
    }
  } catch {
    return null
  }
}
