// Starts the product as users get it: a separate process on a port of the system's choosing.
import { type ChildProcess, spawn } from 'node:child_process'
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

export interface Program extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` without a trailing slash and without the base URL. */
  origin: string
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

/** Starts the server over a tree and resolves once it answers. Dispose it with `await using`. */
export async function startProgram(tree: Tree, options: ProgramOptions = {}): Promise<Program> {
  const [command, ...leading] = programCommand()
  const database = options.database ?? join(tree.base, 'filebrowser.db')
  const { username, password } = ADMIN
  const args = [
    ...leading,
    ...(options.listen ?? ['-a', '127.0.0.1', '-p', '0']),
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
  prepare: (program: Program) => Promise<unknown> = async () => {},
): Promise<Program> {
  const first = await startProgram(tree)
  try {
    await prepare(first)
  } finally {
    await first.stop()
  }
  const { database } = first
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
