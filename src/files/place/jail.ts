// From virtual path to place on disk, confined to one folder.
//
// The folder of what a path names is opened and its real path read back from /proc, so what was checked
// is what is used. Where that path is the text itself there was no link on the way, and nothing else is
// asked. Otherwise the disk is asked part by part where links lead, also those that dangle, to where a
// write would land.
import type { BigIntStats } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { AppError, errnoOf, unless } from '../../lib/errors.ts'
import { contains } from '../../lib/host-path.ts'
import { ROOT, rebase, type VPath, vpathOf } from '../../lib/vpath.ts'
import type { OpenFolder } from '../volume/open-folder.ts'
import type { Volume } from '../volume/volume.ts'

const MAX_LINK_HOPS = 255

/**
 * An entry as a request found it: an open folder and a name in it. What is done with the place is done
 * in that folder, wherever its path leads by then. To be disposed of by who asked for it.
 */
export interface Place extends Disposable {
  /** The path that was resolved. */
  readonly vpath: VPath
  /** Real path on the host; the last components may not exist. Never shown to clients. */
  readonly realPath: string
  /** Null where it is missing. */
  readonly folder: OpenFolder | null
  /** In the folder; `.` for the folder itself. */
  readonly name: string
  /** What has the name; null where nothing is. */
  readonly stats: BigIntStats | null
  /** Of the link that led here from the last name of the path. */
  readonly link: BigIntStats | null
  /** No link was on the way. */
  readonly isPlain: boolean
}

/** Real path as far as the target exists. */
export interface Landing {
  realPath: string
  exists: boolean
}

export interface Jail {
  readonly volume: Volume
  /** Host path of the folder. A separator at its end would make it another name than what is cached. */
  readonly root: string
  /** Links may lead outside: only the text is confined. */
  readonly follows: boolean
  /**
   * Host folder the root itself must lie in, whatever links lead there; else everything is `forbidden`.
   * Asked when the root is needed, so that a folder that became a link is noticed.
   */
  readonly within: string | undefined
  /** The root is in that folder by its text: what is open there without a link on the way is inside. */
  readonly isTextWithin: boolean
  /** Real path of the root once it is known; asked for anew for each path that a link is on. */
  realRoot: string | null
  /** It was located already, and is never resolved again. */
  readonly isReal: boolean
  /** Where the root stands in the tree of the account. All paths of this jail begin with it. */
  readonly base: VPath
  /** Throws while the root is not the folder it should be; asked before each look at the disk. */
  readonly requirePresent: (() => Promise<void>) | undefined
}

export interface JailOptions {
  follows: boolean
  /**
   * The root has been located already, as a place in another jail. It is never resolved again: a link
   * that is swapped in there leads out of this jail like any other.
   */
  isReal?: boolean | undefined
  within?: string | undefined
  /** See Jail; ROOT without it. */
  base?: VPath | undefined
  requirePresent?: (() => Promise<void>) | undefined
}

/** Builds the jail for a host folder. */
export function createJail(volume: Volume, path: string, options: JailOptions): Jail {
  const { follows, isReal = false, within, base = ROOT, requirePresent } = options
  const root = resolve(path)
  const isTextWithin = isReal || follows || within === undefined || contains(resolve(within), root)
  const realRoot = isReal ? path : null
  return { volume, root, follows, within, isTextWithin, realRoot, isReal, base, requirePresent }
}

/** The root may lead elsewhere by now: it is resolved when it is needed next. */
export function forgetRoot(jail: Jail): void {
  if (!jail.isReal) jail.realRoot = null
}

/** Real path of the root; throws `not_found` when the folder is missing. */
export async function rootOf(jail: Jail): Promise<string> {
  if (jail.realRoot !== null) return jail.realRoot
  try {
    const realRoot = await jail.volume.realpath(jail.root)
    if (!(await mayBeRoot(jail, realRoot)))
      throw new AppError('forbidden', 'the folder of the account leads out of the served folder')
    jail.realRoot = realRoot
    return realRoot
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw new AppError(jail.base === ROOT ? 'not_found' : 'not_mounted', 'the root is missing')
    throw error
  }
}

async function mayBeRoot({ volume, within, follows }: Jail, realRoot: string): Promise<boolean> {
  return (
    within === undefined || follows || contains(await volume.realpath(resolve(within)), realRoot)
  )
}

/** Where a path leads when links are followed, the last one included. `forbidden` outside. */
export function locate(jail: Jail, vpath: VPath): Promise<Place> {
  return locateBy(jail, vpath, followLinks)
}

/**
 * The entry itself, not what it links to: its folder is followed, its name is not. A link whose
 * target lies outside is `forbidden` like the target.
 */
export function locateEntry(jail: Jail, vpath: VPath): Promise<Place> {
  return locateBy(jail, vpath, vpath === jail.base ? followLinks : findEntry)
}

/** The path in the account's tree of a real path inside the root; null outside. */
export function nameIn({ base }: Jail, realRoot: string, realPath: string): VPath | null {
  const below = vpathIn(realRoot, realPath)
  return below && rebase(base, below)
}

/** The path below the root of a real path inside it; null outside. */
export function vpathIn(realRoot: string, realPath: string): VPath | null {
  return contains(realRoot, realPath) ? vpathOf(...relative(realRoot, realPath).split(sep)) : null
}

