// The file in the editor: opening, saving over the version it was read at, conflicts, drafts. What is
// shown of it is in editor-state.ts, what it looks like in editor.tsx and beside it.

import { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { ref } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import { ApiError, isAbort } from '../api/client.ts'
import {
  compareVersion,
  createFileBytes,
  type FileVersion,
  readFileBytes,
  writeFileBytes,
} from '../api/text-files.ts'
import { boot } from '../lib/boot.ts'
import { permissions, session } from '../state/session.ts'
import { looksBinary } from '../text/binary.ts'
import { type DecodedText, decodeAs, decodeText, writesBack } from '../text/decode.ts'
import { canWrite, encodeText } from '../text/encode.ts'
import type { TextEncoding } from '../text/encodings.ts'
import type { LineEnd } from '../text/line-ends.ts'
import { draftKey, dropDraft, loadDraft, pruneDrafts, saveDraft } from './drafts.ts'
import { editor, type Notice } from './editor-state.ts'
import {
  convertLineEnds,
  lineEndsOf,
  openLines,
  replaceText,
  sameText,
  textOf,
} from './line-end-state.ts'

/** Larger files are read in windows and cannot be changed here. */
export const MAX_EDIT_BYTES = 10 * 1024 * 1024
/** A draft is kept this long after the last key, and at the latest so long after the first. */
const DRAFT_QUIET_MS = 700
const DRAFT_LATEST_MS = 4000

/** What belongs to the open file and need not be watched. */
let file: {
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
} | null = null
let view: EditorView | null = null
let draftTimer: ReturnType<typeof setTimeout> | undefined
let draftDueMs = 0
let opening: AbortController | null = null

export interface OpenOptions {
  /** Shows what is no text as one all the same, read only. */
  anyway?: boolean
}

/** Reads the file and looks for a draft of it. Never rejects: failures become `editor.phase`. */
export async function openFile(
  entry: FileInfo,
  { anyway = false }: OpenOptions = {},
): Promise<void> {
  closeFile()
  const controller = new AbortController()
  opening = controller
  Object.assign(editor, {
    ...{ phase: 'loading', error: null, path: entry.path, readOnly: null, dirty: false },
    ...{ saving: false, notice: null, comparing: null, draftAtMs: null },
  })
  if (!permissions().download) {
    editor.phase = 'forbidden'
    return
  }
  if (entry.size > MAX_EDIT_BYTES) {
    editor.phase = 'large'
    return
  }
  try {
    const { bytes, ...version } = await readFileBytes(entry.path, controller.signal)
    if (controller.signal.aborted) return
    if (bytes.length > MAX_EDIT_BYTES) {
      editor.phase = 'large'
      return
    }
    const { text, encoding } = decodeText(bytes)
    const binary = looksBinary(bytes, encoding)
    if (binary && !anyway) {
      editor.phase = 'binary'
      return
    }
    const key = draftKey(boot.BaseURL, session.user?.id ?? 0, entry.path)
    file = {
      ...{ entry, version, bytes, text, savedState: null, savedEncoding: encoding },
      ...{ binary, exact: true, chosen: null, key },
    }
    Object.assign(editor, { encoding, savedAtMs: version.modifiedMs ?? Date.parse(entry.modified) })
    editor.readOnly = readOnlyReason(file)
    editor.generation++
    editor.phase = 'ready'
    await offerDraft(key, text)
  } catch (error) {
    if (isAbort(error) || controller.signal.aborted) return
    const problem = error instanceof ApiError ? error : new ApiError(0, null, String(error))
    editor.error = ref(problem)
    editor.phase = problem.code === 'download_forbidden' ? 'forbidden' : 'failed'
  }
}

/** Takes newer facts of the open file: the listing knows less than the file's own information. */
export function noteEntry(entry: FileInfo): void {
  if (file === null || file.entry.path !== entry.path) return
  file.entry = entry
  editor.readOnly = readOnlyReason(file)
}

/** Why the text cannot be changed; what it is comes before who may. */
function readOnlyReason({ entry, binary, exact }: NonNullable<typeof file>) {
  if (binary) return 'binary'
  if (!permissions().modify || entry.type === 'textImmutable') return 'permission'
  return exact ? null : 'encoding'
}

async function offerDraft(key: string, text: string): Promise<void> {
  void pruneDrafts(Date.now())
  const draft = await loadDraft(key)
  if (draft === null || file?.key !== key || editor.dirty || editor.readOnly !== null) return
  if (draft.text === text) await dropDraft(key)
  else editor.notice = ref<Notice>({ kind: 'draft', draft })
}

/** Forgets the file. A draft of unsaved text stays. */
export function closeFile(): void {
  opening?.abort()
  opening = null
  void keepDraftNow()
  clearTimeout(draftTimer)
  file = null
  view = null
}

/** The text the view starts with; the view tells of itself by `attachView`. */
export function initialText(): string {
  return file?.text ?? ''
}

export function attachView(next: EditorView): void {
  view = next
  if (file === null) return
  file.savedState ??= next.state
  showLineEnds(next.state)
}

export function currentView(): EditorView | null {
  return view
}

/** To be called after each change of the text, of its line ends or of its encoding. */
export function noteChange(): void {
  if (view === null || file === null) return
  showLineEnds(view.state)
  editor.dirty = differs()
  if (editor.notice?.kind === 'unencodable') editor.notice = null
  if (!editor.dirty) {
    clearTimeout(draftTimer)
    draftDueMs = 0
    editor.draftAtMs = null
    if (editor.notice?.kind !== 'draft') void dropDraft(file.key)
    return
  }
  const nowMs = Date.now()
  draftDueMs ||= nowMs + DRAFT_LATEST_MS
  clearTimeout(draftTimer)
  const delayMs = Math.max(0, Math.min(DRAFT_QUIET_MS, draftDueMs - nowMs))
  draftTimer = setTimeout(() => void keepDraftNow(), delayMs)
}

function showLineEnds(state: EditorState): void {
  const { usual, mixed } = lineEndsOf(state)
  editor.lineEnd = usual
  editor.mixedEnds = mixed
}

function differs(): boolean {
  if (view === null || file?.savedState == null) return false
  if (!sameEncoding(editor.encoding, file.savedEncoding)) return true
  return !sameText(view.state, file.savedState)
}

function sameEncoding(a: TextEncoding, b: TextEncoding): boolean {
  return a.name === b.name && a.bom === b.bom
}

/** Keeps what is unsaved in this browser, now: on a pause in typing and whenever the page may end. */
export async function keepDraftNow(): Promise<void> {
  clearTimeout(draftTimer)
  draftDueMs = 0
  if (view === null || file === null || !editor.dirty) return
  const { key, version } = file
  const savedAtMs = Date.now()
  const text = textOf(view.state)
  const encoding = { name: editor.encoding.name, bom: editor.encoding.bom }
  const kept = await saveDraft({ key, text, encoding, baseEtag: version.etag, savedAtMs })
  if (kept && file?.key === key && editor.dirty) editor.draftAtMs = savedAtMs
}

/** Puts the offered draft into the editor, as a step that can be undone. */
export function restoreDraft(): void {
  if (editor.notice?.kind !== 'draft' || view === null || file === null) return
  const { draft } = editor.notice
  view.dispatch(replaceText(view.state, draft.text))
  editor.encoding = draft.encoding
  editor.comparing = null
  // The draft began from another version: saving it must not silently undo what came since.
  const stale = draft.baseEtag !== '' && draft.baseEtag !== file.version.etag
  editor.notice = stale ? { kind: 'changed' } : null
  noteChange()
  view.focus()
}

export async function discardDraft(): Promise<void> {
  editor.notice = null
  editor.comparing = null
  if (file !== null) await dropDraft(file.key)
}

export interface SaveOptions {
  /** Replaces the file even when it changed on disk, or makes it anew when it is gone. */
  overwrite?: boolean
}

/**
 * Writes the file. True when it is saved; false when something stands in the way, which is then in
 * `editor.notice`. Rejects with ApiError when the server refused for another reason.
 */
export async function saveFile({ overwrite = false }: SaveOptions = {}): Promise<boolean> {
  if (view === null || file === null || editor.readOnly !== null || editor.saving) return false
  const wasGone = editor.notice?.kind === 'gone'
  // A known conflict needs an answer; pressing Save again is none.
  if (!overwrite && (editor.notice?.kind === 'changed' || wasGone)) return false
  const { key } = file
  const state = view.state
  const encoding = { name: editor.encoding.name, bom: editor.encoding.bom }
  const written = encodeText(textOf(state), encoding)
  if (!written.ok) {
    if (written.reason === 'unencodable') {
      editor.notice = ref<Notice>({ kind: 'unencodable', problem: written })
    }
    return false
  }
  editor.saving = true
  try {
    const { path } = file.entry
    const version =
      wasGone && overwrite
        ? await createFileBytes(path, written.bytes)
        : await writeFileBytes(
            path,
            written.bytes,
            overwrite ? null : { etag: file.version.etag, bytes: file.bytes },
          )
    if (file?.key !== key) return true
    Object.assign(file, {
      version,
      bytes: written.bytes,
      savedState: state,
      savedEncoding: encoding,
    })
    editor.savedAtMs = version.modifiedMs
    editor.notice = null
    if (editor.comparing?.with === 'disk') editor.comparing = null
    noteChange()
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || file?.key !== key) throw error
    if (error.code === 'precondition_failed' || error.status === 412) {
      editor.notice = { kind: 'changed' }
      return false
    }
    if (error.status === 404) {
      editor.notice = { kind: 'gone' }
      return false
    }
    throw error
  } finally {
    editor.saving = false
  }
}

