// The listing's state for components. valtio marks snapshots readonly in depth; the types here are the
// plain ones, because entries are shared with functions that only read them.

import { useSnapshot } from 'valtio'
import { clipboard } from '../state/clipboard.ts'
import { listing } from '../state/listing.ts'
import { selection } from '../state/selection.ts'
import { session } from '../state/session.ts'

export function useListing(): typeof listing {
  return useSnapshot(listing) as typeof listing
}

export function useSelection(): typeof selection {
  return useSnapshot(selection) as typeof selection
}

export function useClipboard(): typeof clipboard {
  return useSnapshot(clipboard) as typeof clipboard
}

export function useSession(): typeof session {
  return useSnapshot(session) as typeof session
}
