// What people do in their trees by HTTP, and what the model expects of it.
import { namesOf, obeys, VERBS, within } from './model.ts'
import {
  child,
  governs,
  inside,
  isThere,
  levelOf,
  moved,
  NO_HOME,
  nameOf,
  ok,
  okOwn,
  parentOf,
  type Spot,
  snapshot,
  spotsBelow,
  textOf,
  tokenOf,
  tokensIn,
  type View,
} from './trees.ts'

export interface Answer {
  status: number
  text: string
}
/** Asks as the person of the case, or as the administrator. */
export type Ask = (
  method: string,
  path: string,
  body?: string,
  isAdmin?: boolean,
) => Promise<Answer>

export const ACTS = ['create', 'folder', 'replace', 'save', 'delete', 'move', 'copy'] as const
export interface Act {
  kind: (typeof ACTS)[number]
  from: number
  to: number
}
/** Told when the server did something else than the model. */
export class Disagreement extends Error {}

const isDone = ({ status }: Answer) => status === 200 || status === 201 || status === 204
export const pick = <T>(list: T[], at: number): T | undefined => list[at % list.length]
/** Links and what stands at the top are rare, and taken as often as all others. */
export function likely(spots: Spot[]): Spot[] {
  const rare = spots.filter(({ isLink, at }) => isLink || at !== '/')
  const times = rare.length === 0 ? 0 : Math.ceil(spots.length / rare.length)
  return [...spots, ...Array.from({ length: times }, () => rare).flat()]
}

function agree(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Disagreement(`${what}: the server ${a}, the model ${b}`)
}

/** All of a spot: itself and what lies below. */
const whole = (view: View, spot: Spot): Spot[] =>
  spot.isDir && !spot.isLink ? [spot, ...spotsBelow(view, spot)] : [spot]
/** The same as it is moved or removed: links in it go by where they stand, not by where they lead. */
const moving = (view: View, spot: Spot): Spot[] =>
  whole(view, spot).map((entry) =>
    entry.path === spot.path ? entry : { ...entry, real: entry.own },
  )
/** The same with links followed, as copies and archives take it. */
const followed = (view: View, spot: Spot): Spot[] => {
  if (!spot.isDir) return [spot]
  const below = spotsBelow(view, spot)
  return [spot, ...below.flatMap((entry) => (entry.isLink ? followed(view, entry) : [entry]))]
}

/** The spot in the place that it would have in another folder. */
const carried = (spot: Spot, from: Spot, to: Spot): Spot => ({
  ...spot,
  path: moved(spot.path, from.path, to.path),
  place: moved(spot.path, from.path, to.place),
  real: moved(spot.path, from.path, to.real),
  own: moved(spot.path, from.path, to.real),
  base: to.base,
  at: to.at,
})

function mayMove(view: View, source: Spot, target: Spot): boolean {
  // By the text of both paths, and by where links on the way have led.
  const hasOneRecord =
    source.at === target.at &&
    governs(view, source.place) === governs(view, target.place) &&
    governs(view, source.own) === governs(view, target.own)
  return moving(view, source).every((spot) => {
    const there = carried(spot, source, target)
    // A record that waits there for what is missing is another one; those of the source come along.
    const isOther = within(target.own, governs(view, there.own) ?? '')
    return hasOneRecord && !isOther
      ? okOwn(view, spot, 'rename') && ok(view, there, 'rename')
      : // To another tree a link is moved by a copy of what it leads to.
        (source.at === target.at ? okOwn : ok)(view, spot, 'download') &&
          okOwn(view, spot, 'delete') &&
          ok(view, there, 'create')
  })
}

function mayCopy(view: View, source: Spot, target: Spot): boolean {
  const names = namesOf(view.world, view.person)
  const isSpokenOf = view.world.records.some(({ grants }) =>
    grants.some(({ who }) => names.includes(who)),
  )
  return followed(view, source).every(
    (spot) =>
      ok(view, spot, isSpokenOf ? 'download' : 'see') &&
      ok(view, carried(spot, source, target), 'create'),
  )
}

/** A name that is not taken there; some of them have records. */
const free = (view: View, folder: Spot, at: number): Spot | undefined =>
  (at % 2 ? ['a', 'b', 'new'] : ['new'])
    .map((name) => inside(folder, name))
    .find(({ path, real }) => !view.tops.includes(path) && !isThere(view.root, real))

interface Plan {
  method: string
  path: string
  allowed: boolean
  seen: string
  hasLinks?: boolean
}

