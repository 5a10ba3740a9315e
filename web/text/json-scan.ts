// JSON as a tree without parsing it into objects: containers are scanned when somebody opens them, so
// that a hundred megabytes cost no more than their text, keys keep their order, duplicates stay, and
// long numbers are shown as they were written. Comments, trailing commas and one value per line
// (JSON Lines) are accepted, because such files are about.

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'literal'

export interface JsonNode {
  /** Offsets in the text; `end` is exclusive. `start` names the node. */
  start: number
  end: number
  kind: JsonKind
  /** The member's name; null for items and for the root. */
  key: string | null
  /** Members or items; 0 for values. */
  count: number
  /** The value as written, cut when long; empty for containers. */
  text: string
}

export class JsonError extends Error {
  override name = 'JsonError'
  /** Where the text stops making sense: offset, and line and column from 1. */
  readonly offset: number
  readonly line: number
  readonly column: number

  constructor(text: string, offset: number) {
    super('not JSON')
    this.offset = offset
    const before = text.slice(0, offset)
    this.line = before.split('\n').length
    this.column = offset - before.lastIndexOf('\n')
  }
}

/** Longer values are cut in rows; the whole is a copy away. */
const MAX_SHOWN_CHARS = 400
/** Numbers per child in the tables below: key start, key end, value start, value end. */
const STRIDE = 4
const MAX_DEPTH = 20_000
/** Children of one container: their table takes 320 MB then. */
const MAX_CHILDREN = 20_000_000

/** A container has more children than there is memory for. */
export class TooManyError extends Error {
  override name = 'TooManyError'
}

/** The table of one container's children while it is written, in memory that grows with it. */
class ChildTable {
  #numbers = new Int32Array(16 * STRIDE)
  #length = 0
  readonly #most: number

  constructor(maxChildren: number) {
    this.#most = maxChildren * STRIDE
  }

