import { createHmac } from 'node:crypto'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { EVENTS } from '../../src/store/document.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { changeRecords, recordsOf } from '../support/records.ts'
import { makeTree } from '../support/tree.ts'

/** A hook that writes down what it was told, by environment and on stdin. */
const RECORDER = `#!/bin/sh
printf '%s|%s|%s|%s|' "$TRIGGER" "$FILE" "$DESTINATION" "$USERNAME" >> "$1"
cat >> "$1"
echo >> "$1"
`

async function withRecorder(
  config: Partial<Config> = {},
): Promise<TestApp & { entries(): Promise<string[]> }> {
  const app = await startApp({ tree: { 'a.txt': 'x' }, config: { enableExec: true, ...config } })
  const script = join(app.tree.base, 'record.sh')
  const out = join(app.tree.base, 'recorded.txt')
  await writeFile(script, RECORDER)
  await writeFile(out, '')
  const line = `sh ${script} ${out}`
  const commands = Object.fromEntries(
    EVENTS.flatMap((event) => [
      [`before_${event}`, [line]],
      [`after_${event}`, [line]],
    ]),
  )
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
  return Object.assign(app, {
    entries: async () => (await readFile(out, 'utf8')).split('\n').filter((text) => text !== ''),
  })
}

const TUS = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' }

describe('event commands', () => {
  const cases: [string, string, (app: TestApp) => Promise<unknown>][] = [
    ['upload', 'a plain upload', async (app) => call(app, 'POST', 'new.txt', 'body')],
    ['upload', 'a new folder', async (app) => call(app, 'POST', 'dir/')],
    ['save', 'a save', async (app) => call(app, 'PUT', 'a.txt', 'body')],
    ['copy', 'a copy', async (app) => call(app, 'PATCH', 'a.txt?action=copy&destination=/b.txt')],
    [
      'rename',
      'a move',
      async (app) => call(app, 'PATCH', 'a.txt?action=rename&destination=/c.txt'),
    ],
    ['delete', 'a deletion', async (app) => call(app, 'DELETE', 'a.txt')],
    [
      'upload',
      'a resumable upload',
      async (app) => {
        const admin = await app.as('admin')
        await admin.fetch('/api/tus/t.bin', { method: 'POST', headers: { 'Upload-Length': '2' } })
        await admin.fetch('/api/tus/t.bin', { method: 'PATCH', headers: TUS, body: 'ab' })
      },
    ],
  ]
  for (const [event, title, act] of cases) {
    it(`run before and after ${title}, with the facts by environment and as JSON`, async () => {
      await using app = await withRecorder()
      await act(app)
      const entries = await app.entries()
      expect(entries.map((entry) => entry.split('|')[0])).toEqual([
        `before_${event}`,
        `after_${event}`,
      ])
      const [, file, , username, json] = entries[0]?.split('|') ?? []
      expect(username).toBe('admin')
      expect(JSON.parse(json ?? '')).toMatchObject({ TRIGGER: `before_${event}`, FILE: file })
    })
  }

  it('are told paths of the host also when the whole disk is served', async () => {
    await using app = await withRecorder({ root: '/' })
    await call(app, 'DELETE', `${app.tree.at('a.txt').slice(1)}`)
    const [, file] = (await app.entries())[0]?.split('|') ?? []
    expect(file).toBe(app.tree.at('a.txt'))
  })

  it('do not run while execution is switched off', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      settings: { commands: { before_delete: ['false'] } },
    })
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(204)
  })

  it('that fail beforehand prevent the change', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      config: { enableExec: true },
      settings: { commands: { before_delete: ['false'] } },
    })
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(500)
    expect(await app.tree.read('a.txt')).toBe('x')
  })

  it.each(['before', 'after'])(
    'with an open quote are a failure of the server (%s)',
    async (when) => {
      const commands = Object.fromEntries(
        EVENTS.map((event) => [`${when}_${event}`, ['echo "open']]),
      )
      await using app = await startApp({
        tree: { 'a.txt': 'x' },
        config: { enableExec: true },
        settings: { commands },
      })
      for (const [method, path] of [
        ['POST', 'new.txt'],
        ['PUT', 'a.txt'],
        ['PATCH', 'a.txt?action=copy&destination=/b.txt'],
        ['DELETE', 'a.txt'],
      ] as const)
        expect((await call(app, method, path)).status, method).toBe(500)
    },
  )

  it('that fail afterwards leave no share of what has gone or moved', async () => {
    await using app = await startApp({
      tree: { 'a.txt': 'x', 'b.txt': 'y' },
      config: { enableExec: true },
      settings: { commands: { after_delete: ['false'], after_rename: ['false'] } },
    })
    const admin = await app.as('admin')
    for (const name of ['a.txt', 'b.txt'])
      await admin.fetch(`/api/share/${name}`, { method: 'POST', body: '{}' })
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(500)
    expect((await call(app, 'PATCH', 'b.txt?action=rename&destination=/c.txt')).status).toBe(500)
    expect(recordsOf(app.store).shares.map(({ path }) => path)).toEqual(['/c.txt'])
  })

  it('that print much, or leave something running, do not hold up the change', async () => {
    const lines = ['head -c 5000000 /dev/zero', 'sh -c "sleep 300 & echo $! > ran.txt"']
    await using app = await startApp({ tree: { 'a.txt': 'x' }, config: { enableExec: true } })
    const ran = join(app.tree.base, 'ran.txt')
    const commands = { before_save: lines.map((line) => line.replace('ran.txt', ran)) }
    await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
    const saved = await withDeadline('the save', 60_000, call(app, 'PUT', 'a.txt', 'y'))
    expect([saved.status, await app.tree.read('a.txt')]).toEqual([200, 'y'])
    // It lives on, as it did under the original.
    process.kill(Number(await readFile(ran, 'utf8')), 'SIGKILL')
  })

  it('do not see the secrets of the server', async () => {
    process.env.FB_TEST_SECRET = 'top secret'
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      config: { enableExec: true },
      settings: { commands: { after_save: ['sh -c "env > env.txt"'] } },
    })
    await call(app, 'PUT', 'a.txt', 'y')
    const seen = await readFile('env.txt', 'utf8').catch(() => app.tree.read('env.txt'))
    expect(seen).toContain('TRIGGER=after_save')
    expect(seen).not.toContain('top secret')
    await (await import('node:fs/promises')).rm('env.txt', { force: true })
  })
})

