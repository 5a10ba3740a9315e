import { subscribe } from 'valtio'
import { listing } from './listing.ts'

const GIVE_UP_MS = 15_000

/**
 * Resolves true once the folder `vpath` shows, at once when it does. False when it cannot be shown, does
 * not come in 15 s, or is left before it came.
 */
export function whenFolderShown(vpath: string): Promise<boolean> {
  const isAsked = () => listing.mounted && listing.phase.vpath === vpath
  const isShown = () => listing.phase.kind === 'folder' && listing.phase.vpath === vpath
  if (isShown()) return Promise.resolve(true)
  // The address may be on its way there: what is not asked for yet has not been left.
  let asked = isAsked()
  return new Promise((resolve) => {
    const end = (shown: boolean) => {
      clearTimeout(timer)
      stop()
      resolve(shown)
    }
    const timer = setTimeout(() => end(false), GIVE_UP_MS)
    const stop = subscribe(listing, () => {
      if (isShown()) end(true)
      else if (listing.phase.kind === 'failed' || (asked && !isAsked())) end(false)
      asked ||= isAsked()
    })
  })
}
