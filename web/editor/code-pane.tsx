// The text itself: CodeMirror in a box of ours. React makes and ends it; settings flow in through
// compartments, so that neither the text nor its history is ever rebuilt.

import { indentLess, redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import type { LanguageDescription } from '@codemirror/language'
import { closeSearchPanel, openSearchPanel } from '@codemirror/search'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, type ViewUpdate } from '@codemirror/view'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent, useRef } from 'react'
import { proxy } from 'valtio'
import { changesText, openLines } from './line-end-state.ts'
import { attachView, initialText, linesForCompare, noteChange } from './open-file.ts'
import type { Palette } from './palettes.ts'
import { createState, languagePart, parts, readOnlyPart } from './setup.ts'
import { editorTheme } from './theme.ts'
import { editorWords } from './words.ts'

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

/** `accept` keeps the text being edited, `reject` takes the other. */
export interface ChoiceWords {
  accept: string
  reject: string
}

export interface CodePaneProps {
  palette: Palette
  language: LanguageDescription | null
  readOnly: boolean
  wrap: boolean
  showLineNumbers: boolean
  /** The other text while comparing. */
  original: string | null
  /** What the buttons at each change say; null without buttons. */
  choices: ChoiceWords | null
  label: string
  onSave(): void
  onFind(replace: boolean): void
  onGoToLine(): void
  onEscape(): boolean
  /** After the text changed, and after it was scrolled: 0 is the top, 1 the end. */
  onText(): void
  onScroll(share: number): void
}

export function CodePane(props: CodePaneProps) {
  const { palette, language, readOnly, wrap, showLineNumbers, original, choices, label } = props
  const { i18n } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)

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
  const onScroll = useEffectEvent((share: number) => props.onScroll(share))

  // The view lives as long as the file; what it starts with is read once, the rest follows below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: settings have effects of their own
  useEffect(() => {
    if (box.current === null) return
    const { doc, extension } = openLines(initialText())
    const always = (run: () => void) => () => {
      run()
      return true
    }
    const keys = Prec.high(
      keymap.of([
        { key: 'Mod-s', run: always(onSave), preventDefault: true },
        { key: 'Mod-f', run: always(() => onFind(false)), preventDefault: true },
        { key: 'Mod-h', mac: 'Mod-Alt-f', run: always(() => onFind(true)), preventDefault: true },
        { key: 'Ctrl-g', run: always(onGoToLine), preventDefault: true },
        { key: 'Escape', run: () => onEscape() },
        { key: 'Shift-Tab', run: indentLess },
      ]),
    )
    const state = createState(doc, {
      readOnly,
      wrap,
      theme: editorTheme(palette),
      words: editorWords(),
      keys,
      extra: [
        extension,
        EditorView.updateListener.of((update) => onUpdate(update)),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
      ],
    })
    const made = new EditorView({ state, parent: box.current })
    view.current = made
    const scroller = made.scrollDOM
    const scrolled = () => {
      const range = scroller.scrollHeight - scroller.clientHeight
      onScroll(range <= 0 ? 0 : scroller.scrollTop / range)
    }
    scroller.addEventListener('scroll', scrolled, { passive: true })
    attachView(made)
    followCursor(made.state)
    made.focus()
    return () => {
      scroller.removeEventListener('scroll', scrolled)
      made.destroy()
      view.current = null
    }
  }, [])

  useEffect(() => {
    view.current?.dispatch({ effects: parts.theme.reconfigure(editorTheme(palette)) })
  }, [palette])
  useEffect(() => {
    view.current?.dispatch({
      effects: parts.wrap.reconfigure(wrap ? EditorView.lineWrapping : []),
    })
  }, [wrap])
  useEffect(() => {
    view.current?.dispatch({ effects: parts.readOnly.reconfigure(readOnlyPart(readOnly)) })
  }, [readOnly])
  useEffect(() => {
    view.current?.dispatch({
      effects: parts.numbers.reconfigure(showLineNumbers ? lineNumbers() : []),
    })
  }, [showLineNumbers])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words are those of the locale
  useEffect(() => {
    view.current?.dispatch({
      effects: parts.words.reconfigure(EditorState.phrases.of(editorWords())),
    })
  }, [i18n.locale])

  useEffect(() => {
    let current = true
    void (language === null ? Promise.resolve(null) : language.load()).then((support) => {
      if (!current || view.current === null) return
      view.current.dispatch({ effects: parts.language.reconfigure(languagePart(support)) })
    })
    return () => {
      current = false
    }
  }, [language])

  useEffect(() => {
    let current = true
    void mergeParts(original, choices).then((merge) => {
      if (current) view.current?.dispatch({ effects: parts.merge.reconfigure(merge) })
    })
    return () => {
      current = false
    }
  }, [original, choices])

  return <div className="ed-code" ref={box} data-own-keys />
}

/** The two texts in one, with the choice at each change; loaded when somebody compares. */
async function mergeParts(original: string | null, words: ChoiceWords | null): Promise<Extension> {
  if (original === null) return []
  const { unifiedMergeView } = await import('@codemirror/merge')
  return unifiedMergeView({
    original: linesForCompare(original),
    mergeControls: words === null ? false : (type, choose) => choiceButton(words[type], choose),
    collapseUnchanged: { margin: 4, minSize: 8 },
    diffConfig: { scanLimit: 2000, timeout: 1500 },
  })
}

function choiceButton(label: string, choose: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn btn--line btn--sm'
  button.textContent = label
  // On press, as the text would take the focus and move before a click; a click without a press is
  // the keyboard's.
  button.onmousedown = choose
  button.onclick = (event) => {
    if (event.detail === 0) choose(event)
  }
  return button
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