/** What `env` printed for a save of `path`, by name. */
async function seenBy(app: TestApp, path: string, as = 'admin'): Promise<Map<string, string>> {
  const out = join(app.tree.base, 'env.txt')
  await setCommands(app, { after_save: [`sh -c "env > ${out}"`] })
  const user = await app.as(as)
  const saved = await user.fetch(`/api/resources/${path}`, { method: 'PUT', body: 'y' })
  expect(saved.status).toBe(200)
  const lines = (await readFile(out, 'utf8')).split('\n')
  return new Map(lines.map((line) => [line.split('=', 1)[0] ?? '', line.replace(/^[^=]*=/, '')]))
}

async function setCommands(app: TestApp, commands: Record<string, string[]>): Promise<void> {
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
}

describe('what a hook is told', () => {
  it('is the scope as it is stored, and the path as it was given', async () => {
    const users = [{ username: 'bob', scope: '/users/bob' }]
    const tree = { 'a.txt': 'x', 'users/bob/b.txt': 'x', 'users/bob/c': { link: 'b.txt' } }
    await using served = await makeTree(tree)
    const linked = join(served.base, 'linked')
    await symlink(served.root, linked)
    await using app = await startApp({ users, config: { enableExec: true, root: linked } })
    const admin = await seenBy(app, 'a.txt')
    expect(admin.get('SCOPE')).toBe('.')
    expect(admin.get('FILE')).toBe(join(linked, 'a.txt'))
    expect(admin.get('DESTINATION')).toBe(linked)
    const bob = await seenBy(app, 'c', 'bob')
    expect(bob.get('SCOPE')).toBe('/users/bob')
    expect(bob.get('FILE')).toBe(join(linked, 'users/bob/c'))
    expect(bob.get('DESTINATION')).toBe(join(linked, 'users/bob'))
  })

  it('are variables of the server in its arguments, and in its environment those that were listed', async () => {
    process.env.FB_TEST_PLACE = 'the place'
    process.env.FB_TEST_TOKEN = 'the token'
    const config = { enableExec: true, hookEnv: ['FB_TEST_TOKEN', 'FB_TEST_UNSET'] }
    try {
      await using app = await startApp({ tree: { 'a.txt': 'x' }, config })
      const out = join(app.tree.base, 'out.txt')
      const script = join(app.tree.base, 'out.sh')
      await writeFile(script, `printf '%s|%s|%s|%s' "$@" > ${out}`)
      const args = ['$FB_TEST_PLACE', "'pre-$", "{FB_TEST_PLACE}' $NO_SUCH_ONE/x '$1'"]
      await setCommands(app, { after_save: [`sh ${script} ${args[0]} ${args[1]}${args[2]}`] })
      expect((await call(app, 'PUT', 'a.txt', 'z')).status).toBe(200)
      expect(await readFile(out, 'utf8')).toBe('the place|pre-the place|/x|$1')
      const seen = await seenBy(app, 'a.txt')
      expect(seen.get('FB_TEST_TOKEN')).toBe('the token')
      expect(seen.has('FB_TEST_PLACE')).toBe(false)
      expect(seen.has('FB_TEST_UNSET')).toBe(false)
    } finally {
      delete process.env.FB_TEST_PLACE
      delete process.env.FB_TEST_TOKEN
    }
  })

  it('is in the log with its end, and what it prints line by line, within bounds', async () => {
    await using app = await startApp({ tree: { 'a.txt': 'x' }, config: { enableExec: true } })
    const script = join(app.tree.base, 'print.sh')
    await writeFile(script, 'echo "saved $FILE"; seq 1 5000; head -c 3000000 /dev/zero; exit $1')
    // What it prints to either stream is read as it comes: a program of its own prints to the other.
    const complain = join(app.tree.base, 'complain.sh')
    await writeFile(complain, 'echo trouble >&2')
    const before = [`sh ${complain}`, `sh ${script} 0`]
    await setCommands(app, { before_save: before, after_save: [`sh ${script} 7`] })
    expect((await call(app, 'PUT', 'a.txt', 'z')).status).toBe(500)
    const lines = app.log.filter((line) => line.startsWith('before_save: '))
    expect(lines).toContain(`before_save: | saved ${join(app.tree.root, 'a.txt')}`)
    expect(lines).toContain('before_save: | trouble')
    expect(lines).toContain('before_save: | further lines are not logged')
    expect(lines.filter((line) => /: sh ended with 0 after [\d.]+ s$/.test(line))).toHaveLength(2)
    expect(lines.length).toBeLessThan(110)
    const ends = app.log.filter((line) => /^after_save: sh ended with 7 after/.test(line))
    expect(ends).toHaveLength(1)
  })

  it.each(['-rf', '--help'])(
    'is no option of its program when an account is named %s',
    async (name) => {
      const users = [{ username: name }]
      await using app = await startApp({
        tree: { 'a.txt': 'x' },
        users,
        config: { enableExec: true },
      })
      const user = await app.as(name)
      const save = async () => {
        const { status } = await user.fetch('/api/resources/a.txt', { method: 'PUT', body: 'y' })
        return [status, await app.tree.read('a.txt')]
      }
      await setCommands(app, { before_save: ['rm $USERNAME'] })
      expect(await save()).toEqual([500, 'x'])
      expect(app.log.join('\n')).toContain('$USERNAME would be an option of the program')
      for (const line of ['test x != $TRIGGER$USERNAME', 'printf %s -- $USERNAME']) {
        await setCommands(app, { before_save: [line] })
        expect(await save(), line).toEqual([200, 'y'])
      }
    },
  )
})

