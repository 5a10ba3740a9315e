// What a PROPPATCH asks for (RFC 4918 9.2): values are XML, kept as it would be sent.
import { MAX_PROPERTIES } from './propfind.ts'
import {
  badXml,
  childrenOf,
  escapeXml,
  isDav,
  keyOf,
  writeElement,
  XML_NS,
  type XmlElement,
  type XmlName,
} from './xml.ts'

/** One instruction; they come in the order of the document. */
export interface Instruction extends XmlName {
  key: string
  /** The whole element as XML; null removes it. */
  xml: string | null
  /** Its text alone. */
  text: string
}

/** Reads the body. Throws `bad_request`. */
export function readProppatch(root: XmlElement | null): Instruction[] {
  if (!root || !isDav(root, 'propertyupdate')) throw badXml('propertyupdate is expected')
  const instructions = childrenOf(root).flatMap((step) => {
    const isSet = isDav(step, 'set')
    if (!isSet && !isDav(step, 'remove')) return []
    return childrenOf(step, 'prop').flatMap((prop) =>
      childrenOf(prop).map((property): Instruction => {
        const lang =
          languageOf(property) ?? languageOf(prop) ?? languageOf(step) ?? languageOf(root)
        const { ns, local } = property
        const xml = isSet ? writeTree(property, lang) : null
        return { ns, local, key: keyOf(property), xml, text: textOf(property) }
      }),
    )
  })
  if (instructions.length === 0) throw badXml('no property is named')
  if (instructions.length > MAX_PROPERTIES) throw badXml(`more than ${MAX_PROPERTIES} properties`)
  return instructions
}

function languageOf({ attributes }: XmlElement): string | undefined {
  return attributes.find(({ ns, local }) => ns === XML_NS && local === 'lang')?.value
}

function textOf({ children }: XmlElement): string {
  return children
    .map((child) => (typeof child === 'string' ? child : ''))
    .join('')
    .trim()
}

/** An element with all in it, each with a prefix of its own; `lang` is what holds around it. */
export function writeTree(element: XmlElement, lang?: string): string {
  const { attributes, children } = element
  const own = attributes.filter(({ ns, local }) => !(ns === XML_NS && local === 'lang'))
  const language = lang ?? languageOf(element)
  const written = [
    ...(language === undefined ? [] : [` xml:lang="${escapeXml(language)}"`]),
    ...own.map(({ ns, local, value }, i) => {
      const text = `"${escapeXml(value).replace(/[\t\n]/g, (char) => `&#${char.charCodeAt(0)};`)}"`
      if (ns === '') return ` ${local}=${text}`
      if (ns === XML_NS) return ` xml:${local}=${text}`
      return ` xmlns:a${i}="${escapeXml(ns)}" a${i}:${local}=${text}`
    }),
  ]
  const content = children.map((child) =>
    typeof child === 'string' ? escapeXml(child) : writeTree(child),
  )
  return writeElement(element, content.join(''), written.join(''))
}
