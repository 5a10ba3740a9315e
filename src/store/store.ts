// The one owner of the database file: an immutable document in memory, atomic writes, a lock
// between processes, and a watch for changes made by another process.
import { readFile, stat } from 'node:fs/promises'
import { type Adapter, Low } from 'lowdb'
import { AppError, errnoOf } from '../lib/errors.ts'
import { type Document, SCHEMA_VERSION } from './document.ts'
import { followLinks, replaceFile } from './durable-file.ts'
import { withFileLock } from './file-lock.ts'
import { parseDocument } from './parse-document.ts'

/** How often the file is looked at for a change from outside, which must be seen within a second. */
const WATCH_MS = 200

/** How soon a change that is ahead of the disk is tried again. */
const RETRY_MS = 1_000
/** Changes ahead of the disk; past this many they need the disk like any other. */
const MAX_AHEAD = 100_000

/** Computes the next document without touching the given one; a throw changes nothing. */
export type Change<T> = (doc: Document) => [Document, T]

export interface Store {
  readonly file: string
  /** The current document. Never mutate it. */
  read(): Document
  /**
   * Applies a change and resolves once it is durable on disk. Changes are serialised, several that
   * wait are written at once, and memory changes only after the write succeeded.
   */
  update<T>(change: Change<T>): Promise<T>
  /**
   * Applies a change in memory at once, where it stays whatever the disk says, and writes it as soon as
   * that works. Resolves when it is durable or could not be written for now, which `onDelay` is told.
   * It is applied again to what another process has written, so twice must come to the same as once.
   */
  updateAhead<T>(change: Change<T>, onDelay?: (error: unknown) => void): Promise<T>
  /** Called with the new document after own writes and after changes from outside. */
  subscribe(listener: (doc: Document) => void): () => void
  /** Waits for pending writes and stops watching. */
  close(): Promise<void>
}

/**
 * Opens an existing JSON database. Throws when the file is missing, damaged or written by a newer
 * version; it is never overwritten then.
 */
export async function openStore(file: string): Promise<Store> {
  const store = new JsonStore(await followLinks(file))
  await store.load()
  store.watch()
  return store
}

/**
 * Creates the database file at a path that holds nothing (or 0 bytes), then opens it. Made by root it
 * belongs to the owner of `like`, the old database it comes from.
 */
export async function createStore(file: string, doc: Document, like?: string): Promise<Store> {
  await replaceFile(await followLinks(file), serialise(doc), like)
  return openStore(file)
}

function serialise(doc: Document): string {
  return `${JSON.stringify(doc, null, 1)}\n`
}

interface Pending {
  change: Change<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

class JsonStore implements Store {
  readonly file: string
  readonly #db: Low<Document | null>
  readonly #listeners = new Set<(doc: Document) => void>()
  #pending: Pending[] = []
  #running: Promise<void> | undefined
  /** Runs of changes begun so far. */
  #runs = 0
  #signature = ''
  /** In memory and not yet on disk, in order. */
  #ahead: Change<unknown>[] = []
  #retry: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(file: string) {
    this.file = file
    const adapter: Adapter<Document | null> = {
      read: () => this.#readFile(),
      write: async (doc) => {
        if (doc) await replaceFile(file, serialise(doc))
        this.#signature = await signatureOf(file)
      },
    }
    this.#db = new Low<Document | null>(adapter, null)
  }

  async load(): Promise<void> {
    await this.#db.read()
  }

