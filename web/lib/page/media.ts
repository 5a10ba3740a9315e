// What the browser and its window offer: the widths at which the layout changes, and whether one holds.

import { useSyncExternalStore } from 'react'

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
/** Something is touched, beside a mouse or instead of it. */
export const FINGERS = '(any-pointer: coarse)'
export const NARROW = '(max-width: 1024px)'
export const NO_DETAILS_PANEL = '(max-width: 1200px)'

export function canPickFolders(): boolean {
  return 'webkitdirectory' in HTMLInputElement.prototype
}

/** True when the person asked for few bytes: nothing is fetched that may not be wanted. */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}
