// Grammars for long texts. CodeMirror's parsers read a text from its start, and in the middle of ten
// mebibytes each key would wait for what they can do of that in 20 ms, for minutes without a colour.
// So far down a text they begin a little above what is shown, as CodeMirror's line-wise modes do.

import {
  Language,
  type LanguageSupport,
  LRLanguage,
  ParseContext,
  StreamLanguage,
} from '@codemirror/language'
import type { Extension, Text } from '@codemirror/state'
import {
  type Input,
  type Parser as LezerParser,
  MountedTree,
  type NodeProp,
  Parser,
  type PartialParse,
  Tree,
  type TreeFragment,
} from '@lezer/common'

/** Above this many characters the text is read from its start: there the structure is exact. */
const FROM_START = 500_000
/** What is read before the first line shown, at least. */
const BEFORE = 20_000
/** The beginning moves in steps, so that scrolling and typing reuse what was read. */
const STEP = 16_384
/** How far above that a mark is searched for that says what the text belongs to. */
const LOOK_BACK = 100_000

/** `support`, parsing from a little above the lines shown. */
export function viewportSupport(support: LanguageSupport): Extension {
  const { language } = support
  // These skip by themselves.
  if (language instanceof StreamLanguage) return support
  const local = new Language(
    language.data,
    new ViewportParser(language.parser, middleOf(language)),
    [],
    language.name,
  )
  return [local, support.support]
}

/** The parser for a text that is begun at `from`. */
type Middle = (doc: Text, from: number) => LezerParser

/** PHP is the one language whose texts begin as another: all of a file can stand behind one `<?php`. */
function middleOf(language: Language): Middle {
  const { parser } = language
  if (language.name !== 'php' || !(language instanceof LRLanguage)) return () => parser
  const inside = language.parser.configure({ top: 'Program' })
  return (doc, from) => (isInsidePhp(doc, from) ? inside : parser)
}

/** By the last mark before `from`: searched in the text just above, then from the start. */
function isInsidePhp(doc: Text, from: number): boolean {
  for (const start of [Math.max(0, from - LOOK_BACK), 0]) {
    const text = doc.sliceString(start, Math.min(from, start + LOOK_BACK))
    const opened = Math.max(text.lastIndexOf('<?php'), text.lastIndexOf('<?='))
    const closed = text.lastIndexOf('?>')
    if (opened !== closed) return opened > closed
  }
  return false
}

class ViewportParser extends Parser {
  readonly #parser: LezerParser
  readonly #middle: Middle

  constructor(parser: LezerParser, middle: Middle) {
    super()
    this.#parser = parser
    this.#middle = middle
  }

  override createParse(
    input: Input,
    fragments: readonly TreeFragment[],
    ranges: readonly { from: number; to: number }[],
  ): PartialParse {
    const context = ParseContext.get()
    const shown = context?.viewport.from ?? 0
    const to = ranges.at(-1)?.to ?? input.length
    if (context === null || shown < FROM_START)
      return this.#parser.startParse(input, fragments, ranges)
    const step = Math.floor((shown - BEFORE) / STEP) * STEP
    const from = context.state.doc.lineAt(step).from
    context.skipUntilInView(0, from)
    const parser = this.#middle(context.state.doc, from)
    return new LaterParse(parser.startParse(input, fragments, [{ from, to }]), from, context)
  }
}

/** A parse that began at `from`, whose tree is to count from the start of the text. */
class LaterParse implements PartialParse {
  readonly #parse: PartialParse
  readonly #from: number
  readonly #context: ParseContext

  constructor(parse: PartialParse, from: number, context: ParseContext) {
    this.#parse = parse
    this.#from = from
    this.#context = context
  }

  /**
   * Before everything once lines above the beginning are shown: CodeMirror keeps what an interrupted
   * parse read if it is further than the last one was, and would take those lines for read.
   */
  get parsedPos() {
    return this.#context.viewport.from < this.#from ? -1 : this.#parse.parsedPos
  }

  get stoppedAt() {
    return this.#parse.stoppedAt
  }

  stopAt(pos: number) {
    this.#parse.stopAt(pos)
  }

  advance(): Tree | null {
    const tree = this.#parse.advance()
    if (tree === null) return null
    return shifted(tree, this.#from)
  }
}

/** The tree with its parts `by` characters further on, and where another language is laid over it. */
function shifted(tree: Tree, by: number): Tree {
  const positions = tree.positions.map((at) => at + by)
  const props = tree.propValues.map(([prop, value]): [NodeProp<unknown> | number, unknown] =>
    value instanceof MountedTree ? [prop, shiftedMount(value, by)] : [prop, value],
  )
  return new Tree(tree.type, tree.children, positions, tree.length + by, props)
}

function shiftedMount({ tree, overlay, parser }: MountedTree, by: number): MountedTree {
  // That tree counts from the first of its ranges, and stays as it is.
  const ranges = overlay?.map(({ from, to }) => ({ from: from + by, to: to + by })) ?? null
  return new MountedTree(tree, ranges, parser)
}
