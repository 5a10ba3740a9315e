// Random worlds, set by HTTP in one server, and what people do in them compared with the model.
import { mkdirSync, realpathSync } from 'node:fs'
import fc from 'fast-check'
import { PASSWORD } from '../support/app.ts'
import type { SignedIn } from '../support/login.ts'
import type { Tree } from '../support/tree.ts'
import { ACTS, type Act, type Ask, act, explain, look, lookBelow, share, visit } from './acts.ts'
import { type Bits, type Person, VERBS, type World } from './model.ts'
import { child, dropStrangeLinks, FURTHER, fill, furtherOf, type Shape, viewOf } from './trees.ts'

export interface Served {
  /** Real path of the served folder; the further root lies beside it (`makeServed`). */
  root: string
  signIn(username: string): Promise<SignedIn>
  fetch(path: string): Promise<Response>
}
interface Case {
  shape: Shape
  records: World['records']
  later: World['records']
  groups: { perm: Bits; members: number[] }[]
  who: number
  acts: Act[]
  spots: number[]
}

/** A folder to serve in an empty tree, and the further root: the path of the one, and both as `roots` wants them. */
export function makeServed(tree: Tree): { root: string; roots: Record<string, string> } {
  const root = realpathSync(tree.root)
  mkdirSync(furtherOf(root))
  return { root, roots: { [FURTHER]: furtherOf(root) } }
}

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
const record = fc.record({
  place: fc.constantFrom(...TOPS, ...DIRS, '/a/f', '/b/f'),
  // One of them hides an entry of homes.
  as: fc.constantFrom('', 'b', 'm', 'n'),
  grants,
})
const records = fc
  .uniqueArray(record, { maxLength: 6, selector: ({ place }) => place })
  .map((list) =>
    list
      .filter((one) => one.grants.length > 0)
      .filter(({ as }, i, all) => !as || all.findIndex((other) => other.as === as) === i),
  )
const index = fc.nat(1_000)

export const aCase: fc.Arbitrary<Case> = fc.record({
  shape: fc.record({
    dirs: fc.subarray(DIRS, { minLength: 4 }),
    files: fc.subarray(FILES, { minLength: 4 }),
    links: fc.array(
      fc.record({ at: fc.constantFrom(...LINKS), to: fc.constantFrom(...DIRS, ...FILES) }),
      { maxLength: 2 },
    ),
  }),
  records,
  later: records,
  groups: fc.array(fc.record({ perm: bits, members: fc.subarray(PEOPLE.map(({ id }) => id)) }), {
    minLength: 3,
    maxLength: 3,
  }),
  who: fc.nat(PEOPLE.length - 1),
  acts: fc.array(fc.record({ kind: fc.constantFrom(...ACTS), from: index, to: index }), {
    minLength: 6,
    maxLength: 6,
  }),
  spots: fc.array(index, { minLength: 4, maxLength: 4 }),
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

export interface Runner {
  run(given: Case): Promise<void>
  counts: Record<string, number>
}

/** Makes accounts and groups in a fresh server, with which cases are run one after the other. */
export async function startCases(served: Served, adminPassword = PASSWORD): Promise<Runner> {
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
  const counts: Record<string, number> = {}

  async function listed(): Promise<World['records']> {
    return JSON.parse(await must('GET', '/api/folders')).items
  }
  async function setRecords(wanted: World['records']): Promise<void> {
    // A name that another place gets is free first.
    const stays = (old: World['records'][number]) =>
      wanted.some(({ place, as }) => place === old.place && as === old.as)
    for (const one of await listed())
      if (!stays(one)) await must('DELETE', `/api/folders?place=${one.place}`, {})
    for (const one of wanted) await must('PUT', '/api/folders', one)
  }

  return {
    counts,
    async run({ shape, records: first, later, groups, who, acts, spots: chosen }) {
      counts.cases = (counts.cases ?? 0) + 1
      if (counts.cases % 500 === 0) await confirm()
      fill(served.root, possible(shape))
      for (const [i, group] of groups.entries()) {
        const members = group.members.map((userID) => ({ userID, from: 'admin' }))
        await must('PUT', `/api/groups/${i + 1}`, { perm: group.perm, members })
      }
      const person = PEOPLE[who] as Person
      const user = signedIn.get(person.id) as SignedIn
      const ask: Ask = async (method, path, body, isAdmin) => {
        counts.requests = (counts.requests ?? 0) + 1
        const init = { method, ...(body !== undefined && { body }) }
        const response = path.startsWith('/api/public/')
          ? await served.fetch(path)
          : await (isAdmin ? admin : user).fetch(path, init)
        return {
          status: response.status,
          text: Buffer.from(await response.arrayBuffer()).toString('latin1'),
        }
      }
      const viewNow = async () => {
        const world: World = {
          records: await listed(),
          groups: groups.map((group, i) => ({ id: i + 1, ...group })),
        }
        return viewOf(served.root, world, person)
      }
      await setRecords(first)
      let view = await viewNow()
      counts.tops = (counts.tops ?? 0) + view.tops.length
      const at = (i: number) => view.spots[i % view.spots.length]
      for (const i of chosen) {
        const spot = at(i)
        if (!spot) continue
        await look(view, ask, spot)
        await explain(view, ask, spot)
        if (spot.isDir) await lookBelow(view, ask, spot)
      }
      const shared = at(chosen[0] ?? 0)
      const hash = shared && shared.path !== '/' ? await share(view, ask, shared) : null
      if (shared && hash) await visit(view, ask, shared, hash)
      await setRecords(later)
      view = await viewNow()
      if (shared && hash) {
        const still = view.spots.find(
          ({ path, real }) => path === shared.path && real === shared.real,
        )
        if (still) await visit(view, ask, still, hash)
        await ask('DELETE', `/api/share/${hash}`, undefined, true)
      }
      for (const one of acts) {
        if (await act(view, ask, one)) counts[one.kind] = (counts[one.kind] ?? 0) + 1
        dropStrangeLinks(served.root)
        view = await viewNow()
      }
    },
  }
}

/** Runs so many random cases, `seed` the same ones each time, and gives what was done; throws with the seed and the smallest case that disagrees. */
export async function runCases(
  served: Served,
  { numRuns, seed }: { numRuns: number; seed?: number },
  adminPassword?: string,
): Promise<Runner['counts']> {
  const runner = await startCases(served, adminPassword)
  await fc.assert(
    fc.asyncProperty(aCase, (given) => runner.run(given)),
    { numRuns, ...(seed !== undefined && { seed }) },
  )
  return runner.counts
}
