// Goes to the folder of an entry and puts the focus on it there.

import { subscribe } from 'valtio'
import { boot } from '../lib/boot.ts'
import { goHref } from '../lib/navigate.ts'
import { filesHref, parentOf } from '../lib/paths.ts'
import type { Folder } from '../state/folder-cache.ts'
import { listing, revealEntry } from '../state/listing.ts'
import { selectOnly } from '../state/selection.ts'

const GIVE_UP_MS = 15_000

/** Resolves when the folder shows the entry, or false when it never did. */
export async function showInFolder(vpath: string): Promise<boolean> {
  const folder = parentOf(vpath)
  if (!(await goHref(filesHref(boot.BaseURL, folder, true)))) return false
  if (!(await folderShown(folder))) return false
  if ((listing.folder as Folder | null)?.byPath.has(vpath) !== true) return false
  selectOnly(vpath)
  revealEntry(vpath)
  return true
}

function folderShown(folder: string): Promise<boolean> {
  const isShown = () =>
    listing.status === 'ready' &&
    listing.file === null &&
    listing.vpath === folder &&
    (listing.folder as Folder | null)?.vpath === folder
  if (isShown()) return Promise.resolve(true)
  return new Promise((resolve) => {
    const end = (shown: boolean) => {
      clearTimeout(timer)
      stop()
      resolve(shown)
    }
    const timer = setTimeout(() => end(false), GIVE_UP_MS)
    const stop = subscribe(listing, () => {
      if (isShown()) end(true)
      else if (listing.status === 'failed') end(false)
    })
  })
}
