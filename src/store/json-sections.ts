// JSON files that are too large for one text, or to be read before a start: where the values of an object are, the items of
// its arrays some at a time, and how it is written in pieces.
import { type FileHandle, open } from 'node:fs/promises'
import { ParseError } from '../lib/parse.ts'

const CHUNK_BYTES = 1024 * 1024
const ITEMS_AT_A_TIME = 1_000
/** A larger file is read in pieces: one text holds no more than half a gigabyte. */
export const LARGE_FILE_BYTES = 128 * 1024 * 1024

/** Bytes of a file from `start` to before `end`. */
export interface Section {
  readonly start: number
  readonly end: number
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Where the values of the object in a file are, by key. Throws ParseError for a file that holds no whole object. */
export async function findSections(file: string): Promise<Map<string, Section>> {
  await using handle = await open(file, 'r')
  const sections = new Map<string, Section>()
  const end = (await handle.stat()).size
  let begin = 0
  let key: string | undefined
  let isWhole = false
  const marks = createMarks()
  for await (const { chunk, at } of chunksOf(handle, { start: 0, end }))
    for (const [index, byte] of marks(chunk)) {
      const position = at + index
      if (byte === OPEN_OBJECT) begin = position + 1
      else if (byte === COLON) {
        key = await readKey(handle, { start: begin, end: position })
        begin = position + 1
      } else {
        if (key !== undefined) sections.set(key, { start: begin, end: position })
        key = undefined
        begin = position + 1
        isWhole = byte === CLOSE_OBJECT
      }
    }
  if (!isWhole) throw new ParseError('it is no whole object')
  return sections
}

/** The value of a section that is small. Throws ParseError. */
export async function readValue(file: string, section: Section): Promise<unknown> {
  await using handle = await open(file, 'r')
  return parse(await bytesOf(handle, section))
}

/** The items of an array, some at a time. Throws ParseError. */
export async function* readItems(file: string, section: Section): AsyncGenerator<unknown[]> {
  await using handle = await open(file, 'r')
  const marks = createMarks()
  let rest = Buffer.alloc(0)
  for await (const { chunk } of chunksOf(handle, section)) {
    const bytes = Buffer.concat([rest, chunk])
    let [from, to] = [0, -1]
    for (const [index, byte] of marks(chunk)) {
      const position = rest.length + index
      if (byte === OPEN_ARRAY) from = position + 1
      else if (byte !== COLON) to = position
    }
    if (to >= from) yield parse(wrapped(bytes.subarray(from, to))) as unknown[]
    rest = bytes.subarray(Math.max(from, to + 1))
  }
}

/** The whole object of a file, however large. Throws ParseError. */
export async function readObjectOf(file: string): Promise<Record<string, unknown>> {
  const whole = new Map<string, unknown>()
  for (const [key, section] of await findSections(file)) {
    if ((await firstByte(file, section)) !== OPEN_ARRAY) {
      whole.set(key, await readValue(file, section))
      continue
    }
    const items: unknown[] = []
    for await (const some of readItems(file, section)) for (const item of some) items.push(item)
    whole.set(key, items)
  }
  // Assigned one by one, a key `__proto__` would be none.
  return Object.fromEntries(whole)
}

async function firstByte(file: string, { start }: Section): Promise<number | undefined> {
  await using handle = await open(file, 'r')
  const head = Buffer.alloc(64)
  const { bytesRead } = await handle.read(head, 0, head.length, start)
  return head.subarray(0, bytesRead).find((byte) => byte > 0x20)
}

/** JSON of which long lists are cut out. */
export interface Cut {
  /** The object, with a mark in the place of each list. */
  value: Record<string, unknown>
  /** By name, as JSON. */
  lists: ReadonlyMap<string, Buffer>
}

/** Less is read as fast as it is cut. */
const MIN_CUT_BYTES = 256 * 1024
/** Parsed in about a millisecond where nothing is compiled yet. */
const PART_BYTES = 8 * 1024
const MARK = 'cut out'
/** How lists end, and objects in them follow each other, where they are written with an indent of one. */
const LIST_END = '\n ]'
const [ITEM_END, ITEM_COMMA] = ['\n  }', ',']

/**
 * Cuts lists of these names out of the JSON of an object that is written with an indent of one. Null for little, and for what is
 * written otherwise: that has to be parsed as a whole, as has that of which a part proves to be no JSON.
 */
export function cutLists(json: Buffer, names: readonly string[]): Cut | null {
  if (json.length < MIN_CUT_BYTES) return null
  const lists = new Map<string, Buffer>()
  let rest = json
  for (const name of names) {
    const field = `\n ${JSON.stringify(name)}: `
    const start = rest.indexOf(`${field}[\n`) + Buffer.byteLength(field)
    const last = rest.indexOf(LIST_END, start)
    if (start < Buffer.byteLength(field) || last < 0) continue
    const end = last + LIST_END.length
    lists.set(name, rest.subarray(start, end))
    const mark = Buffer.from(JSON.stringify(MARK))
    rest = Buffer.concat([rest.subarray(0, start), mark, rest.subarray(end)])
  }
  const value = lists.size > 0 ? tryParse(rest) : undefined
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Record<string, unknown>
  return [...lists.keys()].every((name) => fields[name] === MARK) ? { value: fields, lists } : null
}

function tryParse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}

