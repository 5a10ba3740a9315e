// What 10,000 records of folders and 500 groups cost, and limits: two servers over the same files, one of
// them without any, take turns in each round; the median of the ratios is told by the clock and by the processor.
// For a quiet machine: `npm run test:long -- rights-speed`; `ROUNDS` is 7 unless it is given.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, type TestContext } from 'vitest'
import { PASSWORD } from '../support/app.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import { ADMIN, type Program, runProgram, startProgram } from '../support/program.ts'
import { makeTree, memoryFolder, type Tree } from '../support/tree.ts'

/** Of everything, to try the test itself: `PART=0.02`. */
const PART = Number(process.env.PART ?? 1)
const ROUNDS = Number(process.env.ROUNDS ?? 7)
const RECORDS = 10_000 * PART
const GROUPS = 500
/** Of the account that is measured. */
const OWN_GROUPS = 20
/** Grants of the largest records. */
const GRANTS = 200
const ENTRIES = 100_000 * PART
const FOLDERS = 20_000 * PART
const FILES_IN_FOLDER = 10
const NEEDLES = Math.ceil((FOLDERS * FILES_IN_FOLDER) / 1_000)
/** Requests of a round. */
const SMALL = 1_000 * PART
const AT_ONCE = 8

interface Server {
  program: Program
  admin: SignedIn
  subject: SignedIn
}
/** What work took: of the clock, and of the server's processor. */
interface Took {
  wallMs: number
  cpuMs: number
}

it('records of folders cost listings, searches, small requests and memory next to nothing', async ({
  task,
}) => {
  await using tree = await makeFiles()
  await using stack = new AsyncDisposableStack()
  const servers = { plain: await serve(tree, 'plain'), ruled: await serve(tree, 'ruled') }
  for (const { program } of Object.values(servers)) stack.use(program)
  const before = performance.now()
  await setRecords(tree, servers.ruled)
  const importedMs = performance.now() - before
  const count = async () =>
    JSON.parse(await textOf(servers.ruled.admin, '/api/folders')).items.length
  await expect.poll(count, { timeout: 60_000 }).toBe(RECORDS - 3 * ROUNDS)

  const listing = await ratios(servers, async ({ subject }) => {
    const { items } = JSON.parse(await textOf(subject, '/api/resources/flat'))
    expect(items).toHaveLength(ENTRIES)
  })
  const search = await ratios(servers, async ({ subject }) => {
    const hits = await textOf(subject, '/api/search/tree?query=needle')
    expect(hits.trim().split('\n')).toHaveLength(NEEDLES)
  })
  const gets = await ratios(servers, ({ subject }) =>
    many(async () => expect(await textOf(subject, '/api/raw/small.txt')).toHaveLength(4_096)),
  )
  const first: number[] = []
  const sets: number[] = []
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const began = performance.now()
    await put(servers.ruled, `/first/${round}`, [{ who: 'everyone', modify: round % 2 === 0 }])
    const started = performance.now()
    sets.push(started - began)
    await textOf(servers.ruled.subject, '/api/raw/small.txt')
    first.push(performance.now() - started)
  }
  await stack.disposeAsync()
  const growthMb = await growth(tree)

  note(
    task,
    { listing, search, gets },
    {
      'import, ms': importedMs,
      'setting one, ms': median(sets),
      'first request, ms': median(first),
      'growth, MB': growthMb,
    },
  )
  expect(listing.cpu).toBeLessThanOrEqual(1.05)
  expect(search.cpu).toBeLessThanOrEqual(1.1)
  expect(1 / gets.cpu).toBeGreaterThanOrEqual(0.95)
  expect(median(first)).toBeLessThanOrEqual(20)
  expect(growthMb).toBeLessThan(15)
})