/** One act: what it asks for, and whether the model allows it. Null where it has no object. */
function plan(view: View, { kind, from, to }: Act): Plan | null {
  const isTop = (path: string) => view.tops.includes(path)
  const folders = likely(view.spots.filter(({ isDir }) => isDir))
  const files = likely(view.spots.filter(({ isDir }) => !isDir))
  const loose = likely(view.spots.filter(({ path }) => path !== '/'))
  const folder = pick(folders, to)
  const file = pick(files, from)
  const source = pick(loose, from)
  // Where only folders at the top stand, the top is no place.
  if (kind === 'create' || kind === 'folder') {
    if (!folder) return null
    const target = free(view, folder, to)
    if (!target) return null
    const path = kind === 'folder' ? `${target.path}/` : target.path
    return {
      method: 'POST',
      path,
      allowed: ok(view, target, 'create'),
      seen: levelOf(view, target),
    }
  }
  if (kind === 'replace' || kind === 'save') {
    if (!file) return null
    const verbs = kind === 'save' ? (['modify'] as const) : (['create', 'modify'] as const)
    const method = kind === 'save' ? 'PUT' : 'POST'
    const path = kind === 'save' ? file.path : `${file.path}?override=true`
    return {
      method,
      path,
      allowed: verbs.every((verb) => ok(view, file, verb)),
      seen: levelOf(view, file),
    }
  }
  if (!source) return null
  // What becomes of somebody whose home goes is another test's.
  if (kind !== 'copy' && within(source.own, view.person.scope ?? NO_HOME)) return null
  // Links in it that lead out of the tree are refused where anything has to be asked of each entry, else not looked at.
  const leadsOut = whole(view, source).some(
    ({ path, base, real }) => path !== source.path && !within(base, real),
  )
  if (leadsOut) return null
  if (kind === 'delete') {
    const allowed =
      !isTop(source.path) && moving(view, source).every((spot) => okOwn(view, spot, 'delete'))
    return { method: 'DELETE', path: source.path, allowed, seen: levelOf(view, source) }
  }
  if (!folder) return null
  const target = free(view, folder, from + to)
  if (!target) return null
  const isBelow = [source.path, source.own, source.real].some((path, i) =>
    `${[target.path, target.own, target.real][i]}/`.startsWith(`${path}/`),
  )
  // Copies into what a link of the source leads to have no end.
  const isInLink = followed(view, source).some(({ real }) => within(real, target.real))
  const isDenied = !obeys(view.person, folder.path) || !obeys(view.person, folder.real)
  if (isBelow || isInLink || isDenied) return null
  const action = kind === 'copy' ? 'copy' : 'rename'
  const path = `${source.path}?action=${action}&destination=${target.path}`
  const allowed =
    kind === 'copy'
      ? mayCopy(view, source, target)
      : !isTop(source.path) && mayMove(view, source, target)
  const hasLinks = whole(view, source).some(({ isLink }) => isLink)
  return { method: 'PATCH', path, allowed, hasLinks, seen: levelOf(view, source) }
}

/** Does it, or is refused; null where there is nothing that it could be done to. */
export async function act(view: View, ask: Ask, what: Act): Promise<'done' | 'refused' | null> {
  const planned = plan(view, what)
  if (!planned) return null
  const { method, path, allowed, seen } = planned
  const before = snapshot(view.root)
  const answer = await ask(
    method,
    `/api/resources${path}`,
    method === 'PATCH' ? undefined : tokenOf('new'),
  )
  const after = snapshot(view.root)
  const told = `${method} ${path} (${answer.status})`
  agree(`${told} by user:${view.person.id} in\n${before}\n`, isDone(answer), allowed)
  // A copy may break off behind a link, and tells so.
  const mayBreakOff = what.kind === 'copy' && planned.hasLinks
  if (!isDone(answer) && !mayBreakOff) {
    agree(`${told} leaves the disk as it was`, after, before)
    agree(`${told} is refused`, answer.status, 403)
  }
  if (seen !== 'seen') agree(`${told} of what is not seen`, answer.status, 403)
  return isDone(answer) ? 'done' : 'refused'
}

/** The facts about a path: status and names of a folder, and the content of a file. */
export async function look(view: View, ask: Ask, spot: Spot): Promise<void> {
  const level = levelOf(view, spot)
  const told = `GET ${spot.path} (${level})`
  const found = await ask('GET', `/api/resources${spot.path}`)
  agree(told, found.status, level === 'no' ? 403 : 200)
  if (spot.isDir && level !== 'no') {
    const names = view.spots
      .filter(({ path }) => path !== '/' && parentOf(path) === spot.path)
      .filter((entry) => levelOf(view, entry) !== 'no')
      .map(({ path }) => nameOf(path))
    const listed = (JSON.parse(found.text).items as { name: string }[]).map(({ name }) => name)
    agree(`${told} lists`, listed.sort(), names.sort())
    const rights = JSON.parse(found.text).rights as Record<string, boolean> | undefined
    for (const verb of rights ? VERBS.slice(1) : [])
      agree(`${told} rights ${verb}`, rights?.[verb], ok(view, spot, verb))
  }
  if (!spot.isDir) {
    const allowed = ok(view, spot, 'download')
    const raw = await ask('GET', `/api/raw${spot.path}`)
    agree(
      `${told} raw (${raw.status})`,
      tokensIn(raw.text).length > 0 || raw.status === 200,
      allowed,
    )
    agree(`${told} content`, 'content' in (level === 'no' ? {} : JSON.parse(found.text)), allowed)
  }
}

