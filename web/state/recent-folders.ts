// Folders opened lately, for the command palette.

import { storage } from '../lib/storage.ts'

const STORAGE_KEY = 'fb-recent-folders'
const MAX_RECENT = 12

let recent: string[] | null = null

function load(): string[] {
  if (recent !== null) return recent
  recent = []
  try {
    const stored: unknown = JSON.parse(storage.get(STORAGE_KEY) ?? '[]')
    if (Array.isArray(stored)) recent = stored.filter((item) => typeof item === 'string')
  } catch {
    // Nothing usable is stored.
  }
  return recent
}

export function recentFolders(): readonly string[] {
  return load()
}

export function noteRecentFolder(vpath: string) {
  if (vpath === '/') return
  put([vpath, ...load().filter((other) => other !== vpath)].slice(0, MAX_RECENT))
}

/** A folder that turned out to be gone. */
export function forgetRecentFolder(vpath: string) {
  put(load().filter((other) => other !== vpath))
}

function put(next: string[]) {
  recent = next
  storage.set(STORAGE_KEY, JSON.stringify(next))
}