  read(): Document {
    if (!this.#db.data) throw new Error('the store is not loaded')
    return this.#db.data
  }

  update<T>(change: Change<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ change, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  async updateAhead<T>(
    change: Change<T>,
    onDelay: (error: unknown) => void = () => {},
  ): Promise<T> {
    if (this.#closed || this.#ahead.length >= MAX_AHEAD) return this.update(change)
    const before = this.read()
    const [after, value] = change(before)
    if (after === before) return value
    this.#db.data = after
    this.#ahead.push(change)
    this.#notify()
    try {
      await this.#writeAhead()
    } catch (error) {
      onDelay(error)
    }
    return value
  }

  subscribe(listener: (doc: Document) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  watch(): void {
    const look = async () => {
      try {
        const changed = (await signatureOf(this.file)) !== this.#signature
        // A run looks at the file itself, also one that began since the line above.
        if (changed && !this.#running) await this.#reload()
      } catch {
        // Missing or damaged for now: the next write reports it; what is in memory stays good.
      }
      if (!this.#closed) {
        this.#timer = setTimeout(look, WATCH_MS)
        this.#timer.unref()
      }
    }
    this.#timer = setTimeout(look, WATCH_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    await this.#running
    // The last try: what could not be written is gone with the process.
    if (this.#ahead.length > 0) await this.#writeAhead().catch(() => {})
    this.#closed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#retry)
    await this.#running
  }

  // An empty change: whatever is ahead is written with it.
  async #writeAhead(): Promise<void> {
    await this.update((doc) => [doc, undefined])
  }

  #retryLater(): void {
    if (this.#ahead.length === 0 || this.#retry !== undefined || this.#closed) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (!this.#closed) this.#writeAhead().catch(() => {})
    }, RETRY_MS)
    this.#retry.unref()
  }

  async #run(): Promise<void> {
    this.#runs++
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      const settled: (() => void)[] = []
      try {
        await withFileLock(`${this.file}.lock`, async () => {
          if ((await signatureOf(this.file)) !== this.#signature) await this.#reload()
          const before = this.read()
          const after = applyAll(before, batch, settled)
          if (after === before && this.#ahead.length === 0) return
          await this.#write(before, after)
        })
        for (const settle of settled) settle()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    // In the same turn as the last look at what waits: whoever was just told "done" may ask for the
    // next change before the promise of this run has settled, and must find it over.
    this.#running = undefined
    this.#retryLater()
  }

  async #write(before: Document, after: Document): Promise<void> {
    // lowdb writes what `data` holds, so it is put back when the write fails.
    this.#db.data = after
    const written = this.#ahead.length
    try {
      await this.#db.write()
    } catch (error) {
      // What came ahead of the disk in the meantime stays.
      this.#db.data = applyAhead(before, this.#ahead.slice(written))
      throw error
    }
    this.#ahead.splice(0, written)
    this.#notify()
  }

  async #reload(): Promise<void> {
    await this.#db.read()
    this.#db.data = applyAhead(this.read(), this.#ahead)
    this.#notify()
  }

  #notify(): void {
    const doc = this.read()
    for (const listener of this.#listeners) listener(doc)
  }

  async #readFile(): Promise<Document | null> {
    const runs = this.#runs
    const signature = await signatureOf(this.file)
    const text = await readFile(this.file, 'utf8')
    // A change that began since then has looked at the file itself: what was read here may be older
    // than what it writes, and taking it would undo that change with the next one.
    if (runs !== this.#runs) return this.#db.data
    const doc = applyAhead(parseText(text, this.file), this.#ahead)
    this.#signature = signature
    return doc
  }
}

function applyAhead(doc: Document, changes: Change<unknown>[]): Document {
  return changes.reduce((next, change) => {
    try {
      return change(next)[0]
    } catch {
      // What it was about has gone by another process.
      return next
    }
  }, doc)
}

function applyAll(before: Document, batch: Pending[], settled: (() => void)[]): Document {
  let doc = before
  for (const { change, resolve, reject } of batch) {
    try {
      const [next, value] = change(doc)
      doc = next
      settled.push(() => resolve(value))
    } catch (error) {
      settled.push(() => reject(error))
    }
  }
  return doc
}

function parseText(text: string, file: string): Document {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw damaged(
      error,
      `the database ${file} is damaged (${(error as Error).message}). It was left untouched. ` +
        `Stop the server, look at it, and if ${file}.bak is good copy that over it.`,
    )
  }
  const version = (value as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version > SCHEMA_VERSION) {
    throw damaged(
      undefined,
      `the database ${file} was written by a newer version (schema ${version}, this program knows ` +
        `${SCHEMA_VERSION}). It was left untouched. Start the newer program, or restore a backup.`,
    )
  }
  try {
    return parseDocument(value)
  } catch (error) {
    throw damaged(
      error,
      `the database ${file} is not valid: ${(error as Error).message}. It was left untouched. ` +
        `Correct it, or copy ${file}.bak over it.`,
    )
  }
}

function damaged(cause: unknown, message: string): AppError {
  return new AppError('damaged', message, { cause })
}

// Every write makes a new inode, so identity, time and size together tell any change.
async function signatureOf(file: string): Promise<string> {
  try {
    const { ino, mtimeNs, size } = await stat(file, { bigint: true })
    return `${ino}:${mtimeNs}:${size}`
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return ''
    throw error
  }
}
