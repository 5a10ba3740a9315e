// Handles of dropped files, kept in this browser as long as their upload is not finished: with them it goes on after
// a reload without the files being chosen again. A handle is no permission; that is asked for with a click.

import { openDatabase } from '../../lib/open-database.ts'

/** https://wicg.github.io/file-system-access/#api-filesystemhandle */
export type FileHandle = FileSystemFileHandle & {
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>
}

interface Kept {
  batchID: string
  userID: number
  handles: FileHandle[]
}

export interface HandleStore {
  /** Never rejects: without it the files are asked for. */
  put(kept: Kept): Promise<void>
  /** Those of an account, by batch; of batches that are not among `batchIDs` they are forgotten. */
  load(userID: number, batchIDs: ReadonlySet<string>): Promise<Map<string, FileHandle[]>>
  /** Costs nothing for a batch that has none. */
  remove(batchID: string): Promise<void>
}

/** Opens nothing before it is used. */
export function createHandleStore(name: string): HandleStore {
  const known = new Set<string>()
  let opening: Promise<IDBDatabase | null> | null = null

  async function inStore<T>(work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | null> {
    opening ??= openDatabase(
      name,
      (database) => database.createObjectStore('handles', { keyPath: 'batchID' }),
      () => {
        opening = null
      },
    )
    const database = await opening
    if (database === null) return null
    return new Promise((resolve) => {
      try {
        const request = work(database.transaction('handles', 'readwrite').objectStore('handles'))
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => resolve(null)
      } catch {
        resolve(null) // a handle that cannot be copied, or the database was closed from outside
      }
    })
  }

  const store: HandleStore = {
    async put(kept) {
      known.add(kept.batchID)
      await inStore((handles) => handles.put(kept))
    },
    async load(userID, batchIDs) {
      const all = ((await inStore((handles) => handles.getAll())) ?? []) as Kept[]
      const own = all.filter((kept) => kept.userID === userID)
      for (const { batchID } of own) {
        known.add(batchID)
        if (!batchIDs.has(batchID)) void store.remove(batchID)
      }
      return new Map(own.map(({ batchID, handles }) => [batchID, handles]))
    },
    async remove(batchID) {
      if (known.delete(batchID)) await inStore((handles) => handles.delete(batchID))
    },
  }
  return store
}
