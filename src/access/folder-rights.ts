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
import { compareBytes } from '../lib/name-order.ts'
import {
  formatPlace,
  isPlaceWithin,
  type PlaceText,
  pathBelow,
  placeBelow,
  splitPlace,
} from '../lib/places.ts'
import { BITS } from '../lib/verbs.ts'
import { joinVPath, ROOT, rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import { type Folder, parseWho } from '../store/access/folder-record.ts'
import { groupsOf, homeOf } from '../store/access/groups.ts'
import type { Changes } from '../store/collection.ts'
import { FOLDERS, HOMES, MEMBERSHIPS } from '../store/collections.ts'
import type { User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { loadUsers, userPieces } from '../store/users.ts'
import { foldName } from './rules.ts'
import { compileFolders, type FolderTree, type Rights, rightsIn, withChanges } from './verdict.ts'

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
  /** False for an account that sees nothing but the folders given to it. */
  hasHome(user: User): boolean
  /** The folders that stand at the top of an account's tree beside its home, by name; not those that the home holds. */
  topsOf(user: User): ReadonlyMap<string, PlaceText>
}

/** The most folders that stand at the top of one tree. */
const MAX_TOPS = 64
/** Entries of homes that are looked for when administrators ask what is hidden. */
const MAX_ASKED = 1_000
const NO_TOPS: ReadonlyMap<string, PlaceText> = new Map()

/** The records as they are now. */
export function foldersOf(store: Store): Folders {
  return current(store)()
}

// By the number of changes: what was made of records in a transaction that failed does not stay.
const current = memo((store: Store) => {
  let made: { folders: Folders; compiled: Compiled; steps: number } | undefined
  return () => {
    const steps = store.stepsOf(FOLDERS) + store.stepsOf(MEMBERSHIPS) + store.stepsOf(HOMES)
    if (made?.steps !== steps) {
      const compiled = { records: store.all(FOLDERS), trees: {} }
      made = { folders: compile(store, compiled, made?.compiled), compiled, steps }
    }
    return made.folders
  }
})

/** Records, and what was made of them for those who asked. */
interface Compiled {
  records: readonly Folder[]
  trees: { exact?: FolderTree; folded?: FolderTree }
}

function compile(store: Store, { records, trees }: Compiled, before?: Compiled): Folders {
  const hasHome = ({ id }: User) => homeOf(store, id).home
  if (records.length === 0) return { rightsOf: () => null, hasHome, topsOf: () => NO_TOPS }
  const by = (spelling: 'exact' | 'folded') => {
    const earlier = before?.trees[spelling]
    const spell = spelling === 'folded' ? foldName : (text: string) => text
    const tree = earlier
      ? withChanges(earlier, before.records, records)
      : compileFolders(records, spell)
    trees[spelling] = tree
    return memo((user: TreeUser) => {
      const groups = groupsOf(store, user.id).map(({ id }) => id)
      return rightsIn(tree, { id: user.id, groups, perm: user.perm, atMost: user.atMost })
    })
  }
  const made: Partial<Record<string, (user: TreeUser) => Rights | null>> = {}
  const rightsOf: Folders['rightsOf'] = (user, spelling) => {
    made[spelling] ??= by(spelling)
    return made[spelling](user)
  }
  const topsOf = memo((user: User) => {
    const tops = rightsOf(user, 'exact')?.tops() ?? NO_TOPS
    const home = hasHome(user) ? placeInTree(user, ROOT) : null
    const shown = [...tops].filter(([, place]) => home === null || !isPlaceWithin(home, place))
    return new Map(shown.sort(([a], [b]) => compareBytes(a, b)).slice(0, MAX_TOPS))
  })
  return { rightsOf, hasHome, topsOf }
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
function servedRoots({ root, roots }: Config): ServedRoot[] {
  const further = Object.entries(roots).map(([name, path]) => ({ name, path }))
  return [{ name: '', path: root }, ...further]
}

/** Names of roots; that of the served folder is empty. */
export function rootNames(config: Config): string[] {
  return servedRoots(config).map(({ name }) => name)
}

/** Where a place is on the host. Throws `not_found` for a root that the server was not given. */
export function hostPathOf(config: Config, place: PlaceText): string {
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
export async function placeOfReal(
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

/**
 * The rights of an account in a tree that begins at the place `base`, and stands at `top` in that of the account.
 * `adapt` is applied to all.
 */
export function placeRights(
  services: TreeHost,
  rights: Rights,
  { base, top, adapt }: { base: PlaceText; top: VPath; adapt: Adapt },
): PlaceRights {
  const inside = (vpath: VPath) => (top === ROOT ? vpath : vpath.slice(top.length) || ROOT) as VPath
  const placeAt = (vpath: VPath) => placeBelow(base, inside(vpath))
  const readFrom = (place: PlaceText): May => {
    const read = rights.below(place)
    return (vpath, verb) => (adapt(read(vpath)) & BITS[verb]) !== 0
  }
  const mayBelow = readFrom(base)
  return {
    may: top === ROOT ? mayBelow : (vpath, verb) => mayBelow(inside(vpath), verb),
    at: async (realPath) => {
      const place = await placeOfReal(services, realPath)
      return place === null ? () => true : readFrom(place)
    },
    isPlain: (vpath, realPath) => realPath === hostPathOf(services.config, placeAt(vpath)),
    recordsAt: async (vpath, realPath) => {
      const real = await placeOfReal(services, realPath)
      return [rights.recordOf(placeAt(vpath)), real && rights.recordOf(real)]
    },
    differsBelow: (vpath) => rights.differsBelow(placeAt(vpath)),
  }
}

/** Where a path of an account's tree is; `top` is the folder at the top that leads there, null in the home. */
export function placeOf(
  { store }: { store: Store },
  user: User,
  vpath: VPath,
): { place: PlaceText; top: PlaceText | null } {
  const tops = foldersOf(store).topsOf(user)
  const end = vpath.indexOf('/', 1)
  const top = tops.size > 0 ? tops.get(vpath.slice(1, end < 0 ? undefined : end)) : undefined
  if (top === undefined) return { place: placeInTree(user, vpath), top: null }
  return { place: end < 0 ? top : placeBelow(top, vpath.slice(end) as VPath), top }
}

/** The path by which a place stands in the tree of an account; null where it is no part of that. */
export function pathOf({ store }: { store: Store }, user: User, place: PlaceText): VPath | null {
  const folders = foldersOf(store)
  const below = (top: VPath, base: PlaceText) => rebase(top, pathBelow(base, place))
  const home = placeInTree(user, ROOT)
  if (folders.hasHome(user) && isPlaceWithin(home, place)) return below(ROOT, home)
  for (const [name, top] of folders.topsOf(user))
    if (isPlaceWithin(top, place)) return below(joinVPath(ROOT, name), top)
  return null
}

/** Whom names of grants mean, by numbers of accounts and of groups. */
export interface Named {
  users: number[]
  groups: number[]
}

/** Those to whom records that have changed say something, or have said it. */
export function toldByRecords(store: Store, changes: Changes): Named | 'everyone' {
  const names = new Set<string>()
  for (const [place, was] of changes.before(FOLDERS))
    for (const folder of [was, store.get(FOLDERS, place)])
      for (const { who } of folder?.grants ?? []) names.add(who)
  if (names.has('everyone')) return 'everyone'
  return meant(names)
}

/** Who is meant by names of grants but `everyone`. */
function meant(names: Iterable<string>): Named {
  const all = [...names].flatMap((name) => parseWho(name) ?? [])
  const idsOf = (wanted: string) =>
    all.flatMap((who) => (who.kind === wanted && who.kind !== 'everyone' ? who.id : []))
  return { users: idsOf('user'), groups: idsOf('group') }
}

/** Who has an entry in the home that a folder at the top hides, by the place of that folder. */
export async function hiddenBy(
  { config, store, volume }: TreeHost & { store: Store },
  signal: AbortSignal,
): Promise<ReadonlyMap<PlaceText, string[]>> {
  const asked: { place: PlaceText; username: string; path: string }[] = []
  for await (const users of withTops(store)) {
    const folders = foldersOf(store)
    for (const user of users) {
      if (asked.length >= MAX_ASKED || !folders.hasHome(user)) continue
      const home = placeInTree(user, ROOT)
      for (const [name, place] of folders.topsOf(user)) {
        const path = hostPathOf(config, placeBelow(home, joinVPath(ROOT, name)))
        asked.push({ place, username: user.username, path })
      }
    }
    if (asked.length >= MAX_ASKED) break
  }
  const paths = asked.map(({ path }) => path)
  const found = await volume.statPaths(paths, signal)
  const hidden = new Map<PlaceText, string[]>()
  for (const [i, { place, username }] of asked.entries())
    if (found[i]) hidden.set(place, [...(hidden.get(place) ?? []), username])
  return hidden
}

/** Those at whose top a folder may stand. */
async function* withTops(store: Store): AsyncGenerator<readonly User[]> {
  const atTop = store.all(FOLDERS).filter(({ as }) => as !== '')
  const names = new Set(atTop.flatMap(({ grants }) => grants.map(({ who }) => who)))
  if (names.has('everyone')) return yield* userPieces(store)
  const { users, groups } = meant(names)
  const ids = new Set(users)
  for (const id of groups)
    for (const { userID } of await store.large.find(MEMBERSHIPS, 'groupID', id)) ids.add(userID)
  yield await loadUsers(store, ids)
}

/** The place of a path of an account's home. */
export function placeInTree(user: { scope: string }, vpath: VPath): PlaceText {
  // Asked several times for each request, and most homes are the whole tree.
  const home = user.scope === ROOT ? ROOT : vpathOf(user.scope)
  return formatPlace({ root: '', vpath: rebase(home, vpath) })
}

/** The place to which a path of an account's tree leads; null where nothing is there, or what no root holds. */
export async function realPlaceOf(
  services: TreeHost & { store: Store },
  user: User,
  vpath: VPath,
): Promise<PlaceText | null> {
  const host = hostPathOf(services.config, placeOf(services, user, vpath).place)
  const realPath = await services.volume.realpath(host).catch(() => null)
  return realPath === null ? null : placeOfReal(services, realPath)
}
