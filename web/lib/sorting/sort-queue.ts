// Decides where a folder is sorted: small ones at once, very large ones in a worker.

import { i18n } from '@lingui/core'
import type { FileEntry } from '../../../src/api-types.ts'
import { WorkerCalls } from '../worker-calls.ts'
import workerUrl from './sort.worker.ts?worker'
import { type SortChoice, sortOrder, toSortInput } from './sort-entries.ts'

/** Above this a sort would be felt as a stutter. */
export const WORKER_FROM_ENTRIES = 20_000

/** Started with the first large folder. */
let worker: WorkerCalls | null = null

export function sortNow(entries: readonly FileEntry[], choice: SortChoice): FileEntry[] {
  return arrange(entries, sortOrder(inputFor(entries, choice), choice))
}

/** As the list prints it. */
const kindOf = (entry: FileEntry) => entry.extension.toLowerCase()

function inputFor(entries: readonly FileEntry[], { column }: SortChoice) {
  return toSortInput(entries, i18n.locale, column === 'kind' ? kindOf : undefined)
}

/** Sorts in the worker; where there is none (blocked by a policy) on the page after all. */
export async function sortAside(
  entries: readonly FileEntry[],
  choice: SortChoice,
): Promise<FileEntry[]> {
  try {
    worker ??= new WorkerCalls(workerUrl)
    return arrange(entries, await worker.ask({ input: inputFor(entries, choice), choice }))
  } catch {
    return sortNow(entries, choice)
  }
}

function arrange(entries: readonly FileEntry[], order: Uint32Array): FileEntry[] {
  const out = new Array<FileEntry>(order.length)
  for (let i = 0; i < order.length; i++) out[i] = entries[order[i] as number] as FileEntry
  return out
}
