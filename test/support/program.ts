// Starts the product as users get it: a separate process on a port of the system's choosing.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OUT_DIR } from '../../scripts/build/paths.ts'
import { waitFor, withDeadline } from './deadline.ts'
import type { Tree } from './tree.ts'

export const ADMIN = { username: 'admin', password: 'correct horse 9 battery' } as const

const START_MS = 45_000
const STOP_MS = 15_000

export interface ProgramOptions {
  /** Further options, for instance `['--baseURL', '/files']`. */
  args?: string[]
  /** Options in place of those for 127.0.0.1 and a free port. */
  listen?: string[]
  env?: Record<string, string>
  /** Defaults to `filebrowser.db` beside the served folder. */
  database?: string
}

type Options = ProgramOptions & { database: string }

export interface Program extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` without a trailing slash and without the base URL. */
  origin: string
  /** Given when other servers of this worker come to the same origin after it. */
  reopened?: 'other'
  /** Of ADMIN, where the database was made with a session. */
  cookie?: string
  /** 0 on a unix socket. */
  port: number
  database: string
  process: ChildProcess
  /** Everything printed so far, both streams. */
  output(): string
  /** SIGTERM and wait; gives the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL and wait, as a power cut would do it. */
  kill(): Promise<void>
}

/**
 * Command and leading arguments of the program under test: `FILEBROWSER_BIN`, else the packaged
 * executable, else the bundle of the last build.
 */
export function programCommand(): [string, ...string[]] {
  const executable = process.env.FILEBROWSER_BIN ?? join(OUT_DIR, 'filebrowser')
  if (existsSync(executable)) return [executable]
  const bundle = join(OUT_DIR, 'server', 'main.cjs')
  if (existsSync(bundle)) return [process.execPath, bundle]
  throw new Error('nothing to test: run "npm run package" or "npm run build" first')
}

/** Below the ports that the system gives out. */
const FIRST_PORT = 20_000
const PORTS = 12_000

/** Where servers of this worker listen one after the other, so that its browser knows their scripts. */
const lasting = { port: FIRST_PORT + randomInt(PORTS), taken: false, wanted: false }

/** Makes the database `file` as a first start does; gives the cookie of a session of ADMIN in it. */
type MakeDatabase = (file: string) => Promise<string>

let makeDatabase: MakeDatabase | undefined
/** By database. */
const cookies = new Map<string, string>()

/**
 * From now on servers of this worker are at one origin: the one that runs at a time, others at free ports.
 * `make` makes their databases.
 */
export function servePages(make: MakeDatabase): void {
  lasting.wanted = true
  makeDatabase = make
}

/** Starts the server over a tree and resolves once it answers. Dispose it with `await using`. */
export async function startProgram(tree: Tree, options: ProgramOptions = {}): Promise<Program> {
  const database = options.database ?? join(tree.base, 'filebrowser.db')
  // Who is let in without a password is stored by the first start.
  if (makeDatabase && !existsSync(database) && !options.args?.includes('--noauth'))
    cookies.set(database, await makeDatabase(database))
  const program = await startAnywhere(tree, { ...options, database })
  const cookie = cookies.get(database)
  return cookie === undefined ? program : { ...program, cookie }
}

async function startAnywhere(tree: Tree, options: Options): Promise<Program> {
  const { listen, args = [] } = options
  const isElsewhere = listen !== undefined || args.includes('-p') || args.includes('--cert')
  if (!lasting.wanted || lasting.taken || isElsewhere)
    return startAt(listen ?? FREE_PORT, tree, options)
  lasting.taken = true
  try {
    const { port } = lasting
    const program = await startAt(['-a', '127.0.0.1', '-p', `${port}`], tree, options)
    program.process.once('exit', () => {
      lasting.taken = false
    })
    return { ...program, reopened: 'other' }
  } catch (error) {
    lasting.taken = false
    if (!String(error).includes('in use by another')) throw error
    lasting.port = FIRST_PORT + randomInt(PORTS)
    return startAnywhere(tree, options)
  }
}

const FREE_PORT = ['-a', '127.0.0.1', '-p', '0']

async function startAt(listen: string[], tree: Tree, options: Options): Promise<Program> {
  const [command, ...leading] = programCommand()
  const { database } = options
  const { username, password } = ADMIN
  const args = [
    ...leading,
    ...listen,
    ...['-r', tree.root, '-d', database],
    ...['--username', username, '--password', password],
    ...(options.args ?? []),
  ]
  const child = spawn(command, args, {
    cwd: tree.base,
    env: { PATH: process.env.PATH, HOME: tree.base, LANG: 'C.UTF-8', TZ: 'UTC', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const keep = (chunk: Buffer): void => {
    printed += chunk.toString()
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const exited = once(child, 'exit')

  const address = await waitFor(
    'the start of the server',
    () => {
      if (child.exitCode !== null) return 'ended'
      return /listening on ([^\s"]+)["\s]/i.exec(printed)?.[1]
    },
    START_MS,
  ).catch(async (error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${String(error)}\n${printed}`)
  })
  if (address === 'ended') throw new Error(`the server ended at once:\n${printed}`)
  const port = Number(/:(\d+)$/.exec(address)?.[1] ?? 0)

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await withDeadline(`the end of the server by ${signal}`, STOP_MS, exited)
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    database,
    process: child,
    output: () => printed,
    async stop() {
      await end('SIGTERM')
      return child.exitCode
    },
    kill: () => end('SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end('SIGTERM').catch(() => end('SIGKILL'))
    },
  }
}

/**
 * Starts the server with settings that the command line gives, such as another way to sign in.
 * `prepare` may use it while people still sign in with a password.
 */
export async function startConfigured(
  tree: Tree,
  settings: string[],
  prepare?: (program: Program) => Promise<unknown>,
): Promise<Program> {
  const database = join(tree.base, 'filebrowser.db')
  if (prepare || !makeDatabase) {
    const first = await startProgram(tree)
    try {
      await prepare?.(first)
    } finally {
      await first.stop()
    }
  } else cookies.set(database, await makeDatabase(database))
  const change = ['config', 'set', '-d', database, ...settings]
  const { code, stderr } = await runProgram(change, { cwd: tree.base })
  if (code !== 0) throw new Error(`config set: ${stderr}`)
  return startProgram(tree, { database })
}

/** Runs a command of the program to its end, for instance `['users', 'ls']`. */
export async function runProgram(
  args: string[],
  options: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [command, ...leading] = programCommand()
  const child = spawn(command, [...leading, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, HOME: options.cwd, TZ: 'UTC', ...options.env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.end(options.input ?? '')
  await withDeadline(`filebrowser ${args.join(' ')}`, START_MS, once(child, 'close'))
  return { code: child.exitCode, stdout, stderr }
}
