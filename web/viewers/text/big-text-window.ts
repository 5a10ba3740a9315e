// The part of a long text that is in the editor: what is loaded, what to load next, where we are.

import type { EditorView } from '@codemirror/view'
import { EditorView as View } from '@codemirror/view'
import type { FileEntry } from '../../../src/api-types.ts'
import type { TextEncoding } from '../../text/encodings.ts'
import { type TextPart, TextParts } from '../../text/parts.ts'
import type { FileSource } from '../frame/source.ts'

/** Characters kept in the page; beyond that the far end goes. */
const MAX_CHARS = 2_000_000
/** Longer lines are shown in pieces: no browser lays out a line of a gigabyte. */
const MAX_LINE_CHARS = 8192
/** More is fetched when fewer pixels than this are left to scroll. */
const AHEAD_PX = 2500
const SLIDE_PAUSE_MS = 120
/** Nearer to the end than this counts as being there. */
const END_PX = 8

interface Shown {
  start: number
  end: number
  /** Length in the editor, with the breaks put into long lines. */
  length: number
  /** Line breaks of the file within; those put in do not count. */
  lines: number
}

export class BigTextWindow {
  readonly #view: EditorView
  readonly #parts: TextParts
  readonly #onPlace: (offset: number, loading: boolean) => void
  readonly #onOutcome: (error: unknown) => void
  #shown: Shown[] = []
  /** Number of the first line shown; null after a jump, when nobody knows. */
  #firstLine: number | null = 1
  #job: AbortController | null = null
  #failed: ((signal: AbortSignal) => Promise<void>) | null = null
  #slide: ReturnType<typeof setTimeout> | undefined
  /** The last match: the byte offset of its end, and the character of a part it begins with. */
  #match: { end: number; part: Shown; at: number } | null = null

  /** `onOutcome` is told of each load: null when it came, else why it did not. */
  constructor(
    view: EditorView,
    source: FileSource,
    entry: FileEntry,
    onPlace: (offset: number, loading: boolean) => void,
    onOutcome: (error: unknown) => void,
  ) {
    this.#view = view
    this.#parts = new TextParts(
      (start, end, signal) => source.readRange(entry, start, end, signal),
      entry.size,
    )
    this.#onPlace = onPlace
    this.#onOutcome = onOutcome
    view.scrollDOM.addEventListener('scroll', this.#onScroll, { passive: true })
  }

