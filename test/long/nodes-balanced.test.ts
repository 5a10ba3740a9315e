// Several nodes behind a balancer: the configurations of docs/nodes are run as they are, but for names and ports; the
// black-box suite, which lives outside of this repository, goes to three nodes in turn.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/build/paths.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs, type SignedIn } from '../support/login.ts'
import {
  freePort,
  hasPostgres,
  POSTGRES_PASSWORD,
  type Postgres,
  startPostgres,
} from '../support/postgres.ts'
import { type Program, programCommand, startProgram } from '../support/program.ts'
import { hasFiles } from '../support/programs.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const SUITE = resolve(process.env.CONFORMANCE ?? join(ROOT, '../shared/conformance/run.mjs'))
const NAMES = ['files-1', 'files-2', 'files-3']
const CLIENTS = 8
/** How long a request may be held by a node that hangs. */
const GIVEN_UP_MS = 12_000

// What nginx answers by itself: it climbs above no root, and takes no byte past ASCII in a target that is not encoded.
const BY_NGINX = ['page-18', 'routing-46', 'names-35']

let postgres: Postgres
let tree: Tree
let nodes: Program[]
let ports: number[]
let metricsPorts: number[]
let address: string

describe.runIf(hasPostgres())('several nodes behind a balancer', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
    tree = await makeTree({ 'a.txt': 'hello', docs: null })
    address = await postgres.makeDatabase()
    ports = await Promise.all(NAMES.map(() => freePort()))
    metricsPorts = await Promise.all(NAMES.map(() => freePort()))
    nodes = []
    for (const name of NAMES) nodes.push(await startNode(name))
  })
  afterAll(async () => {
    for (const node of nodes ?? []) await node[Symbol.asyncDispose]()
    await tree?.[Symbol.asyncDispose]()
    await postgres?.[Symbol.asyncDispose]()
  })

  it.runIf(hasFiles('haproxy', ['/usr/sbin/haproxy'], 'haproxy'))(
    'haproxy: no request fails while each node is stopped and started again',
    async () => {
      await using balancer = await startBalancer('haproxy.cfg', (file) => ['haproxy', '-f', file])
      await failNothing(balancer.origin)
    },
  )

  it.runIf(hasFiles('haproxy', ['/usr/sbin/haproxy'], 'haproxy'))(
    'haproxy: a node that hangs holds no request for long',
    async () => {
      await using balancer = await startBalancer('haproxy.cfg', (file) => ['haproxy', '-f', file])
      await holdNothing(balancer.origin)
    },
  )

  it.runIf(hasFiles('nginx', ['/usr/sbin/nginx'], 'nginx'))(
    'nginx: no request fails while each node is stopped and started again',
    async () => {
      await using balancer = await startBalancer('nginx.conf', (file) => [
        'nginx',
        ...['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${file}.pid;`],
      ])
      await failNothing(balancer.origin)
    },
  )

  it.skipIf(!existsSync(SUITE))(
    'answers the black-box suite through nginx, each request by the next node',
    async () => {
      const settings = {
        PROGRAM: programCommand().join(' '),
        POSTGRES: `postgres://fb@127.0.0.1:${postgres.port}`,
        PGPASSWORD: POSTGRES_PASSWORD,
      }
      const env = Object.entries(settings).flatMap((pair) => ['--env', pair.join('=')])
      const bin = `${process.execPath} ${join(import.meta.dirname, 'three-nodes.mjs')}`
      const child = spawn(process.execPath, [
        SUITE,
        '--extra-keys',
        '--jobs',
        '1',
        '--bin',
        bin,
        ...env,
      ])
      let printed = ''
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
      })
      await once(child, 'close')
      const failed = [...printed.matchAll(/^FAIL ([\w-]+)/gm)].map(([, id]) => id)
      expect(failed.filter((id) => !BY_NGINX.includes(id ?? ''))).toEqual([])
      expect(printed).toMatch(/^9\d\d passed/m)
    },
  )
})

function startNode(name: string): Promise<Program> {
  const port = ports[NAMES.indexOf(name)]
  const metrics = `127.0.0.1:${metricsPorts[NAMES.indexOf(name)]}`
  return startProgram(tree, {
    listen: ['-a', '127.0.0.1', '-p', String(port)],
    database: address,
    args: [
      ...['--stateDir', join(tree.base, name), '--nodeName', name],
      ...['--drainDelay', '3s', '--metrics', metrics],
    ],
    env: { PGPASSWORD: POSTGRES_PASSWORD },
  })
}

