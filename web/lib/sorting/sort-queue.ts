// Decides where a folder is sorted: small ones at once, very large ones in a worker.

import { i18n } from '@lingui/core'
import type { FileEntry } from '../../../src/api-types.ts'
import { type SortChoice, sortOrder, toSortInput } from './sort-entries.ts'

/** Above this a sort would be felt as a stutter. */
export const WORKER_FROM_ENTRIES = 20_000

/** When the pictures of a folder were taken, by path, as far as somebody has asked. */
export type DatesTaken = ReadonlyMap<string, { modified: string; taken: string }>

/** '' where it is not known. */
export function takenOf(dates: DatesTaken | undefined, { path }: { path: string }): string {
  return dates?.get(path)?.taken ?? ''
}

export function sortNow(
  entries: readonly FileEntry[],
  choice: SortChoice,
  dates?: DatesTaken,
): FileEntry[] {
  return arrange(entries, sortOrder(inputFor(entries, choice, dates), choice))
}

/** As the list prints it. */
const kindOf = (entry: FileEntry) => entry.extension.toLowerCase()

function inputFor(
  entries: readonly FileEntry[],
  { column }: SortChoice,
  dates: DatesTaken | undefined,
) {
  const dateOf = (entry: FileEntry) => takenOf(dates, entry)
  const wordOf = column === 'kind' ? kindOf : column === 'taken' ? dateOf : undefined
  return toSortInput(entries, i18n.locale, wordOf)
}

/** Sorts in the worker; where there is none (blocked by a policy) on the page after all. */
export async function sortAside(
  entries: readonly FileEntry[],
  choice: SortChoice,
  dates?: DatesTaken,
): Promise<FileEntry[]> {
  try {
    const { askWorker } = await import('./sort-worker.ts')
    return arrange(entries, await askWorker({ input: inputFor(entries, choice, dates), choice }))
  } catch {
    return sortNow(entries, choice, dates)
  }
}

function arrange(entries: readonly FileEntry[], order: Uint32Array): FileEntry[] {
  const out = new Array<FileEntry>(order.length)
  for (let i = 0; i < order.length; i++) out[i] = entries[order[i] as number] as FileEntry
  return out
}
