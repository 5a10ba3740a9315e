// The trash: what is deleted goes by one rename into a folder on its own disk and comes back from there.
import { randomBytes } from 'node:crypto'
import { basename, dirname, join, relative } from 'node:path'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import type { EntryName, Volume } from '../files/volume/volume.ts'
import { AppError, errnoOf, isUnreachable, unless } from '../lib/errors.ts'
import { contains } from '../lib/host-path.ts'
import type { Logger } from '../lib/log.ts'
import { mergeSorted } from '../lib/sort-in-slices.ts'
import { allBases, type Bases, basesOf } from './bases.ts'
import { copyAway, removeCopied } from './copy-away.ts'
import { eraseMany } from './erase-many.ts'
import {
  baseOf,
  contentPath,
  createStoreIndex,
  entryOf,
  newestFirst,
  type StoreIndex,
  type TrashEntry,
} from './store-index.ts'
import { type OpenStore, openStore, removeEmptyStore, TRASH_NAME } from './stores.ts'
import { dropStrays } from './strays.ts'
import { formatInfo, INFO_SUFFIX, keptName } from './trash-info.ts'

export type { TrashEntry }

/** An entry by its open folder and its name there, and its real path. */
export interface KeptPlace {
  folder: OpenFolder
  name: string
  realPath: string
}

/** Who deletes, and what belongs together. */
export interface Deletion {
  userID: number | null
  operation: string | null
}

/** What is needed to look into a deleted entry: `folder` is to be closed. */
export interface OpenEntry {
  entry: TrashEntry
  folder: OpenFolder
  name: string
  realPath: string
}

export interface Trash {
  /**
   * Takes an entry away, whole or not at all. Throws `locked` for a mount and what holds one, `not_found`, and where
   * nothing works the system's error; all is in its place then.
   */
  put(place: KeptPlace, facts: Deletion): Promise<TrashEntry>
  /** All that is in the trash, the newest first; of disks that do not answer nothing. */
  entries(): Promise<readonly TrashEntry[]>
  /** Throws `not_found`. */
  find(id: string): Promise<TrashEntry>
  /** Throws `not_found`. */
  open(id: string): Promise<OpenEntry>
  /** Moves an entry to a place whose folder is there. `exists` when it is taken and not to be replaced. */
  restoreTo(id: string, place: KeptPlace, options: { replace: boolean }): Promise<void>
  /** To be told when a part of an entry is no longer in it: it has to be counted again. */
  partLeft(id: string): Promise<void>
  /** Removes an entry for good. */
  erase(id: string, signal: AbortSignal): Promise<void>
  /** Removes many for good; see eraseMany. */
  eraseAll(
    entries: readonly TrashEntry[],
    signal: AbortSignal,
    onEnd: (entry: TrashEntry, error: unknown) => void,
  ): Promise<void>
  /** Removes what says where something was that is not there. Fails never. */
  tidy(): Promise<void>
  /** To be told when a folder has been moved: a trash in it went along. */
  moved(fromReal: string, toReal: string): Promise<void>
}

/** What is known of entries by their real paths, and goes along. */
export interface Following {
  moved(from: string, to: string): Promise<void>
  gone(...realPaths: string[]): Promise<void>
}

interface TrashOptions extends Bases {
  following?: Following | undefined
  log: Pick<Logger, 'warn'>
}

