// Folders that the account opened lately in this browser, for the command palette.

import { queryOf } from '../lib/paths.ts'
import { storage } from '../lib/storage.ts'
import { ownKey } from './session.ts'

const STORAGE_KEY = 'fb-recent-folders'
const MAX_RECENT = 12

let drawer = ''
let recent: readonly string[] = []

export function recentFolders(): readonly string[] {
  const wanted = ownKey(STORAGE_KEY)
  if (drawer === wanted) return recent
  drawer = wanted
  // Earlier there was one list for whoever used the browser: it goes to the first to come.
  const shared = storage.getJson(STORAGE_KEY)
  storage.remove(STORAGE_KEY)
  const stored = storage.getJson(drawer) ?? shared
  recent = Array.isArray(stored) ? stored.filter((item) => typeof item === 'string') : []
  if (shared !== null) put(recent)
  return recent
}

export function noteRecentFolder(vpath: string) {
  if (vpath === '/' || queryOf(vpath) !== null) return
  put([vpath, ...recentFolders().filter((other) => other !== vpath)].slice(0, MAX_RECENT))
}

/** A folder that turned out to be gone. */
export function forgetRecentFolder(vpath: string) {
  put(recentFolders().filter((other) => other !== vpath))
}

function put(next: readonly string[]) {
  recent = next
  storage.set(drawer, JSON.stringify(next))
}
