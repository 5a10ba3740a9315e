import { entriesOf, entryAt, listing, shownFolder } from '../../state/listing.ts'
import { selection } from '../../state/selection.ts'
import { permissions } from '../../state/session.ts'
import type { ActionContext } from './types.ts'

export function currentContext(): ActionContext {
  const { kind, vpath } = listing.phase
  const onScreen = listing.mounted && kind === 'folder'
  return {
    folder: onScreen ? vpath : null,
    selected: onScreen ? entriesOf(selection.paths) : [],
    focused: (onScreen && entryAt(shownFolder().focus)) || null,
    can: permissions(),
  }
}

/** The same for menus about the open folder itself, whatever is selected in it. */
export function folderContext(): ActionContext {
  return { ...currentContext(), selected: [], focused: null }
}
