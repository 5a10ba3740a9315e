// Measures jobs beside the usual programs, by the packaged executable: `node scripts/measure-jobs.ts [rounds] [case...]`,
// by default 3 rounds. Both sides of a ratio take turns within a round; the median of the rounds is printed with the lowest
// and the highest. "in memory" are files in /dev/shm, the others are where the system keeps temporary files. Needs root for
// the disks that clone, and up to 16 GB.
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Job } from '../src/job-types.ts'
import { mountImage } from '../test/support/file-systems.ts'
import { loginAs, type SignedIn } from '../test/support/login.ts'
import {
  childrenOf,
  cpuMsOf,
  ownBytes,
  residentBytes,
  watchMemory,
} from '../test/support/process-facts.ts'
import { ADMIN } from '../test/support/program.ts'
import { openRemote } from '../test/support/remote-server.ts'
import { memoryFolder } from '../test/support/tree.ts'
import {
  type Case,
  json,
  look,
  measure,
  msOf,
  p99,
  type Server,
  send,
  serve,
  WATCHED_LOOP,
} from './measuring.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const FILES = 20_000
const FILES_IN_FOLDER = 1_000
const SMALL_BYTES = 4096
const JOBS = 1_000
const JOBS_OF_ONE = 200
const LISTENERS = 200
const LISTENED_MS = 20_000
const run = promisify(execFile)

const rounds = Number(process.argv[2] ?? 3)
const wanted = process.argv.slice(3)

async function watched(
  stack: AsyncDisposableStack,
  place: 'disk' | 'memory',
  args: string[] = [],
): Promise<Server> {
  return stack.use(
    await serve(place === 'memory' ? memoryFolder() : null, { args, env: WATCHED_LOOP }),
  )
}

/** Runs a job to its end; throws unless all of it was done. */
async function work(server: Pick<Server, 'admin'>, body: object): Promise<Job> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  let job: Job = await json(server, '/api/jobs?wait=30', init)
  while (job.endedAt === null) job = await json(server, `/api/jobs/${job.id}?wait=30`)
  if (job.state !== 'done') throw new Error(`the job is ${job.state}: ${job.reason}`)
  return job
}

/** What a server takes for some work, and its decoder. */
async function taken(server: Server, working: () => Promise<unknown>) {
  await look(server)
  const pid = server.program.process.pid ?? 0
  const before = await residentBytes(pid)
  const memory = watchMemory(pid)
  let decoderBytes = 0
  const weigh = async () => {
    for (const child of await childrenOf(pid).catch(() => []))
      decoderBytes = Math.max(decoderBytes, await residentBytes(child).catch(() => 0))
  }
  const weighing = setInterval(() => void weigh(), 50)
  const ms = await msOf(working)
  clearInterval(weighing)
  const peak = await memory.stop()
  const { heldMs } = await look(server)
  const figures = {
    'seconds of the job': ms / 1000,
    'MB that the server grew by (at most 32)': (peak - before) / MIB,
    ...(decoderBytes > 0 && { 'MB of the decoder (at most 128)': decoderBytes / MIB }),
    'ms that the loop was held at most (20)': heldMs,
  }
  return { ms, figures }
}

/** Half of it noise, half of it text, so that compression finds something to do. */
function blockOf(bytes: number): Buffer {
  const text = Buffer.alloc(bytes / 2, 'words that come again and again, ')
  return Buffer.concat([randomBytes(bytes / 2), text])
}

async function writeLarge(path: string, bytes: number): Promise<void> {
  const block = blockOf(64 * MIB)
  await using file = await open(path, 'w')
  for (let at = 0; at < bytes; at += block.length) await file.write(block)
  await file.sync()
}

function writeSmall(
  folder: string,
  count: number,
  bytes: number,
  inFolder = FILES_IN_FOLDER,
): void {
  const block = blockOf(bytes)
  for (let i = 0; i < count; i++) {
    const below = join(folder, `${Math.floor(i / inFolder)}`)
    if (i % inFolder === 0) mkdirSync(below, { recursive: true })
    block.writeUInt32LE(i)
    writeFileSync(join(below, `file ${i}.bin`), block)
  }
}

