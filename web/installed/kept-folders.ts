// The folders that were opened last, kept in this browser for when there is no connection: names, sizes and
// times, no content. They leave with the person who logs out, and after a week.

import type { FileEntry } from '../../src/api-types.ts'
import { boot } from '../lib/boot.ts'
import { openDatabase } from '../lib/open-database.ts'

const MAX_FOLDERS = 20
const MAX_ENTRIES = 2_000
const MAX_AGE_MS = 7 * 24 * 60 * 60_000

export type KeptEntry = Pick<FileEntry, 'name' | 'isDir' | 'type' | 'size' | 'modified'>

export interface KeptFolder {
  vpath: string
  /** Whose it is. */
  userID: number
  keptAtMs: number
  entries: KeptEntry[]
  /** How many of the folder's entries are not kept. */
  left: number
}

const STORE = 'folders'

/** Keeps a folder as it is now, in the place of the oldest one where there are many. */
export async function keepFolder(
  vpath: string,
  userID: number,
  entries: readonly FileEntry[],
): Promise<void> {
  const folder: KeptFolder = {
    vpath,
    userID,
    keptAtMs: Date.now(),
    entries: entries.slice(0, MAX_ENTRIES).map(({ name, isDir, type, size, modified }) => {
      return { name, isDir, type, size, modified }
    }),
    left: Math.max(0, entries.length - MAX_ENTRIES),
  }
  const others = (await keptFolders()).filter((one) => one.vpath !== vpath)
  const stays = (one: KeptFolder, index: number) => one.userID === userID && index < MAX_FOLDERS - 1
  const gone = others.filter((one, index) => !stays(one, index))
  await inStore('readwrite', (store) => {
    store.put(folder)
    for (const one of gone) store.delete(one.vpath)
    return undefined
  })
}

/** Those that are kept, the one that was open last first. */
export async function keptFolders(): Promise<KeptFolder[]> {
  const found = await inStore('readonly', (store) => store.getAll() as IDBRequest<KeptFolder[]>)
  const isFresh = ({ keptAtMs }: KeptFolder) => Date.now() - keptAtMs < MAX_AGE_MS
  return (found ?? []).filter(isFresh).sort((a, b) => b.keptAtMs - a.keptAtMs)
}

export async function forgetFolders(): Promise<void> {
  await inStore('readwrite', (store) => {
    return store.clear()
  })
}

/** Resolves with what was asked for once it is done; undefined where the browser stores nothing. */
async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T | undefined> {
  const database = await openDatabase(`fb-offline ${boot.BaseURL}`, (made) => {
    made.createObjectStore(STORE, { keyPath: 'vpath' })
  })
  if (database === null) return undefined
  try {
    return await new Promise<T | undefined>((resolve) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request?.result)
      transaction.onabort = () => resolve(undefined)
    })
  } finally {
    database.close()
  }
}
