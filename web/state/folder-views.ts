// View and order of each folder, remembered in the browser. The latest choice also becomes the
// user's default on the server, which folders without a choice of their own follow.

import type { ViewMode } from '../../src/api-types.ts'
import { putNewest } from '../lib/newest.ts'
import type { SortChoice } from '../lib/sorting/sort-entries.ts'
import { storage } from '../lib/storage.ts'
import { session } from './session.ts'

const STORAGE_KEY = 'fb-folder-views'
const MAX_FOLDERS = 300

interface FolderView {
  view?: ViewMode
  sort?: SortChoice
}

let drawer = ''
let views = new Map<string, FolderView>()

function load(): Map<string, FolderView> {
  // Several people may use one browser: each has a drawer of their own.
  const wanted = `${STORAGE_KEY}-${session.user?.id ?? 0}`
  if (drawer === wanted) return views
  drawer = wanted
  const stored = storage.getJson(drawer)
  views = new Map(Array.isArray(stored) ? stored.filter(isPair) : [])
  return views
}

function isPair(value: unknown): value is [string, FolderView] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'object'
}

export function viewOf(vpath: string): FolderView {
  return load().get(vpath) ?? {}
}

export function rememberView(vpath: string, change: FolderView) {
  const all = load()
  putNewest(all, vpath, { ...all.get(vpath), ...change }, MAX_FOLDERS)
  storage.set(drawer, JSON.stringify([...all]))
}
