// Splitting a command line into words like a POSIX shell would, without being one: quotes,
// backslashes and comments, no expansion. On Windows only double quotes group.
import { AppError } from '../lib/errors.ts'

/** What a shell takes for blank; to it a no-break space is part of the program's name. */
const BLANK = /[ \t\r\n]/

/** Throws `bad_request` with the text shown to the user when a quote is left open, or for a NUL. */
export function splitWords(line: string, windows = process.platform === 'win32'): string[] {
  // It ends a word for the system, which would then run something else than was read here.
  if (line.includes('\0')) throw new AppError('bad_request', 'NUL found.')
  return windows ? splitWindows(line) : splitPosix(line)
}

function splitPosix(line: string): string[] {
  const words: string[] = []
  let word = ''
  let inWord = false
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    if (char === "'" || char === '"') {
      const end = closingQuote(line, i, char)
      word += char === '"' ? unescapeDouble(line.slice(i + 1, end)) : line.slice(i + 1, end)
      inWord = true
      i = end
    } else if (char === '\\') {
      if (i + 1 >= line.length)
        throw new AppError('bad_request', 'EOF found after escape character.')
      word += line[++i]
      inWord = true
    } else if (BLANK.test(char)) {
      if (inWord) words.push(word)
      word = ''
      inWord = false
    } else if (char === '#' && !inWord) {
      const end = line.indexOf('\n', i)
      if (end < 0) break
      i = end
    } else {
      word += char
      inWord = true
    }
  }
  if (inWord) words.push(word)
  return words
}

function closingQuote(line: string, start: number, quote: string): number {
  for (let i = start + 1; i < line.length; i++) {
    if (quote === '"' && line[i] === '\\') i++
    else if (line[i] === quote) return i
  }
  throw new AppError('bad_request', 'EOF found when expecting closing quote.')
}

function unescapeDouble(text: string): string {
  return text.replace(/\\(.)/gs, '$1')
}

function splitWindows(line: string): string[] {
  const words: string[] = []
  let word = ''
  let inWord = false
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    const next = line[i + 1]
    if ((char === '\\' && next === '"') || (quoted && char === '"' && next === '"')) {
      word += '"'
      inWord = true
      i++
    } else if (char === '"') {
      quoted = !quoted
      inWord = true
    } else if (BLANK.test(char) && !quoted) {
      if (inWord) words.push(word)
      word = ''
      inWord = false
    } else {
      word += char
      inWord = true
    }
  }
  if (inWord) words.push(word)
  return words
}
