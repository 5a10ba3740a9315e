// Turns key presses into commands, for the whole page.

import { takesKeys } from '../lib/focus.ts'
import { addPasted } from '../uploads/entry.ts'
import { currentContext } from './context.ts'
import { actions, runAction } from './registry.ts'
import { matchesShortcut } from './shortcut.ts'

/** Parts of the page where the keys of the listing act; elsewhere only page-wide ones do. */
const LISTING_KEYS = '[data-listing-keys]'

function listingHasKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target === document.body) return true
  return target.id === 'main' || target.closest(LISTING_KEYS) !== null
}

/** Commands of the whole page: their keys type nothing, so they act in fields, editors and the shell. */
const EVERYWHERE = ['F1', 'F6', 'Mod+K', 'Mod+Shift+F']

function worksEverywhere(event: KeyboardEvent): boolean {
  return EVERYWHERE.some((shortcut) => matchesShortcut(event, shortcut))
}

/** A dialog or menu keeps every key to itself. */
function isLayerOpen(): boolean {
  return document.querySelector('dialog[open], [role="menu"]:popover-open') !== null
}

/** Runs the command a key press means. True when there was one. */
export function runShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false
  const typing = takesKeys(event.target)
  if (typing && !worksEverywhere(event)) return false
  const inListing = !typing && listingHasKeys(event.target)
  const candidates = actions.filter(
    (action) =>
      (action.scope === 'page' || inListing) &&
      action.shortcuts?.some((shortcut) => matchesShortcut(event, shortcut)),
  )
  if (candidates.length === 0) return false
  const context = currentContext()
  if (matchesShortcut(event, 'Mod+C') && getSelection()?.isCollapsed === false) {
    // Text marked on the page is what is being copied then.
    return false
  }
  const action = candidates.find((candidate) => candidate.enabled(context))
  if (action === undefined) return false
  event.preventDefault()
  void action.run(context)
  return true
}

/** How long a browser may take to follow Ctrl+V with its paste event, where it sends one at all. */
const PASTE_EVENT_MS = 60

/** Listens for shortcuts and for paste until the returned function is called. */
export function watchShortcuts(): () => void {
  let paste: ReturnType<typeof setTimeout> | undefined
  // Before the editor, the shell or a viewer can take the key for something of their own.
  const onKeyFirst = (event: KeyboardEvent) => {
    if (!worksEverywhere(event) || isLayerOpen()) return
    if (runShortcut(event)) event.stopPropagation()
  }
  // Saving the page itself is never what Ctrl+S means here, wherever the focus is. Last of all:
  // viewers and the editor take a key that is prevented already for one that was used.
  const onKeyLast = (event: KeyboardEvent) => {
    if (matchesShortcut(event, 'Mod+S')) event.preventDefault()
  }
  const onKey = (event: KeyboardEvent) => {
    if (runShortcut(event) || !matchesShortcut(event, 'Mod+V')) return
    if (takesKeys(event.target) || !listingHasKeys(event.target)) return
    // Only the paste event knows about pictures in the system's clipboard.
    clearTimeout(paste)
    paste = setTimeout(() => runAction('paste'), PASTE_EVENT_MS)
  }
  const onPaste = (event: ClipboardEvent) => {
    clearTimeout(paste)
    if (takesKeys(event.target) || !listingHasKeys(event.target)) return
    const context = currentContext()
    const { folder } = context
    if (folder === null) return
    const data = event.clipboardData
    if (data !== null && context.can.create && addPasted(data, folder)) event.preventDefault()
    else runAction('paste', context)
  }
  document.addEventListener('keydown', onKeyFirst, true)
  document.addEventListener('keydown', onKey)
  window.addEventListener('keydown', onKeyLast)
  document.addEventListener('paste', onPaste)
  return () => {
    clearTimeout(paste)
    document.removeEventListener('keydown', onKeyFirst, true)
    document.removeEventListener('keydown', onKey)
    window.removeEventListener('keydown', onKeyLast)
    document.removeEventListener('paste', onPaste)
  }
}
