// Who may what, written from the order of things in docs/rights.md alone: what the server does is compared with it.

export const VERBS = ['see', 'download', 'create', 'modify', 'rename', 'delete', 'share'] as const
export type Verb = (typeof VERBS)[number]
export type Bits = Partial<Record<Verb, boolean>>

export interface World {
  records: { place: string; as?: string; grants: ({ who: string } & Bits)[] }[]
  groups: { id: number; perm: Bits; members: number[] }[]
}
export interface Person {
  id: number
  perm: Bits
  /** Place of the home; null without one. */
  scope: string | null
  rules: { path: string; allow: boolean }[]
}

export const within = (above: string, place: string): boolean =>
  place === above || place.startsWith(above.endsWith('/') ? above : `${above}/`)

const groupsOf = (world: World, { id }: Person) =>
  world.groups.filter(({ members }) => members.includes(id))

/** What is said of `who` by the nearest folder that says something of the verb. */
function word(world: World, who: string, place: string, verb: Verb): boolean | undefined {
  let nearest = ''
  let said: boolean | undefined
  for (const record of world.records) {
    const its = record.grants.find((grant) => grant.who === who)?.[verb]
    if (its === undefined || !within(record.place, place)) continue
    if (record.place.length > nearest.length) [nearest, said] = [record.place, its]
  }
  return said
}

/** The verdict of records and permissions at a place. */
export function may(world: World, person: Person, place: string, verb: Verb): boolean {
  if (verb !== 'see' && !may(world, person, place, 'see')) return false
  const groups = groupsOf(world, person)
  const ofGroups = groups.map(({ id }) => word(world, `group:${id}`, place, verb))
  return (
    word(world, `user:${person.id}`, place, verb) ??
    (ofGroups.includes(true) ? true : ofGroups.includes(false) ? false : undefined) ??
    word(world, 'everyone', place, verb) ??
    (verb === 'see' || [person, ...groups].some(({ perm }) => perm[verb]))
  )
}

/** Those who are spoken of when this person is meant. */
export const namesOf = (world: World, person: Person): string[] => [
  `user:${person.id}`,
  ...groupsOf(world, person).map(({ id }) => `group:${id}`),
  'everyone',
]

/** The nearest record that speaks of the person; undefined where none does. */
export function recordOver(world: World, person: Person, place: string): string | undefined {
  const names = namesOf(world, person)
  return world.records
    .filter(({ grants }) => grants.some(({ who }) => names.includes(who)))
    .map((record) => record.place)
    .filter((at) => within(at, place))
    .sort((a, b) => b.length - a.length)[0]
}

/** Of the rules the last that matches decides. */
export const obeys = ({ rules }: Person, path: string): boolean =>
  rules.filter((rule) => within(rule.path, path)).at(-1)?.allow ?? true
