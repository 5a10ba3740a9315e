// `filebrowser groups`: groups and their members.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { effectiveOf } from '../../src/access/effective.ts'
import { groupsOf, homeOf } from '../../src/store/access/groups.ts'
import type { Store } from '../../src/store/collection.ts'
import { GROUPS, HOMES, MEMBERSHIPS } from '../../src/store/collections.ts'
import { openStore } from '../../src/store/store.ts'
import { findUserByName } from '../../src/store/users.ts'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })
const groups = (...words: string[]) => cli('groups', ...words)

async function inStore<T>(ask: (store: Store) => T): Promise<T> {
  const store = await openStore(join(cwd, 'filebrowser.db'))
  try {
    return ask(store)
  } finally {
    await store.close()
  }
}

const MONA = 2
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-groups-'))
  await cli('config', 'init', '--root', cwd)
  await cli('users', 'add', 'admin', 'Correct-Horse-9-Battery', '--perm.admin')
  await cli('users', 'add', 'mona', 'Correct-Horse-9-Battery', '--perm.share=false')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('a group is added, changed and removed, with its members', async () => {
  const words = ['--perm.share', '--homeQuota', '1kB', '--claims', 'staff,"cn=a,ou=b"']
  expect((await groups('add', 'editors', ...words)).code).toBe(0)
  expect((await groups('member', 'add', 'editors', 'mona')).code).toBe(0)
  expect(await inStore((store) => store.all(GROUPS))).toMatchObject([
    { name: 'editors', homeQuota: 1000, claims: ['staff', 'cn=a,ou=b'] },
  ])
  const effective = (store: Store) => effectiveOf(store, findUserByName(store, 'mona') as never)
  expect(await inStore(effective)).toMatchObject({ perm: { share: true }, homeQuota: 1000 })
  await groups('update', '1', '--name', 'crew', '--homeQuota', 'none')
  expect((await groups('ls')).stdout).toMatch(/^1 +crew +1 +share +- +staff cn=a,ou=b$/m)
  expect((await groups('show', 'crew')).stdout).toMatch(/^2 +mona +admin$/m)
  await groups('member', 'rm', 'crew', '2')
  expect(await inStore((store) => groupsOf(store, MONA))).toEqual([])
  expect((await groups('rm', 'crew')).code).toBe(0)
  expect(await inStore((store) => store.count(GROUPS))).toBe(0)
})

test.each<[string[], RegExp]>([
  [['add', ' '], /name is empty/],
  [['add', 'editors'], /group name is taken/],
  [['rm', 'nothing'], /no group nothing/],
  [['member', 'add', 'editors', 'nobody'], /does not exist/],
  [['add', 'x', '--homeQuota', 'much'], /expected a size/],
  [['rm', 'admins'], /sole administrator/],
])('%j is refused', async (words, reason) => {
  await groups('add', 'editors')
  await groups('add', 'admins', '--perm.admin')
  await groups('member', 'add', 'admins', 'admin')
  await cli('users', 'update', 'admin', '--perm.admin=false')
  const { code, stderr } = await groups(...words)
  expect(code).not.toBe(0)
  expect(stderr).toMatch(reason)
})

test('what is exported is imported as it was, by the names of accounts', async () => {
  await groups('add', 'editors', '--perm.share', '--claims', 'staff')
  await groups('member', 'add', 'editors', 'mona')
  await cli('users', 'update', 'mona', '--home=false', '--homeQuota', '5MB')
  for (const file of ['groups.json', 'groups.yaml']) {
    const all = (store: Store) => [
      store.all(GROUPS).map(({ id: _, ...group }) => group),
      store.all(MEMBERSHIPS).map(({ userID }) => userID),
      store.all(HOMES),
    ]
    const before = await inStore(all)
    expect((await groups('export', file)).code).toBe(0)
    expect((await stat(join(cwd, file))).mode & 0o777).toBe(0o600)
    await groups('rm', 'editors')
    await cli('users', 'update', 'mona', '--home', '--homeQuota', 'none')
    expect(await groups('import', file)).toMatchObject({ code: 0 })
    expect(await inStore(all)).toEqual(before)
  }
})

test('an import takes all or nothing, and replaces groups only when told to', async () => {
  await groups('add', 'editors', '--perm.share')
  await groups('export', 'one.json')
  const { groups: list } = JSON.parse(await readFile(join(cwd, 'one.json'), 'utf8'))
  const write = (file: string, value: object) => writeFile(join(cwd, file), JSON.stringify(value))
  await write('bad.json', { groups: [{ ...list[0], name: 'new' }, { name: '' }] })
  await write('stranger.json', { groups: [{ name: 'new', members: ['nobody'] }] })
  await write('none.json', { users: [] })
  for (const file of ['one.json', 'bad.json', 'stranger.json', 'none.json'])
    expect((await groups('import', file)).code, file).not.toBe(0)
  expect(await inStore((store) => store.all(GROUPS).map(({ name }) => name))).toEqual(['editors'])
  await write('other.json', { groups: [{ ...list[0], perm: { create: true } }] })
  expect((await groups('import', 'other.json', '--overwrite')).code).toBe(0)
  expect(await inStore((store) => store.all(GROUPS))).toMatchObject([
    { id: 1, perm: { create: true, share: false } },
  ])
})

test('accounts are replaced by their own export while a group administrates', async () => {
  await groups('add', 'admins', '--perm.admin')
  await groups('member', 'add', 'admins', 'admin')
  await cli('users', 'update', 'admin', '--perm.admin=false')
  await cli('users', 'export', 'all.json')
  expect((await cli('users', 'import', 'all.json', '--replace')).code).toBe(0)
  await groups('member', 'add', 'admins', 'mona')
  await groups('member', 'rm', 'admins', 'admin')
  const [admin] = JSON.parse(await readFile(join(cwd, 'all.json'), 'utf8'))
  await writeFile(join(cwd, 'one.json'), JSON.stringify([admin]))
  const { stderr } = await cli('users', 'import', 'one.json', '--replace')
  expect(stderr).toContain('has no administrator')
})

test('an account is added without a home, and gets one later', async () => {
  await cli('users', 'add', 'anna', 'Correct-Horse-9-Battery', '--home=false')
  expect(await inStore((store) => homeOf(store, 3))).toMatchObject({ home: false })
  await cli('users', 'update', 'anna', '--scope', '/of/anna', '--home')
  expect(existsSync(join(cwd, 'of/anna'))).toBe(true)
})

test('exports of accounts and settings keep the shape of the original', async () => {
  await cli('users', 'export', 'before.json')
  await groups('add', 'editors', '--perm.admin')
  await groups('member', 'add', 'editors', 'mona')
  await cli('users', 'update', 'mona', '--homeQuota', '1GB')
  await cli('users', 'export', 'after.json')
  const read = (name: string) => readFile(join(cwd, name), 'utf8')
  expect(await read('after.json')).toBe(await read('before.json'))
})