/** Nothing is touched before the first call. */
export function createTrash(options: TrashOptions): Trash {
  const { volume, tops, stores, following } = options
  const { indexOf, known, entries, leave } = createIndexes(options)
  const gone = async (...all: TrashEntry[]) => following?.gone(...all.map(contentPath))
  const find = async (id: string) => {
    // Without reading everything again for each of many; what is gone is noticed when it is touched.
    const entry = known(id) ?? (await entries()).find((each) => each.id === id)
    if (!entry) throw new AppError('not_found', `${id} is not in the trash`)
    return entry
  }
  /** With its trash open. */
  const withEntry = async <T>(
    id: string,
    work: (entry: TrashEntry, store: OpenStore) => Promise<T>,
  ): Promise<T> => {
    const entry = await find(id)
    const store = await openStore(volume, baseOf(entry.store), { make: false })
    if (!store) throw new AppError('not_found', `${id} is not in the trash`)
    try {
      return await work(entry, store)
    } finally {
      await store.close()
    }
  }
  const forget = async (entry: TrashEntry, info: OpenFolder, signal: AbortSignal) => {
    await volume.remove(info, entry.name + INFO_SUFFIX, { signal }).catch(unless('ENOENT'))
    indexOf(baseOf(entry.store)).drop(entry.name)
  }
  const erase = async (id: string, signal: AbortSignal) => {
    const entry = await withEntry(id, async (entry, { files, info }) => {
      requireNoMount(volume, join(files.realDir, entry.name))
      // Somebody else may have been faster.
      await volume.remove(files, entry.name, { signal }).catch(unless('ENOENT'))
      await forget(entry, info, NEVER)
      return entry
    })
    await gone(entry)
    await removeEmptyStore(volume, baseOf(entry.store))
  }
  return {
    put: async (place, facts) => {
      const entry = await put(volume, await tops(), place, facts)
      const base = baseOf(entry.store)
      await stores.add(base)
      indexOf(base).add(entry)
      await following?.moved(place.realPath, contentPath(entry))
      return entry
    },
    entries,
    find,
    open: (id) =>
      withEntry(id, async (entry, { files }) => ({
        entry,
        folder: files.share(),
        name: entry.name,
        realPath: join(files.realDir, entry.name),
      })),
    restoreTo: async (id, { folder, name, realPath }, { replace }) => {
      const entry = await withEntry(id, async (entry, store) => {
        const from = { folder: store.files, name: entry.name }
        await indexOf(store.base).leaving(store, async () => {
          await volume.rename(from, { folder, name }, { replace })
          await forget(entry, store.info, NEVER)
        })
        return entry
      })
      await following?.moved(contentPath(entry), realPath)
      await removeEmptyStore(volume, baseOf(entry.store))
    },
    partLeft: (id) => withEntry(id, (entry, { info }) => countAgain(volume, entry, info)),
    erase,
    eraseAll: (all, signal, onEnd) => {
      const drop = (entry: TrashEntry) => indexOf(baseOf(entry.store)).drop(entry.name)
      return eraseMany({ volume, erase, drop, gone }, all, signal, onEnd)
    },
    tidy: () => tidy(options),
    moved: async (fromReal, toReal) => {
      for (const base of await stores.all())
        if (contains(fromReal, base)) {
          leave(base)
          await stores.move(base, toReal + base.slice(fromReal.length))
        }
    },
  }
}

async function tidy(options: TrashOptions): Promise<void> {
  const { volume, log } = options
  for (const base of await allBases(options))
    await dropStrays(volume, base, Date.now()).catch((error: Error) =>
      log.warn(`the trash in ${base} cannot be tidied: ${error.message}`),
    )
}

async function countAgain(volume: Volume, entry: TrashEntry, info: OpenFolder): Promise<void> {
  entry.bytes = null
  entry.files = null
  // What is noted of its size holds for the second that its file has.
  const file = entry.name + INFO_SUFFIX
  const found = await volume.stat(info, file)
  if (!found) return
  const notedNs = (found.mtimeNs / SECOND_NS + 1n) * SECOND_NS
  const nowNs = BigInt(Date.now()) * 1_000_000n
  await volume.setTime(info, file, nowNs > notedNs ? nowNs : notedNs)
}

/** What all trashes hold, each read when it is first asked for. */
function createIndexes({ log, ...bases }: TrashOptions) {
  const { volume } = bases
  const indexes = new Map<string, StoreIndex>()
  const indexOf = (base: string) => {
    const index = indexes.get(base) ?? createStoreIndex(volume, base)
    indexes.set(base, index)
    return index
  }
  const entriesIn = async (base: string) => {
    try {
      return await indexOf(base).entries()
    } catch (error) {
      log.warn(`the trash in ${base} cannot be read: ${(error as Error).message}`)
      return []
    }
  }
  return {
    indexOf,
    known: (id: string) => {
      for (const index of indexes.values()) {
        const entry = index.known(id)
        if (entry) return entry
      }
      return undefined
    },
    leave: (base: string) => void indexes.delete(base),
    entries: async () => {
      let all: readonly TrashEntry[] = []
      for (const base of await allBases(bases)) {
        const found = await entriesIn(base)
        all = all.length === 0 ? found : await mergeSorted(all, found, newestFirst)
      }
      return all
    },
  }
}

