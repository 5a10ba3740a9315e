// XML of WebDAV: requests read with limits, answers escaped. Without the limits on depth and attributes a small
// body holds the parser for minutes, since each prefix is looked up in all open elements.
import type { SaxesTagNS } from 'saxes'
import { AppError } from '../lib/errors.ts'

/** A name with its namespace, which may be empty. */
export interface XmlName {
  ns: string
  local: string
}

export interface XmlElement extends XmlName {
  /** Without declarations of namespaces. */
  attributes: (XmlName & { value: string })[]
  children: (XmlElement | string)[]
}

export const DAV_NS = 'DAV:'
const XMLNS = 'http://www.w3.org/2000/xmlns/'
export const XML_NS = 'http://www.w3.org/XML/1998/namespace'

export const MAX_XML_BYTES = 128 * 1024
export const MAX_DEPTH = 24
export const MAX_ATTRIBUTES = 64

/** The root element of a body. Throws `bad_request` for what is not well-formed, past a limit, or has a DOCTYPE. */
export async function parseXml(body: Uint8Array): Promise<XmlElement> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser({ xmlns: true })
  const open: XmlElement[] = []
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

function elementOf({ uri, local, attributes }: SaxesTagNS): XmlElement {
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

/** Text for an element or an attribute. What XML cannot hold becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(UNWRITABLE, '\ufffd')
    .replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char)
}

/** An element with content that is XML already. `D` is bound to `DAV:` around it; others declare their own. */
export function writeElement({ ns, local }: XmlName, content = '', attributes = ''): string {
  if (ns === DAV_NS) return wrap(`D:${local}`, attributes, content)
  if (ns === '') return wrap(local, ` xmlns=""${attributes}`, content)
  return wrap(`x:${local}`, ` xmlns:x="${escapeXml(ns)}"${attributes}`, content)
}

function wrap(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`
}
