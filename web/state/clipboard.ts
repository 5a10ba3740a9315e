// Copied or cut entries. Kept in sessionStorage, so that a reload does not lose them and other tabs,
// perhaps signed in as somebody else, do not see them.

import { proxy, ref } from 'valtio'
import { parentOf } from '../lib/paths.ts'
import type { PathSet } from './selection.ts'

const STORAGE_KEY = 'fb-clipboard'
const MAX_STORED_ITEMS = 20_000

export interface ClipboardItem {
  path: string
  isDir: boolean
}

export type ClipboardKind = 'copy' | 'cut'

export const clipboard = proxy({
  kind: 'copy' as ClipboardKind,
  items: ref([] as ClipboardItem[]) as readonly ClipboardItem[],
  /** The folder everything was taken from. */
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
  try {
    if (clipboard.items.length === 0 || clipboard.items.length > MAX_STORED_ITEMS) {
      sessionStorage.removeItem(STORAGE_KEY)
    } else {
      const { kind, items } = clipboard
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ kind, items }))
    }
  } catch {
    // Storage can be blocked or full; the clipboard then lasts as long as the page.
  }
}

/** Takes up what an earlier load of this tab left. Call once at start. */
export function loadClipboard() {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return
    const { kind, items } = stored as { kind?: unknown; items?: unknown }
    if ((kind !== 'copy' && kind !== 'cut') || !Array.isArray(items)) return
    put(kind, items.filter(isItem))
  } catch {
    // Text of another program or version: start with an empty clipboard.
  }
}

function isItem(value: unknown): value is ClipboardItem {
  if (typeof value !== 'object' || value === null) return false
  const { path, isDir } = value as Record<string, unknown>
  return typeof path === 'string' && path.startsWith('/') && typeof isDir === 'boolean'
}
