// Copied or cut entries. Kept in the browser's storage, so that a reload does not lose them and other
// tabs of the same person can paste them.

import { proxy, ref, subscribe } from 'valtio'
import { boot } from '../lib/boot.ts'
import { parentOf } from '../lib/paths.ts'
import { storage } from '../lib/storage.ts'
import type { PathSet } from './selection.ts'
import { onLogOut, session } from './session.ts'

const MAX_STORED_ITEMS = 20_000
/** What was taken longer ago is not meant any more. */
const LIFE_MS = 24 * 60 * 60_000

interface Stored {
  /** Id of the account that took them: paths are those of its tree. */
  user: number
  atMs: number
  kind: ClipboardKind
  items: readonly ClipboardItem[]
}

// Two servers can share an origin.
const storageKey = () => `fb-clipboard${boot.BaseURL}`

interface ClipboardItem {
  path: string
  isDir: boolean
}

type ClipboardKind = 'copy' | 'cut'

export const clipboard = proxy({
  kind: 'copy' as ClipboardKind,
  items: ref([] as ClipboardItem[]) as readonly ClipboardItem[],
  folder: null as string | null,
  /** Paths to dim; empty after copying. */
  cutPaths: ref(new Set<string>()) as PathSet,
})

function put(kind: ClipboardKind, items: readonly ClipboardItem[]) {
  clipboard.kind = kind
  clipboard.items = ref([...items])
  clipboard.folder = items[0] === undefined ? null : parentOf(items[0].path)
  clipboard.cutPaths = ref(new Set(kind === 'cut' ? items.map((item) => item.path) : []))
}

/** Takes `items` for pasting; nothing is touched until they are pasted. */
export function fillClipboard(kind: ClipboardKind, items: readonly ClipboardItem[]) {
  put(
    kind,
    items.map(({ path, isDir }) => ({ path, isDir })),
  )
  store()
}

export function clearClipboard() {
  put('copy', [])
  store()
}

/** True when pasting into `folder` would do something: a cut into its own folder would not. */
export function canPasteInto(folder: string): boolean {
  if (clipboard.items.length === 0) return false
  return clipboard.kind === 'copy' || clipboard.folder !== folder
}

function store() {
  const { kind, items } = clipboard
  if (items.length === 0 || items.length > MAX_STORED_ITEMS) storage.remove(storageKey())
  else {
    const stored: Stored = { user: session.user?.id ?? 0, atMs: Date.now(), kind, items }
    storage.set(storageKey(), JSON.stringify(stored))
  }
}

/** Takes up what an earlier load or another tab left, and follows the other tabs. Call once at start. */
export function loadClipboard() {
  // Whose it is counts, and nobody is signed in yet while the page starts.
  const stop = subscribe(session, takeUpOnce)
  takeUpOnce()
  function takeUpOnce() {
    if (session.user === null) return
    stop()
    takeUp(storage.get(storageKey()))
    // What somebody else left, or was left long ago, holds names that are nobody's business here.
    if (clipboard.items.length === 0) storage.remove(storageKey())
  }
  onLogOut(clearClipboard)
  addEventListener('storage', (event) => {
    if (event.key === storageKey() || event.key === null) takeUp(event.newValue)
  })
}

function takeUp(text: string | null) {
  const stored = parseStored(text)
  if (stored === null) put('copy', [])
  else put(stored.kind, stored.items)
}

/** Null for nothing, for what somebody else took or long ago, and for text of another program. */
function parseStored(text: string | null): Stored | null {
  let value: Partial<Stored> | null
  try {
    value = JSON.parse(text ?? 'null')
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { user, atMs, kind, items } = value
  if (typeof user !== 'number' || user !== session.user?.id) return null
  if (typeof atMs !== 'number' || Date.now() - atMs > LIFE_MS) return null
  if ((kind !== 'copy' && kind !== 'cut') || !Array.isArray(items)) return null
  return { user, atMs, kind, items: items.filter(isItem) }
}

function isItem(value: unknown): value is ClipboardItem {
  if (typeof value !== 'object' || value === null) return false
  const { path, isDir } = value as Record<string, unknown>
  return typeof path === 'string' && path.startsWith('/') && typeof isDir === 'boolean'
}
