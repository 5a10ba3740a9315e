// The entry whose name is being typed in its row, if any: in the list, where there is a mouse.

import { proxy } from 'valtio'
import { indexOfPath, revealEntry } from './listing.ts'
import { slots } from './slots.ts'

interface Renaming {
  path: string | null
  /** What the field begins with: the name, or what was typed when it was refused. */
  text: string
  /** Why the server refused that. */
  refusal: string | null
  /** The field is asked for and not there yet: keys are meant for it, not for the entry. */
  isComing: boolean
}

/** Who waits longer for the field has the keys of the listing back. */
const COMES_WITHIN_MS = 2000

export const renaming = proxy<Renaming>({ path: null, text: '', refusal: null, isComing: false })

/** Asks for the new name in the row of the entry; resolves false where there is none to type in. */
export async function renameInRow(
  path: string,
  text: string,
  refusal: string | null = null,
): Promise<boolean> {
  const hasRow = () => slots.rowNames !== null && indexOfPath(path) >= 0
  if (!hasRow()) return false
  renaming.isComing = true
  setTimeout(fieldCame, COMES_WITHIN_MS)
  const loaded = await slots.rowNames?.load().catch(() => null)
  if (!loaded || !hasRow()) {
    fieldCame()
    return false
  }
  revealEntry(path)
  Object.assign(renaming, { path, text, refusal })
  return true
}

/** The field has the keys from here on, or will not come. */
export function fieldCame(): void {
  renaming.isComing = false
}

/** Nothing happens when another name is typed by now. */
export function endRenaming(path: string): void {
  if (renaming.path === path) renaming.path = null
}
