// The version on disk: whether somebody else wrote it meanwhile, and the comparison with it.

import { EditorState } from '@codemirror/state'
import { compareVersion, readFileBytes } from '../api/text-files.ts'
import { looksBinary } from '../text/binary.ts'
import { type DecodedText, decodeAs, decodeText, writesBack } from '../text/decode.ts'
import type { TextEncoding } from '../text/encodings.ts'
import { current, noteChange, readOnlyReason } from './current-file.ts'
import { editor } from './editor-state.ts'
import { openLines, replaceText, textOf } from './line-end-state.ts'

/** Reads the version on disk, to compare it with the text being edited. */
export async function compareWithDisk(): Promise<void> {
  if (current.file === null) return
  const { key, entry } = current.file
  const read = await readFileBytes(entry.path, AbortSignal.timeout(60_000))
  if (current.file?.key !== key) return
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

/** Takes the version on disk. The text before stays one undo away. */
export async function reloadFromDisk(): Promise<void> {
  if (current.file === null || current.view === null) return
  const { key, entry } = current.file
  const { bytes, ...version } = await readFileBytes(entry.path, AbortSignal.timeout(60_000))
  if (current.file?.key !== key || current.view === null) return
  const { text, encoding } = decodeAgain(bytes, current.file.chosen)
  current.view.dispatch(replaceText(current.view.state, text))
  const binary = looksBinary(bytes, encoding)
  const read = { savedState: current.view.state, savedEncoding: encoding, binary, exact: true }
  Object.assign(current.file, { version, bytes, ...read })
  Object.assign(editor, { encoding, notice: null, comparing: null, savedAtMs: version.modifiedMs })
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
  if (editor.saving || editor.notice !== null) return
  const { entry, version } = current.file
  try {
    const found = await compareVersion(entry.path, version.etag, AbortSignal.timeout(20_000))
    // Another file, or saved anew meanwhile.
    if (current.file?.version !== version || editor.saving || found === 'same') return
    if (found === 'changed' && !editor.dirty) await reloadFromDisk()
    else editor.notice = { kind: found }
  } catch {
    // No connection or no rights any more: the next save will say so.
  }
}

/** A text as the comparison needs it: with line feeds, like the editor's own. */
export function linesForCompare(text: string): string {
  return openLines(text).doc.toString()
}
