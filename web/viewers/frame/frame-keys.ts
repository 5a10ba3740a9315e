// Keys of the frame: what the viewer inside leaves turns to a neighbour or runs a command.

import type { FileEntry } from '../../../src/api-types.ts'
import { keyLetter, useDocumentKeys } from '../../lib/page/keys.ts'
import { isQuickLook } from '../../lib/page/quick-look.ts'
import type { FrameAction, ViewerKind } from './source.ts'
import { keysAreTaken, offerKey, stepOf } from './viewer-keys.ts'

/** In these, page keys, Home and End belong to the document, also while it is loading. */
const documents: ReadonlySet<ViewerKind> = new Set([
  ...(['pdf', 'epub', 'document', 'sheet', 'csv', 'markdown', 'json'] as const),
  ...(['font', 'archive', 'text', 'hex'] as const),
])
/** In these, Space plays and pauses, however they were opened. */
const players: ReadonlySet<ViewerKind> = new Set(['video', 'audio'])
interface KeysGiven {
  kind: ViewerKind
  siblings: readonly FileEntry[]
  actions: readonly FrameAction[]
  previous: FileEntry | undefined
  next: FileEntry | undefined
  navigate(entry: FileEntry): void
  close(): void
  toggleFullScreen(): void
}

export function useFrameKeys(given: KeysGiven): void {
  const { kind, siblings, actions, previous, next, navigate, close } = given

  useDocumentKeys((event) => {
    if (keysAreTaken(event)) return
    const ends = { previous, next, first: siblings[0], last: siblings.at(-1) }
    const used =
      endQuickLook(event) ||
      offerKey(event) ||
      turnByKey(event, ends, !documents.has(kind), navigate) ||
      commandByKey(event)
    if (used) {
      event.preventDefault()
      event.stopPropagation()
    }
  })

  /** Space closes what Space opened, before pictures and papers have a use for it. */
  function endQuickLook(event: KeyboardEvent): boolean {
    const plain = event.key === ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!plain || event.shiftKey || players.has(kind) || !isQuickLook()) return false
    if (isOnControl(event)) return false
    // Held down since it opened the file, it neither closes it nor starts a slideshow.
    if (!event.repeat) close()
    return true
  }

  function commandByKey(event: KeyboardEvent): boolean {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key === 'Escape' && plain) {
      close()
      return true
    }
    // Held down since it opened the file, it would run through the folder.
    if (event.key === 'Enter' && plain && !event.shiftKey && !event.repeat && !isOnControl(event)) {
      if (next) navigate(next)
      return next !== undefined
    }
    if (plain && keyLetter(event) === 'F') {
      given.toggleFullScreen()
      return true
    }
    const action = actions.find((candidate) => candidate.matches?.(event))
    // Held down, Delete would go through the folder.
    if (!(event.repeat && action?.danger)) action?.onSelect()
    return action !== undefined
  }
}

/** Enter and Space belong to the button, link or table with the focus. */
function isOnControl({ target }: KeyboardEvent): boolean {
  const controls = 'button, a[href], summary, input, [role=grid], [role=tree]'
  return target instanceof Element && target.closest(controls) !== null
}

interface Neighbours {
  previous: FileEntry | undefined
  next: FileEntry | undefined
  first: FileEntry | undefined
  last: FileEntry | undefined
}

function turnByKey(
  event: KeyboardEvent,
  to: Neighbours,
  byPage: boolean,
  navigate: (entry: FileEntry) => void,
) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const step = stepOf(event)
  const pages: Record<string, FileEntry | undefined> = {
    PageDown: to.next,
    PageUp: to.previous,
    Home: to.first,
    End: to.last,
  }
  const target = step === 1 ? to.next : step === -1 ? to.previous : byPage && pages[event.key]
  if (!target) return false
  navigate(target)
  return true
}
