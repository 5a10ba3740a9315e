// One user's tree: the only door to content. Every call names a virtual path, meets the rules first and
// is then confined by the jail (see jail.ts for what may happen between check and use).
import type { FolderRights } from '../../api-types.ts'
import { rightsBy } from '../../lib/verbs.ts'
import { ROOT, rebase, type VPath } from '../../lib/vpath.ts'
import { leadsToReserved } from '../volume/reserved-name.ts'
import type { Volume } from '../volume/volume.ts'
import { type Changing, changingOf, type TempOptions } from './changing.ts'
import type { OpenFile } from './folder-reader.ts'
import { createJail, forgetRoot, type Place, rootOf } from './jail.ts'
import {
  type CaselessRules,
  createPathRules,
  type May,
  type PathRules,
  type PlaceRights,
} from './path-rules.ts'
import { type Identity, type Reading, readingOf } from './reading.ts'
import { type At, guarded, placeOf, type Tree, withEntry, within } from './tree.ts'

export type { At, Identity, OpenFile, Place, TempOptions }

export interface ScopeOptions {
  volume: Volume
  /** Host path of the tree's root. */
  root: string
  /** The root is a place that has been located in another tree: it is not resolved again. */
  isRootReal?: boolean
  /** Host folder the root must lie in unless external links are followed, see JailOptions. */
  within?: string | undefined
  /** What the account may do at a path by its text: rules, hidden names, records of folders and permissions. Walkers prune with it. */
  may: May
  /** What records of folders say, for accounts of whom any speaks. */
  rights?: PlaceRights | undefined
  followExternalSymlinks: boolean
  /** Id of the account whose tree it is; what it replaces is kept as replaced by it. */
  owner?: number
  /** Permission bits for new files and folders, before umask. */
  fileMode: number
  dirMode: number
  /** Where disks without case are met, and what holds there; without it they are like others. */
  caseless?: CaselessRules | undefined
  /** Rules of the tree that this one was cut out of, see Scope.below. */
  outer?: PathRules | undefined
  /** Where the tree stands in that of an account, see joined.ts; all its paths begin with it. */
  base?: VPath | undefined
  /** The root lies in a folder of the server's own, where no other tree may be. */
  isKept?: boolean | undefined
  /** Throws `not_mounted` while the root is not the folder it should be. */
  requirePresent?: (() => Promise<void>) | undefined
}

export interface Scope extends Reading, Changing {
  /** By the text of a path alone; calls that act ask by the real place as well. */
  may: May
  /** Real path on the host of the root that a path belongs to. Never shown to clients. */
  rootPath(vpath: VPath): Promise<string>
  /** True for where a tree begins: that can be neither moved, replaced nor removed. */
  isTop(vpath: VPath): boolean
  /**
   * Resolves a path, links followed; of a missing entry the place it would get. `forbidden` where it
   * leads out of the scope or a rule denies it. To be disposed of.
   */
  place(vpath: VPath): Promise<Place>
  /**
   * The test for a path and everything below, by requested and real path; for trees that are changed as a whole. With
   * `itself` a link is judged where it lies and not where it leads.
   */
  mayBelow(at: At, options?: { itself: boolean }): Promise<May>
  /** What may be done at a place, where records of folders speak of the account; else undefined. */
  rightsAt(place: Place): Promise<FolderRights | undefined>
  /**
   * False where no record says anything else of what lies below an entry than is said of its path. Through a link the
   * place may have other rights than the path, so that it is true.
   */
  differsBelow(vpath: VPath): Promise<boolean>
  /** The tree below a place as one of its own, under the same rules. */
  below(place: Place): Promise<Scope>
}

/** Builds a scope. Touches the disk on first use only. */
export function createScope(options: ScopeOptions): Scope {
  const { may, rights, caseless, volume, fileMode, dirMode } = options
  const jail = createJail(volume, options.root, {
    follows: options.followExternalSymlinks,
    isReal: options.isRootReal,
    within: options.within,
    base: options.base,
    requirePresent: options.requirePresent,
  })
  const shown: May = (vpath, verb) => may(vpath, verb) && !leadsToReserved(vpath)
  const rules = createPathRules(jail, shown, options.outer, caseless, rights)
  const owner = options.owner ?? null
  const { isKept = false } = options
  const tree: Tree = {
    volume,
    jail,
    rules,
    may,
    rights,
    isCaseless: () => caseless?.disks.any() ?? false,
    isKept,
    owner,
    fileMode,
    dirMode,
  }
  return {
    ...readingOf(tree),
    ...changingOf(tree),
    may: rules.may,
    rootPath: async () => {
      await options.requirePresent?.()
      forgetRoot(jail)
      return rootOf(jail)
    },
    isTop: (vpath) => vpath === jail.base,
    place: (vpath) => guarded(vpath, () => placeOf(tree, vpath)),
    mayBelow: (at, { itself } = { itself: false }) => {
      const below = ({ vpath, realPath }: Place) => rules.below(vpath, realPath)
      return itself && typeof at === 'string' ? withEntry(tree, at, below) : within(tree, at, below)
    },
    rightsAt: async (place) => {
      if (!rights) return undefined
      const test = await rules.below(place.vpath, place.realPath)
      const { see: _, ...allowed } = rightsBy((verb) => test(place.vpath, verb))
      return allowed
    },
    differsBelow: async (vpath) => {
      if (!rights || rights.differsBelow(vpath)) return rights !== undefined
      return withEntry(tree, vpath, async ({ realPath }) => !rights.isPlain(vpath, realPath))
    },
    below: async ({ vpath, realPath: root }) => {
      const mayHere = await rules.below(vpath, root)
      const mayBelow: May = (child, verb) => mayHere(rebase(vpath, child), verb)
      return createScope({
        ...options,
        root,
        isRootReal: true,
        base: ROOT,
        may: mayBelow,
        rights: rights && rightsBelow(rights, vpath),
        caseless: caseless && { disks: caseless.disks, may: mayBelow },
        outer: rules,
      })
    },
  }
}

// All paths of the tree below begin at the folder that it was cut out at.
function rightsBelow(rights: PlaceRights, top: VPath): PlaceRights {
  const outside = (vpath: VPath) => rebase(top, vpath)
  return {
    may: (vpath, verb) => rights.may(outside(vpath), verb),
    at: rights.at,
    isPlain: (vpath, realPath) => rights.isPlain(outside(vpath), realPath),
    recordsAt: (vpath, realPath) => rights.recordsAt(outside(vpath), realPath),
    differsBelow: (vpath) => rights.differsBelow(outside(vpath)),
  }
}
