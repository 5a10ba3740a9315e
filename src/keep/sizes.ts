// What deleted folders hold: counted in the background when somebody asks, and noted in the file
// `directorysizes` beside them, which spares the next count (specifications.freedesktop.org/trash-spec 1.0).
import { join } from 'node:path'
import type { Volume } from '../files/volume/volume.ts'
import { unless } from '../lib/errors.ts'
import { createCount } from '../quotas/count.ts'
import { SIZES_NAME } from './stores.ts'
import type { Trash, TrashEntry } from './trash.ts'
import { INFO_SUFFIX } from './trash-info.ts'

/** Some 100,000 folders. */
const MAX_SIZES_BYTES = 16 * 1024 * 1024

export interface Sizes {
  /** Counts those that nobody has counted, one after the other, in the background; their records say it then. */
  want(entries: readonly TrashEntry[]): void
  /** Bytes of an entry, counted when nobody has. */
  measure(entry: TrashEntry, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** Makes it; nothing is read before it is asked. */
export function createSizes(volume: Volume, trash: Pick<Trash, 'open' | 'entries'>): Sizes {
  const closing = new AbortController()
  const wanted = new Map<string, TrashEntry>()
  let running: Promise<void> | undefined

  const countIn = async (store: string) => {
    const noted = await readSizes(volume, store)
    for (const entry of [...wanted.values()].filter((each) => each.store === store)) {
      wanted.delete(entry.id)
      const { name } = entry
      const infoTime = await infoTimeOf(volume, entry)
      const found = noted.get(name)
      if (found?.infoTime === infoTime) entry.bytes = found.bytes
      // What has left meanwhile, or cannot be read, stays unknown.
      else await countEntry(volume, trash, entry, closing.signal).catch(() => {})
      if (entry.bytes !== null) noted.set(name, { bytes: entry.bytes, infoTime })
    }
    const left = (await trash.entries()).filter((entry) => entry.store === store)
    const names = new Set(left.map(({ name }) => name))
    if (names.size === 0 || closing.signal.aborted) return
    await writeSizes(volume, store, new Map([...noted].filter(([name]) => names.has(name))))
  }
  const countWanted = async () => {
    for (let next = first(wanted); next && !closing.signal.aborted; next = first(wanted))
      await countIn(next.store).catch(() => {})
  }
  return {
    want: (entries) => {
      for (const entry of entries) if (entry.bytes === null) wanted.set(entry.id, entry)
      if (wanted.size === 0 || closing.signal.aborted) return
      running ??= countWanted().finally(() => {
        running = undefined
      })
    },
    measure: async (entry, signal) => {
      if (entry.bytes === null) await countEntry(volume, trash, entry, signal)
      return entry.bytes ?? 0
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

function first<T>(map: ReadonlyMap<string, T>): T | undefined {
  return map.values().next().value
}

/** Throws what hinders it; the record is as it was then. */
async function countEntry(
  volume: Volume,
  trash: Pick<Trash, 'open'>,
  entry: TrashEntry,
  signal: AbortSignal,
): Promise<void> {
  const { folder, name } = await trash.open(entry.id)
  try {
    const top = await volume.openChild(folder, name)
    try {
      const count = createCount()
      await count.run(volume, top, signal)
      entry.bytes = count.bytes
      entry.files = count.files
    } finally {
      await top.close()
    }
  } finally {
    await folder.close()
  }
}

/** Seconds, as the file has them. */
async function infoTimeOf(volume: Volume, { store, name }: TrashEntry): Promise<number> {
  const found = await volume.statAt(join(store, 'info', name + INFO_SUFFIX))
  return found ? Number(found.mtimeNs / 1_000_000_000n) : 0
}

/** A folder in the file. */
export interface FolderSize {
  bytes: number
  /** Of the info file for which it was counted, in seconds. */
  infoTime: number
}

/** The lines of the file by the name in `files/`; those that say nothing are left out. */
export function parseSizes(content: string): Map<string, FolderSize> {
  const sizes = new Map<string, FolderSize>()
  for (const line of content.split('\n')) {
    const [, bytes, infoTime, name = ''] = /^(\d{1,15}) (\d{1,12}) (\S+)$/.exec(line) ?? []
    try {
      const size = { bytes: Number(bytes), infoTime: Number(infoTime) }
      if (name !== '') sizes.set(decodeURIComponent(name), size)
    } catch {}
  }
  return sizes
}

export function formatSizes(sizes: ReadonlyMap<string, FolderSize>): string {
  return [...sizes]
    .map(([name, { bytes, infoTime }]) => `${bytes} ${infoTime} ${encodeURIComponent(name)}\n`)
    .join('')
}

async function readSizes(volume: Volume, store: string): Promise<Map<string, FolderSize>> {
  const folder = await volume.openFolder(store).catch(unless('ENOENT'))
  if (!folder) return new Map()
  try {
    const handle = await volume.openFile(folder, SIZES_NAME, { direct: false })
    try {
      const { size } = await handle.stat()
      if (size > MAX_SIZES_BYTES) return new Map()
      return parseSizes((await handle.readFile()).toString())
    } finally {
      await handle.close()
    }
  } catch {
    // It is a cache: what cannot be read is counted.
    return new Map()
  } finally {
    await folder.close()
  }
}

async function writeSizes(
  volume: Volume,
  store: string,
  sizes: ReadonlyMap<string, FolderSize>,
): Promise<void> {
  const temp = await volume.openTemp(await volume.openFolder(store), SIZES_NAME, {
    fileMode: 0o600,
  })
  try {
    await temp.write([Buffer.from(formatSizes(sizes))], 0, { direct: false })
    await temp.commit({ replace: true })
  } finally {
    await temp.discard()
  }
}
