// Remembers unfinished uploads across reloads and browser restarts, in IndexedDB: what was to be
// sent, what the server already has and where to continue. The files themselves cannot be kept, so
// the person is asked for them again. Without IndexedDB uploads work, but are forgotten on reload.

import { openDatabase } from '../lib/open-database.ts'

interface JournalBatch {
  id: string
  userID: number
  targetPath: string
  startedAtMs: number
}

export interface JournalItem {
  batchID: string
  /** Below the target as it was on the sender's computer; unique within the batch. */
  sourcePath: string
  targetPath: string
  /** A folder without files; those with files come with them. */
  isDir: boolean
  sizeBytes: number
  lastModifiedMs: number
  overwrite: boolean
  done: boolean
  /** Where the server keeps the part it has; null when nothing was sent yet. */
  uploadURL: string | null
}

export interface InterruptedBatch extends JournalBatch {
  items: JournalItem[]
}

interface Journal {
  addBatch(batch: JournalBatch): void
  putItem(item: JournalItem): void
  removeItem(batchID: string, sourcePath: string): void
  removeBatch(batchID: string): void
  /** Batches of this user that were not finished. */
  load(userID: number): Promise<InterruptedBatch[]>
  /** Writes what is still buffered; for tests and for leaving the page. */
  flush(): Promise<void>
}

const FLUSH_INTERVAL_MS = 300
const WRITES_AT_ONCE = 100

type Write = (batches: IDBObjectStore, items: IDBObjectStore) => void

/** Opens the journal called `name`; never rejects. */
export function openJournal(name: string): Journal {
  let opening: Promise<IDBDatabase | null> | null = null
  let writes: Write[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  let flushing: Promise<void> = Promise.resolve()

  function database(): Promise<IDBDatabase | null> {
    // Closed from outside, it is opened anew by the next write and not only when that is carried out: the
    // page may be left before.
    opening ??= openDatabase(name, createStores, () => {
      opening = null
    })
    return opening
  }

  function write(change: Write) {
    writes.push(change)
    timer ??= setTimeout(flush, FLUSH_INTERVAL_MS)
    // Open by then, also when the page is left before.
    void database()
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const changes = writes
    writes = []
    // In portions, so that remembering thousands of files never holds up the page.
    for (let at = 0; at < changes.length; at += WRITES_AT_ONCE) {
      const portion = changes.slice(at, at + WRITES_AT_ONCE)
      flushing = flushing.then(() => apply(portion))
    }
    return flushing
  }

  /** Null when there is no storage. One closed from outside, as by "clear site data", is opened anew. */
  async function begin(mode: IDBTransactionMode): Promise<IDBTransaction | null> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const db = await database()
      try {
        return db?.transaction(['batches', 'items'], mode) ?? null
      } catch {
        opening = null
      }
    }
    return null
  }

  async function apply(changes: readonly Write[]): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const change = await begin('readwrite')
      if (change === null || (await carryOut(change, changes))) return
      // It was closed from outside before this page heard of it.
      opening = null
    }
  }

  return {
    addBatch: (batch) => write((batches) => batches.put(batch)),
    putItem: (item) => write((_, items) => items.put(item)),
    removeItem: (batchID, sourcePath) => write((_, items) => items.delete([batchID, sourcePath])),
    removeBatch: (batchID) =>
      write((batches, items) => {
        batches.delete(batchID)
        items.delete(IDBKeyRange.bound([batchID], [batchID, []]))
      }),
    async load(userID) {
      await flush()
      const read = await begin('readonly')
      if (read === null) return []
      const [batches, items] = await Promise.all([
        all<JournalBatch>(read.objectStore('batches')),
        all<JournalItem>(read.objectStore('items')),
      ])
      return batches
        .filter((batch) => batch.userID === userID)
        .map((batch) => ({ ...batch, items: items.filter((item) => item.batchID === batch.id) }))
    },
    flush,
  }
}

/** False when the same may work in another transaction. */
function carryOut(change: IDBTransaction, changes: readonly Write[]): Promise<boolean> {
  return new Promise((resolve) => {
    const batches = change.objectStore('batches')
    const items = change.objectStore('items')
    for (const each of changes) each(batches, items)
    change.oncomplete = () => resolve(true)
    // A full disk only means that this upload cannot be continued after a reload.
    change.onabort = () => resolve(change.error?.name === 'QuotaExceededError')
    // By itself it would wait for answers, which a page that is being left does not hear any more.
    change.commit()
  })
}

function createStores(database: IDBDatabase): void {
  database.createObjectStore('batches', { keyPath: 'id' })
  database.createObjectStore('items', { keyPath: ['batchID', 'sourcePath'] })
}

function all<T>(store: IDBObjectStore): Promise<T[]> {
  return new Promise((resolve) => {
    const request = store.getAll()
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve([])
  })
}