const settle = () => run('sync')
const clear = (path: string) => rm(path, { recursive: true, force: true })

function large(place: 'disk' | 'memory', bytes: number): Case {
  return async (stack) => {
    const server = await watched(stack, place)
    const { tree } = server
    await tree.add({ to: null })
    await writeLarge(tree.at('large.bin'), bytes)
    return async () => {
      const target = join(tree.base, 'copied.bin')
      await settle()
      const cp = await msOf(() => run('cp', ['--reflink=never', tree.at('large.bin'), target]))
      const sync = await msOf(() => run('sync', ['-f', target]))
      await clear(target)
      await settle()
      const body = { kind: 'copy', items: ['/large.bin'], to: '/to' }
      const { ms, figures } = await taken(server, () => work(server, body))
      await clear(tree.at('to/large.bin'))
      return {
        'time of cp / of the job (at least 0.9 in memory)': cp / ms,
        'time of cp and sync / of the job (at least 0.9)': (cp + sync) / ms,
        ...figures,
      }
    }
  }
}

function cloned(kind: 'btrfs' | 'xfs'): Case {
  return async (stack) => {
    const server = await watched(stack, 'disk')
    const { tree } = server
    mkdirSync(tree.at('disk'))
    stack.use(await mountImage(kind, tree.at('disk'), tree.base, 10 * GIB))
    await writeLarge(tree.at('disk/large.bin'), 4 * GIB)
    mkdirSync(tree.at('disk/to'))
    return async () => {
      await settle()
      const body = { kind: 'copy', items: ['/disk/large.bin'], to: '/disk/to' }
      const { figures } = await taken(server, () => work(server, body))
      await clear(tree.at('disk/to/large.bin'))
      return figures
    }
  }
}

/** A tree of small files, so many of them in a folder. */
function small(place: 'disk' | 'memory', files: number, inFolder: number): Case {
  return async (stack) => {
    const server = await watched(stack, place)
    const { tree } = server
    writeSmall(tree.at('from'), files, SMALL_BYTES, inFolder)
    mkdirSync(tree.at('to'))
    const patch = '/api/resources/from?action=copy&destination=/to/from'
    const other = join(tree.base, 'by-cp')
    return async () => {
      await settle()
      const cp = await msOf(() => run('cp', ['-r', tree.at('from'), other]))
      await clear(other)
      await settle()
      const asked = await msOf(() => send(server, 'PATCH', patch))
      await clear(tree.at('to/from'))
      await settle()
      const body = { kind: 'copy', items: ['/from'], to: '/to' }
      const { ms, figures } = await taken(server, () => work(server, body))
      await clear(tree.at('to/from'))
      return {
        'time of cp -r / of PATCH (at least 0.12 in memory)': cp / asked,
        'time of cp -r / of the job': cp / ms,
        'files per second by PATCH': files / (asked / 1000),
        'files per second by the job': files / (ms / 1000),
        ...figures,
      }
    }
  }
}

/** Latencies of a listing while something is done. */
async function listingsWhile(server: Server, busy: Promise<unknown>): Promise<number[]> {
  let isOver = false
  const over = busy.finally(() => {
    isOver = true
  })
  const found: number[] = []
  while (!isOver) found.push(await msOf(() => json(server, '/api/resources/list/')))
  await over
  return found
}

function listing(place: 'disk' | 'memory'): Case {
  return async (stack) => {
    const server = await watched(stack, place)
    const { tree } = server
    await tree.add({ to: null })
    await tree.add(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`list/${i}`, ''])))
    const names = ['a.bin', 'b.bin']
    for (const name of names) await writeLarge(tree.at(name), 2 * GIB)
    const copied = (name: string) => join(tree.base, name)
    return async () => {
      await settle()
      const byCp = names.map((name) => run('cp', ['--reflink=never', tree.at(name), copied(name)]))
      const beside = await listingsWhile(server, Promise.all(byCp))
      for (const name of names) await clear(copied(name))
      await settle()
      let ours: number[] = []
      const copies = () =>
        Promise.all(
          names.map((name) => work(server, { kind: 'copy', items: [`/${name}`], to: '/to' })),
        )
      const { figures } = await taken(server, async () => {
        ours = await listingsWhile(server, copies())
      })
      for (const name of names) await clear(tree.at(`to/${name}`))
      return {
        'p99 of a listing beside two jobs / two cp (at most 2)': p99(ours) / p99(beside),
        'the same, ms beside two jobs': p99(ours),
        'the same, ms beside two cp': p99(beside),
        ...figures,
      }
    }
  }
}

