import { realFolder } from '../../lib/paths.ts'
import { entriesOf, entryAt, listing, shownFolder } from '../../state/listing.ts'
import { abilitiesIn } from '../../state/rights.ts'
import { selection } from '../../state/selection.ts'
import type { ActionContext } from './types.ts'

export function currentContext(): ActionContext {
  const { kind, vpath } = listing.phase
  const onScreen = listing.mounted && kind === 'folder'
  const folder = onScreen ? realFolder(vpath) : null
  return {
    folder,
    isSearch: onScreen && folder !== vpath,
    selected: onScreen ? entriesOf(selection.paths) : [],
    focused: (onScreen && entryAt(shownFolder().focus)) || null,
    can: abilitiesIn(folder),
  }
}

/** The same for menus about the open folder itself, whatever is selected in it. */
export function folderContext(): ActionContext {
  return { ...currentContext(), selected: [], focused: null }
}
