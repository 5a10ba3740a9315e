// What the frame offers to the screen it shows: the New menu, search and help are in the frame but
// belong to the screens. A screen provides them while it is mounted.

import { proxy, ref } from 'valtio'
import type { MenuEntry } from '../ui/menu.tsx'

interface Slots {
  /** Entries of the New button and of the round button on phones; null hides them. */
  newMenu: { items: () => readonly MenuEntry[] } | null
  search: { run: () => void } | null
  help: { run: () => void } | null
  /** The place in the header that a screen fills on phones. */
  phoneBar: { element: HTMLElement } | null
}

export const slots = proxy<Slots>({ newMenu: null, search: null, help: null, phoneBar: null })

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

export function setPhoneBar(element: HTMLElement | null): void {
  slots.phoneBar = element ? ref({ element }) : null
}