/** Unpacks what `pack` makes of `fill`, beside a program. */
function unpacking(
  least: number,
  name: string,
  fill: (folder: string) => Promise<void> | void,
  pack: string[],
  unpack: string[],
): Case {
  return async (stack) => {
    const server = await watched(stack, 'memory')
    const { tree } = server
    mkdirSync(join(tree.base, 'from'))
    await fill(join(tree.base, 'from'))
    const from = readdirSync(join(tree.base, 'from'))
    const [packer = '', ...options] = pack
    await run(packer, [...options, tree.at(name), ...from], { cwd: join(tree.base, 'from') })
    await clear(join(tree.base, 'from'))
    const into = join(tree.base, 'into')
    const [program = '', ...words] = unpack
    return async () => {
      mkdirSync(into)
      // As the decoder of the server does, it waits for others.
      const nice = ['-n', '10', program, ...words, tree.at(name)]
      const theirs = await msOf(() => run('nice', nice, { cwd: into }))
      await clear(into)
      mkdirSync(tree.at('to'))
      const body = { kind: 'extract', items: [`/${name}`], to: '/to' }
      const { ms, figures } = await taken(server, () => work(server, body))
      await clear(tree.at('to'))
      return { [`time of ${program} / of the job (at least ${least})`]: theirs / ms, ...figures }
    }
  }
}

/** What a server grows by that has done nothing before. */
const first: Case = async () => {
  const memory = memoryFolder()
  return async () => {
    await using server = await serve(memory)
    const { tree, program } = server
    const pid = program.process.pid ?? 0
    many(tree.base)
    await run('zip', ['-qr', tree.at('x.zip'), 'many'], { cwd: tree.base })
    await tree.add({ to: null })
    const before = await ownBytes(pid)
    const watch = watchMemory(pid, ownBytes)
    await work(server, { kind: 'extract', items: ['/x.zip'], to: '/to' })
    return {
      'MB of its own that the server grew by (at most 32)': ((await watch.stop()) - before) / MIB,
    }
  }
}

const packing: Case = async (stack) => {
  const server = await watched(stack, 'memory')
  const { tree } = server
  writeSmall(tree.at('from'), 1_000, MIB)
  return async () => {
    const target = join(tree.base, 'theirs.zip')
    const zip = await msOf(() => run('zip', ['-q6r', target, 'from'], { cwd: tree.root }))
    await clear(target)
    const body = { kind: 'compress', items: ['/from'], to: '/', format: 'zip' }
    const { ms, figures } = await taken(server, () => work(server, body))
    await clear(tree.at('from.zip'))
    return { 'time of zip -6 / of the job (at least 1.5)': zip / ms, ...figures }
  }
}

/** Accounts that may do everything, but for administrators' work. */
async function accounts(server: Server, count: number): Promise<SignedIn[]> {
  const { origin } = server.program
  const rights = ['create', 'rename', 'modify', 'delete', 'download']
  const perm = Object.fromEntries(rights.map((right) => [right, true]))
  const { password } = ADMIN
  const names = Array.from({ length: count }, (_, i) => `account-${i}`)
  for (const username of names) {
    const data = { username, password, scope: '/', perm }
    const body = { what: 'user', which: [], current_password: password, data }
    await send(server, 'POST', '/api/users', JSON.stringify(body))
  }
  return Promise.all(names.map((username) => loginAs(origin, username, password)))
}

/** Gives who has them. */
async function fillWithJobs(server: Server): Promise<SignedIn[]> {
  await server.tree.add({ 'a.txt': 'a', to: null })
  const owners = await accounts(server, JOBS / JOBS_OF_ONE)
  for (const admin of owners)
    for (let i = 0; i < JOBS_OF_ONE; i++) {
      const body = { kind: 'copy', items: ['/a.txt'], to: '/to', conflict: 'replace' }
      await work({ admin }, body)
    }
  return owners
}

