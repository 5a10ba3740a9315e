// What parts of the page do for others that may not import them: the frame shows the New menu, search
// and help of its screen; commands filter the listing and upload. Each is provided while it is mounted.

import { proxy, ref } from 'valtio'
import type { MenuEntry } from '../ui/menu.tsx'

interface UploadSlot {
  /** Asks for files, a folder or a photo and uploads them. Call it inside a click or key handler. */
  pick(kind: 'files' | 'folder' | 'camera', targetVPath: string): void
  /** Uploads the files of a paste; false when there are none. */
  paste(data: DataTransfer, targetVPath: string): boolean
}

interface Slots {
  /** Entries of the New button and of the round button on phones; null hides them. */
  newMenu: { items: () => readonly MenuEntry[] } | null
  search: { run: () => void } | null
  help: { run: () => void } | null
  /** Puts the cursor into the field that filters the folder. */
  filter: { run: () => void } | null
  uploads: UploadSlot | null
  /** The place in the header that a screen fills on phones. */
  phoneBar: { element: HTMLElement } | null
}

export const slots = proxy<Slots>({
  newMenu: null,
  search: null,
  help: null,
  filter: null,
  uploads: null,
  phoneBar: null,
})

function provide<K extends keyof Slots>(name: K, value: NonNullable<Slots[K]>): () => void {
  const held = ref(value) as Slots[K]
  slots[name] = held
  return () => {
    if (slots[name] === held) slots[name] = null as Slots[K]
  }
}

/** Fills the New menu; returns the function that takes it away again (for an effect's clean-up). */
export function provideNewMenu(items: () => readonly MenuEntry[]): () => void {
  return provide('newMenu', { items })
}

/** What the search field in the header opens. */
export function provideSearch(run: () => void): () => void {
  return provide('search', { run })
}

/** What the help buttons open. */
export function provideHelp(run: () => void): () => void {
  return provide('help', { run })
}

/** What `/` puts the cursor into. */
export function provideFilter(run: () => void): () => void {
  return provide('filter', { run })
}

/** How commands upload. */
export function provideUploads(slot: UploadSlot): () => void {
  return provide('uploads', slot)
}

export function setPhoneBar(element: HTMLElement | null): void {
  slots.phoneBar = element ? ref({ element }) : null
}
