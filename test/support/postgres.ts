// A real PostgreSQL of the system's package on a free port, over a folder of its own. It refuses to run as root, so
// there it runs as the account that the package makes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { waitFor } from './deadline.ts'
import { hasFiles, needProgram } from './programs.ts'

const BIN = '/usr/lib/postgresql/15/bin'
/** Of the account that the tests use. */
export const POSTGRES_PASSWORD = 'the password: of it'

export interface Postgres extends AsyncDisposable {
  readonly port: number
  /** The address of a database, without a password. */
  address(database: string): string
  /** Makes an empty database; gives its address. */
  makeDatabase(): Promise<string>
  /** Asks as an administrator. */
  query(database: string, text: string): Promise<unknown[][]>
  /** Ends it as a power failure would. */
  kill(): Promise<void>
  start(): Promise<void>
  pid(): number
}

/** Whether it is installed; else says once what to install. */
export function hasPostgres(): boolean {
  return hasFiles('several nodes', [join(BIN, 'postgres')], 'postgresql-15')
}

/** Starts PostgreSQL; skips the test where it is not installed. `isDurable`: what it has answered survives `kill`. */
export async function startPostgres({ isDurable = false } = {}): Promise<Postgres> {
  needProgram(join(BIN, 'postgres'))
  const program = (name: string) => join(BIN, name)
  const folder = mkdtempSync(join(tmpdir(), 'filebrowser-postgres-'))
  const isRoot = process.getuid?.() === 0
  const prefix = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  if (isRoot) execFileSync('chown', ['postgres', folder])
  chmodSync(folder, 0o700)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, POSTGRES_PASSWORD)
  if (isRoot) execFileSync('chown', ['postgres', passwordFile])
  const data = join(folder, 'data')
  const words = ['-D', data, '-U', 'fb', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  run([...prefix, program('initdb'), ...words, '--no-sync', '-E', 'UTF8', '--locale=C'], folder)
  const port = await freePort()
  const options = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, port }
  const settings = { ...options, fsync: isDurable ? 'on' : 'off', max_connections: 60 }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let child: ChildProcess | undefined
  let databases = 0
  const query = async (database: string, text: string) => {
    const client = new pg.Client(clientOf(port, database))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query({ text, rowMode: 'array' })).rows as unknown[][]
    } finally {
      await client.end()
    }
  }
  const start = async () => {
    child = spawn(program('postgres'), ['-D', data, ...flags], {
      cwd: folder,
      stdio: 'ignore',
      ...(isRoot && identityOf('postgres')),
    })
    await waitFor('PostgreSQL', () => query('postgres', 'select 1'))
  }
  const kill = async () => {
    if (!child) return
    const ended = once(child, 'exit')
    // SIGQUIT ends its processes at once, without writing anything.
    child.kill('SIGCONT')
    child.kill('SIGQUIT')
    await ended
    child = undefined
  }
  await start()
  const address = (database: string) => `postgres://fb@127.0.0.1:${port}/${database}`
  return {
    port,
    address,
    makeDatabase: async () => {
      const name = `d${++databases}`
      await query('postgres', `create database ${name}`)
      return address(name)
    },
    query,
    kill,
    start,
    pid: () => child?.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** How the driver connects to a database of it. */
export function clientOf(port: number, database: string): pg.ClientConfig {
  return { host: '127.0.0.1', port, user: 'fb', database, password: POSTGRES_PASSWORD }
}

export function identityOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function run([program = '', ...words]: string[], cwd: string): void {
  execFileSync(program, words, { cwd, stdio: 'pipe' })
}

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
