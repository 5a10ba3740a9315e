// Decides where a folder is sorted: small ones at once, very large ones in a worker.

import type { FileEntry } from '../../../src/api-types.ts'
import type { SortAnswer, SortRequest } from './sort.worker.ts'
import workerUrl from './sort.worker.ts?worker'
import { type SortChoice, sortOrder, toSortInput } from './sort-entries.ts'

/** Above this a sort would be felt as a stutter. */
export const WORKER_FROM_ENTRIES = 20_000

let worker: Worker | null = null
let lastId = 0
const waiting = new Map<number, (order: Uint32Array | null) => void>()

export function sortNow(entries: readonly FileEntry[], choice: SortChoice): FileEntry[] {
  return arrange(entries, sortOrder(toSortInput(entries), choice))
}

/** Sorts in the worker; where there is none (blocked by a policy) on the page after all. */
export async function sortAside(
  entries: readonly FileEntry[],
  choice: SortChoice,
): Promise<FileEntry[]> {
  const order = await ask(entries, choice)
  return order === null ? sortNow(entries, choice) : arrange(entries, order)
}

function arrange(entries: readonly FileEntry[], order: Uint32Array): FileEntry[] {
  const out = new Array<FileEntry>(order.length)
  for (let i = 0; i < order.length; i++) out[i] = entries[order[i] as number] as FileEntry
  return out
}

function ask(entries: readonly FileEntry[], choice: SortChoice): Promise<Uint32Array | null> {
  const { promise, resolve } = Promise.withResolvers<Uint32Array | null>()
  try {
    worker ??= start()
    const id = ++lastId
    waiting.set(id, resolve)
    worker.postMessage({ id, input: toSortInput(entries), choice } satisfies SortRequest)
  } catch {
    resolve(null)
  }
  return promise
}

function start(): Worker {
  const made = new Worker(workerUrl, { type: 'module', name: 'sort' })
  made.onmessage = ({ data }: MessageEvent<SortAnswer>) => {
    waiting.get(data.id)?.(data.order)
    waiting.delete(data.id)
  }
  made.onerror = () => {
    // It could not start: everybody who waits sorts on the page instead.
    for (const resolve of waiting.values()) resolve(null)
    waiting.clear()
  }
  return made
}
