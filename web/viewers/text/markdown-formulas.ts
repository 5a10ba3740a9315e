// Formulas between dollar signs in Markdown: how the parser finds them, and how they get their shape
// once the page has them. Until then, and where one is no TeX, the source stands there as code.

import type { TokenizerAndRendererExtension } from 'marked'

/** In one document; the formulas after them stay source. */
const MAX_FORMULAS = 5000
const MAX_TOTAL_MS = 5000
/** Between two of these the page may draw and answer. */
const SLICE_MS = 10
const MAX_KEPT = 5000

/**
 * No blank after the first sign or before the last, and no letter or digit on their outer sides: so
 * "$5 and $6", "US$5" and "$HOME:$PATH" stay text.
 */
const INLINE = /^\$(?![\s$])((?:\\[\s\S]|[^\\$]){1,2000})(?<!\s)\$(?![\p{L}\p{N}$])/u
const DISPLAY = /^\$\$((?:\\[\s\S]|[^\\$]){1,2000})\$\$/
const BLOCK = /^ {0,3}\$\$((?:\\[\s\S]|[^\\$]){1,2000})\$\$[ \t]*(?:\n+|$)/
/** An amount and a word, as in "$5 or 6$". */
const AMOUNT = /^\d[\d.,]*\s+\p{L}{2,}/u
/** Further than this the parser does not look for the end of plain words, either. */
const MAX_LOOK_CHARS = 2001

const escapeHtml = (text: string) =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '')

/**
 * Extensions for `marked` that make formulas into `<code class="language-math">`, as fences do.
 * `isAfterWord` tells, once for each place, whether the text before it ends with a letter or digit:
 * asking the tokens would read the paragraph again for each sign. `onLook` hears, before the parser
 * takes plain words, whether a sign comes in the same text.
 */
export const formulaExtensions = (
  isAfterWord: () => boolean,
  onLook: (isSignAhead: boolean) => void,
): TokenizerAndRendererExtension[] => [
  {
    name: 'formulaBlock',
    level: 'block',
    tokenizer(src) {
      const match = BLOCK.exec(src)
      return match ? { type: 'formulaBlock', raw: match[0], text: match[1]?.trim() } : undefined
    },
    renderer: ({ text }) => `<pre><code class="language-math">${escapeHtml(text)}</code></pre>\n`,
  },
  {
    name: 'formula',
    level: 'inline',
    start: (src) => {
      const at = src.slice(0, MAX_LOOK_CHARS).indexOf('$')
      onLook(at >= 0)
      return at < 0 ? undefined : at
    },
    tokenizer(src) {
      if (isAfterWord() || !src.startsWith('$')) return undefined
      const display = DISPLAY.exec(src)
      const match = display ?? INLINE.exec(src)
      const text = match?.[1] ?? ''
      if (match === null || (display === null && AMOUNT.test(text))) return undefined
      // GitHub's second form: $`…`$
      const quoted = /^`([\s\S]*)`$/.exec(text)
      return { type: 'formula', raw: match[0], text: quoted?.[1] ?? text, display: !!display }
    },
    renderer: ({ text, display }) =>
      `<code class="language-math${display ? '-display' : ''}">${escapeHtml(text)}</code>`,
  },
]

/** By kind and source; null for what cannot be shown. Retyped documents show them at once. */
const known = new Map<string, Element | null>()

interface Formula {
  /** What is replaced: the code, or the block around it. */
  place: Element
  tex: string
  display: boolean
  key: string
}

function formulasIn(root: ParentNode): Formula[] {
  const all = root.querySelectorAll('code.language-math, code.language-math-display')
  return [...all].slice(0, MAX_FORMULAS).map((code) => {
    const block = code.parentElement?.tagName === 'PRE' ? code.parentElement : null
    const display = block !== null || code.className !== 'language-math'
    const tex = code.textContent
    return { place: block ?? code, tex, display, key: `${display ? 'd' : 'i'}${tex}` }
  })
}

function show({ place, display, key }: Formula): void {
  const math = known.get(key)
  if (!math) return
  const box = document.createElement(display ? 'div' : 'span')
  box.className = display ? 'md-math md-math--display' : 'md-math'
  box.append(math.cloneNode(true))
  place.replaceWith(box)
}

/** Shapes the formulas that were shaped before, ahead of comparing with what is shown. */
export function showKnownFormulas(root: ParentNode): void {
  for (const formula of formulasIn(root)) show(formula)
}

/** Shapes the rest in the order of the document, in slices; ends when `signal` is aborted. */
export async function showFormulas(root: ParentNode, signal: AbortSignal): Promise<void> {
  const waiting = formulasIn(root)
  if (waiting.length === 0) return
  const { renderFormula } = await import('./formula.ts')
  let totalMs = 0
  let sliceMs = 0
  for (const formula of waiting) {
    if (signal.aborted || totalMs > MAX_TOTAL_MS) return
    const start = performance.now()
    if (!known.has(formula.key)) {
      if (known.size >= MAX_KEPT) known.clear()
      known.set(formula.key, renderFormula(formula.tex, formula.display))
    }
    show(formula)
    const tookMs = performance.now() - start
    totalMs += tookMs
    sliceMs += tookMs
    if (sliceMs < SLICE_MS) continue
    sliceMs = 0
    await new Promise((resolve) => setTimeout(resolve))
  }
}
