// What lies in one trash, in memory: read at first use, and again whatever has come or gone since when the
// times of its folders say so. Other programs may add to it and take from it.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { createTurns } from '../lib/turns.ts'
import { type OpenStore, openStore } from './stores.ts'
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
const STATS_AT_ONCE = 500

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
  /** What is there now, by name; null when there is no trash any more. */
  entries(): Promise<ReadonlyMap<string, TrashEntry> | null>
  /** What was there when it was last read; another program may have taken it since. */
  known(id: string): TrashEntry | undefined
  add(entry: TrashEntry): void
  drop(name: string): void
}

/** Reads nothing before it is asked. */
export function createStoreIndex(volume: Volume, base: string): StoreIndex {
  const known = new Map<string, TrashEntry>()
  let seen = ''
  let reading: Promise<ReadonlyMap<string, TrashEntry> | null> | null = null
  const read = async () => {
    const store = await openStore(volume, base, { make: false })
    if (!store) {
      known.clear()
      seen = ''
      return null
    }
    try {
      const now = await timesOf(volume, store)
      if (now !== seen) {
        await update(volume, store, known)
        seen = now
      }
      return known
    } finally {
      await store.close()
    }
  }
  return {
    entries: () => {
      reading ??= read().finally(() => {
        reading = null
      })
      return reading
    },
    known: (id) => [...known.values()].find((entry) => entry.id === id),
    add: (entry) => {
      if (seen !== '') known.set(entry.name, entry)
    },
    drop: (name) => void known.delete(name),
  }
}

async function timesOf(volume: Volume, { files, info }: OpenStore): Promise<string> {
  const stats = await Promise.all([files, info].map((folder) => volume.stat(folder, '.')))
  return stats.map((found) => `${found?.ino}:${found?.mtimeNs}`).join()
}

// Names that no text can say are left alone: nothing of ours has one.
async function namesIn(volume: Volume, folder: OpenFolder): Promise<string[]> {
  const { dirents, rawNames } = await volume.list(folder)
  return dirents.filter((dirent) => !rawNames.has(dirent)).map(({ name }) => name)
}

async function update(
  volume: Volume,
  store: OpenStore,
  known: Map<string, TrashEntry>,
): Promise<void> {
  const names = new Set(await namesIn(volume, store.files))
  const infos = new Set(await namesIn(volume, store.info))
  for (const name of known.keys()) if (!names.has(name)) known.delete(name)
  const fresh = [...names].filter((name) => !known.has(name))
  const turn = createTurns()
  const signal = new AbortController().signal
  for (let at = 0; at < fresh.length; at += STATS_AT_ONCE) {
    const part = fresh.slice(at, at + STATS_AT_ONCE)
    const stats = await volume.statMany(store.files, part, signal)
    for (const [i, name] of part.entries()) {
      const found = stats[i]
      if (!found || found === 'unreachable') continue
      const file = name + INFO_SUFFIX
      const info = infos.has(file) ? await readInfo(volume, store.info, file) : null
      const content = { isDir: found.isDirectory(), bytes: Number(found.size) }
      known.set(name, entryOf(store.base, store.store, name, textOf(info), content))
      await turn()
    }
  }
}

const UNKNOWN = { path: null, deletedAt: 0, userID: null, operation: null }

function textOf(info: TrashInfo | null): Omit<TrashInfo, 'path'> & { path: string | null } {
  if (!info) return UNKNOWN
  const path = info.path?.toString() ?? null
  return { ...info, path: path?.includes('\ufffd') ? null : path }
}

async function readInfo(
  volume: Volume,
  folder: OpenFolder,
  name: string,
): Promise<TrashInfo | null> {
  const found = await volume.stat(folder, name)
  if (!found?.isFile() || found.size > MAX_INFO_BYTES) return null
  const handle = await volume
    .openFile(folder, name, { direct: true })
    .catch(unless('ENOENT', 'EACCES', 'forbidden'))
  if (!handle) return null
  try {
    const buffer = Buffer.alloc(Number(found.size))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    return parseInfo(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** The folder that a trash with this real path lies in. */
export function baseOf(store: string): string {
  return dirname(store)
}

/** The name by which people know an entry. */
export function originalName({ path, name }: TrashEntry): string {
  return path === null ? name.replace(OWN_NAME, '') : basename(path)
}
