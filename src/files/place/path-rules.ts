// Checking a path by every name it has: the one that was asked for, and the one of the place where
// links have led, in this tree and in the one around it (CVE-2026-90930); on disks without case by
// the name that is listed there.

import { contains } from '../../lib/host-path.ts'
import { isWithin, ROOT, rebase, type VPath } from '../../lib/vpath.ts'
import type { CaselessDisks } from '../caseless/caseless-disks.ts'
import { type Jail, rootOf, vpathIn } from './jail.ts'

export type Allow = (vpath: VPath) => boolean

export interface PathRules {
  /** The path as it was asked for. */
  allow: Allow
  /**
   * Returns the rule test for a real path and below, by the name that it has for users; the paths tested
   * start there. Where no tree has a name for it everything is allowed.
   */
  at(realPath: string): Promise<Allow>
  /** Returns the rule test for `vpath`, which leads to `realPath`, and for all below that no other link leads to. */
  below(vpath: VPath, realPath: string): Promise<Allow>
}

/** On disks that ignore case a path must pass this rule test as well. */
export interface CaselessRules {
  disks: CaselessDisks
  allow: Allow
}

/** Returns the rule tests of a tree; `outer` are those of the tree around it, for links that lead there. */
export function createPathRules(
  jail: Jail,
  allow: Allow,
  outer: PathRules | undefined,
  caseless?: CaselessRules,
): PathRules {
  const realNames = async (realRoot: string, realPath: string): Promise<VPath[] | null> => {
    const own = vpathIn(realRoot, realPath)
    if (own === null || !caseless) return own === null ? null : [own]
    const paths = await caseless.disks.spellings(realRoot, realPath)
    return paths.flatMap((path) => vpathIn(realRoot, path) ?? [])
  }
  // Checks each path by the kind of disk that it lies on.
  const allowOf = (realRoot: string): Allow => {
    if (!caseless || caseless.allow === allow) return allow
    const places = caseless.disks
      .places()
      .flatMap((place) => (contains(place, realRoot) ? ROOT : (vpathIn(realRoot, place) ?? [])))
    if (places.length === 0) return allow
    const folded = caseless.allow
    // The name of a place itself is one of the folder around it.
    const isCaseless = (vpath: VPath) =>
      places.some((place) => place === ROOT || (place !== vpath && isWithin(place, vpath)))
    return (vpath) => allow(vpath) && (!isCaseless(vpath) || folded(vpath))
  }
  const at = async (realPath: string): Promise<Allow> => {
    const realRoot = await rootOf(jail)
    const names = await realNames(realRoot, realPath)
    if (names === null) return outer ? outer.at(realPath) : () => true
    const test = allowOf(realRoot)
    const [name, ...others] = names
    if (name !== undefined && others.length === 0) return (vpath) => test(rebase(name, vpath))
    return (vpath) => names.length > 0 && names.every((each) => test(rebase(each, vpath)))
  }
  return {
    allow,
    at,
    below: async (vpath, realPath) => {
      const realRoot = await rootOf(jail)
      const names = await realNames(realRoot, realPath)
      if (names?.length === 1 && names[0] === vpath) return allowOf(realRoot)
      const atPlace = await at(realPath)
      const cut = vpath === ROOT ? 0 : vpath.length
      return (child) => allow(child) && atPlace((child.slice(cut) || ROOT) as VPath)
    },
  }
}