it('limits cost small uploads next to nothing, and a count twice the time of du at most', async ({
  task,
}) => {
  await using tree = await makeFiles()
  await using stack = new AsyncDisposableStack()
  const servers = { plain: await serve(tree, 'plain'), limited: await serve(tree, 'limited') }
  for (const { program } of Object.values(servers)) stack.use(program)
  const { limited } = servers

  const du = duMs(tree.root)
  const before = performance.now()
  await put(limited, '/', [], 2 ** 50)
  const answersMs: number[] = []
  for (let counted = false; !counted; ) {
    const started = performance.now()
    await (await fetch(`${limited.program.origin}/health`)).text()
    answersMs.push(performance.now() - started)
    const { items } = JSON.parse(await textOf(limited.admin, '/api/folders'))
    counted = items.some(({ usedBytes }: { usedBytes?: number }) => usedBytes !== undefined)
    await pause(25)
  }
  const recount = (performance.now() - before) / du
  const uploads = await ratios(servers, async ({ subject, program }) => {
    const folder = `${program === limited.program ? 'limited' : 'plain'}-${performance.now()}`
    let n = 0
    await many(async () => {
      const body = Buffer.alloc(1_024, 'x')
      const init = { method: 'POST', body }
      const path = `/api/resources/${folder}/${n++}.txt`
      expect((await subject.fetch(path, init)).status).toBe(200)
    })
  })

  const slowest = Math.max(...answersMs)
  note(
    task,
    { uploads },
    { 'count to du, by the clock': recount, 'slowest answer meanwhile, ms': slowest },
  )
  expect(1 / uploads.cpu).toBeGreaterThanOrEqual(0.95)
  expect(recount).toBeLessThanOrEqual(2)
})

async function makeFiles(): Promise<Tree> {
  const tree = await makeTree({}, undefined, memoryFolder() ?? tmpdir())
  mkdirSync(tree.at('flat'))
  for (let i = 0; i < ENTRIES; i++) writeFileSync(tree.at(`flat/file ${i}.txt`), '')
  for (let i = 0; i < FOLDERS; i++) {
    mkdirSync(tree.at(folderAt(i)), { recursive: true })
    for (let k = 0; k < FILES_IN_FOLDER; k++) {
      const name = (i * FILES_IN_FOLDER + k) % 1_000 === 0 ? 'needle' : 'file'
      writeFileSync(tree.at(`${folderAt(i)}/${name} ${k}.txt`), 'x'.repeat(i % 50))
    }
  }
  writeFileSync(tree.at('small.txt'), 'x'.repeat(4_096))
  return tree
}

const folderAt = (i: number) => `tree/${i % 20}/${Math.floor(i / 20) % 20}/${Math.floor(i / 400)}`

/** Starts a server with a database of its own, which it makes or had before. */
async function serve(tree: Tree, name: string): Promise<Server> {
  const program = await startProgram(tree, { database: `${tree.base}/${name}.db` })
  const { origin } = program
  const admin = await loginAs(origin)
  await must(admin, 'POST', '/api/confirm', { password: ADMIN.password })
  const accounts = JSON.parse(await textOf(admin, '/api/users')) as { username: string }[]
  if (accounts.length === 1) {
    const data = { username: 'subject', password: PASSWORD, scope: '/' }
    const own = { rules: [], commands: [], locale: 'en', sorting: { by: 'name', asc: false } }
    const perm = { create: true, modify: true, rename: true, delete: true, download: true }
    const user = { ...data, ...own, perm: { ...perm, share: true } }
    await must(admin, 'POST', '/api/users', { what: 'user', which: [], data: user })
  }
  return { program, admin, subject: await loginAs(origin, 'subject', PASSWORD) }
}

/**
 * Some at the folders that are listed and searched, and in them; most of them elsewhere. From a file, as
 * administrators have so many: a request for each takes too long.
 */
async function setRecords(tree: Tree, { program }: Server): Promise<void> {
  const groups = Array.from({ length: GROUPS }, (_, i) => ({
    name: `group ${i}`,
    perm: {},
    members: i < OWN_GROUPS ? ['subject'] : [],
  }))
  const group = (i: number) => `group:group ${i % GROUPS}`
  const grantsAt = (i: number) => {
    if (i % 100 > 0) return [{ who: group(i), modify: false }]
    return Array.from({ length: GRANTS }, (_, k) => ({ who: group(i + k), create: k % 2 === 0 }))
  }
  const placeAt = (i: number) => {
    if (i < 50) return `/flat/file ${i * 1_999}.txt`
    return i % 2 === 0 ? `/${folderAt(i)}` : `/r/${i}`
  }
  const folders = Array.from({ length: RECORDS - 3 * ROUNDS }, (_, i) =>
    i === 0
      ? { place: '/', grants: [{ who: 'everyone', share: false }] }
      : { place: placeAt(i), grants: grantsAt(i) },
  )
  for (const [what, content] of Object.entries({ groups: { groups }, folders: { folders } })) {
    const file = `${tree.base}/${what}.json`
    writeFileSync(file, JSON.stringify(content))
    const command = [what, 'import', file, '-d', program.database]
    const { code, stderr } = await runProgram(command, { cwd: tree.base })
    if (code !== 0) throw new Error(`${what} import: ${stderr}`)
  }
}

