import { currentPath } from '../../lib/page/navigate.ts'
import { parentOf, ROOT } from '../../lib/paths.ts'
import { listing, openFolderPath } from '../../state/listing.ts'
import { hasPrompt, openPrompt } from '../prompts.ts'

/** Opens the search of the open folder, or of the folder that holds the open file. */
export function openSearch(query: string): void {
  if (hasPrompt('search')) return
  void openPrompt('search', { base: baseOf(), query })
}

function baseOf(): string {
  const { kind, vpath } = listing.phase
  if (kind === 'file') return parentOf(vpath)
  if (listing.mounted && kind === 'loading') {
    // Not known yet, but the address of a folder ends with a slash.
    return currentPath().endsWith('/') ? vpath : parentOf(vpath)
  }
  return openFolderPath() ?? ROOT
}
