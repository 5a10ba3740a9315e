// Records are copied from one database to another: everything, or nothing.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../src/store/document.ts'
import { hasPostgres } from '../support/postgres.ts'
import { address, done, ENV, freshDatabases } from '../support/postgres-tests.ts'
import { cwd, failed, login, PASSWORD, serve } from '../support/serve.ts'

const LEGACY = join(import.meta.dirname, '../data/legacy/filebrowser.db')
const digestIn = (text: string) => /^sha256\t([0-9a-f]{64})$/m.exec(text)?.[1] ?? text

freshDatabases()

/** A database with some of everything, and somebody who is signed in. */
async function filled(): Promise<string> {
  await done('config', 'init')
  await done('users', 'add', 'admin', PASSWORD, '--perm.admin')
  await done('users', 'add', 'gone', PASSWORD)
  await done('users', 'rm', 'gone')
  await done('users', 'add', 'mona \u{1f600}', PASSWORD, '--scope', '/mona')
  await done('groups', 'add', 'staff')
  await done('groups', 'member', 'add', 'staff', 'admin')
  const server = await serve()
  const token = await (await login(server.origin, PASSWORD)).text()
  const headers = { 'X-Auth': token, 'User-Agent': 'odd \\u0000 "agent"' }
  const made = await fetch(`${server.origin}/api/share/a.txt`, {
    method: 'POST',
    body: '{}',
    headers,
  })
  expect(made.status).toBe(200)
  await server.stop()
  return token
}

const hasToken = async (origin: string, token: string) =>
  (await fetch(`${origin}/api/users`, { headers: { 'X-Auth': token } })).status

test.runIf(hasPostgres())('to PostgreSQL and back, they are the same to the byte', async () => {
  const token = await filled()
  const document = await readFile(join(cwd, 'filebrowser.db'), 'utf8')
  const files = await readdir(cwd)
  const before = digestIn(await done('database', 'check'))
  expect(digestIn(await done('database', 'copy', 'filebrowser.db', address))).toBe(before)
  expect(await readFile(join(cwd, 'filebrowser.db'), 'utf8')).toBe(document)
  expect(await readdir(cwd)).toEqual(files)
  expect(digestIn(await done('database', 'check', '-d', address))).toBe(before)
  expect(digestIn(await done('database', 'copy', address, 'back.db'))).toBe(before)
  const withoutCommits = ({ commits: _, ...rest }: Record<string, unknown>) => rest
  const text = await readFile(join(cwd, 'back.db'), 'utf8')
  const back = JSON.parse(text)
  expect(text).toBe(`${JSON.stringify(back, null, 1)}\n`)
  expect(JSON.stringify(back)).toBe(JSON.stringify(withoutCommits(JSON.parse(document))))
  for (const database of [address, 'back.db']) {
    const server = await serve(['-d', database], ENV)
    expect(await hasToken(server.origin, token)).toBe(200)
    expect((await login(server.origin, PASSWORD)).status).toBe(200)
    await server.stop()
    // The number of who has gone is not given again.
    expect(await done('users', 'add', `new-${database.length}`, PASSWORD, '-d', database)).toMatch(
      /^4 /m,
    )
  }
})

test('of the old program go to a new file', async () => {
  const before = await readFile(LEGACY)
  await done('import', LEGACY, '-d', 'imported.db')
  const copied = digestIn(await done('database', 'copy', LEGACY, 'copied.db'))
  expect(copied).toMatch(/^[0-9a-f]{64}$/)
  expect((await readFile(LEGACY)).equals(before)).toBe(true)
  expect(await done('users', 'ls', '-d', 'copied.db')).toBe(
    await done('users', 'ls', '-d', 'imported.db'),
  )
})

test('go into nothing that is not empty, and come from nothing that is not there', async () => {
  await filled()
  await writeFile(join(cwd, 'other.db'), JSON.stringify({ version: SCHEMA_VERSION }))
  const taken = await failed(['database', 'copy', 'filebrowser.db', 'other.db'])
  expect(taken.stderr).toContain('other.db is not empty and is left as it is')
  const absent = await failed(['database', 'copy', 'nothing.db', 'new.db'])
  expect(absent.stderr).toContain('there is no database at')
  expect(await readdir(cwd)).not.toContain('new.db')
  if (!hasPostgres()) return
  await done('config', 'init', '-d', address)
  const served = await failed(['database', 'copy', 'filebrowser.db', address], ENV)
  expect(served.stderr).toContain('is not empty and is left as it is')
})