/** The items of a list that was cut out, some at a time. Throws ParseError. */
export function* itemsOf(list: Buffer): Generator<unknown[]> {
  for (let from = 1; from < list.length; ) {
    const at = list.indexOf(ITEM_END + ITEM_COMMA, from + PART_BYTES)
    const end = at < 0 ? list.length - 1 : at + ITEM_END.length
    yield parse(wrapped(list.subarray(from, end))) as unknown[]
    from = end + 1
  }
}

/** A field as it stands in an object that is written with an indent of one. */
export function fieldText(name: string, value: unknown): string {
  return JSON.stringify({ [name]: value }, null, 1).slice(1, -2)
}

/** The items of a list, as they stand in a field of such an object; between two pieces belongs a comma. */
export function itemsText(items: readonly unknown[]): string {
  const [head, tail] = ['{\n "x": [', '\n ]\n}']
  return JSON.stringify({ x: items }, null, 1).slice(head.length, -tail.length)
}

/** An object as JSON with an indent of one, which as one text would be too long. */
export function* objectTexts(whole: object): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(whole)) {
    if (!Array.isArray(value) || value.length === 0) yield before + fieldText(name, value)
    else {
      before += `\n ${JSON.stringify(name)}: [`
      for (let from = 0; from < value.length; from += ITEMS_AT_A_TIME) {
        yield before + itemsText(value.slice(from, from + ITEMS_AT_A_TIME))
        before = ','
      }
      yield '\n ]'
    }
    before = ','
  }
  yield '\n}\n'
}

function wrapped(items: Buffer): Buffer {
  return Buffer.concat([Buffer.of(OPEN_ARRAY), items, Buffer.of(CLOSE_ARRAY)])
}

async function* chunksOf(
  handle: FileHandle,
  { start, end }: Section,
): AsyncGenerator<{ chunk: Buffer; at: number }> {
  for (let at = start; at < end; ) {
    const length = Math.min(CHUNK_BYTES, end - at)
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at)
    if (bytesRead === 0) return
    yield { chunk: buffer.subarray(0, bytesRead), at }
    at += bytesRead
  }
}

/** Finds in the chunks of one value where it begins and ends, and the commas and colons of its first level. */
function createMarks(): (chunk: Buffer) => [index: number, byte: number][] {
  let depth = 0
  let isText = false
  let isEscaped = false
  return (chunk) => {
    const marks: [number, number][] = []
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (depth++ === 0) marks.push([i, byte])
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (--depth === 0) marks.push([i, byte])
      } else if (depth === 1 && (byte === COMMA || byte === COLON)) marks.push([i, byte])
    }
    return marks
  }
}

async function readKey(handle: FileHandle, section: Section): Promise<string> {
  return String(parse(await bytesOf(handle, section)))
}

async function bytesOf(handle: FileHandle, { start, end }: Section): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start)
  await handle.read(bytes, 0, bytes.length, start)
  return bytes
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw new ParseError((error as Error).message)
  }
}
