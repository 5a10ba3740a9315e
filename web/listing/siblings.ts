import type { Subfolder } from '../state/folder-tree.ts'

/** As many as a menu can show without a pause. */
export const MAX_SIBLINGS = 200

/** The folders that a menu shows, those around `current` when they are many, and how many it leaves out. */
export function siblingsShown(
  folders: readonly Subfolder[],
  current: string,
): { shown: readonly Subfolder[]; left: number } {
  const at = folders.findIndex(({ path }) => path === current)
  const from = Math.max(0, Math.min(at - MAX_SIBLINGS / 2, folders.length - MAX_SIBLINGS))
  const shown = folders.slice(from, from + MAX_SIBLINGS)
  return { shown, left: folders.length - shown.length }
}
