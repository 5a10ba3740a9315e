// Goes to the folder of an entry and puts the focus on it there.

import { goHref } from '../../lib/page/navigate.ts'
import { filesHref, parentOf } from '../../lib/paths.ts'
import { whenFolderShown } from '../../state/folder-shown.ts'
import { revealEntry, shownFolder } from '../../state/listing.ts'
import { selectOnly } from '../../state/selection.ts'

/** Resolves when the folder shows the entry, or false when it never did. */
export async function showInFolder(vpath: string): Promise<boolean> {
  const folder = parentOf(vpath)
  if (!(await goHref(filesHref(folder, true)))) return false
  if (!(await whenFolderShown(folder))) return false
  if (shownFolder().folder?.byPath.has(vpath) !== true) return false
  selectOnly(vpath)
  revealEntry(vpath)
  return true
}
