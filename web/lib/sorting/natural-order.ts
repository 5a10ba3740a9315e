// The order of names as the server sorts them, so that a folder sorted in the browser looks the same
// as one sorted there: numbers inside names count by value, letters without case.

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function digitsEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return end
}

function significant(text: string, start: number, end: number): number {
  let at = start
  while (at < end - 1 && text.charCodeAt(at) === 48) at++
  return at
}

/** Compares two runs of digits by value, of any length; leading zeros do not count. */
function compareNumbers(
  a: string,
  aAt: number,
  aEnd: number,
  b: string,
  bAt: number,
  bEnd: number,
) {
  const aStart = significant(a, aAt, aEnd)
  const bStart = significant(b, bAt, bEnd)
  const byLength = aEnd - aStart - (bEnd - bStart)
  if (byLength !== 0) return byLength
  for (let i = 0; i < aEnd - aStart; i++) {
    const difference = a.charCodeAt(aStart + i) - b.charCodeAt(bStart + i)
    if (difference !== 0) return difference
  }
  return 0
}

/** Surrogate pairs sort behind the rest of the basic plane, as their UTF-8 bytes do. */
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit
}

function compareRest(a: string, aAt: number, b: string, bAt: number): number {
  const length = Math.min(a.length - aAt, b.length - bAt)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(aAt + i)
    const y = b.charCodeAt(bAt + i)
    if (x !== y) return byteRank(x) - byteRank(y)
  }
  return a.length - aAt - (b.length - bAt)
}

/** Compares names already folded by `foldName`. Negative when `a` comes first. */
export function compareFolded(a: string, b: string): number {
  let i = 0
  let j = 0
  for (;;) {
    while (i < a.length && j < b.length) {
      const unit = a.charCodeAt(i)
      if (unit !== b.charCodeAt(j) || isDigit(unit)) break
      i++
      j++
    }
    if (i === a.length || j === b.length) return a.length - i - (b.length - j)
    const aEnd = digitsEnd(a, i)
    const bEnd = digitsEnd(b, j)
    if (aEnd === i || bEnd === j) return compareRest(a, i, b, j)
    const byValue = compareNumbers(a, i, aEnd, b, j, bEnd)
    if (byValue !== 0) return byValue
    if (aEnd === a.length || bEnd === b.length) return compareRest(a, i, b, j)
    i = aEnd
    j = bEnd
  }
}

/** The form of a name that `compareFolded` compares. */
export function foldName(name: string): string {
  return name.toLowerCase()
}
