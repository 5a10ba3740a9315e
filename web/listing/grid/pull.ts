import { proxy } from 'valtio'

export const pull = proxy({
  /** From 0 to 1 and beyond, where letting go refreshes; null when nobody pulls. */
  share: null as number | null,
  refreshing: false,
})
