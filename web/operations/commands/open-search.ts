import { currentPath } from '../../lib/page/navigate.ts'
import { parentOf, ROOT } from '../../lib/paths.ts'
import type { Folder } from '../../state/folder-cache.ts'
import { listing } from '../../state/listing.ts'
import { hasPrompt, openPrompt } from '../prompts.ts'

/** Opens the search of the open folder, or of the folder that holds the open file. */
export function openSearch(query: string): void {
  if (hasPrompt('search')) return
  void openPrompt('search', { base: baseOf(), query })
}

function baseOf(): string {
  if (listing.file !== null) return parentOf(listing.vpath)
  if (listing.mounted && listing.status === 'loading') {
    // Not known yet, but the address of a folder ends with a slash.
    return currentPath().endsWith('/') ? listing.vpath : parentOf(listing.vpath)
  }
  return (listing.folder as Folder | null)?.vpath ?? ROOT
}
