import { LanguageDescription, language, ParseContext } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { EditorState } from '@codemirror/state'
import type { Parser, PartialParse, Tree } from '@lezer/common'
import { expect, it } from 'vitest'
import { viewportSupport } from '../../web/editor/code/viewport-parser.ts'

/** What CodeMirror's own worker calls, and its types leave out. */
interface Worked {
  tree: Tree
  parse: PartialParse
  work: (until: () => boolean, upto: number) => boolean
  updateViewport: (viewport: { from: number; to: number }) => boolean
  isDone: (upto: number) => boolean
}
type Create = (parser: Parser, state: EditorState, viewport: { from: number; to: number }) => Worked

const LINE = "export const value = { id: 1, name: 'row', even: true }\n"
const SHOWN = 5000

it('reads lines above its beginning once they are shown, also when that interrupts it', async () => {
  const support = await LanguageDescription.matchLanguageName(languages, 'typescript')?.load()
  if (support === undefined) throw new Error('no TypeScript')
  const state = EditorState.create({
    doc: LINE.repeat(20_000),
    extensions: viewportSupport(support),
  })
  const parser = state.facet(language)?.parser as Parser
  const viewportAt = (line: number) => ({
    from: line * LINE.length,
    to: line * LINE.length + SHOWN,
  })
  const context = (ParseContext as unknown as { create: Create }).create(
    parser,
    state,
    viewportAt(16_000),
  )
  const down = viewportAt(16_000)
  expect(context.work(() => false, down.to)).toBe(true)
  // Further down than is shown, and not to its end.
  expect(context.work(() => context.parse.parsedPos > down.to + SHOWN, down.to + 100_000)).toBe(
    false,
  )

  const up = viewportAt(14_000)
  expect(context.updateViewport(up)).toBe(true)
  expect(context.isDone(up.to)).toBe(false)
  context.work(() => false, up.to)
  expect(context.tree.resolveInner(up.from + 2).name).toBe('export')
})
