// What lies in one trash, in memory: read at first use, and again whatever has come or gone since when the
// times of its folders say so. Other programs may add to it and take from it.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { createLocks } from '../lib/locks.ts'
import { mergeSorted, sortInSlices } from '../lib/sort-in-slices.ts'
import { createTurns, inTurns } from '../lib/turns.ts'
import { type IndexLine, readIndex, writeIndex } from './index-file.ts'
import { INDEX_NAME, type OpenStore, openStore } from './stores.ts'
import { INFO_SUFFIX, MAX_INFO_BYTES, parseInfo, type TrashInfo } from './trash-info.ts'

/** A deleted entry. */
export interface TrashEntry {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** Real path of the trash that it lies in. */
  readonly store: string
  /** In `files/` of it. */
  readonly name: string
  /** Where it was, below the folder that the trash lies in; null where nobody knows, or no text can say it. */
  readonly path: string | null
  /** Where it was, as a real path. */
  readonly realPath: string | null
  readonly isDir: boolean
  /** What it holds; null for folders until somebody has counted. */
  bytes: number | null
  files: number | null
  /** Milliseconds; 0 where nobody knows. */
  readonly deletedAt: number
  /** The account that deleted it; null for another program's. */
  readonly userID: number | null
  /** What was deleted together with it, as its caller named that. */
  readonly operation: string | null
}

const OWN_NAME = /^([0-9a-f]{32})-/
const READ_AT_ONCE = 500
/** Reading fewer again after a start takes no time. */
const MANY = 2_000
const NEVER = new AbortController().signal

/** What an entry is known by, now and after the next start. */
export function idOf(base: string, name: string): string {
  const own = OWN_NAME.exec(name)?.[1]
  return own ?? createHash('sha256').update(`${base}\0${name}`).digest('hex').slice(0, 32)
}

/** Makes the record of what lies in a trash under a name. */
export function entryOf(
  base: string,
  store: string,
  name: string,
  info: Omit<TrashInfo, 'path'> & { path: string | null },
  content: { isDir: boolean; bytes: number },
): TrashEntry {
  const { path, deletedAt, userID, operation } = info
  const { isDir, bytes } = content
  return {
    id: idOf(base, name),
    store,
    name,
    path,
    realPath: path === null ? null : join(base, path),
    isDir,
    bytes: isDir ? null : bytes,
    files: isDir ? null : 1,
    deletedAt,
    userID,
    operation,
  }
}

export interface StoreIndex {
  /** What is there now, the newest first. */
  entries(): Promise<readonly TrashEntry[]>
  /** What was there when it was last read; another program may have taken it since. */
  known(id: string): TrashEntry | undefined
  add(entry: TrashEntry): void
  drop(name: string): void
  /**
   * Brings an entry back by `work`. A crash may leave it in its place and here: the next start looks at every entry
   * again, and not at what was written down of them.
   */
  leaving<T>(store: OpenStore, work: () => Promise<T>): Promise<T>
}

/** Reads nothing before it is asked. Whoever reads as `many` at once notes what they were. */
export function createStoreIndex(
  volume: Volume,
  base: string,
  { many = MANY }: { many?: number } = {},
): StoreIndex {
  const known = createKnown()
  const locks = createLocks()
  let seen = ''
  let leaving = 0
  let reading: Promise<readonly TrashEntry[]> | null = null
  const read = async () => {
    const store = await openStore(volume, base, { make: false })
    if (!store) {
      known.clear()
      seen = ''
      return []
    }
    try {
      const now = await timesOf(volume, store)
      let read = 0
      if (now !== seen) {
        if (seen === '') await recall(volume, store, known)
        read = await update(volume, store, known)
        seen = now
      }
      const entries = await known.inOrder()
      if (read >= many) await writeDown(store, entries)
      return entries
    } finally {
      await store.close()
    }
  }
  const writeDown = (store: OpenStore, entries: readonly TrashEntry[]) =>
    locks
      .withLock('', async () => {
        if (leaving > 0) return
        await writeIndex(volume, store.folder, linesOf(entries))
      })
      .catch(() => {})
  return {
    entries: () => {
      reading ??= read().finally(() => {
        reading = null
      })
      return reading
    },
    known: known.withID,
    add: (entry) => {
      if (seen !== '') known.add(entry)
    },
    drop: known.drop,
    leaving: async ({ folder }, work) => {
      leaving++
      try {
        await locks.withLock('', async () => {
          if (await volume.stat(folder, INDEX_NAME, { direct: true }))
            await volume.remove(folder, INDEX_NAME, { signal: NEVER }).catch(unless('ENOENT'))
        })
        return await work()
      } finally {
        leaving--
      }
    },
  }
}

/** Its name is no other entry's at any time, and nothing about it changes. */
function isLasting({ name, deletedAt }: Pick<TrashEntry, 'name' | 'deletedAt'>): boolean {
  return OWN_NAME.test(name) && deletedAt > 0
}

// Made one by one: all at once they would keep the event loop.
function* linesOf(entries: readonly TrashEntry[]): Generator<IndexLine> {
  for (const entry of entries)
    if (isLasting(entry)) yield { ...entry, bytes: entry.isDir ? 0 : (entry.bytes ?? 0) }
}

