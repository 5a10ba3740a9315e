// State for components.

import { useSnapshot } from 'valtio'
import { clipboard } from '../state/clipboard.ts'
import { listing } from '../state/listing.ts'
import { selection } from '../state/selection.ts'
import { session } from '../state/session.ts'

/** The types of snapshots are readonly in depth; entries go to functions that only read them. */
function useStore<T extends object>(store: T): T {
  return useSnapshot(store) as T
}

export const useListing = () => useStore(listing)
export const useSelection = () => useStore(selection)
export const useClipboard = () => useStore(clipboard)
export const useSession = () => useStore(session)
