// Whether the page runs as an installed program, and what belongs to that alone.

/** Where the service worker puts files that another program shared, for the page to fetch. */
export const SHARED_CACHE = 'fb-shared'

/** What the page tells its service worker: addresses of the interface that are loaded already. */
export interface LoadedMessage {
  loaded: string[]
}

/** In a window of its own, on a page that may have a service worker: https, or this machine. */
export function isInstalled(): boolean {
  const standalone = matchMedia('(display-mode: standalone), (display-mode: minimal-ui)').matches
  return standalone && globalThis.isSecureContext && 'serviceWorker' in navigator
}
