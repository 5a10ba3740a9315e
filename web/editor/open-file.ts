// Opening a file in the editor and saving it over the version it was read at. What is unsaved of it is
// in current-file.ts, what somebody else wrote in disk-version.ts, what it looks like in editor.tsx.

import { ref } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import { ApiError, isAbort, newOperation } from '../api/client.ts'
import {
  createFileBytes,
  isTooLarge,
  readFileBytes,
  sameBytes,
  writeFileBytes,
} from '../api/text-files.ts'
import { boot } from '../lib/boot.ts'
import { session } from '../state/session.ts'
import { looksBinary } from '../text/binary.ts'
import { decodeAs, decodeText, writesBack } from '../text/decode.ts'
import { canWrite, encodeText } from '../text/encode.ts'
import type { TextEncoding } from '../text/encodings.ts'
import type { LineEnd } from '../text/line-ends.ts'
import { convertLineEnds, replaceText, textOf } from './code/line-end-state.ts'
import {
  current,
  keepDraftNow,
  MAX_EDIT_BYTES,
  noteChange,
  offerDraft,
  readOnlyReason,
} from './current-file.ts'
import { draftKey, newDraftKey } from './drafts.ts'
import { editor, type Notice } from './editor-state.ts'

let opening: AbortController | null = null

interface OpenOptions {
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
  if (entry.size > MAX_EDIT_BYTES) {
    editor.phase = 'large'
    return
  }
  try {
    const { bytes, ...version } = await readFileBytes(entry.path, MAX_EDIT_BYTES, controller.signal)
    if (controller.signal.aborted) return
    const { text, encoding } = decodeText(bytes)
    const binary = looksBinary(bytes, encoding)
    if (binary && !anyway) {
      editor.phase = 'binary'
      return
    }
    const key = draftKey(boot.BaseURL, session.user?.id ?? 0, entry.path)
    current.file = {
      ...{ entry, version, bytes, text, savedState: null, savedEncoding: encoding },
      ...{ binary, exact: true, chosen: null, key, draftKey: newDraftKey(key) },
      savedToast: 0,
    }
    Object.assign(editor, { encoding, savedAtMs: version.modifiedMs ?? Date.parse(entry.modified) })
    editor.readOnly = readOnlyReason(current.file)
    editor.generation++
    editor.phase = 'ready'
    await offerDraft()
  } catch (error) {
    if (isAbort(error) || controller.signal.aborted) return
    if (isTooLarge(error)) {
      editor.phase = 'large'
      return
    }
    const problem = error instanceof ApiError ? error : new ApiError(0, null, String(error))
    editor.error = ref(problem)
    editor.phase = problem.code === 'download_forbidden' ? 'forbidden' : 'failed'
  }
}

/** Takes newer facts of the open file: the listing knows less than the file's own information. */
export function noteEntry(entry: FileInfo): void {
  if (current.file === null || current.file.entry.path !== entry.path) return
  current.file.entry = entry
  editor.readOnly = readOnlyReason(current.file)
}

/** Forgets the file. A draft of unsaved text stays. */
export function closeFile(): void {
  opening?.abort()
  opening = null
  void keepDraftNow()
  current.file = null
  current.view = null
}

interface SaveOptions {
  /** Replaces the file even when it changed on disk, or makes it anew when it is gone. */
  overwrite?: boolean
}

interface Saved {
  path: string
  /** What the server remembers of it; null when nothing was replaced. */
  operation: string | null
}

/**
 * Writes the file. Null when something stands in the way, which is then in `editor.notice`. Rejects with
 * ApiError when the server refused for another reason.
 */
export async function saveFile({ overwrite = false }: SaveOptions = {}): Promise<Saved | null> {
  if (current.view === null || current.file === null) return null
  if (editor.readOnly !== null || editor.saving) return null
  const wasGone = editor.notice?.kind === 'gone'
  // A known conflict needs an answer; pressing Save again is none.
  if (!overwrite && (editor.notice?.kind === 'changed' || wasGone)) return null
  const { key } = current.file
  const state = current.view.state
  const encoding = { name: editor.encoding.name, bom: editor.encoding.bom }
  const written = encodeText(textOf(state), encoding)
  if (!written.ok) {
    if (written.reason === 'unencodable') {
      editor.notice = ref<Notice>({ kind: 'unencodable', problem: written })
    }
    return null
  }
  editor.saving = true
  try {
    const { path } = current.file.entry
    const isNew = wasGone && overwrite
    const operation = newOperation()
    const isSame = sameBytes(written.bytes, current.file.bytes)
    const version = isNew
      ? await createFileBytes(path, written.bytes)
      : await writeFileBytes(
          path,
          written.bytes,
          overwrite ? null : { etag: current.file.version.etag, bytes: current.file.bytes },
          operation,
        )
    const saved = { path, operation: isNew || isSame ? null : operation }
    if (current.file?.key !== key) return saved
    Object.assign(current.file, {
      version,
      bytes: written.bytes,
      savedState: state,
      savedEncoding: encoding,
      chosen: current.file.chosen && encoding,
    })
    editor.savedAtMs = version.modifiedMs
    // A draft that is still offered was not what was saved.
    if (editor.notice?.kind !== 'draft') editor.notice = null
    if (editor.comparing?.with === 'disk') editor.comparing = null
    noteChange()
    return saved
  } catch (error) {
    if (!(error instanceof ApiError) || current.file?.key !== key) throw error
    if (error.code === 'precondition_failed' || error.status === 412) {
      editor.notice = { kind: 'changed' }
      return null
    }
    if (error.status === 404) {
      editor.notice = { kind: 'gone' }
      return null
    }
    throw error
  } finally {
    editor.saving = false
  }
}

/** Reads the saved bytes again in another encoding. Only for a text without edits. */
export function reopenAs(encoding: TextEncoding): void {
  if (current.file === null || current.view === null || editor.dirty) return
  const bom = encoding.name === current.file.savedEncoding.name && current.file.savedEncoding.bom
  const chosen = { name: encoding.name, bom }
  const text = decodeAs(current.file.bytes, chosen)
  current.view.dispatch(replaceText(current.view.state, text))
  const binary = looksBinary(current.file.bytes, chosen)
  const exact = writesBack(text, chosen, current.file.bytes)
  Object.assign(current.file, {
    savedState: current.view.state,
    savedEncoding: chosen,
    binary,
    exact,
    chosen,
  })
  const before = editor.readOnly
  editor.encoding = chosen
  editor.readOnly = readOnlyReason(current.file)
  noteChange()
  // A draft could not be offered while the text could not be changed.
  if (before !== null) void offerDraft()
}

export function saveAs(encoding: TextEncoding): void {
  if (editor.readOnly !== null || !canWrite(encoding)) return
  editor.encoding = { name: encoding.name, bom: encoding.bom }
  if (editor.notice?.kind === 'unencodable') editor.notice = null
  noteChange()
}

export function setLineEnd(end: LineEnd): void {
  if (current.view === null || editor.readOnly !== null) return
  current.view.dispatch(convertLineEnds(end))
}
