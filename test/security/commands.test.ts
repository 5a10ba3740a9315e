// Running programs (class 13): off by default, argv only, an exact list, the folder of the scope, a
// fixed environment, an end to time and output, and nothing left when the client goes.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createPrograms } from '../../src/programs/runner.ts'
import { PASSWORD, startApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { changeRecords } from '../support/records.ts'
import { openShell, runLine } from '../support/shell.ts'

const REFUSED = ['Command not allowed.']
const SERVER_SECRET = 'FB_TEST_SECRET'

afterEach(() => {
  delete process.env[SERVER_SECRET]
})

/** Bob may run these programs; `shell` is what the administrator configured. */
function shellApp(
  commands: string[],
  more: TestAppOptions & { shell?: string[]; scope?: string } = {},
): Promise<TestApp> {
  const { shell = [], scope = '.', ...options } = more
  return startApp({
    config: { enableExec: true },
    ...options,
    settings: { shell },
    users: [{ username: 'bob', commands, scope }],
  })
}

async function runAsBob(app: TestApp, line: string, folder = '/'): Promise<string[]> {
  return runLine(app, (await app.as('bob')).token, line, folder)
}

describe('CVE-2025-52903: an allowed program starts no other', () => {
  it.each([
    ['echo a; echo b', ['a', 'b']],
    ['echo a;echo b', ['a', 'b']],
    ['echo a && echo b', ['a', 'b']],
    ['echo one two | tr o 0', ['0ne tw0']],
    ['echo $(basename "$PWD/x.txt")', ['x.txt']],
    ['echo "a | b"; (echo c) 2>&1', ['a | b', 'c']],
  ])('but through the shell an administrator configured, as in 2.x: %j', async (line, printed) => {
    await using app = await shellApp(['echo'], { shell: ['sh', '-c'], tree: { 'a.txt': 'a' } })
    expect(await runAsBob(app, line)).toEqual(printed)
  })

  it.each([
    'touch pwned; echo a',
    '(touch pwned)',
    '; echo a',
    '$(echo touch) pwned',
    'A=1 echo a',
  ])('and begins with an allowed one also there: %j', async (line) => {
    await using app = await shellApp(['echo'], { shell: ['sh', '-c'], tree: { 'a.txt': 'a' } })
    expect(await runAsBob(app, line)).toEqual(REFUSED)
    await expect(app.tree.read('pwned')).rejects.toThrow()
  })

  it.each(['echo a; touch pwned', 'echo $(touch pwned)', 'echo a > pwned', 'echo `touch pwned`'])(
    'without a shell, where signs are only text: %j',
    async (line) => {
      await using app = await shellApp(['echo'], { tree: { 'a.txt': 'a' } })
      const [printed] = await runAsBob(app, line)
      expect(printed).toBe(line.replace('echo ', ''))
      await expect(app.tree.read('pwned')).rejects.toThrow()
    },
  )

  it.each([{ shell: [] }, { shell: ['sh', '-c'] }])(
    'nor with a NUL in its line: $shell',
    async ({ shell }) => {
      await using app = await shellApp(['echo'], { shell })
      expect(await runAsBob(app, 'echo a\0b')).toEqual(['error parsing command: NUL found.'])
      expect(app.errors).toEqual([])
    },
  )

  it('nothing at all while execution is off, which is the default', async () => {
    await using app = await startApp({ users: [{ username: 'bob', commands: ['echo'] }] })
    expect(await runAsBob(app, 'echo hello')).toEqual(REFUSED)
  })
})

describe('CVE-2025-52904: a program works in the scope of its user', () => {
  const tree = {
    'home/dir/own.txt': 'own',
    'home/denied/x.txt': 'x',
    'other/secret.txt': 'not bob’s',
    'home/way-out': { link: '../other' },
  }

  it('in the folder that is shown, as it really is', async () => {
    await using app = await shellApp(['pwd', 'ls'], { tree, scope: '/home' })
    expect(await runAsBob(app, 'pwd', '/dir/')).toEqual([app.tree.at('home/dir')])
    expect(await runAsBob(app, 'ls', '/dir/')).toEqual(['own.txt'])
  })

  it.each(['/../other/', '/%2e%2e/other/', '/..%2fother/', '/dir/../../other/', '/way-out/'])(
    'never begins outside of it: %s',
    async (folder) => {
      await using app = await shellApp(['ls', 'pwd'], { tree, scope: '/home' })
      const lines = await runAsBob(app, 'ls', folder).catch(() => [])
      expect(lines.join('\n')).not.toContain('secret.txt')
    },
  )

  it('nor in a folder that a rule denies', async () => {
    await using app = await shellApp(['ls'], { tree, scope: '/home' })
    await changeRecords(app.store, (doc) => {
      const rules = [{ regex: false, allow: false, path: '/denied', regexp: null }]
      return { ...doc, settings: { ...doc.settings, rules } }
    })
    expect(await runAsBob(app, 'ls', '/denied/').catch(() => [])).toEqual([])
  })

  it('sees none of the secrets of the server', async () => {
    process.env[SERVER_SECRET] = 'top secret'
    await using app = await shellApp(['env'])
    const lines = (await runAsBob(app, 'env')).join('\n')
    expect(lines).toContain('PATH=')
    expect(lines).not.toContain('top secret')
    expect(lines).not.toMatch(/FB_|NODE_|VITEST/)
  })
})

describe('CVE-2025-52995: the list of programs is exact', () => {
  it.each([
    'ls2',
    'l',
    'LS',
    '/bin/ls',
    './ls',
    'ls/../touch pwned',
    '"ls "',
    'ls\u00a0',
    'l.',
    '.*',
    'sh -c ls',
    'env ls',
    'PATH=. ls',
    '^ls$',
  ])('%j is not ls', async (line) => {
    await using app = await shellApp(['ls'])
    expect(await runAsBob(app, line)).toEqual(REFUSED)
  })

  it('an entry is a name and no pattern', async () => {
    await using app = await shellApp(['l.*', 'ec.o', 'git .*'])
    for (const line of ['ls', 'echo a', 'git status'])
      expect(await runAsBob(app, line), line).toEqual(REFUSED)
  })

  it('needs the right to execute besides', async () => {
    await using app = await shellApp(['echo'])
    await changeRecords(app.store, (doc) => {
      const users = doc.users.map((user) => ({ ...user, perm: { ...user.perm, execute: false } }))
      return { ...doc, users }
    })
    expect(await runAsBob(app, 'echo a')).toEqual(REFUSED)
  })
})

const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  'a; touch pwned',
  'a" && touch pwned && echo "',
  "a' && touch pwned && echo '",
  '-rf',
  'a\ntouch pwned',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
  '${IFS}touch${IFS}pwned',
]

