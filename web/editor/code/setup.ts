// What the text editor is made of: CodeMirror's parts, and the compartments through which its settings
// change while it is open.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completeAnyWord,
  completionKeymap,
} from '@codemirror/autocomplete'
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
} from '@codemirror/commands'
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  type LanguageSupport,
} from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import {
  Compartment,
  EditorState,
  type EditorStateConfig,
  type Extension,
  type Text,
} from '@codemirror/state'
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
  scrollPastEnd,
} from '@codemirror/view'
import { keepLines } from './line-end-state.ts'
import { viewportSupport } from './viewport-parser.ts'

export const parts = {
  readOnly: new Compartment(),
  language: new Compartment(),
  theme: new Compartment(),
  wrap: new Compartment(),
  indent: new Compartment(),
  merge: new Compartment(),
  words: new Compartment(),
  numbers: new Compartment(),
}

type Settings = Record<keyof typeof parts, Extension>

export interface OwnParts {
  /** Keys of the page that also work in the text, tried first. */
  keys: Extension
  extra: Extension
}

interface SetupOptions extends OwnParts {
  readOnly: boolean
  wrap: boolean
  theme: Extension
  words: Record<string, string>
  /** The line ends of the text, where they are kept. */
  lines?: Extension
}

export function createState(doc: Text, options: SetupOptions): EditorState {
  const settings: Settings = {
    readOnly: readOnlyPart(options.readOnly),
    language: [],
    theme: options.theme,
    wrap: options.wrap ? EditorView.lineWrapping : [],
    indent: indentUnit.of(indentOf(doc)),
    merge: [],
    words: EditorState.phrases.of(options.words),
    numbers: lineNumbers(),
  }
  return EditorState.create({
    doc,
    extensions: [options.lines ?? [], extensionsOf(options, settings)],
  })
}

/** The same text for another view, with its cursor, history, line ends and settings, not comparing. */
export function moveState(from: EditorState, own: OwnParts): EditorStateConfig {
  return {
    doc: from.doc,
    selection: from.selection,
    extensions: [
      historyField.init(() => from.field(historyField)),
      keepLines(from),
      extensionsOf(own, { ...currentSettings(from), merge: [] }),
    ],
  }
}

/** What makes another text look like the one in `state`. */
export function settingsOf(state: EditorState): Extension {
  const { language, theme, wrap, words, numbers } = currentSettings(state)
  return [cspNonce(), language, theme, wrap, words, numbers, highlightSpecialChars()]
}

function currentSettings(state: EditorState): Settings {
  const entries = Object.entries(parts).map(([name, part]) => [name, part.get(state) ?? []])
  return Object.fromEntries(entries) as Settings
}

function extensionsOf(own: OwnParts, settings: Settings): Extension {
  return [
    own.keys,
    own.extra,
    cspNonce(),
    ...Object.entries(parts).map(([name, part]) => part.of(settings[name as keyof Settings])),
    codeFolding(),
    foldGutter({ markerDOM: foldMarker }),
    history({ minDepth: 500 }),
    highlightSpecialChars(),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completeAnyWord], activateOnTyping: false }),
    rectangularSelection(),
    crosshairCursor(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    scrollPastEnd(),
    // The panel itself is ours and outside; CodeMirror marks matches only while it has one. It takes a
    // hidden one below for as tall as the page, and scrolls each match out of sight to be above it.
    search({ createPanel: () => ({ dom: document.createElement('div'), top: true }) }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap.filter(
        (binding) => !['Mod-f', 'Escape', 'Mod-Alt-g'].includes(binding.key ?? ''),
      ),
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      indentWithTab,
    ]),
  ]
}

/** Read only still allows a cursor, selecting and copying. */
export function readOnlyPart(readOnly: boolean): Extension {
  return readOnly ? [EditorState.readOnly.of(true)] : []
}

/** Follows the file's own habit: tabs, or the smallest step of spaces that occurs. */
function indentOf(doc: Text): string {
  let tabs = 0
  let spaces = 0
  let step = 8
  const lines = Math.min(doc.lines, 400)
  for (let number = 1; number <= lines; number++) {
    const indent = /^(\t+|( {2,}))(?=\S)/.exec(doc.line(number).text)
    if (indent === null) continue
    if (indent[2] === undefined) tabs += 1
    else {
      spaces += 1
      step = Math.min(step, indent[2].length)
    }
  }
  if (tabs > spaces) return '\t'
  return ' '.repeat(spaces === 0 ? 2 : Math.max(2, Math.min(step, 8)))
}

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement('span')
  marker.className = open ? 'ed-fold' : 'ed-fold ed-fold--closed'
  marker.setAttribute('aria-hidden', 'true')
  return marker
}

/** The page allows style elements with its nonce only; scripts of ours carry the same one. */
export function cspNonce(): Extension {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
  return nonce ? EditorView.cspNonce.of(nonce) : []
}

export function languagePart(support: LanguageSupport | null): Extension {
  return support === null ? [] : viewportSupport(support)
}
