// What lies on the disk, and where it stands in the tree of a person.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import {
  may,
  namesOf,
  obeys,
  type Person,
  recordOver,
  type Verb,
  type World,
  within,
} from './model.ts'

/** An entry of the served folder, by its own place; `real` is where its content lies. */
interface Entry {
  place: string
  real: string
  isDir: boolean
  isLink: boolean
}
/** An entry of somebody's tree. */
export interface Spot extends Entry {
  path: string
  /** Where the name itself lies, the folders above it followed. */
  own: string
  /** The tree that it belongs to: the home or a folder at the top. */
  base: string
  at: string
}
export interface Shape {
  dirs: string[]
  files: string[]
  links: { at: string; to: string }[]
}

export const child = (folder: string, name: string) =>
  folder.endsWith('/') ? folder + name : `${folder}/${name}`
export const parentOf = (path: string) => dirname(path)
/** The further root. */
export const FURTHER = 'x'
/** Where the further root is on the host, beside the served folder. */
export const furtherOf = (root: string) => `${root}-${FURTHER}`
const hostOf = (root: string, place: string) =>
  place.startsWith('/') ? join(root, place) : join(furtherOf(root), place.slice(2))
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
/** `path`, which lies within `from`, with `to` in its place. */
export const moved = (path: string, from: string, to: string): string => {
  const rest = path.slice(from.length).replace(/^\//, '')
  return rest === '' ? to : child(to, rest)
}
export const tokenOf = (place: string) => `{{${place}}}`
export const tokensIn = (text: string): string[] => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort()

export function fill(root: string, { dirs, files, links }: Shape): void {
  for (const top of [root, furtherOf(root)])
    for (const name of readdirSync(top)) rmSync(join(top, name), { recursive: true })
  for (const dir of dirs) mkdirSync(hostOf(root, dir), { recursive: true })
  for (const file of files) writeFileSync(hostOf(root, file), tokenOf(file))
  for (const { at, to } of links) {
    const target = relative(dirname(hostOf(root, at)), hostOf(root, to)) || '.'
    symlinkSync(target, hostOf(root, at))
  }
  dropStrangeLinks(root)
}

/** Links that lead nowhere, out, around or to links are another test's. */
export function dropStrangeLinks(root: string): void {
  for (const { place } of everything(root)) {
    const host = hostOf(root, place)
    if (!lstatSync(host).isSymbolicLink()) continue
    const real = realOf(root, place)
    const isOdd =
      real === null || within(real, place) || entriesBelow(root, real).some(({ isLink }) => isLink)
    if (isOdd) rmSync(host)
  }
}

function realOf(root: string, place: string): string | null {
  try {
    const real = realpathSync(hostOf(root, place))
    if (within(furtherOf(root), real)) return moved(real, furtherOf(root), `${FURTHER}:/`)
    return within(root, real) ? moved(real, root, '/') : null
  } catch {
    return null
  }
}

/** All below a folder, links not followed; `all` has those that lead nowhere as well. */
export function entriesBelow(root: string, folder: string, all = false): Entry[] {
  const host = hostOf(root, folder)
  if (!lstatSync(host).isDirectory()) return []
  return readdirSync(host)
    .filter((name) => !name.startsWith('.fb-'))
    .sort()
    .flatMap((name): Entry[] => {
      const place = child(folder, name)
      const found = lstatSync(hostOf(root, place))
      const isLink = found.isSymbolicLink()
      const real = isLink ? realOf(root, place) : place
      if (real === null) return all ? [{ place, real: '', isDir: false, isLink }] : []
      const isDir = lstatSync(hostOf(root, real)).isDirectory()
      const entry = { place, real, isDir, isLink }
      return [entry, ...(isDir && !isLink ? entriesBelow(root, place, all) : [])]
    })
}

const everything = (root: string): Entry[] =>
  ['/', `${FURTHER}:/`].flatMap((top) => entriesBelow(root, top, true))

export const isThere = (root: string, place: string) => existsSync(hostOf(root, place))
export const textOf = (root: string, place: string) => readFileSync(hostOf(root, place), 'utf8')

export const snapshot = (root: string): string =>
  everything(root)
    .map(({ place, isDir, isLink, real }) =>
      [place, isLink ? real : isDir ? '' : textOf(root, place)].join(' '),
    )
    .join('\n')

export interface View {
  root: string
  world: World
  person: Person
  /** Everything in the tree, behind links as well, whether or not it may be seen. */
  spots: Spot[]
  /** Paths that folders at the top have, also those of missing ones. */
  tops: string[]
}

export function viewOf(root: string, world: World, person: Person): View {
  const names = namesOf(world, person)
  const tops = world.records.filter(
    ({ as, place, grants }) =>
      as &&
      grants.some(({ who, see }) => see && names.includes(who)) &&
      may(world, person, place, 'see') &&
      !(person.scope !== null && within(person.scope, place)),
  )
  const parts = tops.map(({ as, place }) => ({ at: `/${as}`, base: place }))
  const view: View = { root, world, person, spots: [], tops: parts.map(({ at }) => at) }
  // Without a home that is seen there is a top that only shows what stands there.
  const own = topSpot({ at: '/', base: person.scope ?? NO_HOME })
  const isHidden = person.scope !== null && tops.length > 0 && levelOf(view, own) === 'no'
  const home = { at: '/', base: isHidden ? NO_HOME : own.base }
  // What is not there keeps its name.
  const there = parts.filter(({ base }) => isFolder(root, base))
  view.spots = [home, ...there].flatMap((part) => {
    const top = topSpot(part)
    const below = part.base === NO_HOME ? [] : ownBelow(view, top)
    const behind = (spot: Spot) => (spot.isLink && spot.isDir ? ownBelow(view, spot) : [])
    return [top, ...below.flatMap((spot) => [spot, ...behind(spot)])]
  })
  return view
}

const topSpot = ({ at, base }: { at: string; base: string }): Spot => ({
  ...{ path: at, place: base, own: base, real: base, base, at },
  ...{ isDir: true, isLink: false },
})

/** In the place of a home for who has none. */
export const NO_HOME = 'none'

const isFolder = (root: string, place: string) =>
  isThere(root, place) && lstatSync(hostOf(root, place)).isDirectory()

// What a folder at the top has the name of is hidden.
function ownBelow({ root, tops }: View, spot: Spot): Spot[] {
  const below = entriesBelow(root, spot.real).map((entry) => ({
    ...entry,
    path: moved(entry.place, spot.real, spot.path),
    place: moved(entry.place, spot.real, spot.place),
    own: entry.place,
    base: spot.base,
    at: spot.at,
  }))
  return below.filter(({ path }) => spot.at !== '/' || !tops.some((top) => within(top, path)))
}

/** All below a spot, links on the way not followed; below the top what stands there, too. */
export function spotsBelow(view: View, spot: Spot): Spot[] {
  const own = spot.base === NO_HOME ? [] : ownBelow(view, spot)
  if (spot.path !== '/') return own
  const tops = view.spots.filter(({ path }) => view.tops.includes(path))
  return [...own, ...tops.flatMap((top) => [top, ...ownBelow(view, top)])]
}

/** What would be `name` in a folder, or below it. */
export const inside = (folder: Spot, name: string): Spot => {
  const real = child(folder.real, name)
  const path = child(folder.path, name)
  return { ...folder, path, place: child(folder.place, name), real, own: real, isLink: false }
}

/** Whether the verb is allowed by the text of the path and by where it leads. */
export function ok({ world, person }: View, spot: Spot, verb: Verb, real = spot.real): boolean {
  if (spot.base === NO_HOME) return verb === 'see' && spot.path === '/'
  if (!within(spot.base, real)) return false
  const paths = [spot.path, moved(real, spot.base, spot.at)]
  return (
    paths.every((path) => obeys(person, path)) &&
    [spot.place, real].every((place) => may(world, person, place, verb))
  )
}
/** The same of the entry itself, which a link is. */
export const okOwn = (view: View, spot: Spot, verb: Verb) =>
  ok(view, spot, verb, spot.own) && ok(view, spot, 'see')

/** `seen`, on the `way` to something seen, or `no`. */
export function levelOf(view: View, spot: Spot): 'seen' | 'way' | 'no' {
  if (ok(view, spot, 'see')) return 'seen'
  const { world, person } = view
  // A link to a mere way leads nowhere.
  if (!spot.isDir || spot.isLink || !within(spot.base, spot.real)) return 'no'
  const paths = [spot.path, moved(spot.real, spot.base, spot.at)]
  if (!paths.every((path) => obeys(person, path))) return 'no'
  const isOnWay = (place: string) =>
    may(world, person, place, 'see') ||
    world.records.some(
      (record) =>
        record.place !== place &&
        within(place, record.place) &&
        may(world, person, record.place, 'see'),
    )
  return [spot.place, spot.real].every(isOnWay) ? 'way' : 'no'
}

export const governs = ({ world, person }: View, place: string) => recordOver(world, person, place)
export { nameOf }