describe('CVE-2026-35585, CVE-2026-54090: the name of a file is never part of a hook’s line', () => {
  const lines: [string, string[], string][] = [
    ['with a shell, where the environment carries it', ['sh', '-c'], 'printf %s "$FILE" >> OUT'],
    ['without one, where it is one word', [], 'sh RECORD OUT $FILE'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the hook.
    ['nor in braces', [], 'sh RECORD OUT ${FILE}'],
  ]
  for (const [title, shell, line] of lines)
    it.each(HOSTILE)(`${title}: %j`, async (name) => {
      await using app = await startApp({
        tree: { 'beside.txt': 'x' },
        config: { enableExec: true },
      })
      const out = join(app.tree.base, 'out.txt')
      const record = join(app.tree.base, 'record.sh')
      await writeFile(record, 'printf %s "$2" >> "$1"\n')
      const text = line.replace('OUT', out).replace('RECORD', record)
      await changeRecords(app.store, (doc) => {
        const commands = { after_upload: [text] }
        return { ...doc, settings: { ...doc.settings, shell, commands } }
      })
      const admin = await app.as('admin')
      const path = `/api/resources/${encodeURIComponent(name)}`
      expect((await admin.fetch(path, { method: 'POST', body: 'x' })).status).toBe(200)
      expect(await readFile(out, 'utf8')).toBe(app.tree.at(name))
      for (const folder of [app.tree.root, app.tree.base, process.cwd()])
        expect(existsSync(join(folder, 'pwned')), folder).toBe(false)
    })

  it('nor is it the program: what stands first is never expanded', async () => {
    await using app = await startApp({
      tree: { 'evil.sh': '#!/bin/sh\ntouch "$(dirname "$0")/pwned"\n' },
      config: { enableExec: true },
      settings: { commands: { before_delete: ['$FILE'] } },
    })
    await chmod(app.tree.at('evil.sh'), 0o700)
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/evil.sh', { method: 'DELETE' })
    expect(existsSync(app.tree.at('pwned'))).toBe(false)
  })
})

describe('CVE-2026-54088: name and password never reach the line of a sign-in program', () => {
  /** A server whose sign-in program writes down what it gets, into files of the folder `out`. */
  async function startAsking() {
    const app = await startApp({ settings: { authMethod: 'hook' } })
    const out = join(app.tree.base, 'seen')
    await mkdir(out)
    const script = join(app.tree.base, 'hook.sh')
    await writeFile(
      script,
      `printf %s "$USERNAME" > ${out}/name; printf %s "$PASSWORD" > ${out}/password\n` +
        `printf '%s\\n' "$@" > ${out}/arguments; cat > ${out}/stdin; echo hook.action=block\n`,
    )
    await changeRecords(app.store, (doc) => {
      const auther = { ...doc.settings.auther, command: `sh ${script} one` }
      return { ...doc, settings: { ...doc.settings, auther } }
    })
    const signIn = async (username: string, password: string) => {
      const body = JSON.stringify({ username, password })
      expect((await app.fetch('/api/login', { method: 'POST', body })).status).toBe(403)
      for (const folder of [app.tree.root, app.tree.base, process.cwd()])
        expect(existsSync(join(folder, 'pwned')), folder).toBe(false)
    }
    return { app, out, signIn }
  }

  const passable = HOSTILE.filter((text) => !text.includes('\0'))
  /** Of one line; others are refused, since a program that prints the name would print lines of theirs. */
  const isName = (text: string) => !/\p{Cc}/u.test(text)

  it.each(passable)('as name and password: %j', async (text) => {
    const { app, out, signIn } = await startAsking()
    await using _ = app
    const name = isName(text) ? text : 'somebody'
    await signIn(name, text)
    expect(await readFile(join(out, 'name'), 'utf8')).toBe(name)
    expect(await readFile(join(out, 'password'), 'utf8')).toBe(text)
    expect(await readFile(join(out, 'arguments'), 'utf8')).toBe('one\n')
    const stdin = JSON.parse(await readFile(join(out, 'stdin'), 'utf8'))
    expect(stdin).toEqual({ username: name, password: text })
  })

  it.each(HOSTILE.filter((text) => !isName(text)))(
    'as a name that is refused: %j',
    async (text) => {
      const { app, out, signIn } = await startAsking()
      await using _ = app
      await signIn(text, 'some password')
      expect(await readdir(out)).toEqual([])
    },
  )

  it('nor are expanded in it', async () => {
    await using app = await startApp({ settings: { authMethod: 'hook' } })
    const out = join(app.tree.base, 'arguments')
    const script = join(app.tree.base, 'hook.sh')
    await writeFile(script, `printf '%s\\n' "$@" > ${out}\necho hook.action=block\n`)
    await changeRecords(app.store, (doc) => {
      const command = `sh ${script} $USERNAME $PASSWORD`
      const auther = { ...doc.settings.auther, command }
      return { ...doc, settings: { ...doc.settings, auther } }
    })
    const body = JSON.stringify({ username: 'admin', password: PASSWORD })
    await app.fetch('/api/login', { method: 'POST', body })
    expect(await readFile(out, 'utf8')).toBe('$USERNAME\n$PASSWORD\n')
  })
})

describe.runIf(process.platform === 'linux')('a program that does not end', () => {
  const script = (pids: string) => `sleep 300 & echo $! >> ${pids}; echo $$ >> ${pids}; wait\n`

  /** Bob runs it; gives his connection and, once they run, the pids of both processes. */
  async function startEndless(app: TestApp) {
    const pids = join(app.tree.base, 'pids')
    await app.tree.add({ 'run.sh': script(pids) })
    const bob = await app.as('bob')
    const { socket, closed } = await openShell(app, bob.token)
    socket.send('sh run.sh')
    const running = await waitFor('both processes', async () => {
      const found = (await readFile(pids, 'utf8').catch(() => '')).trim().split('\n')
      return found.length === 2 ? found : null
    })
    const ended = () =>
      waitFor('their end', () => running.every((pid) => !existsSync(`/proc/${pid}`)))
    return { bob, socket, closed, ended }
  }

  it('is ended with all it started when the client goes', async () => {
    await using app = await shellApp(['sh'], { tree: {} })
    const { socket, ended } = await startEndless(app)
    socket.terminate()
    await ended()
  })

  it('is ended with the session it was started in', async () => {
    await using app = await shellApp(['sh'], { tree: {} })
    const { bob, closed, ended } = await startEndless(app)
    expect((await bob.fetch('/api/logout', { method: 'POST' })).status).toBe(204)
    await ended()
    await closed
  })

  it('is ended when its user may not execute any more', async () => {
    await using app = await shellApp(['sh'], { tree: {} })
    const { closed, ended } = await startEndless(app)
    await changeRecords(app.store, (doc) => {
      const users = doc.users.map((user) => ({
        ...user,
        perm: { ...user.perm, execute: user.perm.execute && user.username !== 'bob' },
      }))
      return { ...doc, users }
    })
    await ended()
    await closed
  })

  it('is ended when the server stops', async () => {
    const app = await shellApp(['sh'], { tree: {} })
    const { ended } = await startEndless(app)
    await app[Symbol.asyncDispose]()
    await ended()
  })

  it('is gone when the server has stopped, even if it ignores the polite signal', async () => {
    const app = await startApp({ tree: {}, config: { enableExec: true } })
    const pid = join(app.tree.base, 'pid')
    await app.tree.add({
      'run.sh': `trap "" TERM; echo $$ > ${pid}; while :; do sleep 1; done`,
    })
    const commands = { after_upload: [`sh ${app.tree.at('run.sh')} &`] }
    await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
    const admin = await app.as('admin')
    await admin.fetch('/api/resources/new.txt', { method: 'POST', body: 'x' })
    const running = await waitFor('the program', async () => (await readFile(pid, 'utf8')).trim())
    await app[Symbol.asyncDispose]()
    expect(existsSync(`/proc/${running}`)).toBe(false)
  })

  it('is ended when its time is over, and when it ignores the polite signal', async () => {
    const stubborn = ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done']
    const result = await createPrograms().run(stubborn, { timeoutMs: 100, maxOutputBytes: 1000 })
    expect(result).toEqual({ exitCode: null, ended: 'timeout' })
  })

  it('is ended when it prints without end', async () => {
    await using app = await shellApp(['yes'])
    const lines = await runAsBob(app, `yes ${'0123456789'.repeat(10)}`)
    expect(lines.at(-1)).toBe('Ended after 16777216 bytes of output.')
    expect(lines.join('\n').length).toBeLessThan(17 * 1024 * 1024)
  })

  it.each(["yes ''", 'sh errors.sh'])('is ended when it prints empty lines: %s', async (line) => {
    await using app = await shellApp(['yes', 'sh'], { tree: { 'errors.sh': "yes '' >&2\n" } })
    const lines = await runAsBob(app, line)
    expect(lines.at(-1)).toBe('Ended after 250000 lines of output.')
    expect(lines.length).toBe(250_001)
  })
})

it('one user opens 16 connections for commands at a time', async () => {
  await using app = await startApp({ users: [{ username: 'bob' }] })
  const bob = await app.as('bob')
  const head =
    `GET /api/command/ HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nX-Auth: ${bob.token}\r\n` +
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  const open = async () => {
    const socket = connect(app.port, '127.0.0.1')
    socket.on('error', () => {}).write(head)
    const [part] = await once(socket, 'data')
    return { socket, status: Number(String(part).slice(9, 12)) }
  }
  const opened = []
  for (let i = 0; i < 20; i++) opened.push(await open())
  expect(opened.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 16 }, () => 101),
    ...Array.from({ length: 4 }, () => 429),
  ])
  expect(await runLine(app, (await app.as('admin')).token, 'echo')).toEqual(REFUSED)
  for (const { socket } of opened) socket.destroy()
  await waitFor('a place', async () => {
    const { socket, status } = await open()
    socket.destroy()
    return status === 101
  })
})
