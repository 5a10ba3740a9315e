// Turns key presses into commands, for the whole page.

import { isLayerOpen, takesKeys } from '../../lib/page/focus.ts'
import { whenFolderShown } from '../../state/folder-shown.ts'
import { listing } from '../../state/listing.ts'
import { slots } from '../../state/slots.ts'
import { isAsking } from '../prompts.ts'
import { toastInfo } from '../toasts.ts'
import { currentContext } from './context.ts'
import { folderActions } from './folder-actions.ts'
import { actions, runAction } from './registry.ts'
import { matchesShortcut } from './shortcut.ts'
import { type Action, notHere, standingOf } from './types.ts'

/** Parts of the page where the keys of the listing act; elsewhere only page-wide ones do. */
const LISTING_KEYS = '[data-listing-keys]'

function listingHasKeys(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || target === document.body) return true
  return target.id === 'main' || target.closest(LISTING_KEYS) !== null
}

/** Enter presses the button, link or box that has the focus, whatever is selected. */
function pressesItself({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof Element && target.matches('a, button, input')
}

/** In the sidebar, plain keys belong to its links; with a modifier they mean the folder that is open. */
function meansOpenFolder(action: Action, { target, altKey, ctrlKey, metaKey }: KeyboardEvent) {
  if (!altKey && !ctrlKey && !metaKey) return false
  if (!(target instanceof Element) || target.closest('.side') === null) return false
  return folderActions.some(({ id }) => id === action.id)
}

/** Commands of the whole page: their keys type nothing, so they act in fields, editors and the shell. */
const EVERYWHERE = ['F1', 'F6', 'Mod+K', 'Mod+Shift+F']

function worksEverywhere(event: KeyboardEvent): boolean {
  return EVERYWHERE.some((shortcut) => matchesShortcut(event, shortcut))
}

/** Runs the command a key press means. True when there was one. */
function runShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false
  const typing = takesKeys(event.target)
  if (typing && !worksEverywhere(event)) return false
  const inListing = !typing && !pressesItself(event) && listingHasKeys(event.target)
  const candidates = actions.filter(
    (action) =>
      (action.everywhere || inListing || (!typing && meansOpenFolder(action, event))) &&
      action.shortcuts?.some((shortcut) => matchesShortcut(event, shortcut)),
  )
  if (candidates.length === 0) return false
  // Held down, Delete would go through the folder.
  if (isAsking() || (event.repeat && candidates.some(({ danger }) => danger))) {
    event.preventDefault()
    return true
  }
  const context = currentContext()
  if (matchesShortcut(event, 'Mod+C') && getSelection()?.isCollapsed === false) {
    // Text marked on the page is what is being copied then.
    return false
  }
  const action = candidates.find((candidate) => candidate.enabled(context))
  if (action === undefined) {
    if (!candidates.some((candidate) => standingOf(candidate, context) === 'off')) return false
    event.preventDefault()
    toastInfo(notHere())
    return true
  }
  event.preventDefault()
  void action.run(context)
  return true
}

/** How long a browser may take to follow Ctrl+V with its paste event, where it sends one at all. */
const PASTE_EVENT_MS = 60
/** So long after the key its event may come on a machine that is busy. */
const LATE_EVENT_MS = 2000

let pasteWaits = false

/** Pastes into the open folder, files in `data` first. True when there was something to paste. */
function paste(data: DataTransfer | null): boolean {
  const context = currentContext()
  const { folder } = context
  if (folder === null) {
    const waits = listing.mounted && listing.phase.kind === 'loading'
    if (waits) void pasteOnceShown(data)
    return waits
  }
  if (
    data !== null &&
    context.can.create &&
    !context.isSearch &&
    slots.uploads?.paste(data, folder)
  )
    return true
  return runAction('paste', context)
}

/** Fast hands: the key was for the folder that is still on its way. */
async function pasteOnceShown(data: DataTransfer | null): Promise<void> {
  if (pasteWaits) return
  // The event's own is empty when the event is over.
  const kept = new DataTransfer()
  for (const file of data?.files ?? []) kept.items.add(file)
  pasteWaits = true
  const shown = await whenFolderShown(listing.phase.vpath)
  pasteWaits = false
  if (shown) paste(kept)
}

/** Listens for shortcuts and for paste until the returned function is called. */
export function watchShortcuts(): () => void {
  let pasteTimer: ReturnType<typeof setTimeout> | undefined
  /** Keys that were not waited for any longer: their events may still come, and are answered. */
  let answered = 0
  let answeredAtMs = 0
  // Before the editor, the shell or a viewer can take the key for something of their own.
  const onKeyFirst = (event: KeyboardEvent) => {
    if (isLayerOpen()) {
      // Its keys do not reach the window, but the browser would still save the page.
      if (matchesShortcut(event, 'Mod+S')) event.preventDefault()
      return
    }
    if (!worksEverywhere(event)) return
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
    clearTimeout(pasteTimer)
    pasteTimer = setTimeout(() => {
      if (!paste(null)) return
      answered = isLate() ? answered + 1 : 1
      answeredAtMs = performance.now()
    }, PASTE_EVENT_MS)
  }
  const isLate = () => answered > 0 && performance.now() - answeredAtMs < LATE_EVENT_MS
  const onPaste = (event: ClipboardEvent) => {
    // One that brings files is another than the one that was waited for in vain.
    if (isLate() && event.clipboardData?.files.length === 0) {
      answered--
      return
    }
    clearTimeout(pasteTimer)
    if (takesKeys(event.target) || !listingHasKeys(event.target)) return
    if (paste(event.clipboardData)) event.preventDefault()
  }
  const ended = new AbortController()
  const { signal } = ended
  document.addEventListener('keydown', onKeyFirst, { signal, capture: true })
  document.addEventListener('keydown', onKey, { signal })
  window.addEventListener('keydown', onKeyLast, { signal })
  document.addEventListener('paste', onPaste, { signal })
  return () => {
    clearTimeout(pasteTimer)
    ended.abort()
  }
}
