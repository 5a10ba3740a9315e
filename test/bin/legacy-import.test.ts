// The promise of the product: start the new program on the old database and everything is there.
import { createHash } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loginAs } from '../support/login.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const LEGACY = join(import.meta.dirname, '..', 'data', 'legacy')
/** What the old server served. */
const FILES = {
  docs: null,
  'docs/a.txt': 'a',
  'docs/inner': null,
  'docs/inner/b b.txt': 'b',
  pub: null,
  'pub/c#1.txt': 'c',
  'd.txt': 'd',
  'x.SECRET': 'hidden by the regular expression',
}

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
}

async function startOnSample() {
  const tree = await makeTree(FILES)
  const database = join(tree.base, 'filebrowser.db')
  await copyFile(join(LEGACY, 'filebrowser.db'), database)
  const program = await startProgram(tree, { database })
  const expected = JSON.parse(await readFile(join(LEGACY, 'expected.json'), 'utf8'))
  const passwordOf = (name: string): string =>
    name === 'admin'
      ? expected.passwords.admin
      : expected.passwords.userN.replace('N', name.slice(4))
  const signIn = (name: string) => loginAs(program.origin, name, passwordOf(name))
  return {
    tree,
    database,
    program,
    expected,
    signIn,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await tree[Symbol.asyncDispose]()
    },
  }
}

describe('the old database under the new program', () => {
  test('every user signs in with the old password, settings and users are what they were', async () => {
    await using s = await startOnSample()
    const before = await sha256(join(LEGACY, 'filebrowser.db'))
    for (const { username } of s.expected.users) await s.signIn(username)
    await expect(loginAs(s.program.origin, 'user0', 'wrong')).rejects.toThrow(/403/)

    const admin = await s.signIn('admin')
    const settings = await (await admin.fetch('/api/settings')).json()
    expect(settings).toMatchObject(s.expected.settings)
    const users = await (await admin.fetch('/api/users')).json()
    expect(users).toEqual(s.expected.users)
    const shares = await (await admin.fetch('/api/shares')).json()
    const byHash = (a: { hash: string }, b: { hash: string }) => (a.hash < b.hash ? -1 : 1)
    const plain = shares.map(
      ({ hash, path, userID, expire, hasPassword }: Record<string, unknown>) => ({
        hash,
        path,
        userID,
        expire,
        hasPassword,
      }),
    )
    expect(plain.sort(byHash)).toEqual(s.expected.shares.sort(byHash))

    await s.program.stop()
    expect(await sha256(s.database)).toBe(before)
    expect(s.program.output()).toContain('4 (admin, user0, user1, user2)')
  })

  test('every share link opens, the protected one with its password only', async () => {
    await using s = await startOnSample()
    const { origin } = s.program
    for (const { hash, path, hasPassword } of s.expected.shares) {
      const url = `${origin}/api/public/share/${hash}`
      if (!hasPassword) {
        expect((await fetch(url)).status, path).toBe(200)
        continue
      }
      expect((await fetch(url)).status, path).toBe(401)
      const headers = { 'X-SHARE-PASSWORD': encodeURIComponent(s.expected.passwords.share[path]) }
      const opened = await fetch(url, { headers })
      expect(opened.status, path).toBe(200)
      const { token } = await opened.json()
      const bytes = await fetch(
        `${origin}/api/public/dl/${hash}?token=${encodeURIComponent(token)}`,
      )
      expect(await bytes.text()).toBe('c')
    }
    const file = await fetch(`${origin}/api/public/dl/0BzLoA5u`)
    expect(await file.text()).toBe('d')
  })

  test('rules and scopes hold', async () => {
    await using s = await startOnSample()
    const names = async (user: string, path = '/') => {
      const response = await (await s.signIn(user)).fetch(`/api/resources${path}`)
      if (response.status !== 200) return response.status
      const { items } = await response.json()
      return items.map(({ name }: { name: string }) => name).sort()
    }
    expect(await names('user0')).toEqual(['d.txt', 'docs', 'pub'])
    expect(await names('user0', '/docs')).toEqual(['a.txt'])
    expect(await names('user0', '/docs/inner')).toBe(403)
    expect(await names('user1')).toEqual(['a.txt', 'inner'])
    const raw = await (await s.signIn('user0')).fetch('/api/raw/x.SECRET')
    expect(raw.status).toBe(403)
    expect(await raw.text()).not.toContain('hidden')
  })

  test('a token of the old server is not accepted', async () => {
    await using s = await startOnSample()
    const headers = { 'X-Auth': s.expected.tokenOfAdmin }
    expect((await fetch(`${s.program.origin}/api/users`, { headers })).status).toBe(401)
  })

  test('a changed password, after a restart, is the new one; the old file is still the old one', async () => {
    await using s = await startOnSample()
    const before = await sha256(s.database)
    const args = ['users', 'update', 'user0', '--password', 'A-New-Password-77', '-d', s.database]
    expect((await runProgram(args, { cwd: s.tree.base })).code).toBe(0)
    await s.program.stop()
    await using again = await startProgram(s.tree, { database: s.database })
    await loginAs(again.origin, 'user0', 'A-New-Password-77')
    await expect(loginAs(again.origin, 'user0', 'Battery-Staple-0!')).rejects.toThrow(/403/)
    expect(again.output()).not.toContain('4 (admin')
    expect(await sha256(s.database)).toBe(before)
  })

  test('every command reads it, too, and import --dry-run writes nothing', async () => {
    await using tree = await makeTree({})
    const database = join(tree.base, 'old.db')
    await copyFile(join(LEGACY, 'filebrowser.db'), database)
    const dry = await runProgram(['import', database, '--dry-run', '-d', database], {
      cwd: tree.base,
    })
    expect(dry).toMatchObject({ code: 0 })
    await expect(readFile(`${database}.json`)).rejects.toThrow(/ENOENT/)
    const { code, stdout } = await runProgram(['users', 'ls', '-d', database], { cwd: tree.base })
    expect(code).toBe(0)
    expect(stdout.split('\n')).toHaveLength(6)
  })
})