const records: Case = async (stack) => {
  return async () => {
    const server = await watched(stack, 'memory', ['--versions=false', '--trash', 'off'])
    await server.tree.add({ 'a.txt': 'a', to: null })
    await work(server, { kind: 'copy', items: ['/a.txt'], to: '/to' })
    const before = await look(server)
    await fillWithJobs(server)
    const after = await look(server)
    const folder = `${server.program.database}.jobs`
    const disk = execFileSync('du', ['-sk', folder], { encoding: 'utf8' })
    return {
      'MB of memory for 1,000 jobs (at most 5)': (after.heapBytes - before.heapBytes) / MIB,
      'MB of disk': Number.parseInt(disk, 10) / 1024,
    }
  }
}

/** Listens without reading what it is told. */
function listen({ program }: Server, { token }: SignedIn, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { headers: { 'X-Auth': token }, agent: false, signal } as const
    const asked = get(`${program.origin}/api/events`, options, (answer) => {
      answer.resume().on('error', () => {})
      resolve()
    })
    asked.on('error', reject)
  })
}

const listeners: Case = async (stack) => {
  const drip = await openRemote((_, response) => {
    response.writeHead(200, { 'Content-Length': GIB })
    const timer = setInterval(() => response.write(Buffer.alloc(10_000)), 50)
    response.once('close', () => clearInterval(timer))
  })
  stack.use(drip)
  const args = ['--fetchFrom', drip.host]
  const server = await watched(stack, 'memory', args)
  const [other = server.admin] = await fillWithJobs(server)
  const pid = server.program.process.pid ?? 0
  const percentOf = async () => {
    const before = await cpuMsOf(pid)
    await wait(LISTENED_MS)
    return ((await cpuMsOf(pid)) - before) / (LISTENED_MS / 100)
  }
  /** While a file comes slowly. */
  const percentWhile = async (admin: SignedIn) => {
    const body = { kind: 'fetch', url: `${drip.origin}/x.bin`, to: '/to', conflict: 'rename' }
    const init = { method: 'POST', body: JSON.stringify(body) }
    const job: Job = await json({ admin }, '/api/jobs', init)
    const percent = await percentOf()
    await send({ admin }, 'POST', `/api/jobs/${job.id}/cancel`)
    return percent
  }
  return async () => {
    const nobody = await percentWhile(other)
    const control = new AbortController()
    try {
      const { signal } = control
      const all = Array.from({ length: LISTENERS }, () => listen(server, server.admin, signal))
      await Promise.all(all)
      const idle = await percentOf()
      return {
        'percent of a processor for a slow job': nobody,
        'the same for 200 who listen while nothing runs (at most 2)': idle,
        'the same for 200 who do not see the slow job, with it': await percentWhile(other),
        'the same for 200 who see it, with it': await percentWhile(server.admin),
      }
    } finally {
      control.abort()
    }
  }
}

const one = (bytes: number) => (folder: string) => writeLarge(join(folder, 'large.bin'), bytes)
const many = (folder: string) => writeSmall(join(folder, 'many'), FILES, SMALL_BYTES)

await measure(
  {
    large: large('disk', 4 * GIB),
    'large in memory': large('memory', 4 * GIB),
    btrfs: cloned('btrfs'),
    xfs: cloned('xfs'),
    small: small('memory', FILES, FILES_IN_FOLDER),
    'small in small folders': small('memory', 5_000, 10),
    'small on disk': small('disk', 5_000, FILES_IN_FOLDER),
    'small in small folders on disk': small('disk', 2_000, 10),
    listing: listing('disk'),
    'listing in memory': listing('memory'),
    'zip of many': unpacking(0.5, 'x.zip', many, ['zip', '-qr'], ['bsdtar', '-xf']),
    'large zip': unpacking(0.6, 'x.zip', one(2 * GIB), ['zip', '-q1'], ['unzip', '-q']),
    'tar.zst': unpacking(0.6, 'x.tar.zst', one(2 * GIB), ['tar', '--zstd', '-cf'], ['tar', '-xf']),
    'first zip of many': first,
    packing,
    records,
    listeners,
  },
  rounds,
  wanted,
)
