// The listing's state for components. valtio marks snapshots readonly in depth; the types here are the
// plain ones, because entries are shared with functions that only read them.

import { useSyncExternalStore } from 'react'
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

const queries = new Map<string, MediaQueryList>()

function queryList(query: string): MediaQueryList {
  let list = queries.get(query)
  if (list === undefined) {
    list = matchMedia(query)
    queries.set(query, list)
  }
  return list
}

/** Whether a media query holds; renders anew when that changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = queryList(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => queryList(query).matches,
  )
}

export const PHONE = '(max-width: 736px)'
/** Nothing can be dropped from outside where a finger is all there is. */
export const TOUCHED = '(hover: none) and (pointer: coarse)'
export const NARROW = '(max-width: 1024px)'
export const NO_DETAILS_PANEL = '(max-width: 1200px)'
