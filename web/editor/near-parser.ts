// Grammars for long texts. CodeMirror's parsers read a text from its start, and in the middle of ten
// mebibytes each key would wait for what they can do of that in 20 ms, for minutes without a colour.
// So far down a text they begin a little above what is shown, as CodeMirror's line-wise modes do.

import { Language, type LanguageSupport, ParseContext, StreamLanguage } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import {
  type Input,
  type Parser as LezerParser,
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

/** `support` with a grammar that skips what is far above the lines shown. */
export function nearView(support: LanguageSupport): Extension {
  const { language } = support
  // These skip by themselves.
  if (language instanceof StreamLanguage) return support
  const near = new Language(language.data, new NearParser(language.parser), [], language.name)
  return [near, support.support]
}

class NearParser extends Parser {
  readonly #parser: LezerParser

  constructor(parser: LezerParser) {
    super()
    this.#parser = parser
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
    return new LaterParse(this.#parser.startParse(input, fragments, [{ from, to }]), from)
  }
}

/** A parse that began at `from`, whose tree is to count from the start of the text. */
class LaterParse implements PartialParse {
  readonly #parse: PartialParse
  readonly #from: number

  constructor(parse: PartialParse, from: number) {
    this.#parse = parse
    this.#from = from
  }

  get parsedPos() {
    return this.#parse.parsedPos
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
    const positions = tree.positions.map((at) => at + this.#from)
    return new Tree(tree.type, tree.children, positions, tree.length + this.#from, [
      ...tree.propValues,
    ])
  }
}
