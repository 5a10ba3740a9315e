import { chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyPassword } from '../../src/auth/hash.ts'
import type { Document, User } from '../../src/store/document.ts'
import { openStore } from '../../src/store/store.ts'
import { runCli } from '../support/cli.ts'
import { LEGACY_HASH } from '../support/legacy-database.ts'
import { recordsOf } from '../support/records.ts'

const PASSWORD = 'Correct-Horse-9-Battery'
let cwd: string

const cli = (...words: string[]) => runCli(words, { cwd })
const doc = async (): Promise<Document> =>
  JSON.parse(await readFile(join(cwd, 'filebrowser.db'), 'utf8'))
const user = async (name: string): Promise<User> => {
  const found = (await doc()).users.find(({ username }) => username === name)
  if (!found) throw new Error(`no user ${name}`)
  return found
}

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-users-'))
  await mkdir(join(cwd, 'srv'))
  await cli('config', 'init', '--root', join(cwd, 'srv'))
  await cli('users', 'add', 'admin', PASSWORD, '--perm.admin')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('users add', () => {
  test('prints the table with the new user only, in the columns scripts cut', async () => {
    const { code, stdout } = await cli('users', 'add', 'mona', PASSWORD, '--scope', 'team/mona')
    expect(code).toBe(0)
    expect(stdout).toBe(
      'ID  Username  Scope       Locale  V. Mode  S.Click  Red. After C/M  Admin  Execute  Create  Rename  Modify  Delete  Share  Download  Pwd Lock\n' +
        '2   mona      /team/mona  en      list     false    false           false  true     true    true    true    true    true   true      false  \n',
    )
    expect((await stat(join(cwd, 'srv', 'team', 'mona'))).isDirectory()).toBe(true)
    expect(await verifyPassword(PASSWORD, (await user('mona')).password)).toBe(true)
  })

  test('takes every user flag', async () => {
    const switches = [
      'perm.admin',
      'sorting.asc',
      'lockPassword',
      'singleClick',
      'redirectAfterCopyMove',
      'dateFormat',
      'hideDotfiles',
    ]
    const off = ['execute', 'create', 'rename', 'modify', 'delete', 'share', 'download']
    await cli(
      ...['users', 'add', 'full', PASSWORD],
      ...switches.map((name) => `--${name}`),
      ...off.map((name) => `--perm.${name}=false`),
      ...['--sorting.by', 'size', '--commands', 'git,ls', '--commands=svn', '--scope=/x'],
      ...['--locale', 'de', '--viewMode', 'mosaic gallery', '--aceEditorTheme', 'nord'],
    )
    expect(await user('full')).toMatchObject({
      perm: { admin: true, ...Object.fromEntries(off.map((name) => [name, false])) },
      sorting: { by: 'size', asc: true },
      lockPassword: true,
      singleClick: true,
      redirectAfterCopyMove: true,
      dateFormat: true,
      hideDotfiles: true,
      commands: ['git', 'ls', 'svn'],
      scope: '/x',
      locale: 'de',
      viewMode: 'mosaic gallery',
      aceEditorTheme: 'nord',
    })
  })

  test('starts from the stored defaults', async () => {
    await cli('config', 'set', '--locale=fr', '--perm.delete=false', '--viewMode=mosaic')
    await cli('users', 'add', 'jo', PASSWORD)
    expect(await user('jo')).toMatchObject({
      locale: 'fr',
      viewMode: 'mosaic',
      perm: { delete: false },
    })
  })

  test('an empty scope gives the root, or a home when homes are on', async () => {
    await cli('users', 'add', 'one', PASSWORD, '--scope', '')
    await cli('config', 'set', '--createUserDir')
    await cli('users', 'add', 'Two  #Words', PASSWORD, '--scope', '')
    expect((await user('one')).scope).toBe('/')
    expect((await user('Two  #Words')).scope).toBe('/users/Two-Words')
    expect((await stat(join(cwd, 'srv/users/Two-Words'))).isDirectory()).toBe(true)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'called by root, the folder of a scope belongs to the owner of the served one',
    async () => {
      await chown(join(cwd, 'srv'), 4321, 4322)
      await cli('users', 'add', 'mona', PASSWORD, '--scope', 'team/mona')
      for (const made of ['team', 'team/mona']) {
        expect(await stat(join(cwd, 'srv', made))).toMatchObject({ uid: 4321, gid: 4322 })
      }
    },
  )

  test('the folder of a scope has the mode that the server gives', async () => {
    await cli('config', 'set', '--dirMode', '0710')
    await cli('users', 'add', 'mona', PASSWORD, '--scope', 'team/mona')
    for (const made of ['team', 'team/mona'])
      expect((await stat(join(cwd, 'srv', made))).mode & 0o777).toBe(0o710)
  })

  test('an account whose folder cannot be made does not stay', async () => {
    await writeFile(join(cwd, 'srv', 'file'), 'x')
    const { code, stderr } = await cli('users', 'add', 'mona', PASSWORD, '--scope', 'file')
    expect(code).toBe(1)
    expect(stderr).toContain('cannot make the folder of the scope /file')
    expect((await cli('users', 'find', 'mona')).code).toBe(1)
  })

  test('a scope that a link leads out of the root is made where the server follows such links', async () => {
    await mkdir(join(cwd, 'elsewhere'))
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'srv', 'out'))
    const add = (name: string, env = {}) =>
      runCli(['users', 'add', name, PASSWORD, '--scope', 'out'], { cwd, env })
    const refused = await add('mona')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('followExternalSymlinks')
    expect((await add('mona', { FB_FOLLOW_EXTERNAL_SYMLINKS: 'true' })).code).toBe(0)
    await cli('config', 'set', '--followExternalSymlinks')
    expect((await add('jo')).code).toBe(0)
    expect((await add('mo', { FB_FOLLOW_EXTERNAL_SYMLINKS: 'false' })).code).toBe(1)
    expect((await user('mona')).scope).toBe('/out')
  })

  test('nor does the first administrator without a folder', async () => {
    await writeFile(join(cwd, 'srv', 'file'), 'x')
    const database = ['-d', 'first.db']
    await cli('config', 'init', '--root', join(cwd, 'srv'), ...database)
    const flags = ['--perm.admin', '--scope', 'file', ...database]
    const { code, stderr } = await cli('users', 'add', 'root', PASSWORD, ...flags)
    expect(code).toBe(1)
    expect(stderr).toContain('cannot make the folder of the scope /file')
    expect((await cli('users', 'find', 'root', ...database)).code).toBe(1)
  })

  test('a scope cannot climb out of the root, by dots or by a link', async () => {
    await cli('users', 'add', 'dots', PASSWORD, '--scope', '../../x')
    expect((await user('dots')).scope).toBe('/x')
    await symlink('/tmp', join(cwd, 'srv', 'out'))
    const { code, stderr } = await cli('users', 'add', 'link', PASSWORD, '--scope', 'out/made-here')
    expect(code).toBe(1)
    expect(stderr).toContain('leads out of')
    await expect(stat('/tmp/made-here')).rejects.toThrow(/ENOENT/)
  })

  test('works below a relative root, which the original could not do', async () => {
    await cli('config', 'set', '--root', 'srv')
    const { code } = await cli('users', 'add', 'rel', PASSWORD, '--scope', '/rel')
    expect(code).toBe(0)
    expect((await stat(join(cwd, 'srv', 'rel'))).isDirectory()).toBe(true)
  })

  test.each<[string[], string]>([
    [['mona', 'short'], 'password is too short, minimum length is 12'],
    [['mona', 'unbelievable'], 'password is too easy'],
    [['mona', 'x1'.repeat(40)], 'bcrypt: password length exceeds 72 bytes'],
    [['mona', ''], 'password is empty'],
    [['', PASSWORD], 'username is empty'],
    [['admin', PASSWORD], 'the resource already exists'],
    [['mona', PASSWORD, '--viewMode=tiles'], 'expected one of: list, mosaic'],
    [['mona'], 'expected 2 argument(s) (<username> <password>), received 1'],
  ])('%j is refused with the known text', async (args, text) => {
    const { code, stdout, stderr } = await cli('users', 'add', ...args)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`Error: `)
    expect(stderr).toContain(text)
  })
})

