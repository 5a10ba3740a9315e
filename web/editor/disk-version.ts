// The version on disk: whether somebody else wrote it meanwhile, and the comparison with it.

import { EditorState } from '@codemirror/state'
import { subscribeKey } from 'valtio/utils'
import { compareVersion, type FileBytes, isTooLarge, readFileBytes } from '../api/text-files.ts'
import { looksBinary } from '../text/binary.ts'
import { type DecodedText, decodeAs, decodeText, writesBack } from '../text/decode.ts'
import type { TextEncoding } from '../text/encodings.ts'
import { openLines, replaceText, textOf } from './code/line-end-state.ts'
import { current, MAX_EDIT_BYTES, noteChange, readOnlyReason } from './current-file.ts'
import { editor, type Notice } from './editor-state.ts'

const READ_MS = 60_000

/**
 * Null when another file was opened meanwhile.
 *
 * @throws ApiError `too_large` when the file has grown beyond what is edited.
 */
async function readDisk(): Promise<FileBytes | null> {
  if (current.file === null) return null
  const { key, entry } = current.file
  const read = await readFileBytes(entry.path, MAX_EDIT_BYTES, AbortSignal.timeout(READ_MS))
  return current.file?.key === key ? read : null
}

/** Reads the version on disk, to compare it with the text being edited. Throws as `readDisk`. */
export async function compareWithDisk(): Promise<void> {
  const read = await readDisk()
  if (read === null || current.file === null) return
  const { text, encoding } = decodeAgain(read.bytes, current.file.chosen)
  // Both versions have been seen: from here on a save is meant to replace exactly this one, and
  // "unsaved" means different from it.
  const { doc, extension } = openLines(text)
  current.file.version = { etag: read.etag, modifiedMs: read.modifiedMs }
  current.file.bytes = read.bytes
  current.file.savedState = EditorState.create({ doc, extensions: extension })
  current.file.savedEncoding = encoding
  editor.savedAtMs = read.modifiedMs
  editor.notice = null
  editor.comparing = { with: 'disk', text }
  noteChange()
}

export function compareWithSaved(): void {
  const saved = current.file?.savedState
  if (saved) editor.comparing = { with: 'saved', text: textOf(saved) }
}

export function compareWithDraft(): void {
  if (editor.notice?.kind !== 'draft') return
  editor.comparing = { with: 'draft', text: editor.notice.draft.text }
}

export function stopComparing(): void {
  editor.comparing = null
}

/** Takes the version on disk. The text before stays one undo away. Throws as `readDisk`. */
export async function reloadFromDisk(): Promise<void> {
  const read = await readDisk()
  if (read !== null) take(read, null)
}

/** `notice` is what is told beside the version that is shown from here on. */
function take({ bytes, ...version }: FileBytes, notice: Notice | null): void {
  if (current.file === null || current.view === null) return
  const { text, encoding } = decodeAgain(bytes, current.file.chosen)
  current.view.dispatch(replaceText(current.view.state, text))
  const binary = looksBinary(bytes, encoding)
  const saved = { savedState: current.view.state, savedEncoding: encoding, binary, exact: true }
  Object.assign(current.file, { version, bytes, ...saved })
  Object.assign(editor, { encoding, notice, comparing: null, savedAtMs: version.modifiedMs })
  editor.readOnly = readOnlyReason(current.file)
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
  if (current.file === null || current.file.version.etag === '') return
  if (editor.saving) await whenSaved()
  if (current.file === null || (editor.notice !== null && editor.notice.kind !== 'draft')) return
  const { entry, version } = current.file
  try {
    const found = await compareVersion(entry.path, version.etag, AbortSignal.timeout(20_000))
    // Another file, or saved anew meanwhile.
    if (current.file?.version !== version || editor.saving || found === 'same') return
    const read = found === 'changed' && !editor.dirty ? await readDisk() : null
    if (current.file?.version !== version || editor.saving) return
    // While it was read, somebody may have typed.
    if (read === null || editor.dirty) editor.notice = { kind: found }
    // What is offered of an earlier sitting is still to be had.
    else take(read, editor.notice)
  } catch (error) {
    if (isTooLarge(error) && current.file?.version === version) editor.notice = { kind: 'changed' }
    // No connection or no rights any more: the next save will say so.
  }
}

/** Once the save that is under way is over. */
export function whenSaved(): Promise<void> {
  return new Promise((resolve) => {
    const stop = subscribeKey(editor, 'saving', () => {
      stop()
      resolve()
    })
  })
}

/** A text as the comparison needs it: with line feeds, like the editor's own. */
export function linesForCompare(text: string): string {
  return openLines(text).doc.toString()
}