const NEVER = new AbortController().signal
const SECOND_NS = 1_000_000_000n

async function put(
  volume: Volume,
  tops: readonly string[],
  place: KeptPlace,
  facts: Deletion,
): Promise<TrashEntry> {
  const { folder, name, realPath } = place
  const found = await volume.stat(folder, name)
  if (!found) throw new AppError('not_found', `${name} is not there`)
  requireNoMount(volume, realPath)
  const content = { isDir: found.isDirectory(), bytes: Number(found.size) }
  let failure: unknown
  const bases = await basesFor(volume, tops, realPath)
  const ways = [
    ...bases.map((base) => ({ base, take: renameAway })),
    { base: bases[0] as string, take: copyFrom },
  ]
  for (const { base, take } of ways) {
    if (take === copyFrom && errnoOf(failure) !== 'EXDEV') break
    try {
      const { name: kept, ...info } = await putAgain({ volume, take }, base, place, facts)
      const path = relative(base, realPath)
      return entryOf(base, join(base, TRASH_NAME), kept, { ...info, path }, content)
    } catch (error) {
      if (isUnreachable(error) || errnoOf(error) === 'ENOENT') throw error
      failure = error
    }
  }
  throw failure
}

// Moved, the mount would go along, and be emptied some day.
function requireNoMount(volume: Volume, realPath: string): void {
  if (volume.holdsMount(realPath) || volume.isMountPoint(realPath))
    throw new AppError('locked', `${basename(realPath)} is a mount, or holds one`, { status: 500 })
}

/** The folders whose trash may take an entry, the highest on its mount first, at last its own. */
async function basesFor(
  volume: Volume,
  tops: readonly string[],
  realPath: string,
): Promise<string[]> {
  const parent = dirname(realPath)
  const bases = basesOf(volume, tops, parent)
  const dev = (await volume.statAt(parent))?.dev
  let first = bases.length - 1
  // A subvolume is a device of its own and no mount.
  while (first > 0 && (await volume.statAt(bases[first - 1] as string))?.dev === dev) first--
  return bases.slice(first)
}

// An empty trash may be removed right when it was opened.
async function putAgain(...of: Parameters<typeof putInto>): ReturnType<typeof putInto> {
  const [{ volume }, , { folder, name }] = of
  for (let left = 3; ; left--) {
    try {
      return await putInto(...of)
    } catch (error) {
      if (left === 0 || errnoOf(error) !== 'ENOENT' || !(await volume.stat(folder, name)))
        throw error
    }
  }
}

type Take = (volume: Volume, from: EntryName, to: EntryName) => Promise<void>

const renameAway: Take = (volume, from, to) => volume.rename(from, to, { replace: true })

const copyFrom: Take = async (volume, from, to) => {
  try {
    await copyAway(volume, from, to)
  } catch (error) {
    await volume.remove(to.folder, to.name, { signal: NEVER }).catch(unless('ENOENT'))
    throw error
  }
}

async function putInto(
  { volume, take }: { volume: Volume; take: Take },
  base: string,
  { folder, name, realPath }: KeptPlace,
  { userID, operation }: Deletion,
) {
  const store = await openStore(volume, base, { make: true })
  if (!store) throw new AppError('not_found', `${base} is gone`)
  const kept = keptName(randomBytes(16).toString('hex'), name)
  const info = { deletedAt: Date.now(), userID, operation }
  const path = Buffer.from(relative(base, realPath))
  try {
    await volume.writeNew(store.info, kept + INFO_SUFFIX, formatInfo({ ...info, path }))
    try {
      await take(volume, { folder, name }, { folder: store.files, name: kept })
    } catch (error) {
      await volume.remove(store.info, kept + INFO_SUFFIX, { signal: NEVER })
      throw error
    }
    const copy = { folder: store.files, name: kept }
    if (take === copyFrom && !(await removeCopied(volume, { folder, name }, copy)))
      throw new AppError('incomplete', `${name} changed while it was deleted, and stays in part`)
    return { name: kept, ...info }
  } catch (error) {
    if (store.isNew) await removeEmptyStore(volume, base)
    throw error
  } finally {
    await store.close()
  }
}
