// What the functions of a scope share, and how they come from a path to a place.
import { AppError, fromErrno } from '../../lib/errors.ts'
import { ROOT, type VPath } from '../../lib/vpath.ts'
import { moved, type OpenFolder } from '../volume/open-folder.ts'
import { leadsToTemp } from '../volume/temp-name.ts'
import type { Volume } from '../volume/volume.ts'
import { type Jail, locate, locateEntry, type Place } from './jail.ts'
import type { Allow, PathRules } from './path-rules.ts'

/** A path, or what it was resolved to by Scope.place: that is not resolved again. */
export type At = VPath | Place

export interface Tree {
  readonly volume: Volume
  readonly jail: Jail
  /** By every name that a path has, temporary files excluded. */
  readonly rules: PathRules
  /** Rules and hidden names, by the text of a path. */
  readonly allow: Allow
  /** Names may have other spellings: each is checked by the real path. */
  readonly isCaseless: boolean
  /** Permission bits for new files and folders, before umask. */
  readonly fileMode: number
  readonly dirMode: number
}

/** Runs what is done at a path; the system's errors become those of the path. */
export async function guarded<T>(vpath: VPath, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn()
  } catch (error) {
    throw fromErrno(error, vpath)
  }
}

/** Runs `fn` with the place of a path, links followed. */
export function within<T>(
  tree: Tree,
  at: At,
  fn: (place: Place, vpath: VPath) => Promise<T>,
): Promise<T> {
  return guarded(typeof at === 'string' ? at : at.vpath, async () => {
    if (typeof at !== 'string') return fn(at, at.vpath)
    using place = await placeOf(tree, at)
    return await fn(place, at)
  })
}

/** Runs `fn` with the place of the entry itself, its last link not followed. */
export function withEntry<T>(
  tree: Tree,
  vpath: VPath,
  fn: (entry: Place) => Promise<T>,
): Promise<T> {
  return guarded(vpath, async () => {
    using entry = await entryOf(tree, vpath)
    return await fn(entry)
  })
}

/** Where a path leads; `forbidden` where that is outside or a rule denies it. */
export async function placeOf(tree: Tree, vpath: VPath): Promise<Place> {
  const place = await checked(tree, vpath, locate)
  if (!place.stats?.isSymbolicLink()) return place
  place[Symbol.dispose]()
  throw moved(place.realPath)
}

/** Like placeOf for the entry itself. */
export function entryOf(tree: Tree, vpath: VPath): Promise<Place> {
  return checked(tree, vpath, locateEntry)
}

async function checked(
  tree: Tree,
  vpath: VPath,
  find: (jail: Jail, vpath: VPath) => Promise<Place>,
): Promise<Place> {
  if (!tree.allow(vpath)) throw new AppError('forbidden', `${vpath} is denied by a rule`)
  if (leadsToTemp(vpath)) throw new AppError('not_found', `${vpath} is a temporary file`)
  const place = await find(tree.jail, vpath)
  try {
    await checkTarget(tree, vpath, place)
    return place
  } catch (error) {
    place[Symbol.dispose]()
    throw error
  }
}

// A link inside the scope is checked by its target's path too (CVE-2026-90930).
async function checkTarget({ rules, isCaseless }: Tree, vpath: VPath, place: Place): Promise<void> {
  if (place.isPlain && !isCaseless) return
  if (!(await rules.at(place.realPath))(ROOT))
    throw new AppError('forbidden', `${vpath} leads to where a rule denies`)
}

/** Opens the folder that a place is. */
export async function openAsFolder(
  { volume }: Tree,
  { folder, name, vpath }: Place,
): Promise<OpenFolder> {
  if (!folder) throw notFound(vpath)
  return volume.openChild(folder, name)
}

/** The same with the rule test for what lies in it. */
export async function openToList(tree: Tree, place: Place, rules = tree.rules) {
  const allow = await rules.below(place.vpath, place.realPath)
  return { allow, folder: await openAsFolder(tree, place) }
}

export function notFound(vpath: VPath): AppError {
  return new AppError('not_found', `${vpath} does not exist`)
}
