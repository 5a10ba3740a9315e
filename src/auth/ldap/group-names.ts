// Groups of a directory as people write them down: by DN, or by the name at its beginning.

/** Each DN and the name at its beginning: `cn=Staff,ou=groups,dc=example` gives `Staff` besides. */
export function groupNamesOf(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => [value, shortName(value)]))]
}

/**
 * Those of `wanted` that are among the groups: directories compare without case, and write the same DN with and
 * without blanks.
 */
export function groupsAmong(wanted: readonly string[], groups: readonly string[]): string[] {
  const held = new Set(groups.map(foldedName))
  return wanted.filter((name) => held.has(foldedName(name)))
}

function foldedName(name: string): string {
  const parts = name.split(/(?<!\\),/).map((part) => part.trim().replace(/\s*=\s*/, '='))
  return parts.join(',').normalize('NFC').toLowerCase()
}

function shortName(value: string): string {
  const [, first] = /^[^=,]+=((?:\\.|[^\\,+])*)/.exec(value) ?? []
  return first === undefined ? value : unescaped(first.trim())
}

// `\2C` and `\,` are commas; bytes beyond ASCII come as one `\XX` each (RFC 4514, 2.4).
function unescaped(text: string): string {
  return text.replace(/(?:\\[\da-f]{2})+|\\(.)/gi, (all, char: string | undefined) =>
    char === undefined ? Buffer.from(all.replaceAll('\\', ''), 'hex').toString('utf8') : char,
  )
}
