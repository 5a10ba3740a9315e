// Passwords made of what fingers do: runs of the keyboard, of digits and letters in order, repetitions,
// and common words with such a run attached.
import type { IsCommon } from './common-passwords.ts'

/** What runs are taken from, forwards and backwards; the digits go round. */
const TAPES = [
  '`1234567890-=',
  '01234567890123456789012345678901234567890',
  '12345678901234567890123456789012345678901',
  '!@#$%^&*()_+',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]\\',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'qwertzuiop',
  'yxcvbnm,.-',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn,;:!',
  // Columns, and two rows in turn.
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7,ki8.lo9/;p0',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qawsedrftgyhujikolp',
].flatMap((tape) => [tape, [...tape].reverse().join('')])

const MIN_RUN = 4
const MIN_REPEATED = 3
/** A piece of a few characters that is said again and again. */
const MAX_UNIT = 5
/** So little beside runs adds nothing to speak of. */
const MAX_BESIDE = 3
const MIN_WORD = 4

/**
 * True for text that is guessed soon: a common password (of any case, or said twice), runs and little
 * else, or one or two common words with a run. Text without runs is only compared with the list.
 */
export function isGuessable(plain: string, isCommon: IsCommon): boolean {
  const text = plain.toLowerCase()
  const unit = repeatedUnit(text)
  if (isCommon(text) || isCommon(unit)) return true
  if (unit.length < text.length && unit.length <= MAX_UNIT) return true
  const beside = withoutRuns(text)
  if (beside.length === 1 && beside[0] === text) return false
  if (beside.join('').length <= MAX_BESIDE) return true
  const bare = beside.map((piece) => piece.replace(/^[^\p{L}\d]+|[^\p{L}\d]+$/gu, ''))
  const [only = '', ...others] = bare.filter(Boolean)
  return only === '' || (others.length === 0 && isWords(only, isCommon))
}

/** The shortest unit that makes up the text: `password` of `passwordpassword`. */
function repeatedUnit(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1))
}

/** What lies between the runs. */
function withoutRuns(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (let i = 0; i < text.length; ) {
    const length = runLength(text, i)
    if (length === 0) piece += text[i++]
    else {
      if (piece !== '') pieces.push(piece)
      piece = ''
      i += length
    }
  }
  return piece === '' ? pieces : [...pieces, piece]
}

/** Length of the run that begins here, 0 when there is none. */
function runLength(text: string, start: number): number {
  let repeated = 1
  while (text[start + repeated] === text[start]) repeated++
  let longest = repeated >= MIN_REPEATED ? repeated : 0
  for (const tape of TAPES) {
    let length = Math.max(longest + 1, MIN_RUN)
    while (start + length <= text.length && tape.includes(text.slice(start, start + length))) {
      longest = length
      length++
    }
  }
  return longest
}

/** True for one common word, or for two without anything between them. */
function isWords(text: string, isCommon: IsCommon): boolean {
  if (isCommon(text)) return true
  for (let cut = MIN_WORD; cut <= text.length - MIN_WORD; cut++)
    if (isCommon(text.slice(0, cut)) && isCommon(text.slice(cut))) return true
  return false
}
