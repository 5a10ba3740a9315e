// The open file with its text: what of it is unsaved, why it cannot be changed, and the draft that is
// kept of it. What is shown is in editor-state.ts.

import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { ref } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import type { FileVersion } from '../api/text-files.ts'
import { abilitiesOn } from '../state/rights.ts'
import type { TextEncoding } from '../text/encodings.ts'
import { blobOf, lineEndsOf, replaceText, sameText, textOf } from './code/line-end-state.ts'
import { dropDraft, loadDrafts, pruneDrafts, saveDraft } from './drafts.ts'
import { editor, type Notice } from './editor-state.ts'

/** Larger files are read in windows and cannot be changed here. */
export const MAX_EDIT_BYTES = 10 * 1024 * 1024
/** A draft is kept this long after the last key, and at the latest so long after the first. */
const DRAFT_QUIET_MS = 700
const DRAFT_LATEST_MS = 4000
/** Up to this many characters a text is joined and kept at once: a few milliseconds. */
const DRAFT_AT_ONCE = 500_000

/** The file in the editor, beside what is watched of it in editor-state.ts. */
export interface OpenFile {
  entry: FileInfo
  version: FileVersion
  bytes: Uint8Array<ArrayBuffer>
  text: string
  savedState: EditorState | null
  savedEncoding: TextEncoding
  /** Read in `savedEncoding`, the bytes are no text. */
  binary: boolean
  /** Written in `savedEncoding`, the text gives these bytes again. */
  exact: boolean
  /** What the person said the bytes are written in; null while that is a guess. */
  chosen: TextEncoding | null
  key: string
  /** Where its draft is kept; one that is offered has another key until it is restored. */
  draftKey: string
  /** Of the toast that offers to undo the last save; 0 before. */
  savedToast: number
}

export const current = {
  file: null as OpenFile | null,
  /** Null until the text is shown. */
  view: null as EditorView | null,
}

let draftTimer: ReturnType<typeof setTimeout> | undefined
let draftDueMs = 0
/** Ends the keeping in pieces: a newer draft is kept, or none is needed any more. */
let keeping: AbortController | null = null

export function attachView(next: EditorView): void {
  current.view = next
  if (current.file === null) return
  current.file.savedState ??= next.state
  showLineEnds(next.state)
}

export function currentView(): EditorView | null {
  return current.view
}

/** The text the view starts with; the view tells of itself by `attachView`. */
export function initialText(): string {
  return current.file?.text ?? ''
}

export function currentText(): string {
  return current.view === null ? initialText() : current.view.state.doc.toString()
}

/** To be called after each change of the text, of its line ends or of its encoding. */
export function noteChange(): void {
  if (current.view === null || current.file === null) return
  showLineEnds(current.view.state)
  editor.dirty = differs()
  if (editor.notice?.kind === 'unencodable') editor.notice = null
  if (!editor.dirty) {
    stopKeeping()
    editor.draftAtMs = null
    void dropDraft(current.file.draftKey)
    return
  }
  const nowMs = Date.now()
  draftDueMs ||= nowMs + DRAFT_LATEST_MS
  clearTimeout(draftTimer)
  const delayMs = Math.max(0, Math.min(DRAFT_QUIET_MS, draftDueMs - nowMs))
  draftTimer = setTimeout(() => void keepDraftAside(), delayMs)
}

function showLineEnds(state: EditorState): void {
  const { usual, mixed } = lineEndsOf(state)
  editor.lineEnd = usual
  editor.mixedEnds = mixed
}

function differs(): boolean {
  if (current.view === null || current.file?.savedState == null) return false
  const { name, bom } = current.file.savedEncoding
  if (editor.encoding.name !== name || editor.encoding.bom !== bom) return true
  return !sameText(current.view.state, current.file.savedState)
}

function stopKeeping(): void {
  clearTimeout(draftTimer)
  draftDueMs = 0
  keeping?.abort()
  keeping = null
}

/** Keeps what is unsaved in this browser, now: whenever the page may end. */
export async function keepDraftNow(): Promise<void> {
  stopKeeping()
  const about = aboutDraft()
  if (current.view === null || about === null) return
  await keep(about, textOf(current.view.state))
}

/**
 * The same while somebody types. Ten mebibytes joined and copied at once would hold up the keys for a
 * tenth of a second; what was kept before stays until the new draft is complete.
 */
