// What 10 and 100 times as much of everything costs: the packaged executable over trees and databases that differ in one
// amount at a time. Writes the section "Growth" of docs/performance.md and its pictures.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { waitFor } from '../../test/support/deadline.ts'
import { loginAs, withToken } from '../../test/support/login.ts'
import { ADMIN, programCommand, startProgram } from '../../test/support/program.ts'
import { makeTree, memoryFolder, type Tree } from '../../test/support/tree.ts'
import { ROOT } from '../build/paths.ts'
import { ask, json, look, median, msOf, type Server, WATCHED_LOOP } from '../measuring.ts'
import { type Amounts, accountName, makeDatabase, makeFiles } from './growth-data.ts'
import { describeGrowth, type Point, pictures, type Series } from './growth-section.ts'
import { conditionsHere, writeSection } from './page-sections.ts'

const BASE: Amounts = { files: 10_000, entries: 1_000, accounts: 50, sessions: 200, shares: 100 }
const SCALES = [1, 10, 100] as const
const STARTS = 5
const GETS = 1_000
const CHANGES = 15
const SIGN_INS = 7
/** Works that take longer are done once. */
const LONG_MS = 2_000
const SETTLE_MS = 3_000
const PICTURES = join(ROOT, 'docs/pictures')

export async function measureGrowth(): Promise<void> {
  const here = conditionsHere()
  const base = await measureAt(BASE)
  const series: Series[] = []
  for (const what of Object.keys(BASE) as (keyof Amounts)[]) {
    const points: Point[] = [base]
    for (const scale of SCALES.slice(1)) {
      const amounts = { ...BASE, [what]: BASE[what] * scale }
      points.push(await measureAt(amounts))
      process.stdout.write(`${what} ×${scale} ${JSON.stringify(points.at(-1))}\n`)
    }
    series.push({ what, amounts: SCALES.map((scale) => BASE[what] * scale), points })
  }
  await mkdir(PICTURES, { recursive: true })
  for (const [name, svg] of Object.entries(pictures(series)))
    await writeFile(join(PICTURES, name), svg)
  await writeSection('Growth', describeGrowth(series, STARTS, here))
}

async function measureAt(amounts: Amounts): Promise<Point> {
  await using tree = await makeTree({}, undefined, memoryFolder() ?? undefined)
  makeFiles(tree.root, amounts)
  const database = join(tree.base, 'filebrowser.db')
  const token = await makeDatabase(database, amounts)
  const starts: number[] = []
  for (let n = 0; n < STARTS; n++) starts.push(await startOnce(tree, database))
  const [plain, watched] = [
    await withServer(tree, {}, (server) => measureServer(server, amounts, token)),
    await withServer(tree, WATCHED_LOOP, (server) => longestHold(server)),
  ]
  return { startMs: median(starts), heldMs: watched, ...plain }
}

