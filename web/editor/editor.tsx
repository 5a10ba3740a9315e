// The full-page text editor: header, bars, text, preview, status. It puts the parts together; what
// happens to the file is in open-file.ts.

import type { LanguageDescription } from '@codemirror/language'
import { useLingui } from '@lingui/react/macro'
import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import { keyLetter, useDocumentKeys } from '../lib/page/keys.ts'
import { useMedia } from '../lib/page/media.ts'
import { guardLeaving } from '../lib/page/navigate.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError } from '../operations/toasts.ts'
import { rightsTurn } from '../state/rights.ts'
import { session } from '../state/session.ts'
import { isNestedTooDeep } from '../text/nesting.ts'
import type { FileSource, FrameAction } from '../viewers/frame/source.ts'
import type { ChoiceWords } from './code/code-view.ts'
import { paletteOf } from './code/palettes.ts'
import { CodePane } from './code-pane.tsx'
import { currentView, discardChanges, initialText, keepDraftNow } from './current-file.ts'
import { checkDisk, whenSaved } from './disk-version.ts'
import { editorMenu, useFileKeys } from './editor-menu.ts'
import { type EditorMode, editorPrefs, setEditorPref } from './editor-prefs.ts'
import { editor } from './editor-state.ts'
import { FindBar } from './find-bar.tsx'
import { GoToLine } from './go-to-line.tsx'
import { Header, type Rendering } from './header.tsx'
import { Notices } from './notices.tsx'
import { closeFile, noteEntry, openFile, saveFile } from './open-file.ts'
import { EncodingDialog, LanguageDialog, useLanguage } from './pick-dialog.tsx'
import { Preview, previewScroll } from './preview.tsx'
import { StatusBar } from './status-bar.tsx'
import { tellSaved } from './tell-saved.ts'
import { Unavailable } from './unavailable.tsx'

/** Below this width source and preview take turns. */
const SPLIT_FITS = '(min-width: 900px)'
/** From this width on two versions are compared in two columns. */
const BESIDE_FITS = '(min-width: 1100px)'

export interface EditorProps {
  source: FileSource
  entry: FileInfo
  actions?: readonly FrameAction[]
  /** Shows what is no text as one without asking first: somebody chose that. */
  anyway?: boolean
  onBytes(): void
  /** Turn to the neighbours in the folder through `go`, which asks about unsaved text. */
  previous?: (() => void) | undefined
  next?: (() => void) | undefined
  /** Goes back to the folder through `go`, which asks about unsaved text. */
  close(): void
}

type OpenDialog = 'line' | 'language' | 'encoding' | null

