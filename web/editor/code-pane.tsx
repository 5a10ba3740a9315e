// The text itself: CodeMirror in a box of ours. React makes and ends it; settings flow in through
// compartments, so that neither the text nor its history is ever rebuilt.

import { indentLess, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import type { LanguageDescription } from '@codemirror/language'
import { closeSearchPanel, openSearchPanel } from '@codemirror/search'
import { type Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, type ViewUpdate } from '@codemirror/view'
import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { proxy } from 'valtio'
import { type ChoiceWords, type CodeView, createCodeView } from './code/code-view.ts'
import { changesText, openLines } from './code/line-end-state.ts'
import type { Palette } from './code/palettes.ts'
import { createState, languagePart, parts, readOnlyPart } from './code/setup.ts'
import { editorTheme } from './code/theme.ts'
import { editorWords } from './code/words.ts'
import { attachView, initialText, noteChange } from './current-file.ts'

/** Where the cursor is and what can be taken back; changes with every key. */
export const cursor = proxy({
  line: 1,
  column: 1,
  /** Characters selected, in all selections. */
  selected: 0,
  cursors: 1,
  lines: 1,
  canUndo: false,
  canRedo: false,
})

interface CodePaneProps {
  palette: Palette
  language: LanguageDescription | null
  readOnly: boolean
  wrap: boolean
  showLineNumbers: boolean
  /** The other text while comparing. */
  original: string | null
  beside: boolean
  /** What the buttons at each change say; null without buttons. */
  choices: ChoiceWords | null
  label: string
  onSave(): void
  onFind(replace: boolean): void
  onGoToLine(): void
  onEscape(): boolean
  /** Another view holds the text from now on. */
  onView(): void
  /** After the text changed, and after it was scrolled: 0 is the top, 1 the end. */
  onText(): void
  onScroll(share: number): void
}

export function CodePane(props: CodePaneProps) {
  const { palette, language, readOnly, wrap, showLineNumbers, original, choices, beside, label } =
    props
  const { i18n } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const code = useRef<CodeView>(null)

  const onUpdate = useEffectEvent((update: ViewUpdate) => {
    const changed = update.transactions.some(changesText)
    if (changed) noteChange()
    if (update.docChanged) props.onText()
    if (changed || update.selectionSet || update.docChanged) followCursor(update.state)
  })
  const onSave = useEffectEvent(() => props.onSave())
  const onFind = useEffectEvent((replace: boolean) => props.onFind(replace))
  const onGoToLine = useEffectEvent(() => props.onGoToLine())
  const onEscape = useEffectEvent(() => props.onEscape())
  const onView = useEffectEvent((view: EditorView) => {
    attachView(view)
    followCursor(view.state)
    props.onView()
  })
  const onScroll = useEffectEvent((share: number) => props.onScroll(share))

  // The view lives as long as the file; what it starts with is read once, the rest follows below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: settings have effects of their own
  useEffect(() => {
    if (box.current === null) return
    const { doc, extension } = openLines(initialText())
    const keys = textKeys({ onSave, onFind, onGoToLine, onEscape })
    const extra = [
      EditorView.updateListener.of((update) => onUpdate(update)),
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    ]
    const state = createState(doc, {
      readOnly,
      wrap,
      theme: editorTheme(palette),
      words: editorWords(),
      lines: extension,
      keys,
      extra,
    })
    const made = createCodeView({
      parent: box.current,
      state,
      label,
      keys,
      extra,
      onView,
      onScroll,
    })
    code.current = made
    made.view.focus()
    return () => {
      made.destroy()
      code.current = null
    }
  }, [])

  useSetting(code, parts.theme, palette, editorTheme)
  useSetting(code, parts.wrap, wrap, (on) => (on ? EditorView.lineWrapping : []))
  useSetting(code, parts.readOnly, readOnly, readOnlyPart)
  useSetting(code, parts.numbers, showLineNumbers, (on) => (on ? lineNumbers() : []))
  useSetting(code, parts.words, i18n.locale, () => EditorState.phrases.of(editorWords()))

  useEffect(() => {
    let current = true
    void (language === null ? Promise.resolve(null) : language.load()).then((support) => {
      if (!current) return
      code.current?.view.dispatch({ effects: parts.language.reconfigure(languagePart(support)) })
    })
    return () => {
      current = false
    }
  }, [language])

  const comparing = useRef(false)
  useEffect(() => {
    if (original === null && !comparing.current) return
    comparing.current = original !== null
    void code.current?.compare(original === null ? null : { original, words: choices, beside })
  }, [original, choices, beside])

  return <div className="ed-code shrinks" ref={box} data-own-keys />
}

type KeyHandlers = Pick<CodePaneProps, 'onSave' | 'onFind' | 'onGoToLine' | 'onEscape'>

function textKeys({ onSave, onFind, onGoToLine, onEscape }: KeyHandlers): Extension {
  const always = (run: () => void) => () => {
    run()
    return true
  }
  return Prec.high(
    keymap.of([
      { key: 'Mod-s', run: always(onSave), preventDefault: true },
      { key: 'Mod-f', run: always(() => onFind(false)), preventDefault: true },
      { key: 'Mod-h', mac: 'Mod-Alt-f', run: always(() => onFind(true)), preventDefault: true },
      { key: 'Ctrl-g', run: always(onGoToLine), preventDefault: true },
      { key: 'Escape', run: () => onEscape() },
      { key: 'Shift-Tab', run: indentLess },
    ]),
  )
}

function useSetting<T>(
  code: RefObject<CodeView | null>,
  part: Compartment,
  value: T,
  toExtension: (value: T) => Extension,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value decides
  useEffect(() => {
    code.current?.view.dispatch({ effects: part.reconfigure(toExtension(value)) })
  }, [value])
}

function followCursor(state: EditorState): void {
  const { main, ranges } = state.selection
  const line = state.doc.lineAt(main.head)
  let selected = 0
  for (const range of ranges) selected += range.to - range.from
  Object.assign(cursor, {
    line: line.number,
    column: main.head - line.from + 1,
    selected,
    cursors: ranges.length,
    lines: state.doc.lines,
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
  })
}

/** Commands of the tool bar; the text has the focus afterwards. */
export const codeCommands = {
  undo: (view: EditorView) => {
    undo(view)
    view.focus()
  },
  redo: (view: EditorView) => {
    redo(view)
    view.focus()
  },
  showMatches: (view: EditorView) => openSearchPanel(view),
  hideMatches: (view: EditorView) => closeSearchPanel(view),
}

/** Puts the cursor at a line and column, both counted from 1 and brought into range. */
export function goTo(view: EditorView, lineNumber: number, column = 1): void {
  const line = view.state.doc.line(Math.min(Math.max(1, lineNumber), view.state.doc.lines))
  const at = Math.min(line.from + Math.max(0, column - 1), line.to)
  view.dispatch({
    selection: { anchor: at },
    effects: EditorView.scrollIntoView(at, { y: 'center' }),
    userEvent: 'select',
  })
  view.focus()
}
