// Subtitles for browsers: SubRip and SubStation Alpha rewritten as WebVTT (docs/http-api.md 14).
// https://www.w3.org/TR/webvtt1/
import { AppError } from '../../lib/errors.ts'

/** Files beyond this are no subtitles. */
export const MAX_SUBTITLE_BYTES = 10 * 1024 * 1024

/** Ten by the format; every line is searched for the few that count. */
const MAX_COLUMNS = 32

export type SubtitleFormat = 'srt' | 'ass'

interface Cue {
  startMs: number
  endMs: number
  /** Cue settings, such as `line:0`, with a leading space; empty for the usual place. */
  settings: string
  /** WebVTT text: escaped, without empty lines. */
  text: string
}

/**
 * Converts the bytes of a subtitle file. UTF-16 is known by its byte order mark; what is not valid
 * UTF-8 is read as Windows-1252. Throws `unsupported` with status 500, which clients know, when there is no cue.
 */
export function toWebVtt(bytes: Uint8Array, format: SubtitleFormat): string {
  const lines = decode(bytes).split(/\r\n|\n|\r/)
  const cues = format === 'srt' ? parseSubRip(lines) : parseSubStation(lines)
  if (cues.length === 0) throw new AppError('unsupported', 'no cues found', { status: 500 })
  const blocks = cues.map(
    ({ startMs, endMs, settings, text }, i) =>
      `${i + 1}\n${formatTime(startMs)} --> ${formatTime(endMs)}${settings}\n${text}\n`,
  )
  return `WEBVTT\n\n${blocks.join('\n')}`
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const TIME = /(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})/
const TIMES = new RegExp(`^\\s*${TIME.source}\\s*-->\\s*${TIME.source}`)

// A cue is its time line and the text up to the next one. The number before a time line is not
// looked at: files count wrongly or not at all.
function parseSubRip(lines: readonly string[]): Cue[] {
  const starts = lines.flatMap((line, i) => (TIMES.test(line) ? [i] : []))
  return starts.flatMap((start, i) => {
    const match = TIMES.exec(lines[start] ?? '')
    if (!match) return []
    const next = starts[i + 1]
    const body = lines.slice(start + 1, next)
    trimEmpty(body)
    if (next !== undefined && /^\s*\d+\s*$/.test(body.at(-1) ?? '')) body.pop()
    trimEmpty(body)
    return toCue(toMs(match, 1), toMs(match, 5), body.join('\n'), convertTags)
  })
}

function trimEmpty(lines: string[]): void {
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
}

// The Format line of [Events] names the columns; the text is the last one and may hold commas.
function parseSubStation(lines: readonly string[]): Cue[] {
  const cues: Cue[] = []
  let columns: string[] = []
  let inEvents = false
  for (const line of lines) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line)
    if (section) inEvents = section[1]?.toLowerCase() === 'events'
    if (!inEvents) continue
    const [, kind = '', rest = ''] = /^\s*(Format|Dialogue)\s*:(.*)$/i.exec(line) ?? []
    if (kind.toLowerCase() === 'format')
      columns = rest.split(',', MAX_COLUMNS).map((name) => name.trim().toLowerCase())
    else if (kind !== '') cues.push(...parseDialogue(rest, columns))
  }
  return cues.sort((a, b) => a.startMs - b.startMs)
}

function parseDialogue(rest: string, columns: readonly string[]): Cue[] {
  const values = rest.split(',')
  const value = (name: string) => values[columns.indexOf(name)] ?? ''
  const start = TIME.exec(value('start'))
  const end = TIME.exec(value('end'))
  const textAt = columns.indexOf('text')
  if (!start || !end || textAt < 0) return []
  const raw = values.slice(textAt).join(',')
  const plain = raw.replace(/\\N|\\n/g, '\n').replaceAll('\\h', '\u00a0')
  return toCue(toMs(start, 1), toMs(end, 1), plain, escapeText)
}

function toCue(
  startMs: number,
  endMs: number,
  raw: string,
  convert: (text: string) => string,
): Cue[] {
  const { text: bare, position } = takeOverrides(raw)
  const text = convert(bare)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    // The arrow would end a cue early.
    .replaceAll('-->', '--&gt;')
  if (text === '' || endMs < startMs) return []
  return [{ startMs, endMs, settings: settingsOf(position), text }]
}

/** The usual place: below, in the middle. */
const USUAL_POSITION = 2