export function Editor({ source, entry, actions = [], close, ...rest }: EditorProps) {
  const { previous, next, anyway = false, onBytes } = rest
  const { phase, readOnly, generation, path } = useSnapshot(editor)
  const { sizePx } = useSnapshot(editorPrefs)
  const splitFits = useMedia(SPLIT_FITS)
  const root = useRef<HTMLDivElement>(null)
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const ready = phase === 'ready' && path === entry.path

  // A save changes the entry's date, which must not open the file anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: one opening for each path
  useEffect(() => {
    void openFile(entry, { anyway })
    return closeFile
  }, [entry.path])
  const { count } = useSnapshot(rightsTurn)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what may be done in its folder may be known by now
  useEffect(() => noteEntry(entry), [entry, count])

  // Binary files have no Markdown preview.
  const isText = ready && readOnly !== 'binary'
  const [language, chooseLanguage] = useLanguage(isText, entry.name, generation)
  const rendering = renderingOf(language)
  const [mode, setMode] = useMode(rendering, readOnly !== null, splitFits)
  const find = useFind(mode, setMode)
  useLeaveGuard(entry.name, save)
  useSafeguards()
  useAlone(root)
  useEditorKeys(ready, find.ask, () => setDialog('line'))
  useFileKeys(actions)
  const dialogs = {
    onGoToLine: () => setDialog('line'),
    onLanguage: () => setDialog('language'),
    onEncoding: () => setDialog('encoding'),
  }
  const menu = editorMenu({
    actions,
    onPrevious: previous,
    onNext: next,
    onFind: () => find.ask(false),
    onReplace: () => find.ask(true),
    ...dialogs,
  })

  return (
    <div
      className="ed"
      role="dialog"
      aria-modal="true"
      aria-label={entry.name}
      ref={root}
      id="editor-container"
      style={{ '--ed-font-size': `${sizePx / 16}rem` } as React.CSSProperties}
    >
      <Header
        entry={entry}
        rendering={ready ? rendering : null}
        mode={mode}
        splitFits={splitFits}
        menu={menu}
        onMode={setMode}
        onFind={() => find.ask(false)}
        onSave={() => void save()}
        onClose={close}
      />
      {ready ? (
        <OpenText {...{ source, entry, language, rendering, mode, find }} {...dialogs} />
      ) : (
        <Unavailable source={source} entry={entry} onBytes={onBytes} close={close} />
      )}
      {dialog === 'line' && <GoToLine onClose={() => setDialog(null)} />}
      {dialog === 'encoding' && <EncodingDialog onClose={() => setDialog(null)} />}
      {dialog === 'language' && (
        <LanguageDialog
          language={language}
          onPick={chooseLanguage}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}

/** True when it was saved; what fails is told. */
async function save(overwrite = false): Promise<boolean> {
  if (editor.saving) {
    // What was typed since that began is saved as well.
    while (editor.saving) await whenSaved()
    if (!editor.dirty) return true
  }
  try {
    const saved = await saveFile({ overwrite })
    if (saved !== null) tellSaved(saved)
    return saved !== null
  } catch (error) {
    toastError(error)
    return false
  }
}

function useEditorKeys(ready: boolean, find: (replace: boolean) => void, goToLine: () => void) {
  useDocumentKeys((event) => {
    const mod = event.ctrlKey || event.metaKey
    if (event.defaultPrevented || !mod || event.altKey || event.shiftKey) return
    const key = keyLetter(event)
    if (key === 'S') {
      event.preventDefault()
      if (editor.dirty) void save()
    } else if (ready && document.querySelector('dialog[open]') === null) {
      if (key === 'F' || (key === 'H' && editor.readOnly === null)) find(key === 'H')
      else if (key === 'G') goToLine()
      else return
      event.preventDefault()
    }
  })
}

/** Whether the find bar is open; it works in the source, so that is shown when it opens. */
function useFind(mode: EditorMode, setMode: (mode: EditorMode) => void) {
  const [state, setState] = useState({ open: false, replace: false, asked: 0 })
  return {
    ...state,
    ask(replace: boolean) {
      if (mode === 'preview') setMode('source')
      setState(({ open, replace: was, asked }) => ({
        open: true,
        replace: replace || (open && was),
        asked: asked + 1,
      }))
    },
    setReplace: (replace: boolean) => setState({ ...state, replace }),
    close: () => setState({ ...state, open: false, replace: false }),
  }
}

interface OpenTextProps {
  source: FileSource
  entry: FileInfo
  language: LanguageDescription | null
  rendering: Rendering
  mode: EditorMode
  find: ReturnType<typeof useFind>
  onGoToLine(): void
  onLanguage(): void
  onEncoding(): void
}

function OpenText({ source, entry, language, rendering, mode, find, ...dialogs }: OpenTextProps) {
  const { t } = useLingui()
  const { readOnly, comparing, generation } = useSnapshot(editor)
  const { wrap, lineNumbers } = useSnapshot(editorPrefs)
  const { user } = useSnapshot(session)
  const besideFits = useMedia(BESIDE_FITS)
  const [textVersion, setTextVersion] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: decided once for each text
  const coloured = useMemo(
    () => (rendering === 'markdown' && isNestedTooDeep(initialText()) ? null : language),
    [rendering, language, generation],
  )
  const palette = useMemo(() => paletteOf(user?.aceEditorTheme ?? ''), [user?.aceEditorTheme])
  const choices = useChoices(readOnly === null ? comparing?.with : undefined)
  const noteText = () => setTextVersion((version) => version + 1)
  const view = currentView()
  return (
    <>
      <Notices onSave={(overwrite) => void save(overwrite)} />
      {find.open && view !== null && mode !== 'preview' && (
        <FindBar
          view={view}
          replace={find.replace}
          readOnly={readOnly !== null}
          asked={find.asked}
          textVersion={textVersion}
          onReplace={find.setReplace}
          onClose={find.close}
        />
      )}
      <div className={`ed-pane ed-pane--${mode}`}>
        <CodePane
          key={generation}
          palette={palette}
          language={coloured}
          readOnly={readOnly !== null}
          wrap={wrap}
          showLineNumbers={lineNumbers}
          original={comparing?.text ?? null}
          choices={choices}
          beside={besideFits && mode === 'source'}
          label={t`Text of ${entry.name}`}
          onSave={() => void save()}
          onFind={find.ask}
          onGoToLine={dialogs.onGoToLine}
          onEscape={() => {
            if (find.open) find.close()
            return find.open
          }}
          onView={noteText}
          onText={() => {
            // With nobody who follows the text, a key does not draw the page around it anew.
            if (find.open || mode !== 'source') noteText()
          }}
          onScroll={previewScroll.follow}
        />
        {rendering !== null && mode !== 'source' && (
          <Preview rendering={rendering} source={source} entry={entry} textVersion={textVersion} />
        )}
      </div>
      <StatusBar languageName={language?.name ?? null} {...dialogs} />
    </>
  )
}

/** What the buttons at each difference say; null without such buttons. */
function useChoices(compared: 'disk' | 'draft' | 'saved' | undefined): ChoiceWords | null {
  const { t } = useLingui()
  return useMemo(() => {
    if (compared === undefined) return null
    if (compared === 'disk') return { accept: t`Keep mine`, reject: t`Use theirs` }
    return { accept: t`Keep`, reject: compared === 'draft' ? t`Use draft` : t`Revert` }
  }, [compared, t])
}

function renderingOf(language: LanguageDescription | null): Rendering {
  if (language?.name === 'Markdown') return 'markdown'
  return language?.name === 'JSON' ? 'json' : null
}

/** Which side is shown. Markdown remembers the choice; JSON begins with its source each time. */
function useMode(rendering: Rendering, readOnly: boolean, splitFits: boolean) {
  const { mode: remembered } = useSnapshot(editorPrefs)
  const [tree, setTree] = useState(false)
  const first: EditorMode = readOnly ? 'preview' : splitFits ? 'split' : 'source'
  let mode: EditorMode = 'source'
  if (rendering === 'json') mode = tree ? 'preview' : 'source'
  if (rendering === 'markdown') mode = remembered ?? first
  if (mode === 'split' && !splitFits) mode = readOnly ? 'preview' : 'source'
  const setMode = (next: EditorMode) => {
    if (rendering === 'markdown') setEditorPref('mode', next)
    else setTree(next !== 'source')
  }
  return [mode, setMode] as const
}

/** What lies behind the editor cannot be seen, so it must not be reached by keyboard or reader. */
function useAlone(root: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const silenced: HTMLElement[] = []
    let node: HTMLElement | null = root.current
    for (; node !== null && !node.classList.contains('app'); node = node.parentElement) {
      for (const other of node.parentElement?.children ?? []) {
        if (other === node || !(other instanceof HTMLElement) || other.inert) continue
        other.inert = true
        silenced.push(other)
      }
    }
    return () => {
      for (const element of silenced) element.inert = false
    }
  }, [root])
}

/** Every way out of the page asks while text is unsaved, closing the tab included. */
function useLeaveGuard(name: string, save: () => Promise<boolean>) {
  const { t } = useLingui()
  const { dirty } = useSnapshot(editor)
  const ask = useEffectEvent(async () => {
    if (!editor.dirty) return true
    const answer = await openPrompt('confirm', {
      title: t`Save your changes?`,
      text: t`“${name}” has unsaved changes.`,
      answers: [
        { id: 'discard', label: t`Discard`, tone: 'danger-text' },
        { id: 'save', label: t`Save changes` },
      ],
    })
    if (answer === 'save') return save()
    if (answer !== 'discard') return false
    await discardChanges()
    return true
  })
  useEffect(() => (dirty ? guardLeaving(() => ask()) : undefined), [dirty])
}

/** Drafts are written before the page can vanish; coming back asks whether the file changed. */
function useSafeguards() {
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const hide = () => void keepDraftNow()
    const turn = () => {
      if (document.visibilityState === 'hidden') hide()
    }
    window.addEventListener('pagehide', hide, { signal })
    window.addEventListener('focus', () => void checkDisk(), { signal })
    document.addEventListener('visibilitychange', turn, { signal })
    return () => abort.abort()
  }, [])
}
