// One TeX formula to MathML that is safe to show. Loaded when a document has a formula.

import fontUrl from '@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2?url'
import createPurifier from 'dompurify'
import katex from 'katex'

const MAX_FORMULA_CHARS = 2000
/** Of the MathML: a macro of two thousand letters used forty times is longer. */
const MAX_MARKUP_CHARS = 200_000
/** Elements within each other: browsers lay them out level by level. */
const MAX_DEPTH = 60

const ALLOWED_TAGS =
  'math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'.split(
    ' ',
  )
const ALLOWED_ATTR =
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  )
// Without the measures in a font for formulas, browsers leave out the sign of a root; not all lay out
// again what was drawn before it came.
const font = new FontFace('Formulas', `url(${fontUrl})`)
document.fonts.add(font)
await font.load().catch(() => undefined) // the fonts of the system have to do

/** What `xmlns`, `class` and `style` would say, MathML in a page of HTML does not need. */
const purifier = createPurifier(window)

/** The formula as one `math` element; null where it is no TeX or costs too much to show. */
export function renderFormula(tex: string, display: boolean): Element | null {
  if (tex.length > MAX_FORMULA_CHARS) return null
  try {
    const markup = katex.renderToString(tex, {
      output: 'mathml',
      displayMode: display,
      trust: false,
      strict: 'ignore',
      maxExpand: 200,
      maxSize: 20,
    })
    if (markup.length > MAX_MARKUP_CHARS || depthOf(markup) > MAX_DEPTH) return null
    return purifier
      .sanitize(markup, {
        ALLOWED_TAGS,
        ALLOWED_ATTR,
        ALLOW_DATA_ATTR: false,
        ALLOW_ARIA_ATTR: false,
        FORBID_CONTENTS: ['annotation'],
        RETURN_DOM_FRAGMENT: true,
      })
      .querySelector('math')
  } catch {
    return null // a ParseError, or a RangeError where braces are too deep for the parser
  }
}

function depthOf(markup: string): number {
  let depth = 0
  let deepest = 0
  for (const [, closes] of markup.matchAll(/<(\/?)m/g)) {
    depth += closes ? -1 : 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
