// Texts as people type them into a search: without case, accents, and the way they are composed.

const ASCII = /^[\0-\x7f]*$/
/** Combining accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g
/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ς: 'σ' },
}
const APART = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

/** `Müller`, `Straße` and `CAFÉ`, composed or not, become `muller`, `strasse` and `cafe`. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // In this order, as the lower case of a dotted capital I is two characters.
  const plain = text.normalize('NFKD').toLowerCase().replace(ACCENTS, '')
  return plain.replace(APART, (letter) => LETTERS[letter] as string)
}

/** How texts are compared: with case nothing but the way they are composed is made one. */
export function foldBy(matchCase: boolean): (text: string) => string {
  return matchCase ? (text) => text.normalize('NFC') : foldText
}

/**
 * What a query looks for: words, and phrases in double quotes, each without anything empty. A quote that is not closed
 * goes to the end.
 */
export function wordsOf(text: string): string[] {
  const found = text.matchAll(/"([^"]*)"?|[^\s"]+/g)
  return [...new Set([...found].map(([word, phrase]) => phrase ?? word))].filter(Boolean)
}
