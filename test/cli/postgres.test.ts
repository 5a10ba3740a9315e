// The records on a PostgreSQL server, from the command line: every command takes its address, and what is wrong
// with it is one sentence.
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'
import { hasPostgres, POSTGRES_PASSWORD } from '../support/postgres.ts'
import { address, ENV, freshDatabases, postgres } from '../support/postgres-tests.ts'
import { cwd, failed, login, PASSWORD, serve } from '../support/serve.ts'

const cli = (words: string[], env: Record<string, string> = ENV) =>
  runCli([...words, '-d', address], { cwd, env })
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

describe.runIf(hasPostgres())('records on PostgreSQL', () => {
  freshDatabases()

  test('are made by the first start, used by the next, and changed by commands meanwhile', async () => {
    const first = await serve(['-d', address, '--password', PASSWORD], ENV)
    expect((await login(first.origin, PASSWORD)).status).toBe(200)
    const added = await cli(['users', 'add', 'mona', PASSWORD])
    expect(added).toMatchObject({ code: 0 })
    const asMona = await fetch(`${first.origin}/api/login`, {
      method: 'POST',
      body: JSON.stringify({ username: 'mona', password: PASSWORD }),
    })
    expect(asMona.status).toBe(200)
    await first.stop()
    const second = await serve(['-d', address], ENV)
    expect((await login(second.origin, PASSWORD)).status).toBe(200)
    await second.stop()
    expect(second.cli.output().stderr).toContain(`Using database: ${address}`)
    const files = await readdir(cwd)
    expect(files.sort()).toEqual(['filebrowser.state', 'srv'])
    expect(await readdir(join(cwd, 'filebrowser.state'))).toContain('node.audit.jsonl')
  })

  test('are made once by servers that start together, and so is the administrator', async () => {
    const words = (n: number) => ['-d', address, '--stateDir', `node${n}`, '--password', PASSWORD]
    const servers = await Promise.all([1, 2, 3].map((n) => serve(words(n), ENV)))
    for (const { origin } of servers) expect((await login(origin, PASSWORD)).status).toBe(200)
    await Promise.all(servers.map(({ stop }) => stop()))
    const { stdout } = await cli(['users', 'ls'])
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  })

  test('are what all commands read and change', async () => {
    const lines = [
      ['config', 'init', '--branding.name', 'Shared'],
      ['users', 'add', 'admin', PASSWORD, '--perm.admin'],
      ['users', 'add', 'mona', PASSWORD],
      ['groups', 'add', 'staff'],
      ['rules', 'add', '/private', '--username', 'mona'],
      ['cmds', 'add', 'after_upload', 'true'],
      ['config', 'set', '--signup'],
      ['users', 'rm', 'mona'],
      ['config', 'cat'],
      ['rules', 'ls'],
      ['cmds', 'ls'],
      ['groups', 'ls'],
      ['folders', 'ls'],
      ['users', 'export', join(cwd, 'users.json')],
      ['config', 'export', join(cwd, 'config.json')],
    ]
    let last = ''
    for (const words of lines) {
      const result = await cli(words)
      expect(result, words.join(' ')).toMatchObject({ code: 0 })
      last += result.stdout
    }
    expect(last).toContain('Shared')
    expect(last).toContain('staff')
    expect(await cli(['config', 'init'])).toMatchObject({ code: 1 })
    const exported = JSON.parse(await readFile(join(cwd, 'users.json'), 'utf8'))
    expect(exported.map(({ username }: { username: string }) => username)).toEqual(['admin'])
  })

  test('take over the database of the old program', async () => {
    const old = join(import.meta.dirname, '../data/legacy/filebrowser.db')
    const dry = await cli(['import', old, '--dry-run'])
    expect(dry).toMatchObject({ code: 0 })
    expect(await cli(['import', old])).toMatchObject({ code: 0 })
    const again = await cli(['import', old])
    expect(again.code).toBe(1)
    expect(lastLine(again.stderr)).toContain('there are records in')
    expect((await cli(['users', 'ls'])).code).toBe(0)
  })

  test.each([
    ['PGPASSWORD', async () => ENV],
    ['PGPASSFILE', async () => ({ PGPASSFILE: await secret(passLine()) })],
    [
      'FB_DATABASE_PASSWORD_FILE',
      async () => ({ FB_DATABASE_PASSWORD_FILE: await secret(`${POSTGRES_PASSWORD}\n`) }),
    ],
  ])('open by the password in %s', async (_, env) => {
    expect(await cli(['config', 'init'], await env())).toMatchObject({ code: 0 })
  })

  test('do not open by a password file that others may read', async () => {
    const file = await secret(passLine())
    await chmod(file, 0o640)
    const named = await failed(['-d', address], { PGPASSFILE: file })
    expect(lastLine(named.stderr)).toContain(`others may read ${file}; give it the mode 0600`)
    await rename(file, join(cwd, '.pgpass'))
    const usual = await failed(['-d', address], { HOME: cwd })
    expect(lastLine(usual.stderr)).toContain('the password is wrong or missing')
    await chmod(join(cwd, '.pgpass'), 0o600)
    expect(await cli(['config', 'init'], { HOME: cwd })).toMatchObject({ code: 0 })
  })

  test.each([
    [
      'a wrong password',
      () => ({ env: { PGPASSWORD: 'wrong' } }),
      /refuses fb: the password is wrong or missing/,
    ],
    ['no password', () => ({ env: {} }), /refuses fb: the password is wrong or missing/],
    [
      'a database that is not there',
      () => ({ to: postgres.address('nowhere') }),
      /there is no database "nowhere"/,
    ],
    [
      'a password in the address',
      () => ({ to: address.replace('fb@', 'fb:geheim@') }),
      /holds a password.*PGPASSWORD/,
    ],
    [
      'no TLS where it is asked for',
      () => ({ to: `${address}?sslmode=verify-full` }),
      /SSL.*sslmode=disable/,
    ],
    [
      'an unknown way to encrypt',
      () => ({ to: `${address}?sslmode=prefer` }),
      /sslmode=prefer; it may be/,
    ],
    ['an unknown parameter', () => ({ to: `${address}?ssl=true` }), /has the parameter ssl;/],
    [
      'no name',
      () => ({ to: 'postgres://fb@127.0.0.1:5432' }),
      /must end with the name of one database/,
    ],
  ])('are refused with one sentence for %s', async (_, make, says) => {
    const { env = ENV, to = address } = make() as { env?: Record<string, string>; to?: string }
    const { stderr } = await failed(['-d', to, '--password', PASSWORD], env)
    expect(lastLine(stderr)).toMatch(says)
    expect(stderr).not.toMatch(/geheim|the password: of it|^ {4}at /m)
  })

  test('are refused with one sentence for a server that is not there', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const { stderr } = await failed(['-d', `postgres://fb@127.0.0.1:${port}/x`], ENV)
    expect(lastLine(stderr)).toMatch(/cannot be reached: .*ECONNREFUSED/)
  })

  test('of another program or a newer version are left as they are', async () => {
    const name = address.split('/').at(-1) ?? ''
    await postgres.query(name, 'create schema filebrowser')
    await postgres.query(name, 'create table filebrowser.things (a int)')
    const foreign = await failed(['-d', address, '--password', PASSWORD], ENV)
    expect(lastLine(foreign.stderr)).toContain(
      'holds tables of another program. Nothing was changed.',
    )
    await postgres.query(name, 'drop schema filebrowser cascade')
    await cli(['config', 'init'])
    await postgres.query(name, 'update filebrowser.fb_meta set layout = 9, min_layout = 9')
    const newer = await failed(['-d', address, '--password', PASSWORD], ENV)
    expect(lastLine(newer.stderr)).toContain('was written by a newer version')
    await postgres.query(name, 'update filebrowser.fb_meta set layout = 9, min_layout = 1')
    expect(await cli(['users', 'ls'])).toMatchObject({ code: 0 })
    await postgres.query(
      name,
      `create table filebrowser.vaults (key text); insert into filebrowser.vaults values ('1');
       insert into filebrowser.fb_collections values ('vaults', true)`,
    )
    const required = await cli(['users', 'ls'])
    expect(required.code).toBe(1)
    expect(lastLine(required.stderr)).toContain('it needs vaults')
  })

  test('tell the health check where the server listens', async () => {
    const served = await serve(['-d', address, '--password', PASSWORD], ENV)
    await cli(['config', 'set', '--port', String(served.port)])
    expect(await cli(['healthcheck'])).toMatchObject({ code: 0 })
    await served.stop()
    expect(await cli(['healthcheck'])).toMatchObject({ code: 1 })
  })
})

async function secret(text: string): Promise<string> {
  const file = join(cwd, 'secret')
  await writeFile(file, text, { mode: 0o600 })
  return file
}

function passLine(): string {
  const password = POSTGRES_PASSWORD.replaceAll(':', '\\:')
  return `# mine\nother:5432:*:fb:no\n127.0.0.1:${postgres.port}:*:fb:${password}\n`
}
