// Where versions of a file are: in `.fb-versions` of the highest folder on its own mount that takes them, below the path of the
// file.
import { dirname, join, parse, sep } from 'node:path'
import type { OpenFolder } from '../files/volume/open-folder.ts'
import { VERSIONS_NAME } from '../files/volume/temp-name.ts'
import type { EntryName, Volume } from '../files/volume/volume.ts'
import { AppError, errnoOf, unless } from '../lib/errors.ts'
import { contains } from '../lib/host-path.ts'
import { openOwnFolder } from './stores.ts'
import { nameOfVersion, parseVersionName, type VersionName, versionID } from './version-name.ts'

/** Versions of a file whose times begin in one millisecond. */
export const SAME_MILLISECOND = 100

/**
 * Where the versions of a file are in the store in the folder `base`. What lies outside of that folder has its whole path
 * there; null for one that has none, as on a share of Windows.
 */
export function pathInStore(base: string, realPath: string): string | null {
  if (contains(base, realPath)) return realPath.slice(base.length + (base.endsWith(sep) ? 0 : 1))
  const { root } = parse(realPath)
  if (root === sep) return realPath.slice(1)
  return /^[a-z]:\\$/i.test(root) ? join(root.slice(0, 1), realPath.slice(root.length)) : null
}

/** The file whose versions are at a path in a store for files outside of its folder. */
export function outsidePath(path: string): string {
  return sep === '/' ? `/${path}` : `${path.slice(0, 1)}:${path.slice(1)}`
}

/**
 * Opens the folder of versions in the folder with the real path `base`; null where there is none, unless it is to be
 * made. Throws `forbidden` where it is not the server's own, and the system's errors.
 */
export async function openVersionStore(
  volume: Volume,
  base: string,
  { make = false, direct = false } = {},
): Promise<OpenFolder | null> {
  const above = await volume.openFolder(base, { direct }).catch(unless('ENOENT', 'ENOTDIR'))
  if (!above) return null
  try {
    return (await openOwnFolder(volume, above, VERSIONS_NAME, { make, direct })).folder
  } finally {
    await above.close()
  }
}

/**
 * Removes the folders on a path below the store in the folder `base` in which nothing is any more, from the last one up, and then the
 * store.
 */
export async function removeEmpty(volume: Volume, base: string, path: string): Promise<void> {
  const above = await volume.openFolder(base)
  try {
    for (let name = join(VERSIONS_NAME, path); name !== '.'; name = dirname(name))
      if (!(await volume.removeSingle(above, name, null).catch(unless('ENOTDIR')))) return
  } finally {
    await above.close()
  }
}

/** Moves a folder of versions to where another one may be, which then has the content of both. */
export async function mergeInto(volume: Volume, from: EntryName, to: EntryName): Promise<void> {
  await volume.makeFolders(dirname(join(to.folder.realDir, to.name)), 0o700)
  try {
    return await volume.rename(from, to, { replace: true })
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error))) throw error
  }
  const folder = await volume.openChild(from.folder, from.name)
  try {
    const { dirents } = await volume.list(folder)
    for (const dirent of dirents) {
      const { name } = dirent
      const entry = { folder, name }
      if (dirent.isDirectory())
        await mergeInto(volume, entry, { folder: to.folder, name: join(to.name, name) })
      else await moveVersion(volume, entry, to)
    }
  } finally {
    await folder.close()
  }
  await volume.removeSingle(from.folder, from.name, null)
}

/** Replaces none that is there: of two that were replaced in one millisecond, one has the next one then. */
async function moveVersion(volume: Volume, from: EntryName, into: EntryName): Promise<void> {
  const version = parseVersionName(from.name)
  for (let time = version?.replacedAt ?? 0, tries = SAME_MILLISECOND; ; time++, tries--) {
    const id = version ? versionID(time, version.userID) : from.name
    const named = (isKept: boolean) => join(into.name, nameOfVersion(id, isKept))
    const isKept = version?.isKept ?? false
    if (tries > 0 && version && (await volume.stat(into.folder, named(!isKept)))) continue
    try {
      const to = { folder: into.folder, name: named(isKept) }
      return await volume.rename(from, to, { replace: false })
    } catch (error) {
      if (!version || tries === 0 || !isTaken(error)) throw error
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.code === 'exists'
}

/** A version of a file. */
export interface Version extends VersionName {
  /** In the folder of its file. */
  name: string
  sizeBytes: number
  mtimeMs: number
  dev: bigint
  ino: bigint
  /** Real path of the folder that its store lies in. */
  base: string
}

/** What is at a path below an open store: the versions of the file there, and the names of further folders. */
export async function versionsIn(
  volume: Volume,
  store: OpenFolder,
  path: string,
  base: string,
): Promise<{ versions: Version[]; folders: string[] }> {
  const folder = await volume.openChild(store, path).catch(unless('ENOENT', 'ENOTDIR', 'forbidden'))
  if (!folder) return { versions: [], folders: [] }
  try {
    const { dirents } = await volume.list(folder)
    const names = dirents.flatMap(({ name }) => {
      const parsed = parseVersionName(name)
      return parsed ? [{ name, parsed }] : []
    })
    const { signal } = new AbortController()
    const stats = await volume.statMany(
      folder,
      names.map(({ name }) => name),
      signal,
    )
    const versions = names.flatMap(({ name, parsed }, i) => {
      const found = stats[i]
      if (!found || found === 'unreachable' || !found.isFile()) return []
      const { dev, ino } = found
      const facts = { sizeBytes: Number(found.size), mtimeMs: Number(found.mtimeMs), dev, ino }
      return [{ ...parsed, name, base, ...facts }]
    })
    const folders = dirents.filter((dirent) => dirent.isDirectory()).map(({ name }) => name)
    return { versions, folders }
  } finally {
    await folder.close()
  }
}