interface Balancer extends AsyncDisposable {
  origin: string
}

/** Runs a configuration of docs/nodes with our ports. */
async function startBalancer(name: string, command: (file: string) => string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'filebrowser-balancer-'))
  const port = await freePort()
  const file = join(folder, name)
  let text = readFileSync(join(ROOT, 'docs/nodes', name), 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
  for (const [i, node] of NAMES.entries())
    text = text
      .replaceAll(`${node}:80 port 9100`, `127.0.0.1:${ports[i]} port ${metricsPorts[i]}`)
      .replaceAll(`${node}:80`, `127.0.0.1:${ports[i]}`)
  writeFileSync(file, text)
  const [program = '', ...words] = command(file)
  const child: ChildProcess = spawn(program, words, { cwd: folder, stdio: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  await waitFor('the balancer', async () => (await fetch(`${origin}/health`)).ok)
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A save of each person of which the last bytes are sent when told so. */
function saveSlowly(origin: string, people: readonly SignedIn[]) {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  const answers = people.map(async ({ cookie, token }, i) => {
    async function* body() {
      yield Buffer.from('first, ')
      await isReleased
      yield Buffer.from('last')
    }
    const init: object = {
      method: 'POST',
      headers: { cookie, 'X-Auth': token },
      body: Readable.from(body()),
      duplex: 'half',
    }
    const path = `/api/resources/docs/slow-${i}.txt?override=true`
    return (await fetch(`${origin}${path}`, init)).status
  })
  return { release, statuses: () => Promise.all(answers.map((one) => one.catch(String))) }
}

/** Each node in turn hangs amid requests of many people, whose hosts still answer. */
async function holdNothing(origin: string): Promise<void> {
  const people = Array.from({ length: 30 }, (_, i) => ({ cookie: `auth=${i}` }))
  const askAll = () =>
    Promise.all(
      people.map((headers) =>
        fetch(`${origin}/api/users`, { headers, signal: AbortSignal.timeout(GIVEN_UP_MS) }).then(
          ({ status }) => status,
        ),
      ),
    )
  const refused = people.map(() => 401)
  expect(await askAll()).toEqual(refused)
  for (const { process: child } of nodes) {
    child.kill('SIGSTOP')
    try {
      // Those of the node that hangs are cut, and everybody has another one from then on.
      const statuses = new Set(await askAll())
      expect(statuses).toContain(401)
      expect([...statuses].every((status) => [401, 502, 503].includes(status))).toBe(true)
      expect(await askAll()).toEqual(refused)
    } finally {
      child.kill('SIGCONT')
    }
  }
}

/** Reads, lists and saves by several people at once, while one node after the other is replaced. */
async function failNothing(origin: string): Promise<void> {
  let isOver = false
  const failures: string[] = []
  let answered = 0
  const people = await Promise.all(Array.from({ length: CLIENTS }, () => loginAs(origin)))
  const work = people.map(async ({ cookie, token }, i) => {
    const headers = { cookie, 'X-Auth': token }
    const save = `/api/resources/docs/${i}.txt?override=true`
    for (let n = 0; !isOver; n++) {
      const asked: [string, RequestInit][] = [
        ['/api/raw/a.txt', { headers }],
        ['/api/resources/docs/', { headers }],
        [save, { method: 'POST', headers, body: `${i} ${n}` }],
      ]
      for (const [path, init] of asked) {
        const status = await fetch(`${origin}${path}`, init).then(
          async (answer) => {
            await answer.arrayBuffer()
            return answer.status
          },
          (error: Error) => String(error.cause ?? error),
        )
        if (status === 200) answered++
        else failures.push(`${init.method ?? 'GET'} ${path}: ${status}`)
      }
    }
  })
  for (const [i, name] of NAMES.entries()) {
    const node = nodes[i] as Program
    const slow = saveSlowly(origin, people)
    const stopped = node.stop()
    // The balancer has left it by then.
    await waitFor(`${name} to stop`, () => /running requests may finish/.test(node.output()))
    slow.release()
    expect(await slow.statuses()).toEqual(people.map(() => 200))
    expect(await stopped).toBe(0)
    nodes[i] = await startNode(name)
    await waitFor(`${name} to be ready`, async () => (await fetch(`${nodes[i]?.origin}/ready`)).ok)
  }
  isOver = true
  await Promise.all(work)
  expect(failures).toEqual([])
  expect(answered).toBeGreaterThan(100)
}
