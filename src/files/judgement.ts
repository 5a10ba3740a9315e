// Judging a path by every name it has: the one that was asked for, and the one of the place where
// links have led, in this tree and in the one around it (CVE-2026-90930).
import type { Jail } from './jail.ts'
import { ROOT, rebase, type VPath } from './vpath.ts'

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

/** `outer` judges for the tree around this one, where links lead from here into that. */
export function createJudgement(jail: Jail, allow: Allow, outer: Judgement | undefined): Judgement {
  const at = async (realPath: string): Promise<Allow> => {
    const real = jail.vpathOf(realPath, await jail.root())
    if (real !== null) return (vpath) => allow(rebase(real, vpath))
    return outer ? outer.at(realPath) : () => true
  }
  return {
    allow,
    at,
    below: async (vpath, realPath) => {
      if (jail.vpathOf(realPath, await jail.root()) === vpath) return allow
      const atPlace = await at(realPath)
      const cut = vpath === ROOT ? 0 : vpath.length
      return (child) => allow(child) && atPlace((child.slice(cut) || ROOT) as VPath)
    },
  }
}