async function recall(volume: Volume, { base, store, folder }: OpenStore, known: Known) {
  await inTurns(await readIndex(volume, folder), (line) => {
    const { name, isDir, bytes } = line
    if (isLasting(line)) known.add(entryOf(base, store, name, line, { isDir, bytes }))
  })
}

/** Sorts the newest first. */
export function newestFirst(a: TrashEntry, b: TrashEntry): number {
  return b.deletedAt - a.deletedAt || (a.id < b.id ? 1 : -1)
}

type Known = ReturnType<typeof createKnown>

/** Entries by their names and ids, and in an order that is kept from one time to the next. */
function createKnown() {
  const byName = new Map<string, TrashEntry>()
  const byID = new Map<string, TrashEntry>()
  let ordered: readonly TrashEntry[] = []
  const added: TrashEntry[] = []
  let isOld = false
  const drop = (name: string) => {
    const entry = byName.get(name)
    if (!entry) return
    byName.delete(name)
    byID.delete(entry.id)
    isOld = true
  }
  const stillThere = async (entries: readonly TrashEntry[]) => {
    const found: TrashEntry[] = []
    await inTurns(entries, (entry) => {
      if (byName.get(entry.name) === entry) found.push(entry)
    })
    return found
  }
  return {
    byName: byName as ReadonlyMap<string, TrashEntry>,
    withID: (id: string) => byID.get(id),
    add: (entry: TrashEntry) => {
      drop(entry.name)
      byName.set(entry.name, entry)
      byID.set(entry.id, entry)
      added.push(entry)
      isOld = true
    },
    drop,
    clear: () => {
      for (const name of byName.keys()) drop(name)
    },
    inOrder: async () => {
      if (!isOld) return ordered
      isOld = false
      const fresh = await sortInSlices(added.splice(0), newestFirst)
      const [old, come] = [await stillThere(ordered), await stillThere(fresh)]
      ordered = old.length === 0 ? come : await mergeSorted(old, come, newestFirst)
      return ordered
    },
  }
}

async function timesOf(volume: Volume, { files, info }: OpenStore): Promise<string> {
  const stats = await Promise.all([files, info].map((folder) => volume.stat(folder, '.')))
  return stats.map((found) => `${found?.ino}:${found?.mtimeNs}`).join()
}

/** Gives how many entries were read. */
async function update(volume: Volume, store: OpenStore, known: Known): Promise<number> {
  // Names that no text can say are not found by it: nothing of ours has one.
  const names = await volume.names(store.files)
  const fresh: string[] = []
  let old = 0
  await inTurns(names, (name) => {
    const found = known.byName.get(name)
    if (found) old++
    // Where something was may have been written after it.
    if ((found?.deletedAt ?? 0) === 0) fresh.push(name)
  })
  if (old < known.byName.size) await dropOthers(known, names)
  const turn = createTurns()
  const { signal } = new AbortController()
  for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
    const part = fresh.slice(at, at + READ_AT_ONCE)
    const stats = await volume.statMany(store.files, part, signal)
    const infoNames = part.map((name) => name + INFO_SUFFIX)
    const infos = await volume.readMany(store.info, infoNames, MAX_INFO_BYTES)
    for (const [i, name] of part.entries()) {
      const [found, info] = [stats[i], infos[i]]
      if (!found || found === 'unreachable') continue
      const content = { isDir: found.isDirectory(), bytes: Number(found.size) }
      const where = textOf(info && parseInfo(info))
      const entry = entryOf(store.base, store.store, name, where, content)
      if (await isBack(volume, entry, found)) await forget(volume, store, name)
      else known.add(entry)
      const others = turn()
      if (others) await others
    }
  }
  return fresh.length
}

async function dropOthers(known: Known, names: readonly string[]): Promise<void> {
  const there = new Set<string>()
  await inTurns(names, (name) => void there.add(name))
  await inTurns(known.byName.keys(), (name) => {
    if (!there.has(name)) known.drop(name)
  })
}

/** True for a file that a restore had given its old name again when the server ended. */
async function isBack(volume: Volume, { realPath }: TrashEntry, kept: BigIntStats) {
  if (realPath === null || !kept.isFile() || kept.nlink === 1n) return false
  const found = await volume.statAt(realPath).catch(() => null)
  return found?.ino === kept.ino && found.dev === kept.dev
}

async function forget(volume: Volume, { files, info }: OpenStore, name: string): Promise<void> {
  const { signal } = new AbortController()
  await volume.remove(files, name, { signal })
  await volume.remove(info, name + INFO_SUFFIX, { signal })
}

const UNKNOWN = { path: null, deletedAt: 0, userID: null, operation: null }

function textOf(
  info: TrashInfo | null | undefined,
): Omit<TrashInfo, 'path'> & { path: string | null } {
  if (!info) return UNKNOWN
  const path = info.path?.toString() ?? null
  return { ...info, path: path?.includes('\ufffd') ? null : path }
}

/** The real path of what is kept of an entry. */
export function contentPath({ store, name }: TrashEntry): string {
  return join(store, 'files', name)
}

/** The folder that a trash with this real path lies in. */
export function baseOf(store: string): string {
  return dirname(store)
}

/** The name by which people know an entry. */
export function originalName({ path, name }: TrashEntry): string {
  return path === null ? name.replace(OWN_NAME, '') : basename(path)
}
