// Keys of names: their natural order is the order in which a reader of a language looks for them.

const ASCII = /^[\0-\x7f]*$/
/** Codes of letters begin behind everything of ASCII that stays as it is. */
const FIRST_CODE = 0x100

interface Names {
  names: readonly string[]
  isDir: readonly boolean[]
  /** BCP 47. */
  locale: string
}

/**
 * One key a name. An ending counts last, so that `note.md` comes before `note(1).md`; accents count only where the
 * language has the letter apart, so that é is with e, and å is behind z in Swedish.
 */
export function nameKeys({ names, isDir, locale }: Names): string[] {
  const plain = names.map((name, i) => setApart(name.toLowerCase(), isDir[i] === true))
  if (plain.every((key) => ASCII.test(key))) return plain
  const composed = plain.map((key) => key.normalize('NFC'))
  const codes = codesOf(composed, locale)
  return composed.map((key) => key.replace(/\p{L}|\p{M}/gu, (letter) => codes.get(letter) ?? ''))
}

// Nothing a name can have is before it.
function setApart(name: string, isDir: boolean): string {
  const dot = isDir ? -1 : name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)}\0${name.slice(dot)}` : name
}

/** A code for each letter that occurs, in the order of the language; those that differ by an accent alone share one. */
function codesOf(keys: readonly string[], locale: string): Map<string, string> {
  const letters = new Set<string>()
  for (const key of keys) for (const [letter] of key.matchAll(/\p{L}/gu)) letters.add(letter)
  const { compare } = new Intl.Collator(locale, { sensitivity: 'base' })
  const codes = new Map<string, string>()
  let code = FIRST_CODE
  let last = ''
  for (const letter of [...letters].sort(compare)) {
    if (last !== '' && compare(last, letter) !== 0) code++
    codes.set(letter, String.fromCharCode(code))
    last = letter
  }
  return codes
}
