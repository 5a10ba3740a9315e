import { t } from '@lingui/core/macro'
import type { FileEntry } from '../../../src/api-types.ts'
import { rawUrl } from '../../api/files.ts'
import { currentPath, goHref } from '../../lib/page/navigate.ts'
import { filesHref, parentOf, queryOf, ROOT, realFolder, shownName } from '../../lib/paths.ts'
import { listing, openFolderPath } from '../../state/listing.ts'
import { refreshFolder } from '../open-folder.ts'
import { hasPrompt, openPrompt } from '../prompts.ts'
import { toastError } from '../toasts.ts'

/** Opens a folder, or a file in its viewer or editor. `state` goes into the history entry. */
export function openEntry(entry: FileEntry, state?: unknown): void {
  if (entry.type === 'invalid_link') {
    const name = shownName(entry.name)
    toastError(t`“${name}” is a broken link.`)
    return
  }
  if (entry.unreachable === true) {
    toastError(t`The disk isn’t responding. Try again later.`)
    // The disk may answer by now.
    void refreshFolder()
    return
  }
  void goHref(filesHref(entry.path, entry.isDir), { state })
}

export function isFile({ isDir, type }: Pick<FileEntry, 'isDir' | 'type'>): boolean {
  return !isDir && type !== 'invalid_link'
}

/** Opens what the file holds in a new tab, as the browser shows it; the server sandboxes it. */
export function openFileItself({ path }: Pick<FileEntry, 'path'>): void {
  window.open(rawUrl(path, { inline: true }), '_blank', 'noopener')
}

export function openFolder(vpath: string): void {
  void goHref(filesHref(vpath, true))
}

export function openParent(vpath: string): void {
  if (vpath !== '/') openFolder(parentOf(vpath))
}

/**
 * Opens the search, below the open folder, or that of the open file, where no other is given, and with the words of the
 * search that is shown.
 */
export function openSearch(words: string, below?: string): void {
  if (hasPrompt('search')) return
  const query = words || (queryOf(openFolderPath() ?? '') ?? '')
  void openPrompt('search', { folder: baseOf(), query, ...(below && { below }) })
}

function baseOf(): string {
  const { kind, vpath } = listing.phase
  if (kind === 'file') return parentOf(vpath)
  if (listing.mounted && kind === 'loading') {
    // Not known yet, but the address of a folder ends with a slash.
    return currentPath().endsWith('/') ? vpath : parentOf(vpath)
  }
  return realFolder(openFolderPath() ?? ROOT)
}