describe('users ls and find', () => {
  test('list by id, find by id or name', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    const list = await cli('users', 'ls')
    expect(list.stdout.split('\n').map((line) => line.split(/\s+/)[1])).toEqual([
      'Username',
      'admin',
      'mona',
      undefined,
    ])
    expect((await cli('users', 'find', '2')).stdout).toBe(
      (await cli('users', 'find', 'mona')).stdout,
    )
    expect(await cli('users', 'find', 'nobody')).toMatchObject({ code: 1 })
    expect((await cli('users', 'find', '99')).stderr).toContain(
      'Error: the resource does not exist',
    )
  })

  test('a user whose name is a number can be found', async () => {
    await cli('users', 'add', '4711', PASSWORD)
    expect((await cli('users', 'find', '4711')).stdout).toContain('4711')
  })
})

describe('users update', () => {
  test('changes what is given and keeps the rest, switches included', async () => {
    await cli('users', 'add', 'mona', PASSWORD, '--lockPassword', '--dateFormat', '--hideDotfiles')
    await cli(
      'users',
      'update',
      'mona',
      '--locale',
      'de',
      '--perm.share=false',
      '--aceEditorTheme=nord',
    )
    expect(await user('mona')).toMatchObject({
      locale: 'de',
      lockPassword: true,
      dateFormat: true,
      hideDotfiles: true,
      aceEditorTheme: 'nord',
      perm: { share: false, create: true },
    })
  })

  test('renames, but not onto a taken name', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    expect((await cli('users', 'update', 'mona', '-u', 'lisa')).stdout).toContain('lisa')
    expect((await cli('users', 'update', '2', '-u', 'admin')).stderr).toContain(
      'the resource already exists',
    )
  })

  test('renames to nothing that is more than a name', async () => {
    const { code, stderr } = await cli('users', 'update', 'admin', '-u', 'a\tb')
    expect(code).toBe(1)
    expect(stderr).toContain('username holds control characters')
  })

  test('a new password is hashed and ends the sessions of that user only', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    const session = { createdMs: 1, lastSeenMs: 1, remember: true, address: '', userAgent: '' }
    const sessions = [
      { ...session, id: 'a', userID: 1 },
      { ...session, id: 'b', userID: 2 },
    ]
    await writeFile(join(cwd, 'filebrowser.db.sessions'), `${JSON.stringify({ put: sessions })}\n`)
    expect((await cli('users', 'update', 'mona', '-p', 'A-New-Password-7')).code).toBe(0)
    expect(await verifyPassword('A-New-Password-7', (await user('mona')).password)).toBe(true)
    const store = await openStore(join(cwd, 'filebrowser.db'))
    expect(recordsOf(store).sessions.map(({ id }) => id)).toEqual(['a'])
    await store.close()
  })

  test('a new password tells what else opens the account, and --revoke removes it', async () => {
    await cli('users', 'token', 'add', 'admin', 'backup')
    await cli('users', 'token', 'add', 'admin', 'phone')
    const plain = await cli('users', 'update', 'admin', '-p', 'A-New-Password-7')
    expect(plain.stderr).toContain('Still open the account: 2 API tokens; --revoke removes them')
    const revoked = await cli('users', 'update', 'admin', '-p', 'A-New-Password-8', '--revoke')
    expect([revoked.code, revoked.stderr]).toEqual([0, expect.not.stringContaining('Still open')])
    expect((await cli('users', 'token', 'ls', 'admin')).stdout).not.toContain('backup')
    expect((await cli('users', 'update', 'admin', '--revoke')).stderr).toContain(
      '--revoke goes with --password',
    )
  })

  test('the last administrator stays one', async () => {
    expect((await cli('users', 'update', 'admin', '--perm.admin=false')).code).toBe(1)
    expect((await user('admin')).perm.admin).toBe(true)
  })
})

