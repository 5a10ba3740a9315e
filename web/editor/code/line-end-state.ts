// Line ends within the editor. CodeMirror knows lines, not what ends them, so the state keeps the
// usual end and marks each line break that differs; the marks move with the text and survive undo.

import { invertedEffects, isolateHistory } from '@codemirror/commands'
import {
  type EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  RangeValue,
  StateEffect,
  StateField,
  Text,
  type Transaction,
} from '@codemirror/state'
import { joinLines, type LineEnd, type LineEnds, splitLines } from '../../text/line-ends.ts'

class BreakMark extends RangeValue {
  readonly end: LineEnd
  // Text inserted at either edge is not part of the break, and a deleted break leaves no mark.
  override startSide = 1
  override endSide = -1

  constructor(end: LineEnd) {
    super()
    this.end = end
  }

  override eq(other: BreakMark) {
    return other.end === this.end
  }
}

const marks: Record<LineEnd, BreakMark> = {
  '\n': new BreakMark('\n'),
  '\r\n': new BreakMark('\r\n'),
  '\r': new BreakMark('\r'),
}

interface Breaks {
  usual: LineEnd
  /** One mark over each line break that is not the usual one. */
  others: RangeSet<BreakMark>
}

interface MarkedBreak {
  at: number
  end: LineEnd
}

const replaceEnds = StateEffect.define<Breaks>()

const restoreMarks = StateEffect.define<readonly MarkedBreak[]>({
  map: (list, changes) => list.map(({ at, end }) => ({ at: changes.mapPos(at, 1), end })),
})

const breaksField = StateField.define<Breaks>({
  create: () => ({ usual: '\n', others: RangeSet.empty }),
  update(value, transaction) {
    let { usual, others } = value
    if (transaction.docChanged)
      others = withoutReplaced(others, transaction).map(transaction.changes)
    for (const effect of transaction.effects) {
      if (effect.is(replaceEnds)) ({ usual, others } = effect.value)
      if (effect.is(restoreMarks)) others = withMarks(others, effect.value, transaction.newDoc)
    }
    return usual === value.usual && others === value.others ? value : { usual, others }
  },
})

// A break that is replaced as a whole takes its mark along: mapped, the mark would cover the new
// text instead.
function withoutReplaced(others: RangeSet<BreakMark>, { changes }: Transaction) {
  let left = others
  changes.iterChangedRanges((from, to) => {
    left = left.update({
      filterFrom: from,
      filterTo: to,
      filter: (at, end) => at < from || end > to,
    })
  })
  return left
}

function withMarks(others: RangeSet<BreakMark>, list: readonly MarkedBreak[], doc: Text) {
  const add = list
    .filter(({ at }) => at < doc.length && doc.lineAt(at).to === at)
    .map(({ at, end }) => marks[end].range(at, at + 1))
  return add.length === 0 ? others : others.update({ add, sort: true })
}

/** What undo needs: the marks a change removes, or the ends a conversion replaces. */
function rememberRemoved(transaction: Transaction): readonly StateEffect<unknown>[] {
  const before = transaction.startState.field(breaksField, false)
  if (before === undefined) return []
  // These are all the marks: a lost one beside them would be there twice.
  if (transaction.effects.some((effect) => effect.is(replaceEnds))) return [replaceEnds.of(before)]
  if (!transaction.docChanged || before.others.size === 0) return []
  const lost: MarkedBreak[] = []
  transaction.changes.iterChangedRanges((from, to) => {
    before.others.between(from, to, (at, end, mark) => {
      if (at >= from && end <= to) lost.push({ at, end: mark.end })
    })
  })
  return lost.length > 0 ? [restoreMarks.of(lost)] : []
}

function markBreaks(doc: Text, ends: LineEnds): Breaks {
  const builder = new RangeSetBuilder<BreakMark>()
  for (const { line, end } of ends.others) {
    const at = doc.line(line + 1).to
    builder.add(at, at + 1, marks[end])
  }
  return { usual: ends.usual, others: builder.finish() }
}

/** The document for `text`, and the extension that keeps its line ends. */
export function openLines(text: string): { doc: Text; extension: Extension } {
  const { lines, ends } = splitLines(text)
  const doc = Text.of(lines)
  return {
    doc,
    extension: [breaksField.init(() => markBreaks(doc, ends)), invertedEffects.of(rememberRemoved)],
  }
}

/** The line ends of `state`, for the same text in another view. */
export function keepLines(state: EditorState): Extension {
  const breaks = state.field(breaksField)
  return [breaksField.init(() => breaks), invertedEffects.of(rememberRemoved)]
}

export function textOf(state: EditorState): string {
  const { usual, others } = state.field(breaksField)
  const list: { line: number; end: LineEnd }[] = []
  others.between(0, state.doc.length, (at, _to, mark) => {
    list.push({ line: state.doc.lineAt(at).number - 1, end: mark.end })
  })
  return joinLines(state.doc.toJSON(), { usual, others: list })
}

/** Characters joined at a time: a millisecond or two. */
const PIECE_CHARS = 256 * 1024

/**
 * What `textOf` gives, as UTF-8, made in small pieces between which the page goes on. Null when the
 * text has halves of characters, which UTF-8 cannot hold, or when `signal` is aborted meanwhile.
 */
export async function blobOf(
  state: EditorState,
  signal: AbortSignal,
  pieceChars = PIECE_CHARS,
): Promise<Blob | null> {
  const { usual, others } = state.field(breaksField)
  const { doc } = state
  const parts: Blob[] = []
  const mark = others.iter()
  for (let from = 0; from < doc.length; ) {
    const to = doc.lineAt(Math.min(doc.length, from + pieceChars)).to
    // The break after the last line belongs to the piece, too.
    const end = Math.min(doc.length, to + 1)
    let piece = ''
    let at = from
    for (; mark.value !== null && mark.from < end; mark.next()) {
      piece += doc.sliceString(at, mark.from, usual) + mark.value.end
      at = mark.from + 1
    }
    piece += doc.sliceString(at, end, usual)
    if (!piece.isWellFormed()) return null
    parts.push(new Blob([piece]))
    from = end
    await new Promise((resolve) => setTimeout(resolve))
    if (signal.aborted) return null
  }
  return new Blob(parts)
}

/** Replaces the whole text, line ends included, as one step that can be undone. */
export function replaceText(state: EditorState, text: string) {
  const { lines, ends } = splitLines(text)
  const doc = Text.of(lines)
  return {
    changes: { from: 0, to: state.doc.length, insert: doc },
    effects: replaceEnds.of(markBreaks(doc, ends)),
    // Typing just before is a step of its own: undo must bring the text before this back.
    annotations: isolateHistory.of('full'),
  }
}

export function convertLineEnds(end: LineEnd) {
  return { effects: replaceEnds.of({ usual: end, others: RangeSet.empty }) }
}

export function lineEndsOf(state: EditorState): { usual: LineEnd; mixed: boolean } {
  const { usual, others } = state.field(breaksField)
  return { usual, mixed: others.size > 0 }
}

/** True when both would write the same text, line ends included. Quick: unchanged parts are shared. */
export function sameText(a: EditorState, b: EditorState): boolean {
  const [one, two] = [a.field(breaksField), b.field(breaksField)]
  return one.usual === two.usual && a.doc.eq(b.doc) && RangeSet.eq([one.others], [two.others])
}

/** True when a transaction changes what a save would write. */
export function changesText(transaction: Transaction): boolean {
  return transaction.docChanged || transaction.effects.some((effect) => effect.is(replaceEnds))
}
