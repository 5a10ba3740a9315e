// Random worlds, set by HTTP in one server, and what people do in them compared with the model.
import { mkdirSync, realpathSync } from 'node:fs'
import fc from 'fast-check'
import { PASSWORD } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import type { Tree } from '../support/tree.ts'
import {
  ACTS,
  type Act,
  type Ask,
  act,
  explain,
  likely,
  look,
  lookBelow,
  pick,
  share,
  visit,
} from './acts.ts'
import { type Bits, type Person, VERBS, type World } from './model.ts'
import {
  child,
  dropStrangeLinks,
  FURTHER,
  fill,
  furtherOf,
  type Shape,
  type Spot,
  type View,
  viewOf,
} from './trees.ts'

export interface Served {
  /** Real path of the served folder; the further root lies beside it (`makeServed`). */
  root: string
  signIn(username: string): Promise<SignedIn>
  fetch(path: string): Promise<Response>
}
/** What one person looks at and does. */
interface Turn {
  spots: number[]
  acts: Act[]
}
/** A world, in which each person has a turn: that is the case of each. */
interface Round {
  shape: Shape
  records: World['records']
  later: World['records']
  groups: { perm: Bits; members: number[] }[]
  /** Indexes of PEOPLE, in the order in which they act. */
  order: number[]
  turns: Turn[]
}

/** A folder to serve in an empty tree, and the further root: the path of the one, and both as `roots` wants them. */
export function makeServed(tree: Tree): { root: string; roots: Record<string, string> } {
  const root = realpathSync(tree.root)
  mkdirSync(furtherOf(root))
  return { root, roots: { [FURTHER]: furtherOf(root) } }
}

/** How long a smaller world is looked for that disagrees, too. */
const SHRINK_MS = 60_000

const NAMES = ['a', 'b']
const below = (folders: string[]) =>
  folders.flatMap((folder) => NAMES.map((name) => child(folder, name)))
const TOPS = ['/', `${FURTHER}:/`]
const ONE = below(['/'])
const DIRS = [...ONE, ...below(ONE), ...below(below(ONE)), ...below([`${FURTHER}:/`])]
const FILES = [...TOPS, ...DIRS].map((folder) => child(folder, 'f'))
const LINKS = [...TOPS, ...DIRS].map((folder) => child(folder, 'l'))

const full: Bits = {
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}
/** Number 1 is the administrator. */
export const PEOPLE: Person[] = [
  { id: 2, perm: full, scope: '/', rules: [] },
  { id: 3, perm: { download: true }, scope: '/', rules: [] },
  { id: 4, perm: full, scope: '/a', rules: [] },
  {
    id: 5,
    perm: { ...full, delete: false },
    scope: '/',
    rules: [
      { path: '/b/a', allow: false },
      { path: '/b/a/b', allow: true },
    ],
  },
  { id: 6, perm: full, scope: null, rules: [] },
  { id: 7, perm: { ...full, rename: false }, scope: '/b', rules: [{ path: '/m/a', allow: false }] },
]
const WHO = [...PEOPLE.map(({ id }) => `user:${id}`), 'group:1', 'group:2', 'group:3', 'everyone']

const bits = fc.record(
  Object.fromEntries(VERBS.map((verb) => [verb, fc.boolean()])) as Record<
    string,
    fc.Arbitrary<boolean>
  >,
  { requiredKeys: [] },
)
const grant = fc
  .record({ who: fc.constantFrom(...WHO), said: bits })
  .map(({ who, said }) => ({ who, ...said }))
const grants = fc
  .uniqueArray(grant, { minLength: 1, maxLength: 4, selector: ({ who }) => who })
  .map((list) => list.filter((one) => Object.keys(one).length > 1))
// One of them hides an entry of homes.
const as = fc.constantFrom('', 'b', 'm', 'n')
const record = fc.oneof(
  fc.record({ place: fc.constantFrom(...TOPS, ...DIRS, '/a/f', '/b/f'), as, grants }),
  // A folder at the top, of everybody or of some.
  fc
    .record({ place: fc.constantFrom('x:/', 'x:/a', '/a/b', '/b'), as, grants })
    .map(({ place, as, grants: [first, ...others] }) => ({
      ...{ place, as },
      grants: [{ who: 'everyone', ...first, see: true }, ...others],
    })),
)
const records = fc
  .uniqueArray(record, { maxLength: 6, selector: ({ place }) => place })
  .map((list) =>
    list
      .filter((one) => one.grants.length > 0)
      .filter(({ as }, i, all) => !as || all.findIndex((other) => other.as === as) === i),
  )
