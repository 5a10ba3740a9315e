// Markdown to HTML, not cleaned yet, in a time that grows with the text and not with its square.

import { Marked, Tokenizer } from 'marked'
import { formulaExtensions } from './markdown-formulas.ts'

/**
 * Each mark that may open emphasis looks through the rest of its paragraph for one that closes it,
 * which takes the parser minutes for ten thousand in a row. Searches that find nothing may take this
 * long in one text; the marks after that stay as they were written.
 */
const MAX_VAIN_MS = 500
/** Emphasis within emphasis, all of which is gone through for each level. */
const MAX_DEPTH = 20
/** Plain words between two marks: for each the parser looks ahead for an address of mail. */
const MAX_WORDS_CHARS = 2000

const ask = Tokenizer.prototype

/** GitHub's dialect. The markup still has to be cleaned. */
export function parseMarkdown(text: string): string {
  let vainMs = 0
  let depth = 0
  let isSignAhead = false
  /** Whether plain words before a dollar sign end with a letter, a digit or another sign. */
  let afterWord = false

  /** Undefined, which leaves plain text, when nothing is found or enough has been tried. */
  function search<Token>(find: () => Token | undefined): Token | undefined {
    if (vainMs > MAX_VAIN_MS || depth >= MAX_DEPTH) return undefined
    const start = performance.now()
    depth++
    try {
      const found = find()
      if (!found) vainMs += performance.now() - start
      return found
    } finally {
      depth--
    }
  }

  const isAfterWord = () => {
    const was = afterWord
    afterWord = false
    return was
  }
  const marked = new Marked({
    gfm: true,
    extensions: formulaExtensions(isAfterWord, (ahead) => {
      isSignAhead = ahead
    }),
    tokenizer: {
      emStrong(text, masked, before) {
        return search(() => ask.emStrong.call(this, text, masked, before))
      },
      del(text, masked, before) {
        return search(() => ask.del.call(this, text, masked, before))
      },
      inlineText(text) {
        // Between two words, or a bare address there would be cut in two.
        const end = text.length > MAX_WORDS_CHARS ? text.lastIndexOf(' ', MAX_WORDS_CHARS) : -1
        const words = ask.inlineText.call(this, text.slice(0, end > 0 ? end : MAX_WORDS_CHARS))
        // Without a sign ahead the paragraph or cell ends, and another one begins anew.
        afterWord = isSignAhead && words !== undefined && /[\p{L}\p{N}$]$/u.test(words.raw)
        return words
      },
    },
  })
  return marked.parse(text, { async: false })
}
