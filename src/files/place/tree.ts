// What the functions of a scope share, and how they come from a path to a place.

import type { Verb } from '../../api-types.ts'
import { AppError, fromErrno } from '../../lib/errors.ts'
import type { Ask } from '../../lib/verbs.ts'
import { ROOT, type VPath } from '../../lib/vpath.ts'
import { moved, type OpenFolder } from '../volume/open-folder.ts'
import { leadsToReserved } from '../volume/reserved-name.ts'
import type { Volume } from '../volume/volume.ts'
import { type Jail, locate, locateEntry, type Place } from './jail.ts'
import type { May, PathRules, PlaceRights } from './path-rules.ts'

/** A path, or what it was resolved to by Scope.place: that is not resolved again. */
export type At = VPath | Place

export interface Tree {
  readonly volume: Volume
  readonly jail: Jail
  /** By every name that a path has, temporary files excluded. */
  readonly rules: PathRules
  /** By the text of a path. */
  readonly may: May
  /** See ScopeOptions. */
  readonly rights: PlaceRights | undefined
  /** Names may have other spellings: each is checked by the real path. */
  readonly isCaseless: () => boolean
  /** Id of the account whose tree it is; null for nobody's. */
  readonly owner: number | null
  /** See ScopeOptions. */
  readonly isKept: boolean
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
  if (!tree.may(vpath, 'pass')) throw new AppError('forbidden', `${vpath} is denied`)
  if (leadsToReserved(vpath)) throw new AppError('not_found', `${vpath} belongs to the server`)
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
async function checkTarget(tree: Tree, vpath: VPath, place: Place): Promise<void> {
  // Through a link, a mount, or as the folder of an account.
  if (!tree.isKept && tree.volume.isInStore(place.realPath))
    throw new AppError('not_found', `${vpath} belongs to the server`)
  if (place.isPlain && !tree.isCaseless()) return
  if (!(await tree.rules.at(place.realPath))(ROOT, 'pass'))
    throw new AppError('forbidden', `${vpath} leads to what is denied`)
}

/** Throws unless all of this may be done at a place, by its text and by where links have led: 202 for a missing `download`, else 403. */
export async function requireMay(
  tree: Tree,
  place: Place,
  ...verbs: readonly Verb[]
): Promise<void> {
  const tests = [(verb: Verb) => tree.may(place.vpath, verb)]
  // Without records the verbs are the same everywhere, and what is denied was refused when it was located.
  if (tree.rights && !(place.isPlain && !tree.isCaseless())) {
    const real = await tree.rules.at(place.realPath)
    tests.push((verb) => real(ROOT, verb))
  }
  for (const verb of verbs)
    if (!tests.every((may) => may(verb))) {
      const isSeen = tests.every((may) => may('see'))
      throw refusal(verb, place.vpath, isSeen)
    }
}

/** What is answered where a verb is not allowed. */
export function refusal(verb: Ask, vpath: VPath, isSeen: boolean): AppError {
  const code = verb === 'download' && isSeen ? 'download_forbidden' : 'forbidden'
  return new AppError(code, `${vpath}: no permission to ${verb}`)
}

/** True for a folder of which nothing may be known but its name, and what is further on. */
export async function isWay(tree: Tree, place: Place): Promise<boolean> {
  if (!tree.rights) return false
  if (place.isPlain && !tree.isCaseless()) return !tree.may(place.vpath, 'see')
  return !(await tree.rules.below(place.vpath, place.realPath))(place.vpath, 'see')
}

/** Opens the folder that a place is. */
export async function openAsFolder(
  { volume }: Tree,
  { folder, name, vpath }: Place,
): Promise<OpenFolder> {
  if (!folder) throw notFound(vpath)
  return volume.openChild(folder, name)
}

/** The same with the test for what lies in it. */
export async function openToList(tree: Tree, place: Place, rules = tree.rules) {
  const may = await rules.below(place.vpath, place.realPath)
  return { may, folder: await openAsFolder(tree, place) }
}

export function notFound(vpath: VPath): AppError {
  return new AppError('not_found', `${vpath} does not exist`)
}
