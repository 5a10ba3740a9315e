// Uploads by three nodes that are killed, stand still for longer than their leases, lose the database, or all lose it:
// every file ends whole, no byte is lost that was acknowledged, and no command runs twice; those that are lost are logged.
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Cut, cutInFront } from '../support/cut.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import {
  hasPostgres,
  POSTGRES_PASSWORD,
  type Postgres,
  startPostgres,
} from '../support/postgres.ts'
import { type Program, runProgram, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { type Answer, pieceHeaders, tusAt } from '../support/tus.ts'

const NODES = 3
const UPLOADS = 50
/** `FAULT_ROUNDS=200 npm run test:long -- node-faults` takes hours. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 5)
const FAULTS = ['kill', 'stop', 'cut', 'restart'] as const
const MAX_BYTES = 900_000
const PIECE_BYTES = 150_000
const STEP_BYTES = 15_000
const STEP_MS = 60
/** Longer than a lease and than a node is waited for. */
const STOPPED_MS = Number(process.env.FAULT_STOPPED_MS ?? 13_000)
const CUT_MS = 5_000
/** What is logged of commands that a node took with it. */
const LOST = /^.*(?:may not have run|does not run again).*$/gm
const ENV = { PGPASSWORD: POSTGRES_PASSWORD }

interface World {
  tree: Tree
  postgres: Postgres
  database: string
  nodes: Program[]
  /** All that were there. */
  started: Program[]
  cuts: Cut[]
  token: string
}

interface Tally {
  whole: number
  names: string[]
  restarts: number
  wrong: string[]
}

test.runIf(hasPostgres())(
  'uploads amid faults of nodes',
  { timeout: ROUNDS * 300_000 },
  async ({ task }) => {
    await using postgres = await startPostgres({ isDurable: true })
    await using tree = await makeTree({})
    const database = await postgres.makeDatabase()
    const cuts = await Promise.all(Array.from({ length: NODES }, () => cutInFront(postgres.port)))
    const world: World = { tree, postgres, database, nodes: [], started: [], cuts, token: '' }
    const ran = join(tree.base, 'ran')
    try {
      for (let n = 0; n < NODES; n++) world.nodes.push(await startNode(world, n))
      for (const when of ['before', 'after'])
        await command(
          world,
          'cmds',
          'add',
          `${when}_upload`,
          `sh -c 'echo $TRIGGER $FILE >> ${ran}'`,
        )
      world.token = (await loginAs(world.nodes[0]?.origin ?? '')).token
      const tally: Tally = { whole: 0, names: [], restarts: 0, wrong: [] }
      let isOver = false
      const clients = Array.from({ length: UPLOADS }, async (_, n) => {
        for (let i = 0; !isOver; i++) await upload(world, `c${n}-${i}.bin`, tally)
      })
      let faults = 0
      for (let round = 0; round < ROUNDS; round++)
        for (const [at, fault] of FAULTS.entries()) {
          const before = tally.whole
          await afflict(world, fault, (round + at) % NODES)
          await waitFor('more whole files', () => tally.whole > before + UPLOADS / 2, 90_000)
          faults++
        }
      isOver = true
      await Promise.all(clients)
      const { whole, restarts, wrong } = tally
      expect(wrong).toEqual([])
      await sweep(world)
      const lines = (await readFile(ran, 'utf8')).trim().split('\n')
      expect(lines.length - new Set(lines).size).toBe(0)
      const said = world.started.flatMap((node) => node.output().match(LOST) ?? []).join('\n')
      const lost = tally.names.flatMap((name) =>
        ['before', 'after'].flatMap((when) =>
          lines.includes(`${when}_upload ${tree.at(name)}`) ? [] : [name],
        ),
      )
      const unlogged = lost.filter((name) => !said.includes(`/${name}: `))
      expect(unlogged).toEqual([])
      const counts = { 'commands lost, and logged': lost.length, 'commands twice': 0 }
      const figures = { files: whole, faults, restarts, ...counts }
      Object.assign(task.meta, { figures })
      console.log(figures)
    } finally {
      for (const node of world.nodes) await node.kill()
      for (const cut of cuts) await cut[Symbol.asyncDispose]()
    }
  },
)

async function startNode(
  { tree, database, postgres, cuts, started }: World,
  n: number,
  ...words: string[]
): Promise<Program> {
  const node = await startProgram(tree, {
    database: database.replace(String(postgres.port), String(cuts[n]?.port)),
    args: ['--stateDir', `node${n}`, '--nodeName', `node${n}`, '--disableExec=false', ...words],
    env: ENV,
  })
  started.push(node)
  return node
}

/** What was begun when a fault came, and begun anew, is swept once it is old enough. */
async function sweep(world: World): Promise<void> {
  const hidden = async () =>
    (await readdir(world.tree.root)).filter((name) => name.startsWith('.fb-tmp-'))
  for (const [n, node] of world.nodes.entries()) {
    await node.stop()
    world.nodes[n] = await startNode(world, n, '--tusExpiry', '1s')
  }
  await waitFor('nothing to be left', async () => (await hidden()).length === 0, 90_000)
  const { database, postgres } = world
  const noted = `select key from filebrowser.fb_leases where key like 'commands %'`
  await waitFor('words about all commands', async () => {
    const left = await postgres.query(new URL(database).pathname.slice(1), noted)
    return left.length === 0
  })
}

async function command({ tree, database }: World, ...words: string[]): Promise<void> {
  const { code, stderr } = await runProgram([...words, '-d', database], {
    cwd: tree.base,
    env: ENV,
  })
  expect(code, stderr).toBe(0)
}

async function afflict(world: World, fault: (typeof FAULTS)[number], n: number): Promise<void> {
  const { nodes, cuts, postgres } = world
  const node = nodes[n] as Program
  if (fault === 'kill') {
    await node.kill()
    nodes[n] = await startNode(world, n)
  } else if (fault === 'stop') {
    node.process.kill('SIGSTOP')
    await pause(STOPPED_MS)
    node.process.kill('SIGCONT')
  } else if (fault === 'cut') {
    cuts[n]?.cut()
    await pause(CUT_MS)
    cuts[n]?.mend()
  } else {
    await postgres.kill()
    await postgres.start()
  }
}

/** Sends a file until it is there, each piece to another node, as a client does that asks after each failure. */
async function upload(world: World, name: string, tally: Tally): Promise<void> {
  const bytes = randomBytes(1 + Math.floor(Math.random() * MAX_BYTES))
  let acknowledged = -1
  const isThere = async () => {
    const found = await readFile(world.tree.at(name)).catch(() => null)
    return found !== null && digest(found) === digest(bytes)
  }
  for (;;) {
    const node = world.nodes[Math.floor(Math.random() * NODES)] as Program
    const tus = tusAt(node.origin, world.token, name)
    try {
      if (acknowledged < 0) {
        const status = await tus.create(bytes.length)
        if (status === 409 && (await isThere())) break
        if (status !== 201) throw new Error(`refused: ${status}`)
        acknowledged = 0
      }
      const { status, offset } = await tus.head()
      if (status === 404) {
        // Its answer was lost; or the upload never came to be.
        if (await isThere()) break
        if (acknowledged > 0) tally.wrong.push(`${name}: ${acknowledged} bytes are gone`)
        acknowledged = -1
        continue
      }
      if (status !== 200) throw new Error(`refused: ${status}`)
      if (offset < acknowledged) tally.wrong.push(`${name}: ${offset} of ${acknowledged}`)
      if (offset === bytes.length) break
      const piece = bytes.subarray(offset, offset + PIECE_BYTES)
      const sent = await appendSlowly(node, world.token, name, offset, piece)
      if (sent.status !== 204) throw new Error(`refused: ${sent.status}`)
      acknowledged = sent.offset
      if (acknowledged === bytes.length) break
    } catch {
      tally.restarts++
      await pause(100 + Math.random() * 400)
    }
  }
  if (await isThere()) {
    tally.whole++
    tally.names.push(name)
  } else tally.wrong.push(`${name} is not whole`)
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function appendSlowly(
  { port }: Program,
  token: string,
  name: string,
  offset: number,
  bytes: Buffer,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request({
    port,
    host: '127.0.0.1',
    path: `/api/tus/${name}`,
    method: 'PATCH',
    headers: { ...pieceHeaders(offset), 'X-Auth': token, 'Content-Length': bytes.length },
    timeout: 20_000,
  })
  sent.on('error', reject)
  sent.on('timeout', () => sent.destroy(new Error('no answer')))
  sent.on('response', (answer) => {
    answer.resume()
    resolve({ status: answer.statusCode ?? 0, offset: Number(answer.headers['upload-offset']) })
  })
  const write = async () => {
    for (let at = 0; at < bytes.length && !sent.destroyed; at += STEP_BYTES) {
      sent.write(bytes.subarray(at, at + STEP_BYTES))
      await pause(STEP_MS)
    }
    sent.end()
  }
  write().catch(reject)
  return promise
}
