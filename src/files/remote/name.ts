// What a fetched file is called: as the server that gives it says (RFC 6266), else as its address ends. Both are
// foreign text.
const MAX_BYTES = 255
const FALLBACK = 'download'

/** A name for a file: one segment, not hidden, of 255 bytes at most. */
export function remoteName(disposition: string | undefined, url: URL): string {
  return cleaned(dispositionName(disposition ?? '')) || cleaned(lastSegment(url)) || FALLBACK
}

/** The name in a Content-Disposition; `filename*` (RFC 8187) goes before `filename`. */
function dispositionName(header: string): string {
  const extended = /;\s*filename\*\s*=\s*"?([\w-]+)'[^']*'([^";\s]+)/i.exec(header)
  const [, charset = '', encoded = ''] = extended ?? []
  const name = decodedBytes(encoded, charset)
  if (name !== '') return name
  const [, quoted, plain = ''] =
    /;\s*filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(header) ?? []
  // Header text is Latin-1 by Node, while servers send UTF-8.
  const text = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')
  const bytes = Buffer.from(text, 'latin1')
  const utf8 = bytes.toString('utf8')
  return utf8.includes('\ufffd') ? text : utf8
}

function decodedBytes(encoded: string, charset: string): string {
  if (!/^(utf-8|iso-8859-1)$/i.test(charset)) return ''
  const latin1 = encoded.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return /^utf-8$/i.test(charset) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1
}

function lastSegment({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Controls, marks that turn the direction of text, and what cannot be in names of some disks. */
const UNFIT = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff<>:"|?*]/gu

function cleaned(text: string): string {
  const name = text
    .replace(/^.*[/\\]/s, '')
    .replace(UNFIT, '_')
    .trim()
  return shortened(withoutEnd(name.replace(/^\.+/, '')))
}

/** Without dots and blanks at its end. A pattern would look at each run of them anew from each of its places. */
function withoutEnd(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end)
}

/** Cut before its extension, at a whole character. */
function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  let leftBytes = MAX_BYTES - Buffer.byteLength(extension)
  let end = 0
  for (const character of name.slice(0, name.length - extension.length)) {
    leftBytes -= Buffer.byteLength(character)
    if (leftBytes < 0) break
    end += character.length
  }
  return name.slice(0, end) + extension
}
