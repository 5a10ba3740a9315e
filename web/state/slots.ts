// What parts of the page do for others that may not import them: the frame shows the New menu, search
// and help of its screen; commands filter the listing and upload. Each is provided while it is mounted.

import { proxy, ref } from 'valtio'
import { subscribeKey } from 'valtio/utils'
import type { MenuEntry } from '../ui/menu.tsx'

interface UploadSlot {
  /** Asks for files, a folder or a photo and uploads them. Call it inside a click or key handler. */
  pick(kind: 'files' | 'folder' | 'camera', targetVPath: string): void
  /** Uploads the files of a paste; false when there are none. */
  paste(data: DataTransfer, targetVPath: string): boolean
}

interface Slots {
  /** Entries of the New button and of the round button on phones; null: there is no open folder to make anything in. */
  newMenu: { items: () => readonly MenuEntry[] } | null
  search: { run: () => void } | null
  help: { run: () => void } | null
  filter: { run: () => void } | null
  uploads: UploadSlot | null
  /** The listing has rows in which a name can be typed, once the field for it is loaded. */
  rowNames: { load: () => Promise<{ renameSoon(path: string): void }> } | null
  /** The place in the header that a screen fills on phones. */
  phoneBar: { element: HTMLElement } | null
}

export const slots = proxy<Slots>({
  newMenu: null,
  search: null,
  help: null,
  filter: null,
  uploads: null,
  rowNames: null,
  phoneBar: null,
})

/** Fills a slot; returns the function that empties it again (for an effect's clean-up). */
export function provide<K extends keyof Slots>(name: K, value: NonNullable<Slots[K]>): () => void {
  const given = ref(value) as Slots[K]
  slots[name] = given
  return () => {
    if (slots[name] === given) slots[name] = null as Slots[K]
  }
}

/** A part that is asked for while it is being loaded or drawn anew comes within this time, or is not waited for. */
const SOON_MS = 2000

/** Uses what fills a slot, at once or as soon as it is filled. */
export function whenProvided<K extends keyof Slots>(
  name: K,
  use: (value: NonNullable<Slots[K]>) => void,
): void {
  const found = slots[name]
  if (found !== null) {
    use(found as NonNullable<Slots[K]>)
    return
  }
  const stop = subscribeKey(slots, name, (given) => {
    if (given === null) return
    clearTimeout(timer)
    stop()
    use(given as NonNullable<Slots[K]>)
  })
  const timer = setTimeout(stop, SOON_MS)
}

export function setPhoneBar(element: HTMLElement | null): void {
  slots.phoneBar = element ? ref({ element }) : null
}
