// Settings made on the command line, seen where they take effect: by the server or by its page.
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loginAs } from '../support/login.ts'
import { ADMIN, type ProgramOptions, runProgram, startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** Makes a database with an administrator by `config init` and the given flags, and serves it. */
async function startWith(tree: Tree, flags: string[], options: ProgramOptions = {}) {
  const database = join(tree.base, 'set.db')
  const cli = async (...words: string[]) => {
    const { code, stderr } = await runProgram([...words, '-d', database], { cwd: tree.base })
    expect(code, stderr).toBe(0)
  }
  await cli('config', 'init', ...flags)
  await cli('users', 'add', ADMIN.username, ADMIN.password, '--perm.admin')
  const program = await startProgram(tree, { ...options, database })
  return { ...program, cli, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

/** The start-up settings the page gets. */
async function bootOf(origin: string): Promise<Record<string, unknown>> {
  const page = await (await fetch(`${origin}/`)).text()
  const found = /window\.FileBrowser\s*=\s*(?:JSON\.parse\('(.*)'\)|(\{.*\}));?\s*$/m.exec(page)
  if (!found) throw new Error(`no start-up settings in ${page.slice(0, 2000)}`)
  return JSON.parse(found[1] ?? found[2] ?? '')
}

test('--fileMode and --dirMode are the permissions of what is made', async () => {
  await using tree = await makeTree({})
  await using server = await startWith(tree, ['--fileMode=0o604', '--dirMode=0o705'])
  const admin = await loginAs(server.origin)
  const post = (path: string, body?: string) =>
    admin.fetch(path, { method: 'POST', ...(body !== undefined && { body }) })
  expect((await post('/api/resources/folder/')).status).toBe(200)
  expect((await post('/api/resources/folder/new.txt', 'x')).status).toBe(200)
  expect((await stat(tree.at('folder'))).mode & 0o777).toBe(0o705)
  expect((await stat(tree.at('folder/new.txt'))).mode & 0o777).toBe(0o604)
})

test('--auth.method=hook asks --auth.command', async () => {
  await using tree = await makeTree({})
  const program = join(tree.base, 'check')
  const script =
    '#!/bin/sh\n[ "$PASSWORD" = "$1 sesame" ] && echo hook.action=auth || echo hook.action=block\n'
  await writeFile(program, script, { mode: 0o755 })
  const flags = ['--auth.method=hook', `--auth.command=${program} open`]
  await using server = await startWith(tree, [...flags, '--minimumPasswordLength=8'])
  await expect(loginAs(server.origin, 'visitor', 'open says me')).rejects.toThrow(/403/)
  const visitor = await loginAs(server.origin, 'visitor', 'open sesame')
  expect((await visitor.fetch('/api/resources/')).status).toBe(200)
})

test('an identity header is believed from a listed proxy and from no other', async () => {
  const flags = ['--auth.method=proxy', '--auth.header=X-Remote-User']
  const ask = async (proxies: string) => {
    await using tree = await makeTree({})
    await using server = await startWith(tree, flags, { args: ['--trustedProxies', proxies] })
    const headers = { 'X-Remote-User': ADMIN.username }
    const login = await fetch(`${server.origin}/api/login`, { method: 'POST', headers })
    const token = await login.text()
    const list = await fetch(`${server.origin}/api/users`, { headers: { 'X-Auth': token } })
    return [login.status, list.status]
  }
  expect(await ask('192.0.2.1, 127.0.0.0/8')).toEqual([200, 200])
  expect(await ask('192.0.2.1')).toEqual([403, 401])
})

test('the page is told what it shows and how it uploads', async () => {
  await using tree = await makeTree({})
  const plain = {
    LogoutPage: '/login',
    HideLoginButton: false,
    DisableExternal: false,
    DisableUsedPercentage: false,
    TusSettings: { chunkSize: 10_485_760, retryCount: 5 },
    HelpURL: 'https://help.example.org/',
  }
  const args = ['--branding.helpURL', 'https://help.example.org/']
  await using server = await startWith(tree, [], { args })
  expect(await bootOf(server.origin)).toMatchObject(plain)
  const set = (...flags: string[]) => server.cli('config', 'set', ...flags)
  await set('--auth.logoutPage=/bye', '--hideLoginButton', '--branding.disableUsedPercentage')
  await set('--tus.chunkSize=65536', '--tus.retryCount=9', '--branding.disableExternal')
  await server.stop()

  await using again = await startProgram(tree, { database: server.database, args })
  expect(await bootOf(again.origin)).toMatchObject({
    LogoutPage: '/bye',
    HideLoginButton: true,
    DisableExternal: true,
    DisableUsedPercentage: true,
    TusSettings: { chunkSize: 65_536, retryCount: 9 },
    // Links to other sites are off, so this one is, too.
    HelpURL: '',
  })
})

test('an empty --branding.helpURL hides the link that a configuration file shows', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'fb.json')
  await writeFile(file, '{"branding.helpURL": "https://help.example.org/"}')
  const help = async (args: string[]) => {
    await using program = await startProgram(tree, { args: ['-c', file, ...args] })
    return (await bootOf(program.origin)).HelpURL
  }
  expect(await help([])).toBe('https://help.example.org/')
  expect(await help(['--branding.helpURL='])).toBe('')
})

test('--minimumPasswordLength holds for accounts made by the server and by commands', async () => {
  await using tree = await makeTree({})
  await using server = await startWith(tree, ['--minimumPasswordLength=20'])
  const admin = await loginAs(server.origin)
  const add = async (username: string, password: string) => {
    const data = { username, password, scope: '/', perm: {}, rules: [], commands: [], locale: 'en' }
    const body = JSON.stringify({
      what: 'user',
      which: [],
      current_password: ADMIN.password,
      data: { ...data, viewMode: 'list', sorting: { by: 'name', asc: false } },
    })
    return (await admin.fetch('/api/users', { method: 'POST', body })).status
  }
  const [nineteen, twenty] = ['Nineteen-characters', 'Twenty-characters-20']
  expect(await add('short', nineteen)).toBe(400)
  expect(await add('long', twenty)).toBe(201)
  const words = ['users', 'add', 'cli', nineteen, '-d', server.database]
  const { code, stderr } = await runProgram(words, { cwd: tree.base })
  expect(code).toBe(1)
  expect(stderr).toContain('minimum length is 20')
})

test('the order of listings and the preferences of an account come from its flags', async () => {
  await using tree = await makeTree({ 'a.txt': '333', 'b.txt': '1', 'c.txt': '22' })
  await using server = await startWith(tree, [])
  const update = (...flags: string[]) => server.cli('users', 'update', ADMIN.username, ...flags)
  const order = async () => {
    const admin = await loginAs(server.origin)
    const { items } = await (await admin.fetch('/api/resources/')).json()
    return items.map(({ name }: { name: string }) => name[0]).join('')
  }
  expect(await order()).toBe('abc')
  const orders: [flags: string[], expected: string][] = [
    [['--sorting.asc'], 'cba'],
    [['--sorting.by', 'size'], 'bca'],
    [['--sorting.asc=false'], 'acb'],
  ]
  for (const [flags, expected] of orders) {
    await update(...flags)
    await expect.poll(order).toBe(expected)
  }
  await update('--redirectAfterCopyMove', '--singleClick', '--dateFormat', '--locale', 'pt-br')
  const claims = async () => {
    const { token } = await loginAs(server.origin)
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).user
  }
  await expect.poll(claims).toMatchObject({
    redirectAfterCopyMove: true,
    singleClick: true,
    dateFormat: true,
    locale: 'pt-br',
  })
})
