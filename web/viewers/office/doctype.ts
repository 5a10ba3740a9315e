// XML of a file that somebody else wrote, made fit for the browser's parser: that one reads no outside
// entities but does expand inner ones, and those can be nested into a bomb.

/** Everything that may stand before the root element, but for the document type. */
const PROLOG = /^(?:\ufeff|\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)+/

/**
 * Without any document type, so that no entity is declared. One within a comment is left, and does not
 * hide the one behind it.
 */
export function withoutDoctype(xml: string): string {
  let before = ''
  let rest = xml
  for (;;) {
    const prolog = PROLOG.exec(rest)?.[0] ?? ''
    before += prolog
    rest = rest.slice(prolog.length)
    if (!/^<!DOCTYPE/i.test(rest)) return before + rest
    rest = rest.slice(endOfDoctype(rest))
  }
}

/** What is left of one that ends within quotes or comments is no XML any more, which is as well. */
function endOfDoctype(xml: string): number {
  const plainEnd = xml.indexOf('>')
  if (plainEnd < 0) return xml.length
  // Looked for no further: a text of many types and no bracket would be read once for each of them.
  const inner = xml.slice(0, plainEnd).indexOf('[')
  if (inner < 0) return plainEnd + 1
  const end = /\]\s*>/g
  end.lastIndex = inner
  return end.exec(xml) === null ? xml.length : end.lastIndex
}

const predefined = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

const NAMES =
  'nbsp:\u00a0 shy:\u00ad copy:© reg:® trade:™ hellip:… mdash:— ndash:– lsquo:‘ rsquo:’ ldquo:“ rdquo:” laquo:« raquo:» bull:• middot:· auml:ä ouml:ö uuml:ü Auml:Ä Ouml:Ö Uuml:Ü szlig:ß eacute:é egrave:è agrave:à ccedil:ç frac12:½ frac14:¼ frac34:¾ sup2:² sup3:³'
const characters = new Map(NAMES.split(' ').map((pair) => pair.split(':') as [string, string]))

/** The names of XHTML become characters; any other name is text, as nothing declares it. */
export function withoutEntities(xml: string): string {
  return xml.replace(/&([^\s&;#<>"'][^\s&;<>"']*);/g, (whole, name: string) => {
    if (predefined.has(name)) return whole
    return characters.get(name) ?? `&amp;${name};`
  })
}
