// Measures WebDAV against what it stands beside, by the packaged executable: `node scripts/measure-webdav.ts [rounds]
// [case...]`, by default 3 rounds of all. Both sides of a ratio take turns within a round, so that a busy machine changes
// it little; the median of the rounds is printed with the lowest and the highest, above 1 where WebDAV is the faster one.
// curl and rclone are the clients, Apache's mod_dav and `rclone serve webdav` the other servers. Files are in memory where
// the system has a folder for that.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request as begin } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basic, LOCK_INFO } from '../test/support/dav.ts'
import { cpuMsOf, residentBytes, watchMemory } from '../test/support/process-facts.ts'
import { ADMIN, startProgram } from '../test/support/program.ts'
import { makeTree, memoryFolder } from '../test/support/tree.ts'
import { type Apache, answers, end, freePort, startApache } from './bench/dav-servers.ts'
import {
  type Server as Measured,
  measure,
  msOf,
  type Round,
  serve as serveIn,
} from './measuring.ts'

interface Server extends Measured {
  /** A token of the account, as a password. */
  token: string
}

const MIB = 1024 * 1024
const LARGE_BYTES = 1024 * MIB
const SMALL_FILES = 1_000
const COPIED_FILES = 10_000
const AT_ONCE = 5
const LOCKS = 4_000
const QUIET = ['--trash', 'off', '--versions=false']

const rounds = Number(process.argv[2] ?? 3)
const wanted = process.argv.slice(3)

async function serve(): Promise<Server> {
  const server = await serveIn(memoryFolder(), { args: QUIET })
  await server.tree.add({ small: null })
  const perm = { create: true, rename: true, modify: true, delete: true, download: true }
  const made = await server.admin.fetch('/api/tokens', {
    method: 'POST',
    body: JSON.stringify({
      name: 'measured',
      perm,
      folder: '/',
      expires: '',
      current_password: ADMIN.password,
    }),
  })
  const { token } = (await made.json()) as { token: string }
  return { ...server, token }
}

