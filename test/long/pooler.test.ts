// pgbouncer between the nodes and PostgreSQL, by session and by transaction: everything holds, and what is changed on
// one node is seen by the other within a second although nobody is woken.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import {
  clientOf,
  freePort,
  hasPostgres,
  identityOf,
  POSTGRES_PASSWORD,
  type Postgres,
} from '../support/postgres.ts'
import { address, ENV, freshDatabases, postgres } from '../support/postgres-tests.ts'
import { hasFiles } from '../support/programs.ts'
import { cwd, login, PASSWORD, type Served, serve } from '../support/serve.ts'
import { tusAt } from '../support/tus.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
const isThere = hasPostgres() && hasFiles('a pooler', [PGBOUNCER], 'pgbouncer')

describe.runIf(isThere)('two nodes through a pooler', () => {
  freshDatabases()

  test.each(['session', 'transaction'])('that lends connections by %s', async (mode) => {
    await using pooler = await startPooler(postgres, mode)
    const through = address.replace(String(postgres.port), String(pooler.port))
    const start = (n: number) =>
      serve(['-d', through, '--stateDir', `node${n}`, '--password', PASSWORD], ENV)
    const [one, two] = await Promise.all([start(1), start(2)])
    const token = await (await login(one.origin, PASSWORD)).text()
    const ask = async (server: Served, path: string, init: RequestInit = {}) =>
      (await fetch(`${server.origin}${path}`, { ...init, headers: { 'X-Auth': token } })).status
    for (let n = 0; n < 20; n++) {
      expect((await login(n % 2 ? one.origin : two.origin, PASSWORD)).status).toBe(200)
      expect(await ask(n % 2 ? two : one, '/api/users')).toBe(200)
    }
    // Held between two requests only where the other one would be heard; at first they do not know each other.
    await piecesByTurns([one, two], token)
    const slowest = await piecesByTurns([one, two], token)
    expect(slowest).toBeLessThan(480)
    const guesses = Array.from({ length: 12 }, (_, n) =>
      login(n % 2 ? one.origin : two.origin, 'wrong'),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(10)
    expect(statuses).toContain(429)
    expect(await ask(one, '/api/logout', { method: 'POST' })).toBe(204)
    const ended = performance.now()
    await waitFor('a refusal by the other', async () => (await ask(two, '/api/users')) === 401)
    expect(performance.now() - ended).toBeLessThan(1_000)
  })
})

/** Uploads of two pieces, each piece to the next server; the milliseconds of the slowest request. */
async function piecesByTurns(servers: Served[], token: string): Promise<number> {
  let [slowest, turn] = [0, 0]
  const timed = async <T>(work: (origin: string) => Promise<T>): Promise<T> => {
    const begun = performance.now()
    const result = await work(servers[turn++ % servers.length]?.origin ?? '')
    slowest = Math.max(slowest, performance.now() - begun)
    return result
  }
  for (let n = 0; n < 15; n++) {
    const at = (origin: string) => tusAt(origin, token, `${n}.bin`)
    expect(await timed((origin) => at(origin).create(6, { override: true }))).toBe(201)
    for (const offset of [0, 3])
      expect(
        await timed((origin) =>
          at(origin).append(offset, Buffer.from('abcdef').subarray(offset, offset + 3)),
        ),
      ).toEqual({ status: 204, offset: offset + 3 })
    expect(await readFile(join(cwd, 'srv', `${n}.bin`), 'utf8')).toBe('abcdef')
    // Long enough for both to have heard of each other.
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return slowest
}

async function startPooler(server: Postgres, mode: string) {
  const folder = mkdtempSync(join(tmpdir(), 'filebrowser-pooler-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  chmodSync(folder, 0o755)
  const users = join(folder, 'users')
  writeFileSync(users, `"fb" "${POSTGRES_PASSWORD}"\n`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 20
`,
  )
  const child = spawn(PGBOUNCER, [file], {
    stdio: 'ignore',
    ...(isRoot && identityOf('postgres')),
  })
  const { default: pg } = await import('pg')
  await waitFor('pgbouncer', async () => {
    const client = new pg.Client(clientOf(port, 'postgres'))
    client.on('error', () => {})
    await client.connect()
    await client.end()
    return true
  })
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