async function keepDraftAside(): Promise<void> {
  const state = current.view?.state
  if (state === undefined || state.doc.length <= DRAFT_AT_ONCE) return keepDraftNow()
  if (keeping !== null) {
    // However slow the machine, one comes to its end before the next begins.
    draftTimer = setTimeout(() => void keepDraftAside(), DRAFT_QUIET_MS)
    return
  }
  stopKeeping()
  const about = aboutDraft()
  if (about === null) return
  const mine = new AbortController()
  keeping = mine
  const blob = await blobOf(state, mine.signal)
  if (mine.signal.aborted) return
  keeping = null
  // The text was saved or read anew meanwhile: what is unsaved since is kept next.
  if (current.file?.version !== about.version) return
  // Some browsers keep no blobs in private windows.
  if (blob === null || !(await keep(about, blob))) await keepDraftNow()
}

/** What the present text is a draft of; null when nothing is unsaved. */
function aboutDraft() {
  if (current.file === null || !editor.dirty) return null
  const { key, draftKey, version } = current.file
  const encoding = { name: editor.encoding.name, bom: editor.encoding.bom }
  return { key, draftKey, version, encoding }
}

type AboutDraft = NonNullable<ReturnType<typeof aboutDraft>>

/** `about` is of the same moment as `text`. False when the browser would not keep it. */
async function keep(about: AboutDraft, text: string | Blob): Promise<boolean> {
  const { key, draftKey, version, encoding } = about
  const savedAtMs = Date.now()
  const kept = await saveDraft({
    ...{ key: draftKey, text, encoding, baseEtag: version.etag, savedAtMs },
  })
  if (kept && current.file?.key === key && editor.dirty) editor.draftAtMs = savedAtMs
  return kept
}

/** Looks for a draft of the saved text, the newest if there are several. */
export async function offerDraft(): Promise<void> {
  void pruneDrafts(Date.now())
  const { file } = current
  if (file === null) return
  const drafts = await loadDrafts(file.key)
  if (current.file !== file || editor.dirty) return
  if (editor.readOnly !== null || editor.notice !== null || drafts.length === 0) return
  const saved = file.savedState === null ? file.text : textOf(file.savedState)
  for (const draft of drafts) {
    if (draft.text !== saved) {
      editor.notice = ref<Notice>({ kind: 'draft', draft })
      return
    }
    void dropDraft(draft.key)
  }
}

/** Puts the offered draft into the editor, as a step that can be undone. */
export function restoreDraft(): void {
  if (editor.notice?.kind !== 'draft' || current.view === null || current.file === null) return
  const { draft } = editor.notice
  stopKeeping()
  // What was typed before it is one undo away; the restored text is what is kept from here on.
  void dropDraft(current.file.draftKey)
  current.file.draftKey = draft.key
  current.view.dispatch(replaceText(current.view.state, draft.text))
  editor.encoding = draft.encoding
  editor.comparing = null
  // The draft began from another version: saving it must not silently undo what came since.
  const stale = draft.baseEtag !== '' && draft.baseEtag !== current.file.version.etag
  editor.notice = stale ? { kind: 'changed' } : null
  noteChange()
  current.view.focus()
}

/** Gives up the offered draft; an older one is offered next. */
export async function discardDraft(): Promise<void> {
  if (editor.notice?.kind !== 'draft') return
  const { key } = editor.notice.draft
  editor.notice = null
  editor.comparing = null
  await dropDraft(key)
  await offerDraft()
}

/**
 * Gives up what is unsaved, with its draft. Where the editor stays open after all, it shows the saved
 * text again, and undo brings back what was given up.
 */
export async function discardChanges(): Promise<void> {
  stopKeeping()
  if (current.view !== null && current.file?.savedState) {
    editor.encoding = current.file.savedEncoding
    current.view.dispatch(replaceText(current.view.state, textOf(current.file.savedState)))
    noteChange()
  }
  editor.dirty = false
  editor.draftAtMs = null
  if (current.file !== null) await dropDraft(current.file.draftKey)
}

/** Why the text cannot be changed; what it is comes before who may. */
export function readOnlyReason({ entry, binary, exact }: OpenFile) {
  if (binary) return 'binary'
  if (!abilitiesOn(entry.path).modify || entry.type === 'textImmutable') return 'permission'
  return exact ? null : 'encoding'
}
