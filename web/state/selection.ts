// What is selected in the open folder, by path, so that reloads, sorting and finished uploads keep it.

import { proxy, ref } from 'valtio'

/** A set that is never changed in place, so that React and valtio compare it by identity. */
export type PathSet = ReadonlySet<string>

const NOTHING: PathSet = new Set()

export const selection = proxy({
  paths: ref(NOTHING) as PathSet,
  /** Where a range starts; null until something was picked. */
  anchor: null as string | null,
  /** A tap or click toggles instead of opening; ends with the last selected entry. */
  mode: false,
})

// What was selected besides the range that grows from the anchor. Extending replaces the range and
// keeps this, so that a range can shrink again.
let besides: PathSet = NOTHING

function put(paths: PathSet) {
  selection.paths = ref(paths)
  if (paths.size === 0) selection.mode = false
}

export function clearSelection() {
  besides = NOTHING
  selection.anchor = null
  put(NOTHING)
  selection.mode = false
}

export function selectOnly(path: string) {
  besides = NOTHING
  selection.anchor = path
  put(new Set([path]))
}

export function toggleSelected(path: string) {
  const next = new Set(selection.paths)
  if (!next.delete(path)) next.add(path)
  selection.anchor = path
  besides = next
  put(next)
}

/** Selects exactly `paths`, or adds them; the last one becomes the anchor. */
export function selectPaths(paths: Iterable<string>, options: { add?: boolean } = {}) {
  const next = new Set(options.add === true ? selection.paths : [])
  let last: string | null = null
  for (const path of paths) {
    next.add(path)
    last = path
  }
  selection.anchor = last ?? selection.anchor
  besides = next
  put(next)
}

/**
 * Marks what an action left behind: the renamed file, the pasted ones, the folder one came from. Not
 * under fingers, where a selection changes what the next tap does.
 */
export function selectResult(paths: Iterable<string>) {
  if (globalThis.matchMedia?.('(pointer: coarse)').matches) clearSelection()
  else selectPaths(paths)
}

/**
 * Selects from the anchor to `path` as the eye sees it: `order` is the visible order. Without an
 * anchor in `order` the range is `path` alone.
 */
export function extendSelection(order: readonly { path: string }[], path: string) {
  const to = order.findIndex((entry) => entry.path === path)
  if (to < 0) return
  const anchored = order.findIndex((entry) => entry.path === selection.anchor)
  const from = anchored < 0 ? to : anchored
  const next = new Set(besides)
  for (let i = Math.min(from, to); i <= Math.max(from, to); i++) {
    next.add((order[i] as { path: string }).path)
  }
  if (anchored < 0) selection.anchor = path
  put(next)
}

/** Selects everything in `order`; when it already is, clears (Ctrl+A twice). */
export function toggleAll(order: readonly { path: string }[]) {
  if (order.length > 0 && isAllSelected(order)) {
    clearSelection()
    return
  }
  const next = new Set<string>()
  for (const entry of order) next.add(entry.path)
  besides = next
  put(next)
}

export function invertSelection(order: readonly { path: string }[]) {
  const next = new Set<string>()
  for (const entry of order) if (!selection.paths.has(entry.path)) next.add(entry.path)
  besides = next
  put(next)
}

function isAllSelected(order: readonly { path: string }[]): boolean {
  return (
    selection.paths.size >= order.length && order.every((entry) => selection.paths.has(entry.path))
  )
}

export function keepSelected(exists: (path: string) => boolean) {
  if (selection.paths.size === 0) return
  const next = new Set<string>()
  for (const path of selection.paths) if (exists(path)) next.add(path)
  if (next.size === selection.paths.size) return
  besides = next
  if (selection.anchor !== null && !exists(selection.anchor)) selection.anchor = null
  put(next)
}

export function renameSelected(from: string, to: string) {
  if (!selection.paths.has(from)) return
  const next = new Set<string>()
  for (const path of selection.paths) next.add(path === from ? to : path)
  besides = next
  if (selection.anchor === from) selection.anchor = to
  put(next)
}

/** Puts back what a folder had selected when it was left. */
export function restoreSelection(paths: PathSet, anchor: string | null) {
  besides = paths
  selection.anchor = anchor
  put(paths)
}

/** From now on clicks and taps toggle; `path` is selected first, when there is one. */
export function startSelectionMode(path?: string) {
  selection.mode = true
  if (path !== undefined && !selection.paths.has(path)) toggleSelected(path)
}