/** Reads the version on disk, to compare it with the text being edited. */
export async function compareWithDisk(): Promise<void> {
  if (file === null) return
  const { key, entry } = file
  const read = await readFileBytes(entry.path, AbortSignal.timeout(60_000))
  if (file?.key !== key) return
  const { text, encoding } = decodeAgain(read.bytes, file.chosen)
  // Both versions have been seen: from here on a save is meant to replace exactly this one, and
  // "unsaved" means different from it.
  const { doc, extension } = openLines(text)
  file.version = { etag: read.etag, modifiedMs: read.modifiedMs }
  file.bytes = read.bytes
  file.savedState = EditorState.create({ doc, extensions: extension })
  file.savedEncoding = encoding
  editor.savedAtMs = read.modifiedMs
  editor.notice = null
  editor.comparing = { with: 'disk', text }
  noteChange()
}

export function compareWithSaved(): void {
  const saved = file?.savedState
  if (saved) editor.comparing = { with: 'saved', text: textOf(saved) }
}

export function compareWithDraft(): void {
  if (editor.notice?.kind !== 'draft') return
  editor.comparing = { with: 'draft', text: editor.notice.draft.text }
}

export function stopComparing(): void {
  editor.comparing = null
}

/** Takes the version on disk. The text before stays one undo away. */
export async function reloadFromDisk(): Promise<void> {
  if (file === null || view === null) return
  const { key, entry } = file
  const { bytes, ...version } = await readFileBytes(entry.path, AbortSignal.timeout(60_000))
  if (file?.key !== key || view === null) return
  const { text, encoding } = decodeAgain(bytes, file.chosen)
  view.dispatch(replaceText(view.state, text))
  const binary = looksBinary(bytes, encoding)
  const read = { savedState: view.state, savedEncoding: encoding, binary, exact: true }
  Object.assign(file, { version, bytes, ...read })
  Object.assign(editor, { encoding, notice: null, comparing: null, savedAtMs: version.modifiedMs })
  editor.readOnly = readOnlyReason(file)
  noteChange()
}

