// Files that jobs fetch from another server: what becomes of them, and how they go on after a break.
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseFetchFrom } from '../../src/config/fetch-from.ts'
import { remoteName } from '../../src/files/remote/name.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { type OpenedApp, openApp, type TestAppOptions } from '../support/app.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { waitFor } from '../support/deadline.ts'
import { history, undo } from '../support/history.ts'
import { act, begin, endOf, jobOf, post, runToEnd } from '../support/jobs.ts'
import { changeRecords } from '../support/records.ts'
import { giveBytes, openRemote, type RemoteServer } from '../support/remote-server.ts'

type Answer = Parameters<typeof openRemote>[0]

async function open(
  answer: Answer,
  options: TestAppOptions = {},
): Promise<{ app: OpenedApp; remote: RemoteServer }> {
  const remote = await openRemote(answer)
  onTestFinished(() => remote[Symbol.asyncDispose]())
  const app = await openApp({
    tree: { to: null, 'file.txt': 'x' },
    users: [{ username: 'ann' }],
    ...options,
    config: { fetchFrom: parseFetchFrom(remote.host), ...options.config },
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, remote }
}

const plain: Answer = (_, response) => void response.end('hello')
const namesIn = (app: OpenedApp) => readdir(app.tree.at('to'))

it('fetches a file as an upload: history, Undo, the audit log and the end of its address', async () => {
  const { app, remote } = await open(plain)
  const ann = await app.as('ann')
  const url = `${remote.origin}/a/report%20one.txt?token=secret#part`
  const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
  expect(job).toMatchObject({
    state: 'done',
    items: ['/to/report one.txt'],
    to: '/to',
    url: `${remote.origin}/a/report%20one.txt`,
    filesDone: 1,
    filesTotal: 1,
    bytesDone: 5,
    bytesTotal: 5,
  })
  expect(await readFile(app.tree.at('to/report one.txt'), 'utf8')).toBe('hello')
  // Nothing of who asks goes along.
  expect(remote.asked).toMatchObject([{ url: '/a/report%20one.txt?token=secret', range: '' }])
  expect(Object.keys(remote.asked[0]?.headers ?? {}).sort()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
  )
  expect((await history(ann)).items).toMatchObject([
    { kind: 'upload', path: '/to/report one.txt', bytes: 5 },
  ])
  const admin = await app.as('admin')
  const line = await waitFor('the line', async () => {
    const answer = await admin.fetch('/api/audit?limit=10')
    const { lines } = (await answer.json()) as { lines: { action: string }[] }
    return lines.find(({ action }) => action === 'upload') ?? null
  })
  expect(line).toMatchObject({
    user: 'ann',
    path: '/to/report one.txt',
    target: `${remote.origin}/a/report%20one.txt`,
    result: 'ok',
    bytes: 5,
  })
  expect(await undo(ann, job.operation)).toMatchObject({ status: 200, kept: [] })
  expect(await namesIn(app)).toEqual([])
})

describe('its name', () => {
  const named = (disposition: string | undefined, url = 'http://h/x.bin') =>
    remoteName(disposition, new URL(url))

  it.each([
    ['attachment; filename=plain.txt', 'plain.txt'],
    ['attachment; filename="a b.txt"', 'a b.txt'],
    ['inline; filename="a\\"b.txt"', 'a_b.txt'],
    [
      `attachment; filename="x"; filename*=UTF-8''${encodeURIComponent('grün €.txt')}`,
      'grün €.txt',
    ],
    ["attachment; filename*=iso-8859-1'en'%A3.txt", '£.txt'],
    [Buffer.from('attachment; filename="grün.txt"').toString('latin1'), 'grün.txt'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\Windows\\\\x.exe"', 'x.exe'],
    ["attachment; filename*=UTF-8''..%2F..%2Fx%00y.txt", 'x_y.txt'],
    ['attachment; filename="/etc/"', 'x.bin'],
    ['attachment; filename=".htaccess"', 'htaccess'],
    ['attachment; filename="..."', 'x.bin'],
    ["attachment; filename*=UTF-8''a%E2%80%AEgpj.exe", 'a_gpj.exe'],
    [`attachment; filename="${'n'.repeat(400)}.tar.gz"`, `${'n'.repeat(252)}.gz`],
    ['attachment', 'x.bin'],
    [undefined, 'x.bin'],
  ])('of %j is %j', (disposition, name) => {
    expect(named(disposition)).toBe(name)
  })

  it.each(['n'.repeat(15_000), `${'. '.repeat(7_500)}n`, '..n'.repeat(5_000)])(
    'takes no time where it is as long as headers may be',
    (text) => {
      let name = ''
      const takenMs = cpuMs(() => {
        name = named(`attachment; filename="${text}"`)
      })
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(takenMs).toBeLessThan(1_000)
    },
  )

  it('comes from the address without one there, and is never empty', () => {
    expect(named(undefined, 'http://h/d/gr%C3%BCn.txt?x=/y.txt')).toBe('grün.txt')
    expect(named(undefined, 'http://h/%2e%2e%2fx')).toBe('x')
    expect(named(undefined, 'http://h/%E4')).toBe('%E4')
    expect(named(undefined, 'http://h/')).toBe('download')
  })

  it('is that of the last address of several, or the one that was asked for', async () => {
    const { app, remote } = await open((request, response) => {
      if (request.url === '/first') response.writeHead(302, { Location: '/b/second.txt' }).end()
      else response.end('there')
    })
    const ann = await app.as('ann')
    const body = { kind: 'fetch', url: `${remote.origin}/first`, to: '/to' }
    expect(await runToEnd(ann, body)).toMatchObject({ items: ['/to/second.txt'] })
    expect(await runToEnd(ann, { ...body, name: 'mine.txt' })).toMatchObject({ state: 'done' })
    expect((await namesIn(app)).sort()).toEqual(['mine.txt', 'second.txt'])
  })
})

describe('a name that is taken', () => {
  const taken = async (conflict: string, more: object = {}) => {
    const { app, remote } = await open(plain, { tree: { 'to/a.txt': 'old' } })
    const ann = await app.as('ann')
    const url = `${remote.origin}/a.txt`
    return { app, ann, remote, body: { kind: 'fetch', url, to: '/to', conflict, ...more } }
  }

  it('fails, before the file is asked for where it was given', async () => {
    const { app, ann, remote, body } = await taken('fail')
    expect(await runToEnd(ann, body)).toMatchObject({ state: 'failed', reason: 'exists' })
    const answer = await post(ann, { ...body, name: 'a.txt' })
    expect([answer.status, answer.headers.get('X-Error-Code')]).toEqual([409, 'exists'])
    expect(remote.asked).toHaveLength(1)
    expect(await readFile(app.tree.at('to/a.txt'), 'utf8')).toBe('old')
    expect(await namesIn(app)).toEqual(['a.txt'])
  })

  it('is replaced, or gets a number', async () => {
    const { app, ann, body } = await taken('rename')
    expect(await runToEnd(ann, body)).toMatchObject({ state: 'done', items: ['/to/a(1).txt'] })
    const replacing = { ...body, conflict: 'replace' }
    expect(await runToEnd(ann, replacing)).toMatchObject({ state: 'done', items: ['/to/a.txt'] })
    expect(await readFile(app.tree.at('to/a.txt'), 'utf8')).toBe('hello')
    expect(await namesIn(app)).toEqual(['a(1).txt', 'a.txt'])
  })
})

describe('a connection that breaks', () => {
  const bytes = randomBytes(3_000_000)

  it('is made again, and what has come is not asked for twice', async () => {
    let times = 0
    const { app, remote } = await open((request, response) => {
      const until = ++times <= 2 ? times * 1_000_000 : undefined
      giveBytes(request, response, { bytes, ...(until && { until }) })
    })
    const ann = await app.as('ann')
    const url = `${remote.origin}/a.bin`
    const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
    expect(job).toMatchObject({ state: 'done', bytesDone: bytes.length })
    expect(await readFile(app.tree.at('to/a.bin'))).toEqual(bytes)
    expect(remote.asked.map(({ range, ifRange }) => [range, ifRange])).toEqual([
      ['', ''],
      ['bytes=1000000-', '"a"'],
      ['bytes=2000000-', '"a"'],
    ])
  })

  it('begins anew where the file is another one by then', async () => {
    let times = 0
    const other = randomBytes(2_000_000)
    const { app, remote } = await open((request, response) => {
      if (++times === 1) giveBytes(request, response, { bytes, until: 1_000_000 })
      else giveBytes(request, response, { bytes: other, etag: '"b"' })
    })
    const ann = await app.as('ann')
    const url = `${remote.origin}/a.bin`
    const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
    expect(job).toMatchObject({ state: 'done', bytesDone: other.length })
    expect(await readFile(app.tree.at('to/a.bin'))).toEqual(other)
  })

  it('before the first byte is made again, and what is gone on with later is what comes then', async () => {
    let times = 0
    const other = randomBytes(2_000_000)
    const { app, remote } = await open((request, response) => {
      if (++times === 1) {
        response.writeHead(200, { ETag: '"a"', 'Content-Length': bytes.length }).flushHeaders()
        response.socket?.end()
      } else if (times === 2) {
        response.writeHead(200, { ETag: '"b"', 'Content-Length': other.length })
        response.write(other.subarray(0, 1_000_000))
      } else giveBytes(request, response, { bytes: other, etag: '"b"' })
    })
    const ann = await app.as('ann')
    const { id } = await begin(ann, { kind: 'fetch', url: `${remote.origin}/a.bin`, to: '/to' })
    await waitFor('a half', async () => (await jobOf(ann, id)).bytesDone === 1_000_000)
    expect((await act(ann, id, 'pause')).status).toBe(200)
    expect((await act(ann, id, 'resume')).status).toBe(200)
    expect(await endOf(ann, id)).toMatchObject({ state: 'done', bytesDone: other.length })
    expect(remote.asked.at(-1)).toMatchObject({ range: 'bytes=1000000-', ifRange: '"b"' })
    expect(await readFile(app.tree.at('to/a.bin'))).toEqual(other)
  })

  it('again and again fails in the end; a retry goes on with what has come', async () => {
    let isUp = false
    const { app, remote } = await open((request, response) => {
      const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
      giveBytes(request, response, { bytes, ...(!isUp && { until: Number(from) + 200_000 }) })
    })
    const ann = await app.as('ann')
    const url = `${remote.origin}/a.bin`
    const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
    expect(job).toMatchObject({ state: 'failed', reason: 'fetch_failed', bytesDone: 1_200_000 })
    expect(await hidden(app)).toHaveLength(1)
    isUp = true
    expect((await act(ann, job.id, 'retry')).status).toBe(200)
    expect(await endOf(ann, job.id)).toMatchObject({ state: 'done', bytesDone: bytes.length })
    expect(remote.asked.at(-1)?.range).toBe('bytes=1200000-')
    expect(await readFile(app.tree.at('to/a.bin'))).toEqual(bytes)
    expect(await hidden(app)).toEqual([])
  })

  it('leaves nothing once its job is forgotten, or where its server gives no rests', async () => {
    const { app, remote } = await open((request, response) => {
      if (request.url === '/plain') response.writeHead(200, { 'Content-Length': 9 }).write('abc')
      else giveBytes(request, response, { bytes, until: 1_000 })
      response.destroy()
    })
    const ann = await app.as('ann')
    const urls = [`${remote.origin}/plain`, `${remote.origin}/a.bin`]
    for (const url of urls) {
      const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
      expect(job).toMatchObject({ state: 'failed', reason: 'fetch_failed' })
      expect((await ann.fetch(`/api/jobs/${job.id}`, { method: 'DELETE' })).status).toBe(204)
      expect(await namesIn(app)).toEqual([])
    }
  })

  it('a pause ends the connection and keeps what has come; a cancel leaves nothing', async () => {
    let isHeld = true
    const { app, remote } = await open((request, response) => {
      if (!isHeld) return giveBytes(request, response, { bytes })
      response.writeHead(200, { ETag: '"a"', 'Content-Length': bytes.length })
      response.write(bytes.subarray(0, 1_000_000))
    })
    const ann = await app.as('ann')
    const url = `${remote.origin}/a.bin`
    const amid = async (id: string) => {
      const got = async () => (await jobOf(ann, id)).bytesDone === 1_000_000
      await waitFor('a third', got)
    }
    const { id } = await begin(ann, { kind: 'fetch', url, to: '/to' })
    await amid(id)
    expect((await act(ann, id, 'pause')).status).toBe(200)
    expect(await hidden(app)).toHaveLength(1)
    isHeld = false
    expect((await act(ann, id, 'resume')).status).toBe(200)
    expect(await endOf(ann, id)).toMatchObject({ state: 'done' })
    expect(remote.asked.at(-1)?.range).toBe('bytes=1000000-')
    expect(await readFile(app.tree.at('to/a.bin'))).toEqual(bytes)
    isHeld = true
    const other = await begin(ann, { kind: 'fetch', url, to: '/to', name: 'b.bin' })
    await amid(other.id)
    expect((await act(ann, other.id, 'cancel')).status).toBe(200)
    expect(await namesIn(app)).toEqual(['a.bin'])
  })
})

const hidden = async (app: OpenedApp) =>
  (await namesIn(app)).filter((name) => name.startsWith('.fb-'))

describe('what is refused', () => {
  it('is everything while nothing is allowed', async () => {
    const { app, remote } = await open(plain, { config: { fetchFrom: null } })
    const ann = await app.as('ann')
    const answer = await post(ann, { kind: 'fetch', url: `${remote.origin}/a`, to: '/to' })
    expect([answer.status, answer.headers.get('X-Error-Code')]).toEqual([403, 'fetch_failed'])
    expect(remote.asked).toEqual([])
  })

  it.each([
    ['', 400],
    ['file:///etc/passwd', 400],
    ['ftp://127.0.0.1/', 400],
    ['http://ann:secret@127.0.0.1/', 400],
    ['http:///', 400],
    [`http://127.0.0.1/${'x'.repeat(5_000)}`, 400],
    ['http://127.0.0.1/', 403],
    ['http://example.org/', 403],
  ])('the address %j is %d', async (url, status) => {
    const { app } = await open(plain)
    const answer = await post(await app.as('ann'), { kind: 'fetch', url, to: '/to' })
    expect(answer.status).toBe(status)
  })

  it('is a folder that is none, items, and an account that may not create', async () => {
    const { app, remote } = await open(plain, {
      users: [{ username: 'ann' }, { username: 'bob', perm: { create: false } as never }],
    })
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    const body = { kind: 'fetch', url: `${remote.origin}/a` }
    expect((await post(ann, body)).status).toBe(400)
    expect((await post(ann, { ...body, to: '/none' })).status).toBe(404)
    expect((await post(ann, { ...body, to: '/file.txt' })).status).toBe(500)
    expect((await post(ann, { ...body, to: '/to', name: '../x' })).status).toBe(400)
    expect((await post(bob, { ...body, to: '/to' })).status).toBe(403)
    expect(remote.asked).toEqual([])
  })

  it('is more than the limit, announced or not, and nothing of it stays', async () => {
    const { app, remote } = await open(
      (request, response) => {
        if (request.url === '/said') response.setHeader('Content-Length', 3_000)
        response.end(Buffer.alloc(3_000))
      },
      { config: { fetchMaxSizeBytes: 2_000 } },
    )
    const limited = await app.as('ann')
    for (const path of ['/said', '/unsaid']) {
      const url = `${remote.origin}${path}`
      const job = await runToEnd(limited, { kind: 'fetch', url, to: '/to' })
      expect(job).toMatchObject({ state: 'failed', reason: 'too_large' })
    }
    expect(await namesIn(app)).toEqual([])
  })

  it('is what a limited folder has no room for, before its first byte where that is known', async () => {
    const { app, remote } = await open(
      (request, response) => {
        if (request.url === '/said') response.setHeader('Content-Length', 3_000)
        response.end(Buffer.alloc(3_000))
      },
      { tree: { 'home/to': null }, users: [{ username: 'ann', scope: '/home' }] },
    )
    await app.store.transaction((tx) => setHome(tx, { userID: 2, home: true, homeQuota: 2_000 }))
    const limited = await app.as('ann')
    for (const path of ['/said', '/unsaid']) {
      const url = `${remote.origin}${path}`
      const job = await runToEnd(limited, { kind: 'fetch', url, to: '/to' })
      expect(job).toMatchObject({ state: 'failed', reason: 'quota_exceeded' })
    }
    expect(await readdir(app.tree.at('home/to'))).toEqual([])
  })

  it('is another answer than a file, whatever it says, with one and the same word', async () => {
    const { app, remote } = await open((request, response) => {
      const status = Number(request.url?.slice(1))
      response.writeHead(status, { 'Content-Encoding': status === 200 ? 'gzip' : 'identity' })
      response.end('x')
    })
    const ann = await app.as('ann')
    for (const status of [200, 204, 206, 304, 401, 404, 500]) {
      const url = `${remote.origin}/${status}`
      const job = await runToEnd(ann, { kind: 'fetch', url, to: '/to' })
      expect([status, job.state, job.reason]).toEqual([status, 'failed', 'fetch_failed'])
    }
    expect(await namesIn(app)).toEqual([])
  })
})

it('commands run when it is whole, and one that fails before it keeps it away', async () => {
  const { app, remote } = await open(plain, { config: { enableExec: true } })
  const script = app.tree.at('../refuse.sh')
  await writeFile(script, 'test ! -e "$FILE" && exit 3')
  const commands = { before_upload: [`sh ${script}`] }
  await changeRecords(app.store, (doc) => ({ ...doc, settings: { ...doc.settings, commands } }))
  const ann = await app.as('ann')
  const job = await runToEnd(ann, { kind: 'fetch', url: `${remote.origin}/a.txt`, to: '/to' })
  expect(job).toMatchObject({ state: 'failed', reason: 'command_failed', bytesDone: 5 })
  expect(await namesIn(app)).toEqual([])
})
