// Which records of folders speak of an account, and what they say of the paths of its tree.
import { join } from 'node:path'
import type { Permissions } from '../api-types.ts'
import type { Config } from '../config/config.ts'
import type { EntryStats } from '../files/disks/stat-many.ts'
import { vpathIn } from '../files/place/jail.ts'
import type { May, PlaceRights } from '../files/place/path-rules.ts'
import type { Volume } from '../files/volume/volume.ts'
import { AppError } from '../lib/errors.ts'
import { memo } from '../lib/memo.ts'
import { formatPlace, type PlaceText, placeBelow, splitPlace } from '../lib/places.ts'
import { BITS } from '../lib/verbs.ts'
import { ROOT, rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import { groupsOf } from '../store/access/groups.ts'
import { FOLDERS, MEMBERSHIPS } from '../store/collections.ts'
import type { User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { foldName } from './rules.ts'
import { compileFolders, type Rights, rightsIn } from './verdict.ts'

/** An account, or what a token may see of one. */
export interface TreeUser extends User {
  /** All that is seen; the whole tree without it. */
  folder?: VPath
  /** What may be done at most, whatever records of folders say. */
  atMost?: Permissions
}

/** What all records say: another object after each change of them, or of who is in which group. */
export interface Folders {
  /**
   * What they say to an account; null when none speaks of it, of its groups or of everyone. `folded`: where a disk
   * ignores case.
   */
  rightsOf(user: TreeUser, spelling: 'exact' | 'folded'): Rights | null
}

/** The records as they are now. */
export function foldersOf(store: Store): Folders {
  return current(store)()
}

// Nobody hears of a change before this does: whoever asks has been here before.
const current = memo((store: Store) => {
  let folders: Folders | undefined
  store.subscribe((changes) => {
    if (changes.before(FOLDERS).size + changes.before(MEMBERSHIPS).size > 0) folders = undefined
  })
  return () => (folders ??= compile(store))
})

function compile(store: Store): Folders {
  if (store.count(FOLDERS) === 0) return { rightsOf: () => null }
  const folders = store.all(FOLDERS)
  const by = (spell: (text: string) => string) => {
    const tree = compileFolders(folders, spell)
    return memo((user: TreeUser) => {
      const groups = groupsOf(store, user.id).map(({ id }) => id)
      return rightsIn(tree, { id: user.id, groups, perm: user.perm, atMost: user.atMost })
    })
  }
  const made: Partial<Record<string, (user: TreeUser) => Rights | null>> = {}
  return {
    rightsOf: (user, spelling) => {
      made[spelling] ??= by(spelling === 'folded' ? foldName : (text) => text)
      return made[spelling](user)
    },
  }
}

export interface TreeHost {
  config: Config
  volume: Volume
}

/** A served folder, as the host names it. */
interface ServedRoot {
  name: string
  path: string
}

/** The further ones, and the one without a name. */
function servedRoots({ root }: Config): ServedRoot[] {
  return [{ name: '', path: root }]
}

/** Names of roots; that of the served folder is empty. */
export function rootNames(config: Config): string[] {
  return servedRoots(config).map(({ name }) => name)
}

function hostPathOf(config: Config, place: PlaceText): string {
  const { root, vpath } = splitPlace(place)
  const path = servedRoots(config).find(({ name }) => name === root)?.path
  if (path === undefined) throw new AppError('not_found', `there is no root ${root}`)
  return vpath === ROOT ? path : join(path, vpath)
}

/** What is at places, links followed; null where nothing is or it cannot be told. */
export function statPlaces(
  { config, volume }: TreeHost,
  places: readonly PlaceText[],
  signal: AbortSignal,
): Promise<EntryStats[]> {
  return volume.statPaths(
    places.map((place) => hostPathOf(config, place)),
    signal,
  )
}

/** The place of a real path of the host; null outside of the served folders. */
async function placeOfReal(
  { config, volume }: TreeHost,
  realPath: string,
): Promise<PlaceText | null> {
  for (const { name, path } of servedRoots(config)) {
    const vpath = vpathIn(await volume.realpath(path).catch(() => path), realPath)
    if (vpath !== null) return formatPlace({ root: name, vpath })
  }
  return null
}

/** What the set of verbs that records allow becomes, for callers that ask otherwise. */
export type Adapt = (bits: number) => number

/** The rights of an account in a tree that begins at `base`. `adapt` is applied to all. */
export function placeRights(
  services: TreeHost,
  rights: Rights,
  base: PlaceText,
  adapt: Adapt,
): PlaceRights {
  const readFrom = (place: PlaceText): May => {
    const read = rights.below(place)
    return (vpath, verb) => (adapt(read(vpath)) & BITS[verb]) !== 0
  }
  return {
    may: readFrom(base),
    at: async (realPath) => {
      const place = await placeOfReal(services, realPath)
      return place === null ? () => true : readFrom(place)
    },
    isPlain: (vpath, realPath) => realPath === hostPathOf(services.config, placeBelow(base, vpath)),
    recordsAt: async (vpath, realPath) => {
      const real = await placeOfReal(services, realPath)
      return [rights.recordOf(placeBelow(base, vpath)), real && rights.recordOf(real)]
    },
    differsBelow: (vpath) => rights.differsBelow(placeBelow(base, vpath)),
  }
}

/** The place of a path of an account's tree. */
export function placeInTree(user: { scope: string }, vpath: VPath): PlaceText {
  return formatPlace({ root: '', vpath: rebase(vpathOf(user.scope), vpath) })
}

/** The place to which a path of an account's tree leads; null where nothing is there, or what no root holds. */
export async function realPlaceOf(
  services: TreeHost,
  user: { scope: string },
  vpath: VPath,
): Promise<PlaceText | null> {
  const host = hostPathOf(services.config, placeInTree(user, vpath))
  const realPath = await services.volume.realpath(host).catch(() => null)
  return realPath === null ? null : placeOfReal(services, realPath)
}