  /** @throws TooManyError */
  add(keyStart: number, keyEnd: number, start: number, end: number): void {
    const at = this.#length
    if (at >= this.#most) throw new TooManyError('too many children')
    if (at === this.#numbers.length) {
      const larger = new Int32Array(Math.min(at * 2, this.#most))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[at] = keyStart
    this.#numbers[at + 1] = keyEnd
    this.#numbers[at + 2] = start
    this.#numbers[at + 3] = end
    this.#length += STRIDE
  }

  done(): Int32Array {
    return this.#numbers.slice(0, this.#length)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SLASH = 0x2f
const STAR = 0x2a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const literal = /(?:true|false|null|NaN|-?Infinity)(?![\w$])/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y

export class JsonText {
  readonly text: string
  /** One value per line instead of one value. */
  readonly isLines: boolean
  readonly #tables = new Map<number, Int32Array>()
  readonly #rootStart: number
  readonly #maxChildren: number

  /**
   * @throws JsonError when the text is no JSON; the whole of it is read. TooManyError when one of
   * its containers has more than `maxChildren`.
   */
  constructor(text: string, maxChildren = MAX_CHILDREN) {
    this.text = text
    this.#maxChildren = maxChildren
    const start = this.#space(text.charCodeAt(0) === 0xfeff ? 1 : 0)
    const end = this.#skip(start)
    const rest = this.#space(end)
    this.isLines = rest < text.length
    this.#rootStart = this.isLines ? -1 : start
    if (this.isLines) this.#tables.set(-1, this.#scanLines(start))
  }

  get root(): JsonNode {
    if (!this.isLines) return this.#node(this.#rootStart, this.#skip(this.#rootStart), null)
    const count = this.#table(-1).length / STRIDE
    return { start: -1, end: this.text.length, kind: 'array', key: null, count, text: '' }
  }

  /** Members `from` up to, not including, `to` of the container that starts at `start`. */
  children(start: number, from: number, to: number): JsonNode[] {
    if (start !== -1 && !isOpening(this.text.charCodeAt(start))) return []
    const table = this.#table(start)
    const nodes: JsonNode[] = []
    const last = Math.min(to, table.length / STRIDE)
    for (let index = Math.max(0, from); index < last; index++) {
      const [keyStart = 0, keyEnd = 0, valueStart = 0, valueEnd = 0] = table.subarray(
        index * STRIDE,
        index * STRIDE + STRIDE,
      )
      const key = keyEnd > keyStart ? this.#string(keyStart, keyEnd) : null
      nodes.push(this.#node(valueStart, valueEnd, key))
    }
    return nodes
  }

  /** The way from the root to the innermost value that holds the character at `offset`. */
  pathTo(offset: number): { start: number; index: number }[] {
    const path: { start: number; index: number }[] = []
    let at = this.root.start
    while (at === -1 || isOpening(this.text.charCodeAt(at))) {
      const table = this.#table(at)
      const index = childAt(table, offset)
      const start = table[index * STRIDE + 2]
      if (index < 0 || start === undefined) break
      path.push({ start, index })
      at = start
    }
    return path
  }

  #node(start: number, end: number, key: string | null): JsonNode {
    const code = this.text.charCodeAt(start)
    const container = isOpening(code)
    const shown = container ? '' : this.text.slice(start, Math.min(end, start + MAX_SHOWN_CHARS))
    const kind: JsonKind =
      code === OPEN_BRACE
        ? 'object'
        : code === OPEN_BRACKET
          ? 'array'
          : code === QUOTE
            ? 'string'
            : /[\d-]/.test(this.text.charAt(start)) && this.text.charAt(start + 1) !== 'I'
              ? 'number'
              : 'literal'
    const count = container ? this.#table(start).length / STRIDE : 0
    return {
      start,
      end,
      kind,
      key,
      count,
      text: end - start > shown.length && !container ? `${shown}…` : shown,
    }
  }

  #table(start: number): Int32Array {
    let table = this.#tables.get(start)
    if (table === undefined) {
      table = this.#scan(start)
      this.#tables.set(start, table)
    }
    return table
  }

  #scan(start: number): Int32Array {
    const isObject = this.text.charCodeAt(start) === OPEN_BRACE
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET
    const found = new ChildTable(this.#maxChildren)
    let at = this.#space(start + 1)
    while (this.text.charCodeAt(at) !== close) {
      let [keyStart, keyEnd] = [0, 0]
      if (isObject) {
        keyStart = at
        keyEnd = this.#skip(at)
        at = this.#space(this.#space(keyEnd) + 1)
      }
      const end = this.#skip(at)
      found.add(keyStart, keyEnd, at, end)
      at = this.#space(end)
      if (this.text.charCodeAt(at) === COMMA) at = this.#space(at + 1)
    }
    return found.done()
  }

  #scanLines(start: number): Int32Array {
    const found = new ChildTable(this.#maxChildren)
    let at = start
    while (at < this.text.length) {
      const end = this.#skip(at)
      found.add(0, 0, at, end)
      at = this.#space(end)
    }
    return found.done()
  }

  /** The end of the value at `start`, every character of it checked. Not recursive: depth is data. */
  #skip(start: number): number {
    const { text } = this
    const open: number[] = []
    /** Commas so far in each of them. */
    const commas: number[] = []
    let at = start
    for (;;) {
      const code = text.charCodeAt(at)
      if (isOpening(code)) {
        if (open.length >= MAX_DEPTH) throw new JsonError(text, at)
        open.push(code)
        commas.push(0)
        at = this.#space(at + 1)
        if (text.charCodeAt(at) !== closing(code)) {
          if (code === OPEN_BRACE) at = this.#name(at)
          continue
        }
      } else {
        at = this.#scalar(at)
      }
      // A value ended here, or an empty container is about to.
      for (;;) {
        const inner = open.at(-1)
        if (inner === undefined) return at
        at = this.#space(at)
        const next = text.charCodeAt(at)
        if (next === COMMA) {
          const count = (commas.at(-1) ?? 0) + 1
          if (count >= this.#maxChildren) throw new TooManyError('too many children')
          commas[commas.length - 1] = count
          at = this.#space(at + 1)
          if (text.charCodeAt(at) === closing(inner)) continue
          if (inner === OPEN_BRACE) at = this.#name(at)
          break
        }
        if (next !== closing(inner)) throw new JsonError(text, at)
        open.pop()
        commas.pop()
        at += 1
      }
    }
  }

  #name(start: number): number {
    if (this.text.charCodeAt(start) !== QUOTE) throw new JsonError(this.text, start)
    const colon = this.#space(this.#scalar(start))
    if (this.text.charCodeAt(colon) !== COLON) throw new JsonError(this.text, colon)
    return this.#space(colon + 1)
  }

  #scalar(start: number): number {
    const { text } = this
    if (text.charCodeAt(start) === QUOTE) {
      for (let at = start + 1; ; at++) {
        const end = text.indexOf('"', at)
        if (end === -1) throw new JsonError(text, start)
        let backslashes = 0
        while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
        if (backslashes % 2 === 0) return end + 1
        at = end
      }
    }
    for (const pattern of [number, literal]) {
      pattern.lastIndex = start
      if (pattern.test(text)) return pattern.lastIndex
    }
    throw new JsonError(text, start)
  }

  /** The next character that is neither white space nor part of a comment. */
  #space(start: number): number {
    const { text } = this
    let at = start
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === 32 || code === 10 || code === 13 || code === 9) at += 1
      else if (code === SLASH && text.charCodeAt(at + 1) === SLASH) {
        const end = text.indexOf('\n', at)
        at = end === -1 ? text.length : end + 1
      } else if (code === SLASH && text.charCodeAt(at + 1) === STAR) {
        const end = text.indexOf('*/', at + 2)
        if (end === -1) throw new JsonError(text, at)
        at = end + 2
      } else return at
    }
  }

  #string(start: number, end: number): string {
    try {
      return JSON.parse(this.text.slice(start, end)) as string
    } catch {
      return this.text.slice(start + 1, end - 1) // raw control characters, which a strict parser refuses
    }
  }
}

function isOpening(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

function closing(open: number): number {
  return open === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET
}

/** The child whose name or value covers the offset, else -1; children lie in order. */
function childAt(table: Int32Array, offset: number): number {
  let [low, high] = [0, table.length / STRIDE - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const key = table[middle * STRIDE] ?? 0
    const start = key > 0 ? key : (table[middle * STRIDE + 2] ?? 0)
    const end = table[middle * STRIDE + 3] ?? 0
    if (offset < start) high = middle - 1
    else if (offset >= end) low = middle + 1
    else return middle
  }
  return -1
}