describe('users rm', () => {
  test('deletes, and ids are never used again', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    expect((await cli('users', 'rm', 'mona')).stdout).toBe('user deleted successfully\n')
    await cli('users', 'add', 'lisa', PASSWORD)
    expect((await user('lisa')).id).toBe(3)
  })

  test('refuses the last administrator', async () => {
    const { code, stderr } = await cli('users', 'rm', '1')
    expect(code).toBe(1)
    expect(stderr).toContain("Error: the sole admin can't be deleted")
  })
})

describe('users export and import', () => {
  test('what was exported imports again, in both formats, hashes included', async () => {
    await cli('users', 'add', 'mona', PASSWORD, '--scope=/m', '--commands=a,b')
    await cli('rules', 'add', '/secret', '-u', 'mona')
    for (const name of ['u.json', 'u.yaml', 'u.yml']) {
      expect((await cli('users', 'export', name)).code).toBe(0)
      expect((await stat(join(cwd, name))).mode & 0o777).toBe(0o600)
      const before = (await doc()).users
      await cli('users', 'rm', 'mona')
      expect((await cli('users', 'import', name, '--overwrite')).code).toBe(0)
      const after = (await doc()).users
      expect(after.map(({ id: _, ...rest }) => rest)).toEqual(
        before.map(({ id: _, ...rest }) => rest),
      )
    }
  })

  test('an id in use needs --overwrite, and nothing is taken when one entry is refused', async () => {
    const entry = (id: number, username: string) => ({
      id,
      username,
      password: LEGACY_HASH,
      perm: {},
    })
    await writeFile(join(cwd, 'u.json'), JSON.stringify([entry(0, 'new'), entry(1, 'admin')]))
    const { code, stderr } = await cli('users', 'import', 'u.json')
    expect(code).toBe(1)
    expect(stderr).toContain('user 1 is already registered')
    expect((await doc()).users).toHaveLength(1)
  })

  test('with --overwrite a name of another id is refused', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    const entry = { id: 2, username: 'admin', password: LEGACY_HASH, perm: {} }
    await writeFile(join(cwd, 'u.json'), JSON.stringify([entry]))
    expect((await cli('users', 'import', 'u.json', '--overwrite')).stderr).toContain(
      'belongs to user 1',
    )
  })

  test('--replace keeps the old accounts in a file and ends with the new ones', async () => {
    await cli('users', 'add', 'mona', PASSWORD)
    const entries = [
      { id: 1, username: 'admin', password: LEGACY_HASH, perm: { admin: true } },
      { id: 9, username: 'other', password: LEGACY_HASH, perm: {} },
    ]
    await writeFile(join(cwd, 'u.json'), JSON.stringify(entries))
    expect((await cli('users', 'import', 'u.json', '--replace')).code).toBe(0)
    expect((await doc()).users.map(({ id, username }) => [id, username])).toEqual([
      [1, 'admin'],
      [3, 'other'],
    ])
    const backup = JSON.parse(await readFile(join(cwd, 'users.backup.json'), 'utf8'))
    expect(backup.map(({ username }: User) => username)).toEqual(['admin', 'mona'])
  })

  test('a new name that is more than a name is refused, one that is here already stays', async () => {
    const before = await doc()
    const kept = { ...(await user('admin')), id: 2, username: 'from\tbefore' }
    const users = [...before.users, kept]
    await writeFile(
      join(cwd, 'filebrowser.db'),
      JSON.stringify({ ...before, users, nextUserId: 3 }),
    )
    expect((await cli('users', 'export', 'u.json')).code).toBe(0)
    for (const how of ['--overwrite', '--replace'])
      expect((await cli('users', 'import', 'u.json', how)).code).toBe(0)
    await cli('users', 'rm', '2')
    for (const how of ['--overwrite', '--replace']) {
      const { code, stderr } = await cli('users', 'import', 'u.json', how)
      expect(code).toBe(1)
      expect(stderr).toContain('user 2: username holds control characters')
    }
    expect((await doc()).users).toHaveLength(1)
  })

  test('--replace without an administrator changes nothing', async () => {
    await writeFile(join(cwd, 'u.json'), JSON.stringify([{ username: 'x', password: LEGACY_HASH }]))
    await writeFile(join(cwd, 'users.backup.json'), 'kept by the last import')
    expect((await cli('users', 'import', 'u.json', '--replace')).code).toBe(1)
    expect((await user('admin')).id).toBe(1)
    expect(await readFile(join(cwd, 'users.backup.json'), 'utf8')).toBe('kept by the last import')
  })

  test.each<[string, string, RegExp]>([
    ['u.txt', '[]', /invalid format: \.txt/],
    ['u.JSON', '[]', /invalid format: \.JSON/],
    ['u.json', '{}', /must hold a list/],
    ['u.json', '[{"username": "x"}]', /password is empty/],
    ['u.json', '[{"password": "x"}]', /username is empty/],
    ['u.json', '[{"username": "x", "password": "plain"}]', /must be a hash/],
    ['u.json', 'nonsense', /cannot read/],
    [
      'u.json',
      JSON.stringify([
        { username: 'x', password: LEGACY_HASH, rules: [{ regex: true, regexp: { raw: '(' } }] },
      ]),
      /u\.json: user 1: rule 1: .*\(/,
    ],
  ])('%s with %s is refused', async (name, text, error) => {
    await writeFile(join(cwd, name), text)
    const { code, stderr } = await cli('users', 'import', name)
    expect(code).toBe(1)
    expect(stderr).toMatch(error)
  })
})
