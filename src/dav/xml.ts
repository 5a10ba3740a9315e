// XML of WebDAV: requests read with limits, answers escaped. Without the limits on depth and attributes a small
// body holds the parser for minutes, since each prefix is looked up in all open elements.
import type { SaxesTagNS } from 'saxes'
import { AppError } from '../lib/errors.ts'
import { createRecent } from '../lib/memo.ts'

/** A name with its namespace, which may be empty. */
export interface XmlName {
  readonly ns: string
  readonly local: string
}

export interface XmlElement extends XmlName {
  /** Without declarations of namespaces. */
  readonly attributes: readonly Readonly<XmlName & { value: string }>[]
  readonly children: readonly (XmlElement | string)[]
}

export const DAV_NS = 'DAV:'
const XMLNS = 'http://www.w3.org/2000/xmlns/'
export const XML_NS = 'http://www.w3.org/XML/1998/namespace'

export const MAX_XML_BYTES = 128 * 1024
export const MAX_DEPTH = 24
export const MAX_ATTRIBUTES = 64

/** Bodies of up to this length are known again, so many of them. */
const MAX_KNOWN_BYTES = 1024
const MAX_KNOWN = 200

/** Reads bodies as parseXml does; of the few that a client sends again and again it remembers what they are. */
export function createXmlReader(): typeof parseXml {
  const known = createRecent<string, XmlElement>(MAX_KNOWN)
  return async (body) => {
    if (body.length > MAX_KNOWN_BYTES) return parseXml(body)
    const text = Buffer.from(body).toString('latin1')
    const before = known.get(text)
    if (before) return before
    const root = await parseXml(body)
    known.set(text, root)
    return root
  }
}

/** The root element of a body. Throws `bad_request` for what is not well-formed, past a limit, or has a DOCTYPE. */
export async function parseXml(body: Uint8Array): Promise<XmlElement> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: true })
  const open: OpenElement[] = []
  let root: XmlElement | undefined
  let depth = 0
  let attributes = 0
  const addText = (text: string) => open.at(-1)?.children.push(text)
  parser.on('error', (error) => {
    throw badXml(error.message)
  })
  parser.on('doctype', () => {
    throw badXml('a DOCTYPE is not allowed')
  })
  parser.on('opentagstart', () => {
    attributes = 0
    if (++depth > MAX_DEPTH) throw badXml(`more than ${MAX_DEPTH} levels`)
  })
  parser.on('attribute', () => {
    if (++attributes > MAX_ATTRIBUTES) throw badXml(`more than ${MAX_ATTRIBUTES} attributes`)
  })
  parser.on('opentag', (tag) => {
    const element = elementOf(tag as SaxesTagNS)
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    depth--
    open.pop()
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(decode(body)).close()
  if (!root) throw badXml('there is no element')
  return root
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[]
}

function elementOf({ uri, local, attributes }: SaxesTagNS): OpenElement {
  const own = Object.values(attributes)
    .filter((attribute) => attribute.uri !== XMLNS)
    .map((attribute) => ({ ns: attribute.uri, local: attribute.local, value: attribute.value }))
  return { ns: uri, local, attributes: own, children: [] }
}

// By its mark, then by what it says of itself, which begins with ASCII.
function decode(body: Uint8Array): string {
  const [first, second] = body
  const mark =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff && 'utf-16be'
  const head = Buffer.from(body.subarray(0, 100)).toString('latin1')
  const said = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(head)?.[1]
  try {
    return new TextDecoder(mark || said || 'utf-8', { fatal: true }).decode(body)
  } catch {
    throw badXml('its text cannot be decoded')
  }
}

export function badXml(reason: string): AppError {
  return new AppError('bad_request', `the XML is refused: ${reason}`, { expose: true })
}

/** The child elements of a name in `DAV:`. */
export function childrenOf({ children }: XmlElement, local?: string): XmlElement[] {
  return children.filter(
    (child): child is XmlElement =>
      typeof child !== 'string' && (local === undefined || isDav(child, local)),
  )
}

export function isDav(name: XmlName, local: string): boolean {
  return name.ns === DAV_NS && name.local === local
}

/** One text for each name: `{DAV:}getetag`. */
export function keyOf({ ns, local }: XmlName): string {
  return `{${ns}}${local}`
}

/** The name of keyOf. */
export function nameOf(key: string): XmlName {
  const at = key.lastIndexOf('}')
  return { ns: key.slice(1, at), local: key.slice(at + 1) }
}

// XML 1.0 has no way to write these.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

// Most text has nothing of all that.
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ud800-\udfff\ufffe\uffff]/

/** Text for an element or an attribute. What XML cannot hold becomes U+FFFD. */
export function escapeXml(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text
    .toWellFormed()
    .replace(UNWRITABLE, '\ufffd')
    .replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char)
}

/** An element with content that is XML already. `D` is bound to `DAV:` around it; others declare their own. */
export function writeElement(name: XmlName, content = '', attributes = ''): string {
  const { open, close, empty } = tagsOf(name, attributes)
  return content === '' ? empty : open + content + close
}

/** What stands around the content of such an element, and the whole element without any. */
export function tagsOf(
  { ns, local }: XmlName,
  attributes = '',
): { open: string; close: string; empty: string } {
  if (ns === DAV_NS) return tags(`D:${local}`, attributes)
  if (ns === '') return tags(local, ` xmlns=""${attributes}`)
  return tags(`x:${local}`, ` xmlns:x="${escapeXml(ns)}"${attributes}`)
}

function tags(name: string, attributes: string) {
  const begun = `<${name}${attributes}`
  return { open: `${begun}>`, close: `</${name}>`, empty: `${begun}/>` }
}