/**
 * Archives leave out folders that rules deny with what they hold, each by its path and by where that leads, and those
 * that they are in already, as a home is in a folder at the top that holds all homes.
 */
function isOpenTo(view: View, top: Spot, { path }: Spot): boolean {
  const inside = [top.real]
  for (let above = path; above !== '/' && above !== top.path; above = parentOf(above)) {
    const spot = view.spots.find((one) => one.path === above)
    const real = spot ? moved(spot.real, spot.base, spot.at) : above
    if (![above, real].every((one) => obeys(view.person, one))) return false
    if (spot?.isDir) inside.push(spot.real)
  }
  return new Set(inside).size === inside.length
}

/** What archives of a folder hold, and what is found below it. */
export async function lookBelow(view: View, ask: Ask, spot: Spot): Promise<void> {
  const zip = await ask('GET', `/api/raw${spot.path}?algo=zip`)
  const files = followed(view, spot).filter(
    (entry) => !entry.isDir && ok(view, entry, 'download') && isOpenTo(view, spot, entry),
  )
  const isOpen = ok(view, spot, 'download')
  agree(
    `zip of ${spot.path} (${zip.status}) holds`,
    tokensIn(zip.text),
    isOpen ? contentOf(view, files) : [],
  )
  const below = spotsBelow(view, spot).filter((entry) => ok(view, entry, 'see'))
  const expected = below.map(({ path }) => path).sort()
  const search = await ask('GET', `/api/search${spot.path}?query=`)
  const hits = search.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).path as string)
  agree(`search in ${spot.path}`, hits.map((hit) => child(spot.path, hit)).sort(), expected)
}

const contentOf = (view: View, files: Spot[]) =>
  files.flatMap(({ real }) => tokensIn(textOf(view.root, real))).sort()

/** Shares a spot; gives the hash where that is allowed. */
export async function share(view: View, ask: Ask, spot: Spot): Promise<string | null> {
  const path = `${spot.path}${spot.isDir ? '/' : ''}`
  const answer = await ask('POST', `/api/share${path}`, '{}')
  const allowed = ok(view, spot, 'share') && ok(view, spot, 'download')
  agree(`share of ${spot.path} (${answer.status})`, isDone(answer), allowed)
  return allowed ? (JSON.parse(answer.text).hash as string) : null
}

const isStrictlyBetween = (top: string, path: string, below: string) =>
  path !== top && path !== below && within(top, path) && within(path, below)

/** What a visitor gets of a share by what its owner may do now. */
export async function visit(view: View, ask: Ask, spot: Spot, hash: string): Promise<void> {
  const open = (entry: Spot) =>
    within(spot.real, entry.real) && ok(view, entry, 'share') && ok(view, entry, 'download')
  // Visitors are shown no ways: of a folder that they are not given the archive has nothing, as the listing.
  const isComeTo = ({ path }: Spot) =>
    view.spots.every(
      (above) => !isStrictlyBetween(spot.path, above.path, path) || !above.isDir || open(above),
    )
  const files = followed(view, spot).filter(
    (entry) =>
      open(spot) && !entry.isDir && open(entry) && isComeTo(entry) && isOpenTo(view, spot, entry),
  )
  const sent = await ask('GET', `/api/public/dl/${hash}${spot.isDir ? '?algo=zip' : ''}`)
  agree(`visit of ${spot.path} (${sent.status}) gets`, tokensIn(sent.text), contentOf(view, files))
  const told = await ask('GET', `/api/public/share/${hash}`)
  agree(`visit of ${spot.path}`, told.status === 200, open(spot))
  if (!spot.isDir || !open(spot)) return
  const names = spotsBelow(view, spot)
    .filter((entry) => parentOf(entry.path) === spot.path && open(entry))
    .map(({ path }) => nameOf(path))
  const listed = (JSON.parse(told.text).items as { name: string }[]).map(({ name }) => name)
  agree(`visit of ${spot.path} lists`, listed.sort(), names.sort())
}

/** What the server says that decides, which is to be what happens. */
export async function explain(view: View, ask: Ask, spot: Spot): Promise<void> {
  // Of a home that is not seen what it says is not what the top of the tree shows.
  if (spot.base === NO_HOME && view.person.scope !== null) return
  const path = `/api/access?user=${view.person.id}&path=${spot.path}`
  const { verbs } = JSON.parse((await ask('GET', path, undefined, true)).text)
  for (const verb of VERBS)
    agree(`explain ${verb} of ${spot.path}`, verbs[verb].allowed, ok(view, spot, verb))
}
