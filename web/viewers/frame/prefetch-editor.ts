import type { FileEntry } from '../../../src/api-types.ts'
import { prefetchEditor } from '../../editor/lazy-editor.ts'
import { opensInEditor } from './kinds.ts'

/** Fetches the editor where it is what the file will open in. */
export function prefetchEditorFor(entry: FileEntry): void {
  if (opensInEditor(entry)) prefetchEditor()
}
