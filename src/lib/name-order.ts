// Orders of names, the same in the server and on the page.

/** Compares like the UTF-8 bytes of the strings would, from the given places on. */
export function compareBytes(a: string, b: string, aFrom = 0, bFrom = 0): number {
  const length = Math.min(a.length - aFrom, b.length - bFrom)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(aFrom + i)
    const y = b.charCodeAt(bFrom + i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - aFrom - (b.length - bFrom)
}

// Surrogates stand for code points above U+FFFF, so they sort after U+E000 to U+FFFF.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/**
 * Natural order of two lower-cased names: equal text is passed over, numbers compare by value, and in
 * all other cases the remainders compare by bytes.
 */
export function compareNatural(a: string, b: string): number {
  let i = 0
  let j = 0
  for (;;) {
    while (i < a.length && j < b.length && !isDigit(a, i) && a.charCodeAt(i) === b.charCodeAt(j)) {
      i++
      j++
    }
    if (i === a.length || j === b.length) return a.length - i - (b.length - j)
    const aEnd = digitsEnd(a, i)
    const bEnd = digitsEnd(b, j)
    if (aEnd === i || bEnd === j) return compareBytes(a, b, i, j)
    const byValue = compareNumbers(a, i, aEnd, b, j, bEnd)
    if (byValue !== 0) return byValue
    if (aEnd === a.length || bEnd === b.length) return compareBytes(a, b, i, j)
    i = aEnd
    j = bEnd
  }
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 48 && unit <= 57
}

function digitsEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && isDigit(text, end)) end++
  return end
}

/** Runs of digits of any length by value, where they are; leading zeros do not count. */
function compareNumbers(
  a: string,
  aFrom: number,
  aEnd: number,
  b: string,
  bFrom: number,
  bEnd: number,
): number {
  let i = aFrom
  let j = bFrom
  while (i < aEnd && a.charCodeAt(i) === ZERO) i++
  while (j < bEnd && b.charCodeAt(j) === ZERO) j++
  const byLength = aEnd - i - (bEnd - j)
  if (byLength !== 0) return byLength
  while (i < aEnd && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++
    j++
  }
  return i === aEnd ? 0 : a.charCodeAt(i) - b.charCodeAt(j)
}

const ZERO = 48