describe('webhooks', () => {
  it('post the event as signed JSON and try again after a failure', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = []
    const receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ headers: request.headers, body })
      response.statusCode = received.length === 1 ? 503 : 200
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      config: { webhookSecret: 'shared' },
      settings: { webhooks: [{ url, events: ['after_delete'], enabled: true }] },
    })
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(204)
    await waitFor('the second delivery', () => received.length === 2)
    receiver.close()
    const [first, second] = received
    expect(second?.body).toBe(first?.body)
    expect(first?.headers['x-filebrowser-delivery']).toMatch(/^[0-9a-f-]{36}$/)
    expect(second?.headers['x-filebrowser-delivery']).toBe(first?.headers['x-filebrowser-delivery'])
    expect(JSON.parse(second?.body ?? '')).toMatchObject({
      trigger: 'after_delete',
      path: '/a.txt',
      username: 'admin',
    })
    const expected = createHmac('sha256', 'shared')
      .update(second?.body ?? '')
      .digest('hex')
    expect(second?.headers['x-filebrowser-signature']).toBe(`sha256=${expected}`)
  })

  it('are signed with a key of the installation’s own, which administrators can read', async () => {
    const { promise, resolve } = Promise.withResolvers<{ signature: unknown; body: string }>()
    const receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.end()
      resolve({ signature: request.headers['x-filebrowser-signature'], body })
    })
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      settings: { webhooks: [{ url, events: ['after_delete'], enabled: true }] },
      users: [{ username: 'bob' }],
    })
    const admin = await app.as('admin')
    const { webhookSecret } = await (await admin.fetch('/api/settings')).json()
    expect(webhookSecret).toMatch(/^[\w-]{43}$/)
    expect((await (await app.as('bob')).fetch('/api/settings')).status).toBe(403)
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(204)
    const { signature, body } = await withDeadline('the delivery', 60_000, promise)
    receiver.close()
    const expected = createHmac('sha256', webhookSecret).update(body).digest('hex')
    expect(signature).toBe(`sha256=${expected}`)
  })

  it('do not show a key that was configured', async () => {
    await using app = await startApp({ config: { webhookSecret: 'shared' } })
    const admin = await app.as('admin')
    expect((await (await admin.fetch('/api/settings')).json()).webhookSecret).toBe('')
  })

  it('never delay the request', async () => {
    let given = 0
    const silent = createServer((request) => request.once('close', () => given++))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    await using app = await startApp({
      tree: { 'a.txt': 'x' },
      settings: { webhooks: [{ url, events: ['before_delete', 'after_delete'], enabled: true }] },
    })
    expect((await call(app, 'DELETE', 'a.txt')).status).toBe(204)
    // Nobody has stopped waiting for the receiver by then.
    expect(given).toBe(0)
    silent.closeAllConnections()
    silent.close()
  })
})

async function call(app: TestApp, method: string, path: string, body?: string): Promise<Response> {
  const admin = await app.as('admin')
  return admin.fetch(`/api/resources/${path}`, { method, ...(body === undefined ? {} : { body }) })
}
