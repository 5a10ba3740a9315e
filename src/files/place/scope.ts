// One user's tree: the only door to content. Every call names a virtual path, meets the rules first and
// is then confined by the jail (see jail.ts for what may happen between check and use).
import { rebase, type VPath } from '../../lib/vpath.ts'
import { leadsToTemp } from '../volume/temp-name.ts'
import type { Volume } from '../volume/volume.ts'
import { type Changing, changingOf, type TempOptions } from './changing.ts'
import type { OpenFile } from './folder-reader.ts'
import { createJail, type Place, rootOf } from './jail.ts'
import { type Allow, type CaselessRules, createPathRules, type PathRules } from './path-rules.ts'
import { type Identity, type Reading, readingOf } from './reading.ts'
import { type At, guarded, placeOf, type Tree, within } from './tree.ts'

export type { At, Identity, OpenFile, Place, TempOptions }

export interface ScopeOptions {
  volume: Volume
  /** Host path of the tree's root. */
  root: string
  /** The root is a place that has been located in another tree: it is not resolved again. */
  isRootReal?: boolean
  /** Host folder the root must lie in unless external links are followed, see JailOptions. */
  within?: string | undefined
  /** Text rules: rules and hidden names. Walkers prune with it. */
  allow: (vpath: VPath) => boolean
  followExternalSymlinks: boolean
  /** Permission bits for new files and folders, before umask. */
  fileMode: number
  dirMode: number
  /** Where disks without case are met, and their rules; without it they are like others. */
  caseless?: CaselessRules | undefined
  /** Rules of the tree that this one was cut out of, see Scope.below. */
  outer?: PathRules | undefined
}

export interface Scope extends Reading, Changing {
  allow(vpath: VPath): boolean
  /** Real path of the root on the host. Never shown to clients. */
  rootPath(): Promise<string>
  /**
   * Resolves a path, links followed; of a missing entry the place it would get. `forbidden` where it
   * leads out of the scope or a rule denies it. To be disposed of.
   */
  place(vpath: VPath): Promise<Place>
  /**
   * Rule test for `vpath` and everything below, by requested and real path; for trees that are changed as a
   * whole.
   */
  allowBelow(vpath: VPath): Promise<Allow>
  /** The tree below a place as one of its own, under the same rules. */
  below(place: Place): Promise<Scope>
}

/** Builds a scope. Touches the disk on first use only. */
export function createScope(options: ScopeOptions): Scope {
  const { allow, caseless, volume, fileMode, dirMode } = options
  const jail = createJail(volume, options.root, {
    follows: options.followExternalSymlinks,
    isReal: options.isRootReal,
    within: options.within,
  })
  const isAllowed = (vpath: VPath) => allow(vpath) && !leadsToTemp(vpath)
  const rules = createPathRules(jail, isAllowed, options.outer, caseless)
  const isCaseless = caseless !== undefined
  const tree: Tree = { volume, jail, rules, allow, isCaseless, fileMode, dirMode }
  return {
    ...readingOf(tree),
    ...changingOf(tree),
    allow: rules.allow,
    rootPath: () => rootOf(jail),
    place: (vpath) => guarded(vpath, () => placeOf(tree, vpath)),
    allowBelow: (vpath) => within(tree, vpath, ({ realPath }) => rules.below(vpath, realPath)),
    below: async ({ vpath, realPath: root }) => {
      const allowedHere = await rules.below(vpath, root)
      const allowBelow = (child: VPath) => allowedHere(rebase(vpath, child))
      return createScope({
        ...options,
        root,
        isRootReal: true,
        allow: allowBelow,
        caseless: caseless && { disks: caseless.disks, allow: allowBelow },
        outer: rules,
      })
    },
  }
}
