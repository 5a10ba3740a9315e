import { proxy } from 'valtio'

/** Pulling the listing down with a finger. */
export const pull = proxy({
  /** From 0 to 1 and beyond, where letting go refreshes; null when nobody pulls. */
  share: null as number | null,
  refreshing: false,
})
