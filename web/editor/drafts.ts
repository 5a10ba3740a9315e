// Drafts: what was typed and not yet saved, kept in this browser so that a closed tab, a crash or an
// ended session loses nothing. One entry per account, file and sitting; never sent anywhere.

import { openDatabase } from '../lib/open-database.ts'
import type { TextEncoding } from '../text/encodings.ts'

export interface Draft {
  key: string
  /** With its own line ends. */
  text: string
  encoding: TextEncoding
  /** ETag of the file the edits began from; '' when it had none. */
  baseEtag: string
  savedAtMs: number
}

/** As it is kept: a long text as the bytes of its UTF-8, which are handed over and not copied. */
type KeptDraft = Omit<Draft, 'text'> & { text: string | Blob }

const DATABASE = 'filebrowser-drafts'
const STORE = 'drafts'
const MAX_AGE_MS = 30 * 24 * 3600 * 1000
const MAX_DRAFTS = 100

/** Instances below different base URLs on one host, and different accounts, do not see each other's. */
export function draftKey(baseUrl: string, userId: number, vpath: string): string {
  return `${baseUrl}\n${userId}\n${vpath}`
}

/**
 * Where one sitting keeps its draft. What an earlier one left stays beside it until somebody has said
 * what is to become of it. No path holds the zero character.
 */
export function newDraftKey(fileKey: string): string {
  return `${fileKey}\0${Date.now()}.${Math.random()}`
}

let opening: Promise<IDBDatabase | null> | null = null

async function inStore<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T> | null,
): Promise<T | null> {
  opening ??= openDatabase(DATABASE, (made) => {
    made.createObjectStore(STORE, { keyPath: 'key' }).createIndex('savedAtMs', 'savedAtMs')
  })
  const database = await opening
  if (database === null) return null
  return new Promise((resolve) => {
    try {
      const transaction = database.transaction(STORE, mode)
      const request = ask(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request?.result ?? null)
      transaction.onabort = () => resolve(null)
      transaction.onerror = () => resolve(null)
    } catch {
      resolve(null) // the database was closed from outside, e.g. "clear site data"
    }
  })
}

/** The drafts of a file, the newest first; `fileKey` is from draftKey. */
export async function loadDrafts(fileKey: string): Promise<Draft[]> {
  // Without a sitting, as older versions kept them, up to the last one.
  const keys = IDBKeyRange.bound(fileKey, `${fileKey}\0\uffff`)
  const kept = await inStore<KeptDraft[]>('readonly', (store) => store.getAll(keys))
  const drafts: Draft[] = []
  for (const draft of kept ?? []) {
    const { text } = draft
    // Null for bytes that the browser has lost, as when its disk was full.
    const read = typeof text === 'string' ? text : await readText(text).catch(() => null)
    if (read !== null) drafts.push({ ...draft, text: read })
  }
  return drafts.sort((a, b) => b.savedAtMs - a.savedAtMs)
}

/** A mark at the beginning is a character of the text. */
async function readText(bytes: Blob): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytes.arrayBuffer())
}

/** Keeps the draft; false when the browser would not. */
export async function saveDraft(draft: KeptDraft): Promise<boolean> {
  return (await inStore('readwrite', (store) => store.put(draft))) !== null
}

export async function dropDraft(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key))
}

/** Removes drafts nobody came back for. */
export async function pruneDrafts(nowMs: number): Promise<void> {
  const keys = await inStore<IDBValidKey[]>('readonly', (store) =>
    store.index('savedAtMs').getAllKeys(IDBKeyRange.upperBound(nowMs - MAX_AGE_MS)),
  )
  const oldest = await inStore<IDBValidKey[]>('readonly', (store) =>
    store.index('savedAtMs').getAllKeys(),
  )
  const tooMany = (oldest ?? []).slice(0, Math.max(0, (oldest?.length ?? 0) - MAX_DRAFTS))
  for (const key of [...(keys ?? []), ...tooMany]) {
    await inStore('readwrite', (store) => store.delete(key))
  }
}