/** Milliseconds from the command to an answer once it says that it listens, which it does when all accounts and shares are read. */
async function startOnce(tree: Tree, database: string): Promise<number> {
  const [command, ...leading] = programCommand()
  const options = ['-a', '127.0.0.1', '-p', '0', '-r', tree.root, '-d', database]
  const beginMs = performance.now()
  const child = spawn(command, [...leading, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  const over = once(child, 'exit')
  let printed = ''
  const address = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /listening on ([^\s"]+)["\s]/i.exec(printed)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('exit', () => reject(new Error(`the server ended at once:\n${printed}`)))
  })
  await answerOf(`http://${address.replace(/^https?:\/\//, '')}/health`, {})
  const ms = performance.now() - beginMs
  child.kill('SIGTERM')
  await over
  return ms
}

async function withServer<T>(
  tree: Tree,
  env: Record<string, string>,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  await using program = await startProgram(tree, { args: ['--loginRateLimit', '0'], env })
  const admin = await loginAs(program.origin)
  return await work({ tree, program, admin, [Symbol.asyncDispose]: async () => {} })
}

async function measureServer(server: Server, amounts: Amounts, token: string) {
  const { origin, process: child } = server.program
  await wait(SETTLE_MS)
  const { residentMb, privateMb } = await memoryOf(child.pid ?? 0)
  const last = { admin: withToken(token, '', (path, init) => fetch(`${origin}${path}`, init)) }
  const login = () => loginAs(origin, accountName(amounts.accounts), ADMIN.password)
  const change = (path: string, method: string, body: object) => () =>
    ask(last, path, { method, body: JSON.stringify(body) })
  const userId = idIn(token)
  const locale = { what: 'user', which: ['locale'], data: { id: userId, locale: 'de' } }
  const works = worksOf(server)
  const timed: Record<string, number> = {}
  for (const [name, work] of Object.entries(works)) timed[name] = await timeOf(work)
  return {
    residentMb,
    privateMb,
    getMs: await gets(`${origin}/api/raw/small.bin`, { 'X-Auth': token }),
    publicMs: await gets(`${origin}/api/public/dl/share${lastShare(amounts)}/small.bin`, {}),
    signInMs: await medianOf(SIGN_INS, login),
    shareMs: await medianOf(CHANGES, change('/api/share/small.bin', 'POST', {})),
    accountMs: await medianOf(CHANGES, change(`/api/users/${userId}`, 'PUT', locale)),
    ...timed,
  } as Omit<Point, 'startMs' | 'heldMs'>
}

const lastShare = ({ shares }: Amounts) => String(shares - 1).padStart(8, '0')

/** Work that may take as long as there is much of it. */
function worksOf(server: Server) {
  const drain = async (path: string) => {
    const { body } = await ask(server, path)
    for await (const _ of body ?? []);
  }
  return {
    listingMs: () => drain('/api/resources/many/'),
    searchMs: () => drain('/api/search/tree/?query=nothing-has-this-name'),
    recursiveMs: () => drain('/api/resources/recursive/tree/'),
    recountMs: () => recount(server),
    accountsMs: () => drain('/api/users'),
    sharesMs: () => drain('/api/shares'),
  }
}

/** A limit that is new is counted at once. */
async function recount(server: Server): Promise<void> {
  const place = '/tree'
  const folder = { place, as: '', quota: 2 ** 40, grants: [], current_password: ADMIN.password }
  const init = { method: 'PUT', body: JSON.stringify(folder) }
  await ask(server, `/api/folders`, init)
  await waitFor('the count', async () => {
    const { items } = await json(server, '/api/folders')
    return items.some((item: { usedBytes?: number }) => item.usedBytes !== undefined)
  })
  const body = JSON.stringify({ current_password: ADMIN.password })
  await ask(server, `/api/folders?place=${place}`, { method: 'DELETE', body })
}

/** The longest hold of the event loop while everything is done once more, one after the other. */
async function longestHold(server: Server): Promise<number> {
  const works = worksOf(server)
  const doAll = async () => {
    const held: Record<string, number> = {}
    for (const [name, work] of Object.entries(works)) {
      await look(server)
      await work()
      held[name] = (await look(server)).heldMs
    }
    return held
  }
  const held = await doAll()
  process.stderr.write(`held ${JSON.stringify(held)}\n`)
  return Math.max(...Object.values(held))
}

/** The account of a token. */
function idIn(token: string): number {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).user.id
}

async function memoryOf(pid: number): Promise<{ residentMb: number; privateMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) =>
    (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6
  return { residentMb: mb('VmRSS'), privateMb: mb('RssAnon') }
}

async function medianOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < count; n++) times.push(await msOf(work))
  return median(times)
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const first = await msOf(work)
  return first > LONG_MS ? first : medianOf(3, work)
}

/** Half of the requests, one after the other on one connection, are answered by then. */
async function gets(address: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    return await medianOf(GETS, () => answerOf(address, headers, agent))
  } finally {
    agent.destroy()
  }
}

async function answerOf(
  address: string,
  headers: Record<string, string>,
  agent?: Agent,
): Promise<void> {
  const [response] = await once(get(address, { headers, ...(agent && { agent }) }), 'response')
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${address}: ${response.statusCode}`)
}
