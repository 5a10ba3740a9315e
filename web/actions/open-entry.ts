import { t } from '@lingui/core/macro'
import type { FileEntry } from '../../src/api-types.ts'
import { boot } from '../lib/boot.ts'
import { goHref } from '../lib/navigate.ts'
import { filesHref, parentOf } from '../lib/paths.ts'
import { shownName } from '../lib/shown-name.ts'
import { toastError } from '../state/toasts.ts'

/** Opens a folder, or a file in its viewer or editor. `state` goes into the history entry. */
export function openEntry(entry: FileEntry, state?: unknown): void {
  if (entry.type === 'invalid_link') {
    const name = shownName(entry.name)
    toastError(t`“${name}” points to something that does not exist.`)
    return
  }
  void goHref(filesHref(boot.BaseURL, entry.path, entry.isDir), { state })
}

export function openFolder(vpath: string): void {
  void goHref(filesHref(boot.BaseURL, vpath, true))
}

/** The folder above; the root has none. */
export function openParent(vpath: string): void {
  if (vpath !== '/') openFolder(parentOf(vpath))
}
