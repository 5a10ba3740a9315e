// What clients of WebDAV have noted of files and folders, by real path, in `<database>.properties`. Nothing is read
// before it is asked for, and without properties there is no file.
import { lstat, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, errnoOf } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import type { Logger } from '../../lib/log.ts'
import { replaceFile } from '../durable-file.ts'

/** By `{namespace}name`, each the whole element as XML. */
export type Noted = ReadonlyMap<string, string>

export const MAX_ENTRY_BYTES = 64 * 1024
export const MAX_ALL_BYTES = 8 * 1024 * 1024
/** Changes are written together after so long. */
const REST_MS = 1_000

export interface Properties {
  /** Of one entry; undefined for none. */
  of(realPath: string): Promise<Noted | undefined>
  /** The same of many. Holds as long as nothing else is awaited. */
  all(): Promise<ReadonlyMap<string, Noted>>
  /** Sets and, for null, removes; all or nothing. Throws `no_space` past a limit. */
  change(realPath: string, changes: ReadonlyMap<string, string | null>): Promise<void>
  /** An entry has moved, with all that it holds. */
  moved(from: string, to: string): Promise<void>
  /** An entry was copied; with `isDeep` all that it holds. */
  copied(from: string, to: string, isDeep: boolean): Promise<void>
  /** Entries are gone, with all that they held. */
  gone(...realPaths: string[]): Promise<void>
  /** Writes what has changed. */
  close(): Promise<void>
}

/** Where they are kept. */
export interface PropertyPlace {
  /** Holds as long as nothing else is awaited. */
  all(): Promise<ReadonlyMap<string, Noted>>
  /** Applies `work`, which may run again on what others have changed meanwhile. */
  change<T>(work: (map: Map<string, Noted>) => T): Promise<T>
  /** Writes what has changed. */
  close(): Promise<void>
}

export function createProperties(place: PropertyPlace): Properties {
  const isBelow = (realPath: string) => (path: string) => contains(realPath, path)
  const changing = async (
    isTouched: (path: string) => boolean,
    work: (map: Map<string, Noted>) => void,
  ) => {
    if ([...(await place.all()).keys()].some(isTouched)) await place.change(work)
  }
  return {
    of: async (realPath) => (await place.all()).get(realPath),
    all: place.all,
    change: (realPath, changes) =>
      place.change((map) => {
        const noted = new Map(map.get(realPath))
        for (const [key, value] of changes)
          if (value === null) noted.delete(key)
          else noted.set(key, value)
        const bytes = sizeOf(noted)
        const others = [...map].reduce(
          (sum, [path, each]) => sum + (path === realPath ? 0 : sizeOf(each) + path.length),
          0,
        )
        if (bytes > MAX_ENTRY_BYTES || others + bytes > MAX_ALL_BYTES)
          throw new AppError('no_space', 'there is no room for more properties', { expose: true })
        if (noted.size === 0) map.delete(realPath)
        else map.set(realPath, noted)
      }),
    moved: async (from, to) => {
      if (from === to) return
      const isTouched = (path: string) => contains(from, path) || contains(to, path)
      await changing(isTouched, (map) => {
        for (const path of [...map.keys()].filter(isBelow(to)))
          if (!contains(from, path)) map.delete(path)
        for (const [path] of copyAll(map, from, to, true)) map.delete(path)
      })
    },
    copied: (from, to, isDeep) =>
      changing(
        (path) => contains(from, path) || path === to,
        (map) => {
          const before = sizeOfAll(map)
          const copied = copyAll(map, from, to, isDeep)
          // Files have come, and do without.
          if (before <= MAX_ALL_BYTES && sizeOfAll(map) > MAX_ALL_BYTES)
            for (const [path] of copied) map.delete(to + path.slice(from.length))
        },
      ),
    gone: (...realPaths) => {
      const gone = new Set(realPaths)
      const isGone = (path: string) => isIn(path, gone)
      return changing(isGone, (map) => {
        for (const path of [...map.keys()].filter(isGone)) map.delete(path)
      })
    },
    close: place.close,
  }
}

function copyAll(map: Map<string, Noted>, from: string, to: string, isDeep: boolean) {
  const copied = [...map].filter(([path]) => path === from || (isDeep && contains(from, path)))
  map.delete(to)
  for (const [path, noted] of copied) map.set(to + path.slice(from.length), noted)
  return copied
}

/**
 * In a file beside the database, whose path is `database`. `folderOf` gives the folder that has to be there before a path
 * in it is known to be gone.
 */
export function createPropertyFile(
  database: string,
  log: Pick<Logger, 'error'>,
  folderOf: (realPath: string) => string = dirname,
): PropertyPlace {
  const file = `${database}.properties`
  let loading: Promise<Map<string, Noted>> | undefined
  const load = () => {
    loading ??= read(file, folderOf).catch((error: unknown) => {
      // Whoever asks next reads again.
      loading = undefined
      throw error
    })
    return loading
  }
  const writing = createWriting(file, database, log)
  return {
    all: load,
    change: async (work) => {
      const map = await load()
      const result = work(map)
      writing.soon(map)
      return result
    },
    close: writing.close,
  }
}

/** True for one of the paths, and for what lies below one. */
function isIn(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (paths.has(at)) return true
    if (at === dirname(at)) return false
  }
}

function sizeOf(noted: Noted): number {
  let bytes = 0
  for (const [key, value] of noted) bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  return bytes
}

function sizeOfAll(map: ReadonlyMap<string, Noted>): number {
  let bytes = 0
  for (const [path, noted] of map) bytes += path.length + sizeOf(noted)
  return bytes
}

function createWriting(file: string, database: string, log: Pick<Logger, 'error'>) {
  let timer: NodeJS.Timeout | undefined
  let changed: Map<string, Noted> | undefined
  let last: Promise<void> = Promise.resolve()
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const map = changed
    changed = undefined
    if (!map) return last
    last = last
      .then(() => writeAll(file, database, map))
      .catch((error: Error) => log.error(`properties cannot be written: ${error.message}`))
    return last
  }
  return {
    soon: (map: Map<string, Noted>) => {
      changed = map
      timer ??= setTimeout(() => void write(), REST_MS).unref()
    },
    close: write,
  }
}

async function writeAll(file: string, database: string, map: Map<string, Noted>): Promise<void> {
  if (map.size === 0) return rm(file, { force: true })
  const places = [...map].map(([path, noted]) => [path, Object.fromEntries(noted)])
  const text = JSON.stringify(Object.fromEntries(places))
  await replaceFile(file, text, { like: database, keepsPrevious: false })
}

/** Entries that have gone without a word are left out, unless their whole folder is missing: its disk may come back. */
async function read(
  file: string,
  folderOf: (realPath: string) => string,
): Promise<Map<string, Noted>> {
  const map = new Map<string, Noted>()
  for (const [path, noted] of Object.entries(await readJson(file)))
    if (!(await isGone(path, folderOf(path)))) map.set(path, new Map(Object.entries(noted)))
  return map
}

async function readJson(file: string): Promise<Record<string, Record<string, string>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}

async function isGone(path: string, folder: string): Promise<boolean> {
  const isMissing = (error: unknown) => errnoOf(error) === 'ENOENT'
  return lstat(path).then(
    () => false,
    (error) =>
      isMissing(error) &&
      lstat(folder).then(
        () => true,
        () => false,
      ),
  )
}
