// The line being typed in the shell: text, cursor, history. It knows the codes a terminal sends for
// keys and nothing of the screen.

type LineEvent = 'changed' | 'submit' | 'interrupt' | 'clear'

const MOST_HISTORY = 200
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function split(text: string): string[] {
  return [...segmenter.segment(text)].map((part) => part.segment)
}

export class LineEditor {
  /** What people see as characters; the cursor stands before one of them, or at the end. */
  #chars: string[] = []
  #cursor = 0
  #history: string[]
  /** Place in the history while walking through it; its length for the line being typed. */
  #at: number
  /** What was typed before walking into the history. */
  #kept = ''

  /** `history`, oldest first, is shared: it outlives the panel. */
  constructor(history: string[]) {
    this.#history = history
    this.#at = history.length
  }

  get cursor(): number {
    return this.#cursor
  }

  get length(): number {
    return this.#chars.length
  }

  get text(): string {
    return this.#chars.join('')
  }

  get before(): string {
    return this.#chars.slice(0, this.#cursor).join('')
  }

  /** Takes the finished line out: it goes into the history, the editor is empty afterwards. */
  take(): string {
    const line = this.text
    if (line.trim() !== '' && this.#history.at(-1) !== line) {
      this.#history.push(line)
      if (this.#history.length > MOST_HISTORY) this.#history.shift()
    }
    this.reset()
    return line
  }

  reset(): void {
    this.#chars = []
    this.#cursor = 0
    this.#at = this.#history.length
    this.#kept = ''
  }

  /** Handles what the terminal sent for one key press, or pasted text. Null when nothing changed. */
  feed(data: string): LineEvent | null {
    const key = keys.get(data)
    if (key !== undefined) return key(this)
    // Other escape sequences are keys without a meaning here.
    if (data.startsWith('\x1b')) return null
    // Pasted lines are joined: nothing runs before Enter.
    const text = data.replace(/[\r\n\t]+/g, ' ').replace(/[\x00-\x1f\x7f]/g, '')
    if (text === '') return null
    const typed = split(text)
    this.#chars.splice(this.#cursor, 0, ...typed)
    this.#cursor += typed.length
    return 'changed'
  }

  move(to: number): LineEvent | null {
    const next = Math.max(0, Math.min(this.#chars.length, to))
    if (next === this.#cursor) return null
    this.#cursor = next
    return 'changed'
  }

  cut(to: number): LineEvent | null {
    const from = Math.max(0, Math.min(this.#cursor, to))
    const count = Math.min(this.#chars.length, Math.max(this.#cursor, to)) - from
    if (count === 0) return null
    this.#chars.splice(from, count)
    this.#cursor = from
    return 'changed'
  }

  /** Where the word before or after the cursor begins or ends. */
  wordEdge(direction: -1 | 1): number {
    const blank = (at: number) => /^\s/.test(this.#chars[at] ?? '')
    let at = this.#cursor
    if (direction < 0) {
      while (at > 0 && blank(at - 1)) at--
      while (at > 0 && !blank(at - 1)) at--
    } else {
      while (at < this.#chars.length && blank(at)) at++
      while (at < this.#chars.length && !blank(at)) at++
    }
    return at
  }

  recall(by: -1 | 1): LineEvent | null {
    const next = this.#at + by
    if (next < 0 || next > this.#history.length) return null
    if (this.#at === this.#history.length) this.#kept = this.text
    this.#at = next
    this.#chars = split(this.#history[next] ?? this.#kept)
    this.#cursor = this.#chars.length
    return 'changed'
  }
}

type Key = (line: LineEditor) => LineEvent | null
const backspace: Key = (line) => line.cut(line.cursor - 1)
const home: Key = (line) => line.move(0)
const end: Key = (line) => line.move(line.length)
const wordLeft: Key = (line) => line.move(line.wordEdge(-1))
const wordRight: Key = (line) => line.move(line.wordEdge(1))

const keys = new Map<string, Key>([
  ['\r', () => 'submit'],
  ['\n', () => 'submit'],
  ['\x03', () => 'interrupt'],
  ['\x0c', () => 'clear'],
  ['\x7f', backspace],
  ['\b', backspace],
  ['\x1b[3~', (line) => line.cut(line.cursor + 1)],
  ['\x1b[D', (line) => line.move(line.cursor - 1)],
  ['\x1b[C', (line) => line.move(line.cursor + 1)],
  ['\x1b[A', (line) => line.recall(-1)],
  ['\x1b[B', (line) => line.recall(1)],
  ['\x1b[H', home],
  ['\x1bOH', home],
  ['\x01', home],
  ['\x1b[F', end],
  ['\x1bOF', end],
  ['\x05', end],
  ['\x1b[1;5D', wordLeft],
  ['\x1bb', wordLeft],
  ['\x1b[1;5C', wordRight],
  ['\x1bf', wordRight],
  ['\x15', (line) => line.cut(0)],
  ['\x0b', (line) => line.cut(line.length)],
  ['\x17', (line) => line.cut(line.wordEdge(-1))],
])