async function locateBy(
  jail: Jail,
  vpath: VPath,
  follow: (jail: Jail, vpath: VPath) => Promise<Place>,
): Promise<Place> {
  await jail.requirePresent?.()
  const plain = await locatePlain(jail, vpath)
  if (plain && !plain.stats?.isSymbolicLink()) return plain
  plain?.[Symbol.dispose]()
  forgetRoot(jail)
  return follow(jail, vpath)
}

// Null where a link is on the way, or something is missing or fails. The root's own path is part of the
// text, so that it is not resolved by itself.
async function locatePlain(jail: Jail, vpath: VPath): Promise<Place | null> {
  const { volume, root, base } = jail
  const host = plainPath(jail, vpath)
  if (host === null) return null
  const folder = await volume.openPlain(vpath === base ? host : dirname(host))
  if (!folder) return null
  // No link was on the root's own path either.
  if (!jail.isReal) jail.realRoot = root
  return placeIn(volume, folder, vpath === base ? '.' : basename(host), { vpath, isPlain: true })
}

/**
 * The host path that a path is where no link is on the way, which is for the call that opens it to find out. Null where
 * that would tell nothing.
 */
export function plainPath(jail: Jail, vpath: VPath): string | null {
  const { volume, root, isTextWithin } = jail
  return volume.can.pinFolders && isTextWithin ? toHost(jail, root, vpath) : null
}

async function followLinks(jail: Jail, vpath: VPath): Promise<Place> {
  const { volume, base } = jail
  const realRoot = await rootOf(jail)
  const host = toHost(jail, realRoot, vpath)
  const { realPath } = await land(jail, host, vpath)
  const folder = vpath === base ? realRoot : (await land(jail, dirname(host), vpath)).realPath
  const entry = vpath === base ? realRoot : join(folder, basename(host))
  if (entry === realPath) return placeAt(volume, realPath, vpath)
  using link = await placeAt(volume, entry, vpath)
  return placeAt(volume, realPath, vpath, link.stats)
}

async function findEntry(jail: Jail, vpath: VPath): Promise<Place> {
  const { volume } = jail
  const host = toHost(jail, await rootOf(jail), vpath)
  const { realPath } = await land(jail, dirname(host), vpath)
  const entry = await placeAt(volume, join(realPath, basename(host)), vpath)
  if (!entry.stats?.isSymbolicLink()) return entry
  try {
    await confine(jail, await landing(volume, entry.realPath), vpath)
    return entry
  } catch (error) {
    entry[Symbol.dispose]()
    throw error
  }
}

// A path through a file or one that is too long leads nowhere; whether that may be told depends
// on where its last good part lies, or a link would tell what stands outside of the scope.
async function land(jail: Jail, host: string, vpath: VPath): Promise<Landing> {
  try {
    return await confine(jail, await landing(jail.volume, host), vpath)
  } catch (error) {
    if (!(error instanceof AppError) && host !== (await rootOf(jail)))
      await land(jail, dirname(host), vpath)
    throw error
  }
}

async function confine(jail: Jail, landed: Landing, vpath: VPath): Promise<Landing> {
  if (!jail.follows && !contains(await rootOf(jail), landed.realPath))
    throw new AppError('forbidden', `${vpath} leads out of the scope`)
  return landed
}

/** What is at a real path itself; `forbidden` when a link has taken the place of its folder. */
export async function placeAt(
  volume: Volume,
  realPath: string,
  vpath: VPath,
  link: BigIntStats | null = null,
): Promise<Place> {
  const isTop = dirname(realPath) === realPath
  const name = isTop ? '.' : basename(realPath)
  const folder = await volume.openFolder(dirname(realPath)).catch(unless('ENOENT'))
  if (folder) return placeIn(volume, folder, name, { vpath, link })
  const none = { folder, name, stats: null, isPlain: false, [Symbol.dispose]() {} }
  return { vpath, realPath, link, ...none }
}

async function placeIn(
  volume: Volume,
  folder: OpenFolder,
  name: string,
  how: { vpath: VPath; link?: BigIntStats | null; isPlain?: boolean },
): Promise<Place> {
  try {
    const stats = await volume.stat(folder, name)
    const { vpath, link = null, isPlain = false } = how
    return {
      vpath,
      realPath: name === '.' ? folder.realDir : join(folder.realDir, name),
      folder,
      name,
      stats,
      link,
      isPlain,
      [Symbol.dispose]() {
        void folder.close()
      },
    }
  } catch (error) {
    await folder.close()
    throw error
  }
}

function toHost({ base }: Jail, root: string, vpath: VPath): string {
  if (vpath === base) return root
  const below = base === ROOT ? vpath : vpath.slice(base.length)
  return root === sep ? below : join(root, below)
}

/**
 * Real path as far as the target of `path` exists: realpath answers for what exists; otherwise the nearest
 * existing ancestor is resolved and a link that dangles is followed by hand to the place where a write would
 * create its target (GHSA-8wc8-hf36-mjh9, GHSA-fh54-6rfh-r8f3).
 */
export async function landing(volume: Volume, path: string, hops = 0): Promise<Landing> {
  const realPath = await volume.realpath(path).catch(unless('ENOENT'))
  if (realPath !== null) return { realPath, exists: true }
  if (hops > MAX_LINK_HOPS) throw new AppError('forbidden', 'too many links')
  const folder = await landing(volume, dirname(path), hops + 1)
  const here = join(folder.realPath, basename(path))
  if (!folder.exists) return { realPath: here, exists: false }
  const found = await volume.statAt(here)
  if (!found?.isSymbolicLink()) return { realPath: here, exists: found !== null }
  const target = resolve(folder.realPath, await volume.readLink(here))
  return landing(volume, target, hops + 1)
}