interface Answer {
  status: number
  bytes: number
  firstByteMs: number
  lockToken: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Asks, and reads the answer to its end. */
function ask(
  address: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const request = begin(address, { method, headers, agent }, (response) => {
      let bytes = 0
      let firstByteMs = 0
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - start
        bytes += chunk.length
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        if (statusCode >= 400) return reject(new Error(`${method} ${address}: ${statusCode}`))
        const lockToken = String(headers['lock-token'] ?? '')
        resolve({ status: statusCode, bytes, firstByteMs, lockToken })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

async function together(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const dav = ({ token }: Server) => basic('', token)
const api = ({ admin }: Server) => ({ 'X-Auth': admin.token })

function curl(args: string[]): void {
  execFileSync('curl', ['-sSf', '-o', '/dev/null', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A large file, read and written. */
async function large(server: Server): Promise<Round> {
  const { tree, program, token, admin } = server
  const file = join(tree.base, 'large.bin')
  writeFileSync(tree.at('large.bin'), Buffer.alloc(LARGE_BYTES, 'x'))
  execFileSync('ln', ['-f', tree.at('large.bin'), file])
  const byDav = ['-u', `:${token}`]
  const byApi = ['-H', `X-Auth: ${admin.token}`]
  return async () => {
    const raw = await msOf(() => curl([...byApi, `${program.origin}/api/raw/large.bin`]))
    const get = await msOf(() => curl([...byDav, `${program.origin}/dav/large.bin`]))
    const post = await msOf(() =>
      curl([
        ...byApi,
        ...['-X', 'POST', '-H', 'Expect:', '-T', file],
        `${program.origin}/api/resources/posted.bin?override=true`,
      ]),
    )
    rmSync(tree.at('posted.bin'))
    const put = await msOf(() =>
      curl([...byDav, '-H', 'Expect:', '-T', file, `${program.origin}/dav/put.bin`]),
    )
    rmSync(tree.at('put.bin'))
    return { 'GET of 1 GiB': raw / get, 'PUT of 1 GiB': post / put, 'PUT, MiB/s': 1024_000 / put }
  }
}

/** Small files, new ones. */
async function small(server: Server): Promise<Round> {
  const { program } = server
  const pid = program.process.pid as number
  const body = 'x'.repeat(4096)
  let round = 0
  return async () => {
    round++
    const send = async (address: string, method: string, headers: Record<string, string>) => {
      const cpu = await cpuMsOf(pid)
      const ms = await msOf(() =>
        together(SMALL_FILES, (n) =>
          ask(`${program.origin}${address}-${round}-${n}.txt`, method, headers, body),
        ),
      )
      return { ms, cpu: (await cpuMsOf(pid)) - cpu }
    }
    const post = await send('/api/resources/small/post', 'POST', api(server))
    const put = await send('/dav/small/put', 'PUT', dav(server))
    return {
      'small PUT': post.ms / put.ms,
      'small PUT by processor': post.cpu / put.cpu,
      'small PUT, per second': (SMALL_FILES * 1000) / put.ms,
    }
  }
}

const FOLDERS = { '1k': 1_000, '10k': 10_000, '100k': 100_000 }

/** Folders listed, beside our own listing and Apache's. */
async function propfind(server: Server, apache: Apache | null): Promise<Round> {
  const { tree, program } = server
  for (const [name, count] of Object.entries(FOLDERS)) {
    mkdirSync(tree.at(name))
    for (let n = 0; n < count; n++) writeFileSync(join(tree.at(name), `file number ${n}.txt`), '')
  }
  const pid = program.process.pid as number
  return async () => {
    const found: Record<string, number> = {}
    for (const [name, count] of Object.entries(FOLDERS)) {
      const headers = { ...dav(server), Depth: '1' }
      const list = await msOf(() =>
        ask(`${program.origin}/api/resources/${name}/`, 'GET', api(server)),
      )
      const memory = watchMemory(pid)
      const before = await residentBytes(pid)
      const late = watchLoop(program.origin)
      let firstByteMs = 0
      const ms = await msOf(async () => {
        const answer = await ask(`${program.origin}/dav/${name}/`, 'PROPFIND', headers)
        firstByteMs = answer.firstByteMs
      })
      found[`${name}: slowest request beside, ms`] = await late.stop()
      found[`${name}: memory, MB`] = ((await memory.stop()) - before) / MIB
      found[`${name}: ms`] = ms
      found[`${name}: µs an entry`] = (ms * 1000) / count
      found[`${name}: first byte, ms`] = firstByteMs
      found[`${name}: times the JSON listing`] = ms / list
      if (apache === null) continue
      const theirs = await msOf(() => ask(`${apache.origin}/${name}/`, 'PROPFIND', { Depth: '1' }))
      found[`${name}: faster than mod_dav`] = theirs / ms
    }
    return found
  }
}

/** Asks for next to nothing again and again, each time on the same connection. */
function watchLoop(origin: string): { stop(): Promise<number> } {
  let isOver = false
  let slowest = 0
  const asking = (async () => {
    while (!isOver) {
      slowest = Math.max(slowest, await msOf(() => ask(`${origin}/health`, 'GET', {})))
      await wait(2)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await asking
      return slowest
    },
  }
}

/** Many small files by rclone, to us and to its own server. */
async function rclone(server: Server): Promise<Round> {
  const { tree, program, token } = server
  const from = join(tree.base, 'from')
  mkdirSync(from)
  for (let n = 0; n < COPIED_FILES; n++) writeFileSync(join(from, `file ${n}.txt`), `content ${n}`)
  const secret = execFileSync('rclone', ['obscure', token], { encoding: 'utf8' }).trim()
  const copy = (url: string, auth: string) =>
    execFileSync(
      'rclone',
      ['copy', from, `:webdav,url='${url}'${auth}:`, '--transfers', '8', '--config', '/dev/null'],
      { stdio: ['ignore', 'inherit', 'pipe'] },
    )
  let round = 0
  return async () => {
    round++
    // rclone makes folders below the address alone.
    mkdirSync(tree.at(`rclone-${round}`))
    const ours = await msOf(() =>
      copy(`${program.origin}/dav/rclone-${round}`, `,vendor=other,user=admin,pass='${secret}'`),
    )
    rmSync(tree.at(`rclone-${round}`), { recursive: true })
    const port = await freePort()
    const place = join(tree.base, `theirs-${round}`)
    mkdirSync(place)
    const args = ['serve', 'webdav', place, '--addr', `127.0.0.1:${port}`, '--config', '/dev/null']
    const child = spawn('rclone', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    try {
      await answers(`http://127.0.0.1:${port}/`, child)
      const theirs = await msOf(() => copy(`http://127.0.0.1:${port}`, ',vendor=other'))
      rmSync(place, { recursive: true })
      return { 'rclone copy of 10,000': theirs / ours, 'rclone copy, s': ours / 1000 }
    } finally {
      await end(child)
    }
  }
}

/** Locks that come and go. */
async function locks(server: Server): Promise<Round> {
  const { tree, program } = server
  for (let n = 0; n < AT_ONCE; n++) writeFileSync(tree.at(`locked-${n}.txt`), 'x')
  const changedMs = () => statSync(program.database).mtimeMs
  return async () => {
    const before = changedMs()
    const ms = await msOf(() =>
      Promise.all(
        Array.from({ length: AT_ONCE }, async (_, n) => {
          const address = `${program.origin}/dav/locked-${n}.txt`
          for (let i = 0; i < LOCKS / AT_ONCE; i++) {
            const { lockToken } = await ask(address, 'LOCK', dav(server), LOCK_INFO)
            const headers = { ...dav(server), 'Lock-Token': lockToken }
            await ask(address, 'UNLOCK', headers)
          }
        }),
      ),
    )
    return {
      'LOCK and UNLOCK, per second': (LOCKS * 1000) / ms,
      'documents written': changedMs() === before ? 0 : 1,
    }
  }
}

/** A server that nobody mounts, with WebDAV and without. */
async function unused(): Promise<Round> {
  const start = async (args: string[]) => {
    const tree = await makeTree({})
    const startedMs = performance.now()
    await using program = await startProgram(tree, { args })
    const startMs = performance.now() - startedMs
    const pid = program.process.pid as number
    const cpu = await cpuMsOf(pid)
    await wait(1_500)
    const bytes = await residentBytes(pid)
    await tree[Symbol.asyncDispose]()
    return { startMs, bytes, cpu }
  }
  return async () => {
    const closed = await start(['--dav=false'])
    const open = await start([])
    return {
      'unused: memory': open.bytes / closed.bytes,
      'unused: start': open.startMs / closed.startMs,
      'unused: start by processor': open.cpu / closed.cpu,
    }
  }
}

type Prepare = (server: Server, apache: Apache | null) => Promise<Round>

const CASES: Record<string, Prepare> = { large, small, propfind, rclone, locks, unused }

const cases = Object.entries(CASES).map(([name, prepare]) => {
  const prepareIn = async (stack: AsyncDisposableStack) => {
    const server = stack.use(await serve())
    const apache = name === 'propfind' ? stack.use(await startApache(server.tree)) : null
    return prepare(server, apache)
  }
  return [name, prepareIn] as const
})
await measure(Object.fromEntries(cases), rounds, wanted)
agent.destroy()
