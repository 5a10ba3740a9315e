// Opens the search from any screen: by the field in the header, by Ctrl+Shift+F.

import { currentPath } from '../lib/navigate.ts'
import { parentOf, ROOT } from '../lib/paths.ts'
import { listing } from '../state/listing.ts'
import { hasPrompt, openPrompt } from '../state/prompts.ts'

/** Searches below the open folder; below the folder of an open file; below everything elsewhere. */
export function openSearch(): void {
  if (hasPrompt()) return
  const inFiles = /^\/files(\/|$)/.test(currentPath())
  const { vpath, file } = listing
  const base = !inFiles ? ROOT : file === null ? vpath : parentOf(vpath)
  void openPrompt('search', { base })
}

/** Listens for Ctrl+Shift+F, Cmd+Shift+F on Apple; the result stops listening. */
export function watchSearchKey(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.code !== 'KeyF' || !event.shiftKey || event.altKey) return
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    openSearch()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
