// What a PROPFIND asks for (RFC 4918 9.1).
import { badXml, childrenOf, isDav, type XmlElement, type XmlName } from './xml.ts'

export type Wanted =
  /** Names without values. */
  | { kind: 'names' }
  /** What is cheap, and the names besides. */
  | { kind: 'all'; also: XmlName[] }
  | { kind: 'some'; names: XmlName[] }

export const MAX_PROPERTIES = 500

/** Reads the body; null for none, which asks for all. Throws `bad_request`. */
export function readPropfind(root: XmlElement | null): Wanted {
  if (root === null) return { kind: 'all', also: [] }
  if (!isDav(root, 'propfind')) throw badXml('propfind is expected')
  const [names] = childrenOf(root, 'prop')
  const isAll = childrenOf(root, 'allprop').length > 0
  const isNames = childrenOf(root, 'propname').length > 0
  if (Number(isAll) + Number(isNames) + Number(names !== undefined) !== 1)
    throw badXml('one of prop, allprop and propname is expected')
  if (isNames) return { kind: 'names' }
  if (names) return { kind: 'some', names: namesIn(names) }
  return { kind: 'all', also: childrenOf(root, 'include').flatMap(namesIn) }
}

function namesIn(element: XmlElement): XmlName[] {
  const names = childrenOf(element).map(({ ns, local }) => ({ ns, local }))
  if (names.length > MAX_PROPERTIES) throw badXml(`more than ${MAX_PROPERTIES} properties`)
  return names
}
