// What lies on the disk, and where it stands in the tree of a person.
import {
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
  folder === '/' ? `/${name}` : `${folder}/${name}`
export const parentOf = (path: string) => dirname(path)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
/** `path`, which lies within `from`, with `to` in its place. */
export const moved = (path: string, from: string, to: string): string => {
  const rest = from === '/' ? path : path.slice(from.length)
  return to === '/' ? rest || '/' : rest === '/' ? to : to + rest
}
export const tokenOf = (place: string) => `{{${place}}}`
export const tokensIn = (text: string): string[] => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort()

export function fill(root: string, { dirs, files, links }: Shape): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  for (const dir of dirs) mkdirSync(join(root, dir), { recursive: true })
  for (const file of files) writeFileSync(join(root, file), tokenOf(file))
  for (const { at, to } of links) {
    const target = relative(join(root, dirname(at)), join(root, to)) || '.'
    symlinkSync(target, join(root, at))
  }
  dropStrangeLinks(root)
}

/** Links that lead nowhere, out, around or to links are another test's. */
export function dropStrangeLinks(root: string): void {
  for (const { place } of entriesBelow(root, '/', true)) {
    const host = join(root, place)
    if (!lstatSync(host).isSymbolicLink()) continue
    const real = realOf(root, place)
    const isOdd =
      real === null || within(real, place) || entriesBelow(root, real).some(({ isLink }) => isLink)
    if (isOdd) rmSync(host)
  }
}

function realOf(root: string, place: string): string | null {
  try {
    const real = realpathSync(join(root, place))
    return within(root, real) ? real.slice(root.length) || '/' : null
  } catch {
    return null
  }
}

/** All below a folder, links not followed; `all` has those that lead nowhere as well. */
export function entriesBelow(root: string, folder: string, all = false): Entry[] {
  const host = join(root, folder)
  if (!lstatSync(host).isDirectory()) return []
  return readdirSync(host)
    .filter((name) => !name.startsWith('.fb-'))
    .sort()
    .flatMap((name): Entry[] => {
      const place = child(folder, name)
      const found = lstatSync(join(root, place))
      const isLink = found.isSymbolicLink()
      const real = isLink ? realOf(root, place) : place
      if (real === null) return all ? [{ place, real: '', isDir: false, isLink }] : []
      const isDir = lstatSync(join(root, real)).isDirectory()
      const entry = { place, real, isDir, isLink }
      return [entry, ...(isDir && !isLink ? entriesBelow(root, place, all) : [])]
    })
}

export const snapshot = (root: string): string =>
  entriesBelow(root, '/', true)
    .map(({ place, isDir, isLink, real }) =>
      [place, isLink ? real : isDir ? '' : readFileSync(join(root, place), 'utf8')].join(' '),
    )
    .join('\n')

export interface View {
  root: string
  world: World
  person: Person
  /** Everything in the tree, behind links as well, whether or not it may be seen. */
  spots: Spot[]
  tops: string[]
}

export function viewOf(root: string, world: World, person: Person): View {
  const names = namesOf(world, person)
  const tops = world.records.filter(
    ({ as, place, grants }) =>
      as &&
      grants.some(({ who, see }) => see && names.includes(who)) &&
      !(person.scope !== null && within(person.scope, place)) &&
      isFolder(root, place),
  )
  const parts = tops.map(({ as, place }) => ({ at: `/${as}`, base: place }))
  if (person.scope !== null) parts.unshift({ at: '/', base: person.scope })
  const spots = parts.flatMap(({ at, base }): Spot[] => {
    const top: Spot = {
      path: at,
      place: base,
      own: base,
      real: base,
      isDir: true,
      isLink: false,
      base,
      at,
    }
    const below = entriesBelow(root, base).flatMap((entry): Spot[] => {
      const spot = { ...entry, path: moved(entry.place, base, at), own: entry.place, base, at }
      return [spot, ...(entry.isLink && entry.isDir ? spotsBelow(root, spot) : [])]
    })
    return [top, ...below]
  })
  return {
    root,
    world,
    person,
    spots,
    tops: parts.filter(({ at }) => at !== '/').map(({ at }) => at),
  }
}

const isFolder = (root: string, place: string) =>
  lstatSync(join(root, place), { throwIfNoEntry: false })?.isDirectory() ?? false

/** All below a spot, links on the way not followed. */
export function spotsBelow(root: string, spot: Spot): Spot[] {
  return entriesBelow(root, spot.real).map((entry) => ({
    ...entry,
    path: moved(entry.place, spot.real, spot.path),
    place: moved(entry.place, spot.real, spot.place),
    own: entry.place,
    base: spot.base,
    at: spot.at,
  }))
}

/** What would be `name` in a folder, or below it. */
export const inside = (folder: Spot, name: string): Spot => {
  const real = child(folder.real, name)
  const path = child(folder.path, name)
  return { ...folder, path, place: child(folder.place, name), real, own: real, isLink: false }
}

/** Whether the verb is allowed by the text of the path and by where it leads. */
export function ok({ world, person }: View, spot: Spot, verb: Verb, real = spot.real): boolean {
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
  if (!spot.isDir || !within(spot.base, spot.real)) return 'no'
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