  close(): void {
    this.#job?.abort()
    clearTimeout(this.#slide)
    this.#view.scrollDOM.removeEventListener('scroll', this.#onScroll)
  }

  open(): Promise<void> {
    return this.#run(async (signal) => {
      await this.#parts.detect(signal)
      this.#replace(await this.#parts.at(0, signal), 1)
    })
  }

  /** Does again what could not be loaded; false when everything could. */
  retry(): boolean {
    if (this.#failed === null) return false
    void this.#run(this.#failed)
    return true
  }

  /** What the beginning of the file tells, once it was opened. */
  get facts(): { encoding: TextEncoding; binary: boolean } {
    const { encoding, binary } = this.#parts
    return { encoding, binary }
  }

  lineLabel(line: number): string {
    return this.#firstLine === null ? '' : String(line + this.#firstLine - 1)
  }

  /** Where the next search begins: after the last match while it is in sight, else at what is read. */
  get searchFrom(): number {
    const match = this.#match
    let at = match?.at ?? 0
    for (const part of this.#shown) {
      if (part === match?.part) return this.#isInSight(at) ? match.end : this.#offset()
      at += part.length
    }
    return this.#offset()
  }

  #isInSight(at: number): boolean {
    const place = this.#view.coordsAtPos(at)
    const box = this.#view.scrollDOM.getBoundingClientRect()
    return place !== null && place.bottom > box.top && place.top < box.bottom
  }

  async readAs(encoding: TextEncoding): Promise<void> {
    this.#parts.encoding = encoding
    await this.goTo(this.#offset())
  }

  async goTo(offset: number): Promise<void> {
    await this.#run(async (signal) => {
      this.#replace(await this.#parts.at(offset, signal), offset === 0 ? 1 : null)
    })
  }

  async goToEnd(): Promise<void> {
    await this.#run(async (signal) => {
      const part = await this.#parts.last(signal)
      this.#replace(part, part.start === 0 ? 1 : null)
      const end = this.#view.state.doc.length
      this.#view.dispatch({
        selection: { anchor: end },
        effects: View.scrollIntoView(end, { y: 'end' }),
      })
    })
  }

  /** While the slider moves, only its last place is fetched. */
  slideTo(offset: number): void {
    clearTimeout(this.#slide)
    this.#slide = setTimeout(() => void this.goTo(offset), SLIDE_PAUSE_MS)
  }

  /** Goes to the next match and selects it; false when there is none up to the end. */
  async find(
    text: string,
    onProgress: (offset: number) => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    const hit = await this.#parts.find(text, this.searchFrom, onProgress, signal)
    this.#match = null
    if (hit === null) return false
    // A little of what is before it belongs in sight, from the start of a line.
    const from = Math.max(0, hit.start - 4096)
    await this.#run(async (inner) => {
      const before = await this.#parts.at(from, inner)
      const part = before.start > hit.start ? await this.#parts.after(hit.start, inner) : before
      this.#replace(part, part.start === 0 ? 1 : null)
      const at = this.#select(part, hit.start, text)
      const [shown] = this.#shown
      if (shown !== undefined) this.#match = { end: hit.end, part: shown, at }
    })
    return true
  }

  #select(part: TextPart, offset: number, text: string): number {
    const doc = this.#view.state.doc.toString().toLowerCase()
    const wanted = text.toLowerCase()
    const guess = Math.min(this.#charsBefore(part, offset), doc.length)
    const found = doc.startsWith(wanted, guess)
      ? guess
      : doc.indexOf(wanted, Math.max(0, guess - 8))
    // A break put into a long line may lie within the match.
    const at = found < 0 ? guess : found
    this.#view.dispatch({
      selection: { anchor: at, head: found < 0 ? at : at + text.length },
      effects: View.scrollIntoView(at, { y: 'center' }),
    })
    this.#view.focus()
    return at
  }

  /** Characters of the editor before a byte of the part. */
  #charsBefore(part: TextPart, offset: number): number {
    let [low, high] = [0, part.text.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (part.start + this.#parts.byteLength(part.text.slice(0, middle)) < offset) low = middle + 1
      else high = middle
    }
    return present({ ...part, text: part.text.slice(0, low) }).insert.length
  }

  /** Runs one load at a time; a newer one ends the older. */
  async #run(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#job?.abort()
    const job = new AbortController()
    this.#job = job
    this.#onPlace(this.#offset(), true)
    this.#failed = null
    try {
      await task(job.signal)
      if (!job.signal.aborted) this.#onOutcome(null)
    } catch (error) {
      if (this.#job === job) this.#failed = task
      if (!job.signal.aborted) this.#onOutcome(error)
    } finally {
      if (this.#job === job) {
        this.#job = null
        this.#onPlace(this.#offset(), false)
        // What failed is not asked for again before somebody scrolls: that could go on for ever.
        if (this.#failed === null) this.#fillOnceMeasured()
      }
    }
  }

  #replace(part: TextPart, firstLine: number | null): void {
    const { insert, shown } = present(part)
    this.#shown = [shown]
    this.#firstLine = firstLine
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert },
      selection: { anchor: 0 },
      effects: View.scrollIntoView(0, { y: 'start' }),
    })
  }

  #append(part: TextPart): void {
    const { insert, shown } = present(part)
    this.#shown.push(shown)
    const doc = this.#view.state.doc
    const drop = doc.length > MAX_CHARS ? this.#shown.shift() : undefined
    if (drop !== undefined && this.#firstLine !== null) this.#firstLine += drop.lines
    this.#view.dispatch({
      changes: [
        ...(drop === undefined ? [] : [{ from: 0, to: drop.length }]),
        { from: doc.length, insert },
      ],
    })
  }

  #prepend(part: TextPart): void {
    const { insert, shown } = present(part)
    this.#shown.unshift(shown)
    if (this.#firstLine !== null) this.#firstLine -= shown.lines
    if (part.start === 0) this.#firstLine = 1
    const doc = this.#view.state.doc
    const drop = doc.length > MAX_CHARS ? this.#shown.pop() : undefined
    this.#view.dispatch({
      changes: [
        { from: 0, insert },
        ...(drop === undefined ? [] : [{ from: doc.length - drop.length, to: doc.length }]),
      ],
    })
  }

  readonly #onScroll = () => {
    if (this.#job === null) {
      this.#onPlace(this.#offset(), false)
      this.#fill()
    }
  }

  // Before, the place is that of the text before, and parts would come on the wrong side until the end drops off.
  #fillOnceMeasured(): void {
    this.#view.requestMeasure({
      read: () => {},
      write: () => setTimeout(() => this.#view.dom.isConnected && this.#fill()),
    })
  }

  /** Fetches what comes next in the direction where little is left. */
  #fill(): void {
    const first = this.#shown[0]
    const last = this.#shown.at(-1)
    if (first === undefined || last === undefined || this.#job !== null) return
    const { scrollTop, scrollHeight, clientHeight } = this.#view.scrollDOM
    if (scrollHeight - scrollTop - clientHeight < AHEAD_PX && last.end < this.#parts.sizeBytes) {
      void this.#more(
        (signal) => this.#parts.after(last.end, signal),
        (part) => this.#append(part),
      )
    } else if (scrollTop < AHEAD_PX && first.start > 0) {
      void this.#more(
        (signal) => this.#parts.before(first.start, signal),
        (part) => this.#prepend(part),
      )
    }
  }

  /**
   * An editor scrolled to its very end stays at the end when text is added, which would run through
   * the whole file. A few pixels above it does not; it learns that by its next look at the page.
   */
  async #leaveEnd(): Promise<void> {
    const { scrollDOM } = this.#view
    if (scrollDOM.scrollTop < scrollDOM.scrollHeight - scrollDOM.clientHeight - END_PX) return
    scrollDOM.scrollTop -= END_PX
    await new Promise<void>((resolve) => {
      this.#view.requestMeasure({ read: () => {}, write: () => setTimeout(resolve) })
    })
  }

  async #more(
    load: (signal: AbortSignal) => Promise<TextPart>,
    show: (part: TextPart) => void,
  ): Promise<void> {
    await this.#run(async (signal) => {
      const part = await load(signal)
      await this.#leaveEnd()
      if (signal.aborted) return
      // A file that became shorter meanwhile gives nothing, and must not be asked again and again.
      if (part.end > part.start && part.text !== '') show(part)
      else this.#job = null
    })
  }

  #offset(): number {
    const top = this.#view.scrollDOM.scrollTop
    if (this.#shown.length === 0) return 0
    const { scrollHeight, clientHeight } = this.#view.scrollDOM
    const last = this.#shown.at(-1)
    if (last?.end === this.#parts.sizeBytes && top + clientHeight >= scrollHeight - 2) {
      return this.#parts.sizeBytes
    }
    let at = this.#view.lineBlockAtHeight(top).from
    for (const part of this.#shown) {
      if (at <= part.length) {
        return part.start + Math.round(((part.end - part.start) * at) / Math.max(1, part.length))
      }
      at -= part.length
    }
    return last?.end ?? 0
  }
}

const longLine = new RegExp(`[^\\n]{${MAX_LINE_CHARS}}(?=[^\\n])`, 'g')

function present(part: TextPart): { insert: string; shown: Shown } {
  const text = part.text.replace(/\r\n?/g, '\n')
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  const insert = text.replace(longLine, '$&\n')
  return { insert, shown: { start: part.start, end: part.end, length: insert.length, lines } }
}