/** Another version is read as the person chose for this one, unless that does not fit any more. */
function decodeAgain(bytes: Uint8Array, chosen: TextEncoding | null): DecodedText {
  if (chosen !== null) {
    const text = decodeAs(bytes, chosen)
    if (writesBack(text, chosen, bytes)) return { text, encoding: chosen }
  }
  return decodeText(bytes)
}

/** On return to the window: has somebody else written the file? A text without edits just follows. */
export async function checkDisk(): Promise<void> {
  if (file === null || file.version.etag === '' || editor.saving || editor.notice !== null) return
  const { key, entry, version } = file
  try {
    const found = await compareVersion(entry.path, version.etag, AbortSignal.timeout(20_000))
    if (file?.key !== key || file.version !== version || editor.saving || found === 'same') return
    if (found === 'changed' && !editor.dirty) await reloadFromDisk()
    else editor.notice = { kind: found }
  } catch {
    // No connection or no rights any more: the next save will say so.
  }
}

/** Reads the saved bytes again in another encoding. Only for a text without edits. */
export function reopenAs(encoding: TextEncoding): void {
  if (file === null || view === null || editor.dirty) return
  const bom = encoding.name === file.savedEncoding.name && file.savedEncoding.bom
  const chosen = { name: encoding.name, bom }
  const text = decodeAs(file.bytes, chosen)
  view.dispatch(replaceText(view.state, text))
  const binary = looksBinary(file.bytes, chosen)
  const exact = writesBack(text, chosen, file.bytes)
  Object.assign(file, { savedState: view.state, savedEncoding: chosen, binary, exact, chosen })
  const before = editor.readOnly
  editor.encoding = chosen
  editor.readOnly = readOnlyReason(file)
  noteChange()
  // A draft could not be offered while the text could not be changed.
  if (before !== null) void offerDraft(file.key, text)
}

/** The next save writes in this encoding. */
export function saveAs(encoding: TextEncoding): void {
  if (editor.readOnly !== null || !canWrite(encoding)) return
  editor.encoding = { name: encoding.name, bom: encoding.bom }
  if (editor.notice?.kind === 'unencodable') editor.notice = null
  noteChange()
}

export function setLineEnd(end: LineEnd): void {
  if (view === null || editor.readOnly !== null) return
  view.dispatch(convertLineEnds(end))
}

/**
 * Gives up what is unsaved, with its draft. Where the editor stays open after all, it shows the saved
 * text again, and undo brings back what was given up.
 */
export async function discardChanges(): Promise<void> {
  clearTimeout(draftTimer)
  if (view !== null && file?.savedState) {
    editor.encoding = file.savedEncoding
    view.dispatch(replaceText(view.state, textOf(file.savedState)))
    noteChange()
  }
  editor.dirty = false
  editor.draftAtMs = null
  if (file !== null) await dropDraft(file.key)
}

/** The present text and name, for previews. */
export function currentText(): string {
  return view === null ? initialText() : view.state.doc.toString()
}

/** A text as the comparison needs it: with line feeds, like the editor's own. */
export function linesForCompare(text: string): string {
  return openLines(text).doc.toString()
}