const index = fc.nat(1_000)

const turn: fc.Arbitrary<Turn> = fc.record({
  spots: fc.array(index, { minLength: 4, maxLength: 4 }),
  acts: fc.array(fc.record({ kind: fc.constantFrom(...ACTS), from: index, to: index }), {
    minLength: 6,
    maxLength: 6,
  }),
})
const everybody = PEOPLE.map((_, i) => i)

const aRound: fc.Arbitrary<Round> = fc.record({
  shape: fc.record({
    dirs: fc.subarray(DIRS, { minLength: 4 }),
    files: fc.subarray(FILES, { minLength: 4 }),
    links: fc.array(
      fc.record({ at: fc.constantFrom(...LINKS), to: fc.constantFrom(...DIRS, ...FILES) }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  records,
  later: records,
  groups: fc.array(fc.record({ perm: bits, members: fc.subarray(PEOPLE.map(({ id }) => id)) }), {
    minLength: 3,
    maxLength: 3,
  }),
  order: fc.shuffledSubarray(everybody, { minLength: PEOPLE.length }),
  turns: fc.array(turn, { minLength: PEOPLE.length, maxLength: PEOPLE.length }),
})

/** What can be made of a shape: folders with those above them, files and links in them. */
function possible({ dirs, files, links }: Shape): Shape {
  const all = [
    // Homes are there.
    ...ONE,
    ...dirs.flatMap((dir) => DIRS.filter((above) => `${dir}/`.startsWith(`${above}/`))),
  ]
  const exists = (path: string) => /^(x:)?\/[^/]+$/.test(path) || all.includes(path.slice(0, -2))
  const there = [...all, ...files.filter(exists)]
  const taken = new Set<string>()
  const isFree = ({ at, to }: { at: string; to: string }) =>
    exists(at) && there.includes(to) && !taken.has(at) && taken.add(at)
  return { dirs: all, files: files.filter(exists), links: links.filter(isFree) }
}

/** How often something happened. */
export type Counts = Record<string, number>

interface Runner {
  run(given: Round): Promise<void>
}

/** Makes accounts and groups in a fresh server, with which rounds are run one after the other. */
async function startCases(served: Served, adminPassword: string, counts: Counts): Promise<Runner> {
  const admin = await served.signIn('admin')
  const must = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await admin.fetch(path, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }
  const confirm = () => must('POST', '/api/confirm', { password: adminPassword })
  await confirm()
  const signedIn = await makePeople(served, must)
  const add = (what: string, n = 1) => {
    counts[what] = (counts[what] ?? 0) + n
  }

  async function listed(): Promise<World['records']> {
    return JSON.parse(await must('GET', '/api/folders')).items
  }
  async function setRecords(before: World['records'], wanted: World['records']): Promise<void> {
    // A name that another place gets is free first.
    const stays = (old: World['records'][number]) =>
      wanted.some(({ place, as }) => place === old.place && as === old.as)
    const gone = before.filter((one) => !stays(one))
    await Promise.all(gone.map(({ place }) => must('DELETE', `/api/folders?place=${place}`, {})))
    await Promise.all(wanted.map((one) => must('PUT', '/api/folders', one)))
  }
  const askAs =
    (person: Person): Ask =>
    async (method, path, body, isAdmin) => {
      add('requests')
      const init = { method, ...(body !== undefined && { body }) }
      const response = path.startsWith('/api/public/')
        ? await served.fetch(path)
        : await (isAdmin ? admin : (signedIn.get(person.id) as SignedIn)).fetch(path, init)
      return {
        status: response.status,
        text: Buffer.from(await response.arrayBuffer()).toString('latin1'),
      }
    }

  /** Everything that changes nothing is asked at once. */
  async function lookAround(view: View, ask: Ask, spots: number[]): Promise<void> {
    const chosen = new Set(spots.flatMap((i) => pick(likely(view.spots), i) ?? []))
    add('tops', view.tops.length)
    for (const { isLink, at } of chosen) add(isLink ? 'links' : at === '/' ? 'plain' : 'mounted')
    await Promise.all(
      [...chosen].flatMap((spot) => [
        look(view, ask, spot),
        explain(view, ask, spot),
        ...(spot.isDir ? [lookBelow(view, ask, spot)] : []),
      ]),
    )
  }

  return {
    async run({ shape, records: first, later, groups, order, turns }) {
      await confirm()
      const memberOf = groups.map((group, i) => ({ id: i + 1, ...group }))
      const viewIn = (records: World['records'], person: Person) =>
        viewOf(served.root, { records, groups: memberOf }, person)
      const refill = () => fill(served.root, possible(shape))
      refill()
      await Promise.all(
        memberOf.map(({ id, perm, members }) =>
          must('PUT', `/api/groups/${id}`, {
            perm,
            members: members.map((userID) => ({ userID, from: 'admin' })),
          }),
        ),
      )
      await setRecords(await listed(), first)
      let now = await listed()
      const people = order.map((i) => PEOPLE[i] as Person)
      const shares: { shared: Spot; hash: string; person: Person }[] = []
      for (const [i, person] of people.entries()) {
        const { spots = [] } = turns[i] ?? {}
        const [view, ask] = [viewIn(now, person), askAs(person)]
        await lookAround(view, ask, spots)
        const shared = pick(likely(view.spots), spots[0] ?? 0)
        const hash = shared && shared.path !== '/' ? await share(view, ask, shared) : null
        if (!shared || !hash) continue
        add('shares')
        shares.push({ shared, hash, person })
        await visit(view, ask, shared, hash)
      }
      await setRecords(now, later)
      now = await listed()
      for (const { shared, hash, person } of shares) {
        const [view, ask] = [viewIn(now, person), askAs(person)]
        const still = view.spots.find(
          ({ path, real }) => path === shared.path && real === shared.real,
        )
        if (still) await visit(view, ask, still, hash)
        await ask('DELETE', `/api/share/${hash}`, undefined, true)
      }
      for (const [i, person] of people.entries()) {
        add('cases')
        refill()
        for (const one of turns[i]?.acts ?? []) {
          const done = await act(viewIn(now, person), askAs(person), one)
          if (done) add(`${one.kind} ${done}`)
          // Records go along with what is moved, and end with what is deleted.
          if (done === 'done' && (one.kind === 'move' || one.kind === 'delete'))
            now = await listed()
          dropStrangeLinks(served.root)
        }
      }
    },
  }
}

/** Accounts that are signed in, by their numbers; and three groups. */
async function makePeople(
  served: Served,
  must: (method: string, path: string, body: object) => Promise<string>,
): Promise<Map<number, SignedIn>> {
  const signedIn = new Map<number, SignedIn>()
  for (const { id, perm, scope, rules } of PEOPLE) {
    const account = { username: `p${id}`, password: PASSWORD, perm: { ...perm }, commands: [] }
    const data = { ...account, scope: scope ?? '/', home: scope !== null }
    const list = rules.map((rule) => ({ ...rule, regex: false, regexp: null }))
    const sent = {
      ...data,
      rules: list,
      locale: 'en',
      viewMode: 'list',
      sorting: { by: 'name', asc: false },
    }
    await must('POST', '/api/users', { what: 'user', which: [], data: sent })
    signedIn.set(id, await served.signIn(`p${id}`))
  }
  for (const name of ['g1', 'g2', 'g3']) await must('POST', '/api/groups', { name })
  return signedIn
}

/**
 * Runs at least so many random cases, those of a world one after the other and the worlds of each server (`served`)
 * beside those of the others; `seed`: the same ones each time. Gives what was done; throws with the seed and the
 * smallest world that disagrees.
 */
export async function runCases(
  served: Served[],
  { cases, seed }: { cases: number; seed: number },
  adminPassword = PASSWORD,
): Promise<Counts> {
  const counts: Counts = {}
  let failedMs = Number.POSITIVE_INFINITY
  const numRuns = Math.ceil(cases / PEOPLE.length / served.length)
  await Promise.all(
    served.map(async (one, i) => {
      const runner = await startCases(one, adminPassword, counts)
      const property = fc.asyncProperty(aRound, async (given) => {
        if (Date.now() - failedMs > SHRINK_MS) return
        await runner.run(given).catch((error: unknown) => {
          failedMs = Math.min(failedMs, Date.now())
          throw error
        })
      })
      await fc.assert(property, { numRuns, seed: seed + i })
    }),
  )
  return counts
}
