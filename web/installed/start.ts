// What the page does besides when it runs as an installed program. Loaded there alone.

import { subscribe } from 'valtio'
import { boot } from '../lib/boot.ts'
import type { LoadedMessage } from '../lib/page/installed.ts'
import { listing } from '../state/listing.ts'
import { onLogOut, session } from '../state/session.ts'
import { isUploading, uploads } from '../state/uploads.ts'
import { takeIncoming } from './incoming.ts'
import { forgetFolders, keepFolder } from './kept-folders.ts'

/** A folder that is passed through is not one that was open. */
const STAY_MS = 1_000

interface BadgeNavigator {
  setAppBadge?(count: number): Promise<void>
  clearAppBadge?(): Promise<void>
}

/** Registers the service worker, and keeps what the program shows without a connection. Call once. */
export async function startInstalled(): Promise<void> {
  onLogOut(() => void forgetFolders())
  // Signed out elsewhere, or the page was left before they had gone.
  if (session.state === 'out' && session.startError?.isNetwork !== true) await forgetFolders()
  watchFolders()
  watchUploads()
  whenSignedIn(() => void takeIncoming())
  const script = `${boot.StaticURL}/sw.js`
  await navigator.serviceWorker.register(script, { scope: `${boot.BaseURL}/` })
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  active?.postMessage({ loaded } satisfies LoadedMessage)
}

function whenSignedIn(then: () => void): void {
  if (session.state === 'in') {
    then()
    return
  }
  const stop = subscribe(session, () => {
    if (session.state !== 'in') return
    stop()
    then()
  })
}

function watchFolders(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const keepLater = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const { kind, shown } = listing.phase
      const { folder } = shown
      if (kind !== 'folder' || folder === null || folder.search || session.user === null) return
      void keepFolder(folder.vpath, session.user.id, folder.entries)
    }, STAY_MS)
  }
  subscribe(listing, keepLater)
  keepLater()
}

/** Shows on the program's icon how many files are left to upload. */
function watchUploads(): void {
  const { setAppBadge, clearAppBadge } = navigator as BadgeNavigator
  if (!setAppBadge || !clearAppBadge) return
  let shown = 0
  subscribe(uploads, () => {
    const left = isUploading(uploads) ? uploads.files - uploads.done - uploads.failed : 0
    if (left === shown) return
    shown = left
    // Not every system has a place for it.
    const told = left > 0 ? setAppBadge.call(navigator, left) : clearAppBadge.call(navigator)
    told.catch(() => {})
  })
}
