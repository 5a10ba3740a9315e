// A volume whose limited folders are never filled past their limit, and whose changes are counted: the one
// door for all that is written, so that nothing has to remember to ask.
import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import type { Name, OpenFolder } from '../files/volume/open-folder.ts'
import type { RemoveOptions } from '../files/volume/remove.ts'
import type { OpenTempOptions, TempFile } from '../files/volume/temp-file.ts'
import { declaredIn, isPartsName, isTempName, TEMP_PREFIX } from '../files/volume/temp-name.ts'
import type { EntryName, Volume } from '../files/volume/volume.ts'
import { errnoOf } from '../lib/errors.ts'
import { createLocks, type Locks } from '../lib/locks.ts'
import { createCount } from './count.ts'
import type { Ledger } from './ledger.ts'
import type { Quotas } from './quotas.ts'

interface Counting {
  volume: Volume
  quotas: Quotas
  /** Held by real path while its file comes, goes or is replaced: its size is asked for before. */
  changes: Locks
}

/** Counts what is changed through the result. Without limits it is `volume`. */
export function countedVolume(volume: Volume, quotas: Quotas): Volume {
  const counting = { volume, quotas, changes: createLocks() }
  return {
    ...volume,
    openTemp: (folder, name, options) =>
      quotas.isActive
        ? openTemp(counting, folder, name, options)
        : volume.openTemp(folder, name, options),
    makeSmall: async (into, batch, how) =>
      quotas.isActive ? new Map() : volume.makeSmall(into, batch, how),
    copySmall: async (from, into, names, how) =>
      quotas.isActive ? new Map() : volume.copySmall(from, into, names, how),
    rename: (from, to, options) =>
      quotas.isActive ? rename(counting, from, to, options) : volume.rename(from, to, options),
    remove: (folder, name, options) =>
      quotas.isActive
        ? remove(counting, folder, name, options)
        : volume.remove(folder, name, options),
    removeFiles: (folder, names, options) =>
      volume.removeFiles(folder, names, quotas.isActive ? counted(quotas, options) : options),
    removeSingle: (folder, name, mtimeNs) =>
      quotas.isActive
        ? removeSingle(counting, folder, name, mtimeNs)
        : volume.removeSingle(folder, name, mtimeNs),
    room: async (realDir) => {
      if (!quotas.isActive) return null
      await quotas.ready(join(realDir, 'x'))
      return quotas.ledger.room(realDir)
    },
    finishWrites: async (log) => {
      const isAny = await volume.finishWrites(log)
      if (isAny && quotas.isActive) quotas.recount()
      return isAny
    },
  }
}

async function openTemp(
  { volume, quotas, changes }: Counting,
  folder: OpenFolder,
  name: string,
  options: OpenTempOptions,
): Promise<TempFile> {
  const { ledger, uploads } = quotas
  const { resume, label } = options
  const path = join(folder.realDir, name)
  const tempName = resume ?? TEMP_PREFIX + label
  const declared = declaredIn(tempName)
  const lasts = declared !== null || isPartsName(tempName)
  const known = uploads.get(tempName)
  const hold = known ?? ledger.hold(path)
  const drop = () => {
    uploads.delete(tempName)
    hold.release()
  }
  let coveredBytes = 0
  let writtenBytes = 0
  const cover = async (bytes: number) => {
    await quotas.ready(path)
    // What is replaced is asked for again at the end; an upload in parts may take days.
    const isAsked = declared !== null || !ledger.hasPlenty(path, bytes)
    const oldBytes = isAsked ? await sizeIn(volume, folder, name) : 0
    hold.raise(Math.max(0, bytes - oldBytes))
    coveredBytes = bytes
  }
  const open = async () => {
    try {
      if (declared) await cover(declared.lengthBytes)
    } catch (error) {
      await folder.close()
      throw error
    }
    return volume.openTemp(folder, name, options)
  }
  const temp = await open().catch((error: unknown) => {
    if (resume === undefined || errnoOf(error) === 'ENOENT') drop()
    throw error
  })
  // Until it ends, however often it is opened.
  if (lasts) uploads.set(tempName, hold)
  // Its parts were let in.
  if (lasts && !declared && resume !== undefined && !known)
    hold.raise(await temp.sizeBytes(), { isGranted: true })
  return {
    ...temp,
    write: async (buffers, position, how) => {
      const end = buffers.reduce((bytes, { length }) => bytes + length, position)
      if (end > coveredBytes) await cover(end)
      writtenBytes = Math.max(writtenBytes, end)
      return temp.write(buffers, position, how)
    },
    cloneFrom: async (fd, sizeBytes) => {
      if (sizeBytes > coveredBytes) await cover(sizeBytes)
      const isDone = await temp.cloneFrom(fd, sizeBytes)
      if (isDone) writtenBytes = Math.max(writtenBytes, sizeBytes)
      return isDone
    },
    requireSpace: async (bytes) => {
      await cover(bytes)
      await temp.requireSpace(bytes)
    },
    commit: (how) =>
      changes.withLock(path, async () => {
        const oldBytes = how.replace ? await sizeIn(volume, folder, name) : 0
        await quotas.ready(path)
        const bytes = resume === undefined ? writtenBytes : await temp.sizeBytes()
        hold.raise(Math.max(0, bytes - oldBytes))
        const seen = ledger.see(path)
        // Its temporary file goes before it counts as used.
        const wasUpload = uploads.delete(tempName)
        try {
          const done = await temp.commit(how)
          hold.settle(done.sizeBytes - oldBytes, seen)
          return done
        } catch (error) {
          if (wasUpload) uploads.set(tempName, hold)
          throw error
        }
      }),
    discard: () => temp.discard().finally(drop),
    release: async () => {
      await temp.release()
      if (!lasts) hold.release()
    },
  }
}

