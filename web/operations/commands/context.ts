import type { Folder } from '../../state/folder-cache.ts'
import { entriesOf, entryAt, listing } from '../../state/listing.ts'
import { selection } from '../../state/selection.ts'
import { permissions } from '../../state/session.ts'
import type { ActionContext } from './types.ts'

/** What commands would work on right now. */
export function currentContext(): ActionContext {
  const folder = (listing.folder as Folder | null)?.vpath ?? null
  const onScreen =
    listing.mounted && folder !== null && listing.file === null && listing.status === 'ready'
  return {
    folder: onScreen ? folder : null,
    selected: onScreen ? entriesOf(selection.paths) : [],
    focused: onScreen && listing.focus !== null ? (entryAt(listing.focus) ?? null) : null,
    can: permissions(),
  }
}

/** The same for menus about the open folder itself, whatever is selected in it. */
export function folderContext(): ActionContext {
  return { ...currentContext(), selected: [], focused: null }
}
