import { parentOf } from '../lib/paths.ts'
import type { Folder } from '../state/folder-cache.ts'
import { listing } from '../state/listing.ts'
import { hasPrompt, openPrompt } from '../state/prompts.ts'

/** Opens the search of the open folder, or of the folder that holds the open file. */
export function openSearch(query: string): void {
  if (hasPrompt('search')) return
  const folder = (listing.folder as Folder | null)?.vpath
  const base = listing.file === null ? (folder ?? '/') : parentOf(listing.vpath)
  void openPrompt('search', { base, query })
}
