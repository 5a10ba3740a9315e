// What will probably be wanted next: the listing of a folder, or the code that shows a file.

import type { FileEntry } from '../../../src/api-types.ts'
import { prefetchEditor } from '../../editor/lazy-editor.ts'
import { prefetchFolder } from '../../state/listed-folder.ts'
import { opensInEditor } from '../../viewers/frame/kinds.ts'

export function prefetchEntry(entry: FileEntry): void {
  if (entry.isDir) void prefetchFolder(entry.path)
  else if (opensInEditor(entry)) prefetchEditor()
}
