// Checking a path by every name it has: the one that was asked for, and the one of the place where
// links have led, in this tree and in the one around it (CVE-2026-90930); on disks without case by
// the name that is listed there.

import { contains } from '../../lib/host-path.ts'
import type { Ask } from '../../lib/verbs.ts'
import { isWithin, ROOT, rebase, type VPath } from '../../lib/vpath.ts'
import type { CaselessDisks } from '../caseless/caseless-disks.ts'
import { type Jail, nameIn, rootOf } from './jail.ts'

/** Whether something may be done at a path. */
export type May = (vpath: VPath, verb: Ask) => boolean

export interface PathRules {
  /** The path as it was asked for. */
  may: May
  /**
   * Returns the test for a real path and below, by the name that it has for users and by the place that it is;
   * the paths tested start there. Where neither is anything, everything is allowed.
   */
  at(realPath: string): Promise<May>
  /** Returns the test for `vpath`, which leads to `realPath`, and for all below that no other link leads to. */
  below(vpath: VPath, realPath: string): Promise<May>
}

/** On disks that ignore case a path must pass this test as well. */
export interface CaselessRules {
  disks: CaselessDisks
  may: May
}

/** What records of folders say to the account of a tree, where any does. */
export interface PlaceRights {
  /** By the text of a path alone, whatever rules say. */
  may: May
  /** The same by real place, for paths below; everything is allowed outside of the served folders. */
  at(realPath: string): Promise<May>
  /** True where a path with this real one is the place that its text says. */
  isPlain(vpath: VPath, realPath: string): boolean
  /** The record that holds at a path, by its text and by its real place. */
  recordsAt(vpath: VPath, realPath: string): Promise<readonly (string | null)[]>
  /** False where the same holds for all that lies below a path. */
  differsBelow(vpath: VPath): boolean
}

/** Returns the tests of a tree; `outer` are those of the tree around it, for links that lead there. */
export function createPathRules(
  jail: Jail,
  may: May,
  outer: PathRules | undefined,
  caseless?: CaselessRules,
  rights?: PlaceRights,
): PathRules {
  const realNames = async (realRoot: string, realPath: string): Promise<VPath[] | null> => {
    const own = nameIn(jail, realRoot, realPath)
    if (own === null || !caseless) return own === null ? null : [own]
    const paths = await caseless.disks.spellings(realRoot, realPath)
    return paths.flatMap((path) => nameIn(jail, realRoot, path) ?? [])
  }
  // Checks each path by the kind of disk that it lies on.
  const mayOf = (realRoot: string): May => {
    if (!caseless || caseless.may === may) return may
    const places = caseless.disks
      .places()
      .flatMap((place) =>
        contains(place, realRoot) ? jail.base : (nameIn(jail, realRoot, place) ?? []),
      )
    if (places.length === 0) return may
    const folded = caseless.may
    // The name of a place itself is one of the folder around it.
    const isCaseless = (vpath: VPath) =>
      places.some((place) => place === jail.base || (place !== vpath && isWithin(place, vpath)))
    return (vpath, verb) => may(vpath, verb) && (!isCaseless(vpath) || folded(vpath, verb))
  }
  const byName = async (realPath: string): Promise<May> => {
    const realRoot = await rootOf(jail)
    const names = await realNames(realRoot, realPath)
    if (names === null) return outer ? outer.at(realPath) : () => true
    const test = mayOf(realRoot)
    const [name, ...others] = names
    if (name !== undefined && others.length === 0)
      return (vpath, verb) => test(rebase(name, vpath), verb)
    return (vpath, verb) =>
      names.length > 0 && names.every((each) => test(rebase(each, vpath), verb))
  }
  const at = async (realPath: string): Promise<May> => {
    const named = await byName(realPath)
    if (!rights) return named
    const real = await rights.at(realPath)
    return (vpath, verb) => named(vpath, verb) && real(vpath, verb)
  }
  return {
    may,
    at,
    below: async (vpath, realPath) => {
      const realRoot = await rootOf(jail)
      const names = await realNames(realRoot, realPath)
      const isNamed = names?.length === 1 && names[0] === vpath
      if (isNamed && (!rights || rights.isPlain(vpath, realPath))) return mayOf(realRoot)
      const atPlace = await at(realPath)
      const cut = vpath === ROOT ? 0 : vpath.length
      return (child, verb) => may(child, verb) && atPlace((child.slice(cut) || ROOT) as VPath, verb)
    },
  }
}
