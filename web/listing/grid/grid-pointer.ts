// Clicks in the listing. Rows have no handlers of their own: what was hit is read from the page.

import type { FileEntry } from '../../../src/api-types.ts'
import { isFile, openEntry, openFileItself } from '../../operations/commands/open-entry.ts'
import { runAction } from '../../operations/commands/registry.ts'
import { setShown, shownFolder } from '../../state/listing.ts'
import { abilitiesOn } from '../../state/rights.ts'
import {
  clearSelection,
  extendSelection,
  selection,
  selectOnly,
  selectPaths,
  toggleSelected,
} from '../../state/selection.ts'
import { session } from '../../state/session.ts'
import { slots } from '../../state/slots.ts'

const DOUBLE_CLICK_MS = 300
/** A second click this long after the first names the entry, unless it begins a double click. */
const SLOW_CLICK_MS = 3_000

let lastClick = { path: '', atMs: 0 }
let lastPointer = 'mouse'

/** Remembers what kind of pointer is in use: clicks do not say so in every browser. */
export function notePointer(type: string): void {
  lastPointer = type
}

export function isTouch(): boolean {
  return lastPointer === 'touch'
}

/** A click on an entry that stands elsewhere, and may be followed by one on its row. */
export function noteClick(path: string, atMs: number): void {
  lastClick = { path, atMs }
}

/** The entry drawn by the element or one around it. */
export function entryOf(element: EventTarget | null): FileEntry | null {
  const cell = element instanceof Element ? element.closest<HTMLElement>('[data-index]') : null
  const index = Number(cell?.dataset.index ?? -1)
  return shownFolder().visible[index] ?? null
}

/** Makes an entry the selection unless it is part of it already. */
export function selectForAction(entry: FileEntry): void {
  if (!selection.paths.has(entry.path)) selectOnly(entry.path)
  setShown({ focus: entry.path })
}

interface ClickReplies {
  openMenu(entry: FileEntry, anchor: HTMLElement): void
}

export function handleClick(event: MouseEvent, replies: ClickReplies): void {
  const target = event.target instanceof Element ? event.target : null
  const entry = entryOf(target)
  if (entry === null) {
    // A click beside the entries; one that ends a rubber band has been swallowed before.
    if (target?.closest('button, a, input, [role="columnheader"]') == null) clearSelection()
    return
  }
  const act = target?.closest<HTMLElement>('[data-act]')
  if (act != null) {
    // A box would then be what it was before.
    if (act.dataset.act !== 'check') event.preventDefault()
    handleAct(act, entry, event, replies)
    return
  }
  // The link is followed by us, so that a click can select instead.
  event.preventDefault()
  // A screen reader activates the link without a pointer.
  if (event.detail === 0 && target?.closest('a') != null) openEntry(entry)
  else if (isTouch()) handleTap(entry)
  else {
    // The press gave the focus to the link inside.
    target?.closest<HTMLElement>('[data-index]')?.focus({ preventScroll: true })
    handleMouse(entry, event)
  }
}

/** The middle button on a link: files themselves, where they may be read; folders as links do. */
export function handleMiddleClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('.entry-link') : null
  const entry = entryOf(link)
  if (event.button !== 1 || entry === null || !isFile(entry) || !abilitiesOn(entry.path).download)
    return
  event.preventDefault()
  openFileItself(entry)
}

function handleAct(act: HTMLElement, entry: FileEntry, event: MouseEvent, replies: ClickReplies) {
  const kind = act.dataset.act
  if (kind === 'check') {
    if (event.shiftKey) extendSelection(shownFolder().visible, entry.path)
    else toggleSelected(entry.path)
    setShown({ focus: entry.path })
    if (act instanceof HTMLInputElement) act.checked = selection.paths.has(entry.path)
    return
  }
  if (kind === 'menu') replies.openMenu(entry, act)
  else {
    selectForAction(entry)
    // These belong to the one row they are drawn on.
    selectPaths([entry.path])
    if (kind === 'share') runAction('share')
    if (kind === 'download') runAction('download')
  }
}

function handleTap(entry: FileEntry): void {
  setShown({ focus: entry.path })
  if (selection.mode || selection.paths.size > 0) toggleSelected(entry.path)
  else openEntry(entry)
}

function handleMouse(entry: FileEntry, event: MouseEvent): void {
  setShown({ focus: entry.path })
  const { path } = entry
  // Held keys change the selection, however fast: they neither begin a double click nor end one.
  const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey
  // A slower double click may be what the person has set in the system: then the browser counts two.
  const soon = event.detail > 1 || event.timeStamp - lastClick.atMs <= DOUBLE_CLICK_MS
  const again = plain && lastClick.path === path && soon
  const isSecond = lastClick.path === path && event.timeStamp - lastClick.atMs <= SLOW_CLICK_MS
  const isAlone = selection.paths.size === 1 && selection.paths.has(path)
  lastClick = again || !plain ? { path: '', atMs: 0 } : { path, atMs: event.timeStamp }
  if (again) openEntry(entry)
  else if (event.shiftKey) extendSelection(shownFolder().visible, path)
  else if (event.ctrlKey || event.metaKey || selection.mode) toggleSelected(path)
  else if (session.user?.singleClick === true) openEntry(entry)
  else if (isSecond && isAlone && isName(event.target))
    void slots.rowNames?.load().then(
      ({ renameSoon }) => renameSoon(path),
      () => {},
    )
  else selectOnly(path)
}

const isName = (target: EventTarget | null) =>
  target instanceof Element && target.closest('.lrow .fname')
