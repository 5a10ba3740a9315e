// The "More" menu of the editor. On narrow screens it is also where the tools of the header are.

import { foldAll, unfoldAll } from '@codemirror/language'
import type { EditorView } from '@codemirror/view'
import { t } from '@lingui/core/macro'
import {
  AArrowDown,
  AArrowUp,
  ChevronLeft,
  ChevronRight,
  ChevronsDownUp,
  ChevronsUpDown,
  Code,
  FileDiff,
  Hash,
  History,
  Languages,
  ListOrdered,
  Redo2,
  Replace,
  Search,
  TextWrap,
  Undo2,
} from 'lucide-react'
import { hasVersions } from '../lib/boot.ts'
import { useDocumentKeys } from '../lib/page/keys.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { openPrompt } from '../operations/prompts.ts'
import type { MenuEntry, MenuItem } from '../ui/menu.tsx'
import type { FrameAction } from '../viewers/frame/source.ts'
import { codeCommands, cursor } from './code-pane.tsx'
import { current, currentView } from './current-file.ts'
import { checkDisk, compareWithSaved, stopComparing } from './disk-version.ts'
import { changeTextSize, editorPrefs, setEditorPref } from './editor-prefs.ts'
import { editor } from './editor-state.ts'

interface MenuOptions {
  actions: readonly FrameAction[]
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onFind(): void
  onReplace(): void
  onGoToLine(): void
  onLanguage(): void
  onEncoding(): void
}

/** A function that makes the items anew at each opening, from the state of that moment. */
export function editorMenu(options: MenuOptions): () => readonly MenuEntry[] {
  return () => {
    const view = editor.phase === 'ready' ? currentView() : null
    const text: MenuEntry[] =
      view === null ? [] : [...editItems(options), 'line', ...viewItems(view, options)]
    const file = options.actions
      .filter(({ id, byKeysOnly }) => id !== 'edit' && byKeysOnly !== true)
      .map((action) => ({ ...action, shortcut: shortcutInText(action) }))
    const turn = [
      { id: 'previous', label: t`Previous file`, icon: ChevronLeft, onSelect: options.onPrevious },
      { id: 'next', label: t`Next file`, icon: ChevronRight, onSelect: options.onNext },
    ].flatMap(({ onSelect, ...item }) =>
      onSelect === undefined ? [] : [{ ...item, flipIcon: true, onSelect }],
    )
    return [text, file, turn]
      .filter((group) => group.length > 0)
      .flatMap((group, index) => (index === 0 ? group : ['line' as const, ...group]))
  }
}

export function historyItems({ canUndo, canRedo }: Readonly<typeof cursor>): MenuItem[] {
  const inView = (run: (typeof codeCommands)['undo']) => () => {
    const view = currentView()
    if (view !== null) run(view)
  }
  return [
    {
      id: 'undo',
      label: t`Undo`,
      icon: Undo2,
      flipIcon: true,
      shortcut: shownKeys('Mod+Z'),
      disabled: !canUndo,
      onSelect: inView(codeCommands.undo),
    },
    {
      id: 'redo',
      label: t`Redo`,
      icon: Redo2,
      flipIcon: true,
      shortcut: shownKeys('Mod+Y'),
      disabled: !canRedo,
      onSelect: inView(codeCommands.redo),
    },
  ]
}

export function sizeItems(): [smaller: MenuItem, larger: MenuItem] {
  return [
    { id: 'smaller', label: t`Smaller text`, icon: AArrowDown, onSelect: () => changeTextSize(-1) },
    { id: 'larger', label: t`Larger text`, icon: AArrowUp, onSelect: () => changeTextSize(1) },
  ]
}

export function wrapItem({ wrap }: Pick<typeof editorPrefs, 'wrap'>): MenuItem {
  return {
    id: 'wrap',
    label: t`Wrap lines`,
    icon: TextWrap,
    checked: wrap,
    onSelect: () => setEditorPref('wrap', !wrap),
  }
}

function editItems(options: MenuOptions): MenuEntry[] {
  const writable = editor.readOnly === null
  const items: (MenuEntry | false)[] = [
    ...(writable ? historyItems(cursor) : []),
    {
      id: 'find',
      label: t`Find`,
      icon: Search,
      shortcut: shownKeys('Mod+F'),
      onSelect: options.onFind,
    },
    writable && {
      id: 'replace',
      label: t`Find and replace`,
      icon: Replace,
      shortcut: shownKeys('Mod+H'),
      onSelect: options.onReplace,
    },
    {
      id: 'line',
      label: t`Go to line`,
      icon: Hash,
      shortcut: shownKeys('Ctrl+G'),
      onSelect: options.onGoToLine,
    },
    editor.comparing !== null
      ? { id: 'compare', label: t`Stop comparing`, icon: FileDiff, onSelect: stopComparing }
      : editor.dirty && {
          id: 'compare',
          label: t`Compare with saved version`,
          icon: FileDiff,
          onSelect: compareWithSaved,
        },
    hasVersions && {
      id: 'versions',
      label: t`Versions`,
      icon: History,
      onSelect: () => void showVersions(),
    },
  ]
  return items.filter((item) => item !== false)
}

/** A text without edits follows the version that is brought back; else a bar says that the file has changed. */
async function showVersions(): Promise<void> {
  if (current.file === null) return
  const { path } = current.file.entry
  if ((await openPrompt('versions', { path, isText: true })) === true) await checkDisk()
}

function viewItems(view: EditorView, options: MenuOptions): MenuEntry[] {
  const { lineNumbers } = editorPrefs
  return [
    ...sizeItems(),
    wrapItem(editorPrefs),
    {
      id: 'numbers',
      label: t`Line numbers`,
      icon: ListOrdered,
      checked: lineNumbers,
      onSelect: () => setEditorPref('lineNumbers', !lineNumbers),
    },
    { id: 'fold', label: t`Fold all`, icon: ChevronsDownUp, onSelect: () => void foldAll(view) },
    {
      id: 'unfold',
      label: t`Unfold all`,
      icon: ChevronsUpDown,
      onSelect: () => void unfoldAll(view),
    },
    {
      id: 'language',
      label: t({ message: 'Language…', context: 'code' }),
      icon: Code,
      onSelect: options.onLanguage,
    },
    { id: 'encoding', label: t`Encoding…`, icon: Languages, onSelect: options.onEncoding },
  ]
}

/** In a text Ctrl+S saves and Delete deletes a character, whatever they do elsewhere. */
const KEYS_OF_THE_TEXT = new Set(['download', 'delete', 'delete-for-good'])

/** What is shown beside an action in the menu; undefined when its keys mean something else here. */
function shortcutInText(action: FrameAction): string | undefined {
  return KEYS_OF_THE_TEXT.has(action.id) ? undefined : action.shortcut
}

/** Listens before CodeMirror does, which knows some of these keys by other names. */
export function useFileKeys(actions: readonly FrameAction[]) {
  useDocumentKeys((event) => {
    if (event.isComposing || document.querySelector('dialog[open], [role=menu]:popover-open'))
      return
    const action = actions.find(
      (candidate) => shortcutInText(candidate) !== undefined && candidate.matches?.(event),
    )
    if (action === undefined) return
    event.preventDefault()
    event.stopPropagation()
    action.onSelect()
  }, true)
}