async function rename(
  { volume, quotas, changes }: Counting,
  from: EntryName,
  to: EntryName,
  { replace }: { replace: boolean },
): Promise<void> {
  const { ledger } = quotas
  const source = join(from.folder.realDir, from.name)
  const target = join(to.folder.realDir, to.name)
  const work = async () => {
    await quotas.ready(target)
    const moved = await volume.stat(from.folder, from.name, { direct: true })
    const replaced = replace ? await volume.stat(to.folder, to.name, { direct: true }) : null
    // Another spelling of its name, or a hard link, which stays.
    if (!moved || (replaced?.ino === moved.ino && replaced.dev === moved.dev))
      return volume.rename(from, to, { replace })
    const isTree = moved.isDirectory()
    const hold = ledger.hold(target, source)
    try {
      const bytes = isTree
        ? await sizeOfTree(volume, ledger, from, [source, target])
        : sizeOf(moved)
      const oldBytes = sizeOf(replaced)
      hold.raise(Math.max(0, bytes - oldBytes))
      const seen = { from: ledger.see(source, isTree), to: ledger.see(target, isTree) }
      await volume.rename(from, to, { replace })
      hold.release()
      ledger.add(target, bytes - oldBytes, { seen: seen.to, isTree })
      ledger.add(source, -bytes, { seen: seen.from, isTree })
      if (isTree) ledger.move(source, target)
    } finally {
      hold.release()
    }
  }
  const [first, second] = [source, target].sort() as [string, string]
  if (first === second) return work()
  return changes.withLock(first, () => changes.withLock(second, work))
}

/** What all files of a folder that is to be moved hold; 0 where it is counted at both ends alike. */
async function sizeOfTree(
  volume: Volume,
  ledger: Ledger,
  { folder, name }: EntryName,
  [source, target]: [string, string],
): Promise<number> {
  const counters = ledger.above(source)
  const others = ledger.above(target)
  if (counters.length === others.length && counters.every((counter, i) => counter === others[i])) {
    // Where they have got to, nobody knows what of it they have counted.
    for (const { count } of counters) count?.add(0, false)
    return 0
  }
  const count = createCount()
  const top = await volume.openChild(folder, name)
  try {
    await count.run(volume, top, new AbortController().signal)
  } finally {
    await top.close()
  }
  return count.bytes
}

function remove(
  { volume, quotas, changes }: Counting,
  folder: OpenFolder,
  name: Name,
  options: RemoveOptions,
): Promise<void> {
  return changes.withLock(join(folder.realDir, name.toString()), () =>
    volume.remove(folder, name, counted(quotas, options)),
  )
}

/** With each file that is removed taken from what the folders above it hold. */
function counted(quotas: Quotas, options: RemoveOptions): RemoveOptions {
  const { ledger } = quotas
  const onFile: RemoveOptions['onFile'] = (folder, name, stats) => {
    const path = join(folder.realDir, name.toString())
    const seen = ledger.see(path)
    const told = options.onFile?.(folder, name, stats)
    return () => {
      told?.()
      quotas.forgetUpload(path)
      if (stats.isFile() && !isTempName(basename(path))) ledger.add(path, -stats.size, { seen })
    }
  }
  return { ...options, onFile }
}

function removeSingle(
  { volume, quotas, changes }: Counting,
  folder: OpenFolder,
  name: Name,
  mtimeNs: bigint | null,
): Promise<boolean> {
  const path = join(folder.realDir, name.toString())
  return changes.withLock(path, async () => {
    const bytes = await sizeIn(volume, folder, name)
    const seen = quotas.ledger.see(path)
    const isGone = await volume.removeSingle(folder, name, mtimeNs)
    if (isGone) quotas.ledger.add(path, -bytes, { seen })
    return isGone
  })
}

async function sizeIn(volume: Volume, folder: OpenFolder, name: Name): Promise<number> {
  return sizeOf(await volume.stat(folder, name, { direct: true }))
}

function sizeOf(stats: BigIntStats | null): number {
  return stats?.isFile() ? Number(stats.size) : 0
}