const put = ({ admin }: Server, place: string, grants: object[], quota: number | null = null) =>
  must(admin, 'PUT', '/api/folders', { place, as: '', quota, grants })

async function must(who: SignedIn, method: string, path: string, body: object): Promise<void> {
  const response = await who.fetch(path, { method, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
}

async function textOf(who: SignedIn, path: string): Promise<string> {
  const response = await who.fetch(path)
  expect(response.status).toBe(200)
  return response.text()
}

async function many(work: () => Promise<void>): Promise<void> {
  let left = SMALL
  const one = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

/** Of the second server to the first, the median of all rounds; the first round warms both up. */
async function ratios(servers: Record<string, Server>, work: (server: Server) => Promise<void>) {
  const found: Took[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const took: Took[] = []
    // Neither is always the one that comes first.
    const inTurn = Object.values(servers)
    for (const server of round % 2 ? inTurn : inTurn.toReversed())
      took.push(await timed(server, work))
    const [plain, other] = (round % 2 ? took : took.toReversed()) as [Took, Took]
    if (round === 0) continue
    found.push({ wallMs: other.wallMs / plain.wallMs, cpuMs: other.cpuMs / plain.cpuMs })
  }
  return {
    wall: median(found.map(({ wallMs }) => wallMs)),
    cpu: median(found.map(({ cpuMs }) => cpuMs)),
  }
}

async function timed(server: Server, work: (server: Server) => Promise<void>): Promise<Took> {
  const pid = server.program.process.pid ?? 0
  const [started, before] = [performance.now(), cpuOf(pid)]
  await work(server)
  return { wallMs: performance.now() - started, cpuMs: cpuOf(pid) - before }
}

/** What a process has had of the processor, in milliseconds. */
function cpuOf(pid: number): number {
  let ns = 0
  for (const task of execFileSync('ls', [`/proc/${pid}/task`], { encoding: 'utf8' }).split('\n'))
    if (task)
      ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  return ns / 1e6
}

/** What `du` has of it for a folder, the least of three. */
function duMs(folder: string): number {
  const times = Array.from({ length: 3 }, () => {
    const before = performance.now()
    execFileSync('du', ['-s', '--apparent-size', folder])
    return performance.now() - before
  })
  return Math.min(...times)
}

/** After it V8 has collected what a start leaves: the text of the database, and what was made of it. */
const COLLECTED_MS = 45_000

/** What the records take in memory: fresh servers that have answered the same. */
async function growth(tree: Tree): Promise<number> {
  const differences: number[] = []
  for (let round = 0; round < 3; round++) {
    await using stack = new AsyncDisposableStack()
    const servers = [await serve(tree, 'plain'), await serve(tree, 'ruled')]
    for (const { program, subject } of servers) {
      stack.use(program)
      for (let i = 0; i < 50; i++) await textOf(subject, '/api/raw/small.txt')
    }
    await pause(COLLECTED_MS)
    const [plain = 0, ruled = 0] = servers.map(({ program }) => {
      const status = readFileSync(`/proc/${program.process.pid}/status`, 'utf8')
      return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
    })
    differences.push(ruled - plain)
  }
  return median(differences)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function note(
  task: TestContext['task'],
  pairs: Record<string, { wall: number; cpu: number }>,
  others: Record<string, number>,
): void {
  const shown = Object.entries(pairs).map(([name, { wall, cpu }]) => [
    name,
    `${wall.toFixed(3)} (processor ${cpu.toFixed(3)})`,
  ])
  const rest = Object.entries(others).map(([name, value]) => [name, value.toFixed(2)])
  const figures = Object.fromEntries([...shown, ...rest])
  Object.assign(task.meta, { figures })
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
