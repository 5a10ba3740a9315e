// Which entries of a shared folder are chosen: by check box, by click, by Shift and click; and which a click opens.
// Pure.

import type { FileEntry } from '../../src/api-types.ts'

export interface RowSelection {
  paths: ReadonlySet<string>
  /** Where a range starts; null before the first choice. */
  anchor: string | null
}

export const nothingSelected: RowSelection = { paths: new Set(), anchor: null }

export interface ClickKeys {
  /** Ctrl or Cmd: adds to or takes from what is chosen. */
  toggle: boolean
  /** Shift: everything between the anchor and here, as the eye sees it. */
  range: boolean
}

/** A plain click on a file shows it over the folder; with a key held down, the browser opens its page. */
export function opensHere(
  event: Pick<MouseEvent, 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>,
  entry: Pick<FileEntry, 'isDir'>,
): boolean {
  const { metaKey, ctrlKey, shiftKey, altKey } = event
  return !entry.isDir && !metaKey && !ctrlKey && !shiftKey && !altKey
}

export function selectRow(
  before: RowSelection,
  path: string,
  keys: ClickKeys,
  shown: readonly string[],
): RowSelection {
  if (keys.range && before.anchor !== null) {
    const a = shown.indexOf(before.anchor)
    const b = shown.indexOf(path)
    if (a !== -1 && b !== -1) {
      const between = shown.slice(Math.min(a, b), Math.max(a, b) + 1)
      const paths = new Set(keys.toggle ? [...before.paths, ...between] : between)
      return { paths, anchor: before.anchor }
    }
  }
  if (keys.toggle) {
    const paths = new Set(before.paths)
    if (!paths.delete(path)) paths.add(path)
    return { paths, anchor: path }
  }
  // A second click on the only chosen row lets go of it.
  if (before.paths.size === 1 && before.paths.has(path)) return nothingSelected
  return { paths: new Set([path]), anchor: path }
}
