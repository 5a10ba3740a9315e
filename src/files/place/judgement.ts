// Judging a path by every name it has: the one that was asked for, and the one of the place where
// links have led, in this tree and in the one around it (CVE-2026-90930); on disks without case by
// the name that is listed there.

import { isWithin, ROOT, rebase, type VPath } from '../../lib/vpath.ts'
import type { CaselessDisks } from '../caseless/caseless-disks.ts'
import { contains, type Jail } from './jail.ts'

export type Allow = (vpath: VPath) => boolean

export interface Judgement {
  /** The path as it was asked for. */
  allow: Allow
  /**
   * A judge of what lies at a place on the host, by the name that the place has for users; its
   * paths start there. Where no tree has a name for the place everything is allowed.
   */
  at(realPath: string): Promise<Allow>
  /** A judge of `vpath`, which has led to `realPath`, and of what lies below without more links. */
  below(vpath: VPath, realPath: string): Promise<Allow>
}

/** How paths are judged on disks without case: by this judge as well. */
export interface CaselessRules {
  disks: CaselessDisks
  allow: Allow
}

/** `outer` judges for the tree around this one, where links lead from here into that. */
export function createJudgement(
  jail: Jail,
  allow: Allow,
  outer: Judgement | undefined,
  caseless?: CaselessRules,
): Judgement {
  const realNames = async (realRoot: string, realPath: string): Promise<VPath[] | null> => {
    const own = jail.vpathOf(realPath, realRoot)
    if (own === null || !caseless) return own === null ? null : [own]
    const paths = await caseless.disks.spellings(realRoot, realPath)
    return paths.flatMap((path) => jail.vpathOf(path, realRoot) ?? [])
  }
  // Judges each path by the kind of the disk that it lies on.
  const allowOf = (realRoot: string): Allow => {
    if (!caseless || caseless.allow === allow) return allow
    const places = caseless.disks
      .places()
      .flatMap((place) =>
        contains(place, realRoot) ? ROOT : (jail.vpathOf(place, realRoot) ?? []),
      )
    if (places.length === 0) return allow
    const folded = caseless.allow
    // The name of a place itself is one of the folder around it.
    const isCaseless = (vpath: VPath) =>
      places.some((place) => place === ROOT || (place !== vpath && isWithin(place, vpath)))
    return (vpath) => allow(vpath) && (!isCaseless(vpath) || folded(vpath))
  }
  const at = async (realPath: string): Promise<Allow> => {
    const realRoot = await jail.root()
    const names = await realNames(realRoot, realPath)
    if (names === null) return outer ? outer.at(realPath) : () => true
    const judge = allowOf(realRoot)
    const [name, ...others] = names
    if (name !== undefined && others.length === 0) return (vpath) => judge(rebase(name, vpath))
    return (vpath) => names.length > 0 && names.every((each) => judge(rebase(each, vpath)))
  }
  return {
    allow,
    at,
    below: async (vpath, realPath) => {
      const realRoot = await jail.root()
      const names = await realNames(realRoot, realPath)
      if (names?.length === 1 && names[0] === vpath) return allowOf(realRoot)
      const atPlace = await at(realPath)
      const cut = vpath === ROOT ? 0 : vpath.length
      return (child) => allow(child) && atPlace((child.slice(cut) || ROOT) as VPath)
    },
  }
}
