// The text on the screen, alone or beside another: comparing on wide screens needs a view of its own
// kind, into which the text moves with its history, cursor and settings. No React here.

import type { MergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { linesForCompare } from '../disk-version.ts'
import { moveState, type OwnParts, parts, settingsOf } from './setup.ts'

/** What the buttons at each change say: `accept` keeps the edited text, `reject` takes the other. */
export interface ChoiceWords {
  accept: string
  reject: string
}

export interface Comparison {
  original: string
  /** Null without buttons. */
  words: ChoiceWords | null
  /** True for two columns, false for one in which the other's lines stand among the own. */
  beside: boolean
}

export interface CodeView {
  readonly view: EditorView
  /** Null ends the comparison. Resolves when it is shown; the latest call wins. */
  compare(comparison: Comparison | null): Promise<void>
  destroy(): void
}

interface CodeViewOptions extends OwnParts {
  parent: HTMLElement
  state: EditorState
  /** Name of the other text for screen readers, which also hear that it is read only. */
  label: string
  onView(view: EditorView): void
  /** 0 is the top, 1 the end. */
  onScroll(share: number): void
}

const DIFF = { scanLimit: 2000, timeout: 1500 }
const COLLAPSE = { margin: 4, minSize: 8 }

export function createCodeView({
  parent,
  state,
  label,
  onView,
  onScroll,
  ...own
}: CodeViewOptions) {
  let pair: MergeView | null = null
  let asked = 0
  let view = show(new EditorView({ state, parent }))

  function show(next: EditorView, scroller = next.scrollDOM): EditorView {
    const scrolled = () => {
      const range = scroller.scrollHeight - scroller.clientHeight
      onScroll(range <= 0 ? 0 : scroller.scrollTop / range)
    }
    scroller.addEventListener('scroll', scrolled, { passive: true })
    onView(next)
    return next
  }

  /** The focus moves along, or keys would go nowhere. */
  function replace(make: () => EditorView) {
    const hadFocus = view.hasFocus
    const before = pair ?? view
    const next = make()
    before.destroy()
    view = next
    if (hadFocus) view.focus()
  }

  function showAlone() {
    if (pair === null) return
    replace(() => {
      const alone = EditorState.create(moveState(view.state, own))
      return show(new EditorView({ state: alone, parent }))
    })
    pair = null
  }

  async function compare(comparison: Comparison | null) {
    const mine = ++asked
    const merge = comparison && (await import('@codemirror/merge'))
    if (mine !== asked) return
    showAlone()
    view.dispatch({ effects: parts.merge.reconfigure([]) })
    if (comparison === null || merge === null) return
    const { words, beside } = comparison
    const original = linesForCompare(comparison.original)
    if (!beside) {
      const unified = merge.unifiedMergeView({
        original,
        mergeControls: words !== null && ((type, choose) => choiceButton(words[type], choose)),
        collapseUnchanged: COLLAPSE,
        diffConfig: DIFF,
      })
      view.dispatch({ effects: parts.merge.reconfigure(unified) })
      return
    }
    let made: MergeView | null = null
    replace(() => {
      made = new merge.MergeView({
        parent,
        a: { doc: original, extensions: [settingsOf(view.state), readOnlyText(label)] },
        b: moveState(view.state, own),
        ...(words && { revertControls: 'a-to-b', renderRevertControl: () => takeButton(words) }),
        collapseUnchanged: COLLAPSE,
        diffConfig: DIFF,
      })
      return show(made.b, made.dom)
    })
    pair = made
  }

  return {
    get view() {
      return view
    },
    compare,
    destroy() {
      asked++
      ;(pair ?? view).destroy()
    },
  } satisfies CodeView
}

/** To be read and copied from, and out of the way of the Tab key. */
function readOnlyText(label: string): Extension {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0',
    }),
  ]
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

/** Between the two columns: takes the other's part over into the own text. */
function takeButton({ reject }: ChoiceWords): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'ed-take'
  button.title = reject
  button.setAttribute('aria-label', reject)
  button.onclick = (event) => {
    // The view listens to presses alone, which a key is not.
    if (event.detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
  }
  return button
}