// Takes `{\...}` out: of all that such a block may say only the position is kept, and that what
// follows is a drawing, written as text, which goes too.
function takeOverrides(raw: string): { text: string; position: number } {
  let text = ''
  let position = USUAL_POSITION
  let drawing = false
  let at = 0
  for (;;) {
    const open = raw.indexOf('{\\', at)
    const close = open < 0 ? -1 : raw.indexOf('}', open)
    const end = close < 0 ? raw.length : open
    if (!drawing) text += raw.slice(at, end)
    if (close < 0) return { text, position }
    const block = raw.slice(open, close)
    position = Number(/\\an([1-9])/.exec(block)?.[1] ?? position)
    const mode = /\\p(\d)/.exec(block)?.[1]
    if (mode !== undefined) drawing = mode !== '0'
    at = close + 1
  }
}

/** Positions are laid out like the digits of a keypad; 2 is the usual place. */
function settingsOf(position: number): string {
  const line = position >= 7 ? ' line:0' : position >= 4 ? ' line:50%' : ''
  const column = position % 3
  const side =
    column === 1 ? ' position:10% align:start' : column === 0 ? ' position:90% align:end' : ''
  return line + side
}

const TAG = /<(\/?)(br|i|b|u|font)((?:\s[^<>]*)?)\/?>|<\/?[a-z][^<>]*>/gi

// Keeps italics, bold, underline and the colours WebVTT has a class for; `<br>` breaks the line,
// other tags go, and what only looks like a tag is text.
function convertTags(raw: string): string {
  const out: string[] = []
  const open = new OpenTags()
  let at = 0
  for (const match of raw.matchAll(TAG)) {
    out.push(escapeText(decodeEntities(raw.slice(at, match.index))))
    at = match.index + match[0].length
    const name = match[2]?.toLowerCase() ?? ''
    if (name === 'br') out.push('\n')
    else if (name !== '' && match[1] === '') {
      const made = name === 'font' ? colourClass(match[3] ?? '') : name
      open.push(name, made)
      if (made !== '') out.push(`<${made}>`)
    } else if (name !== '') out.push(open.close(name))
  }
  out.push(escapeText(decodeEntities(raw.slice(at))), open.closeAll())
  return out.join('')
}

/** What is open, innermost last. Closing concerns only what it closes, however much is open. */
class OpenTags {
  #stack: { name: string; made: string }[] = []
  /** How many of a name are open. */
  #counts = new Map<string, number>()

  /** `made` is the tag as written for the browser; empty when nothing was. */
  push(name: string, made: string): void {
    this.#stack.push({ name, made })
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Closes the last of that name and all within it; nothing when none is open. */
  close(name: string): string {
    let closing = ''
    if (!this.#counts.get(name)) return closing
    for (;;) {
      const last = this.#stack.pop()
      if (!last) return closing
      this.#counts.set(last.name, (this.#counts.get(last.name) ?? 0) - 1)
      closing += closingOf(last.made)
      if (last.name === name) return closing
    }
  }

  closeAll(): string {
    return this.#stack
      .splice(0)
      .reverse()
      .map(({ made }) => closingOf(made))
      .join('')
  }
}

function closingOf(made: string): string {
  if (made === '') return ''
  return `</${made.startsWith('c.') ? 'c' : made}>`
}

const COLOURS: Record<string, string> = {
  '#ffffff': 'white',
  '#00ff00': 'lime',
  '#00ffff': 'cyan',
  '#ff0000': 'red',
  '#ffff00': 'yellow',
  '#ff00ff': 'magenta',
  '#0000ff': 'blue',
  '#000000': 'black',
}

function colourClass(attributes: string): string {
  const value = /color\s*=\s*["']?([#\w]+)/i.exec(attributes)?.[1]?.toLowerCase() ?? ''
  const name = COLOURS[value] ?? COLOURS[`#${value}`] ?? value
  return Object.values(COLOURS).includes(name) ? `c.${name}` : ''
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': '\u00a0',
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\u00a0', '&nbsp;')
}

/** The time whose hours are group `at` of the match; a fraction of one or two digits is a part. */
function toMs(match: RegExpExecArray, at: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = match
    .slice(at, at + 3)
    .map((part) => Number(part ?? 0))
  const fraction = (match[at + 3] ?? '').padEnd(3, '0')
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number(fraction)
}

function formatTime(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const seconds = Math.floor(ms / 1000)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${clock.map(two).join(':')}.${String(ms % 1000).padStart(3, '0')}`
}
