// Copies, moves and deletions by PATCH and DELETE, as other clients ask for them: they answer when they are over, and go
// on as jobs when the client goes.
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Job } from '../../src/job-types.ts'
import { openApp, startApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { act, endOf, jobOf, listOf, openHolding } from '../support/jobs.ts'

const GIB = 2 ** 30
const COPY = '/api/resources/from/?action=copy&destination=%2Fto'
const TREE = { 'from/a.txt': 'a', 'from/deep/b.txt': 'b' }

async function holding(options: Parameters<typeof openHolding>[0] = {}) {
  const held = await openHolding({ users: [{ username: 'ann' }], ...options })
  onTestFinished(() => held.app[Symbol.asyncDispose]())
  return held
}

const firstJob = (who: Parameters<typeof listOf>[0]): Promise<Job> =>
  waitFor('the job', async () => (await listOf(who))[0] ?? null)

it('a copy goes on when its client goes, and ends where it is cancelled, with nothing left', async (context) => {
  await using app = await startApp({ tree: { to: null } })
  const large = app.tree.at('large.bin')
  const file = await open(large, 'w')
  await file.truncate(8 * GIB)
  await file.close()
  const admin = await app.as('admin')
  const controller = new AbortController()
  const path = '/api/resources/large.bin?action=copy&destination=%2Fto%2Fother.bin'
  const copying = admin.fetch(path, { method: 'PATCH', signal: controller.signal }).then(
    ({ status }) => String(status),
    () => 'gone',
  )
  const isOver = copying.then(() => null)
  const job = await Promise.race([firstJob(admin), isOver])
  // A file system that shares blocks is done before anyone can go.
  if (!job) return context.skip()
  const { id } = job
  controller.abort()
  await copying
  const { bytesDone } = await jobOf(admin, id)
  const further = () => jobOf(admin, id).then((job) => (job.bytesDone > bytesDone ? job : null))
  expect(await waitFor('further bytes', further)).toMatchObject({
    kind: 'copy',
    state: 'running',
    items: ['/large.bin'],
    to: '/to',
  })
  expect((await act(admin, id, 'cancel')).status).toBe(200)
  expect(await readdir(app.tree.at('to'))).toEqual([])
  expect(app.errors).toEqual([])
})

it('what is over soon is no job, and leaves no file', async () => {
  await using app = await openApp({ tree: TREE })
  const admin = await app.as('admin')
  expect((await admin.fetch(COPY, { method: 'PATCH' })).status).toBe(200)
  const renamed = '/api/resources/to/?action=rename&destination=%2Fanother%2520name'
  expect((await admin.fetch(renamed, { method: 'PATCH' })).status).toBe(200)
  expect(await readFile(app.tree.at('another name/deep/b.txt'), 'utf8')).toBe('b')
  expect((await admin.fetch('/api/resources/from/?trash=false', { method: 'DELETE' })).status).toBe(
    204,
  )
  expect(await listOf(admin)).toEqual([])
  await expect(stat(`${app.store.file}.jobs`)).rejects.toThrow('ENOENT')
})

it.each([
  ['copy', '/api/resources/hold/?action=copy&destination=%2Fto%2Fnamed', 'PATCH', 'copy'],
  ['deletion', '/api/resources/hold/?trash=false', 'DELETE', 'delete'],
])(
  'a %s that takes long is a job, answers as ever, and is one line in the audit log',
  async (_, path, method, kind) => {
    const { app, letGo } = await holding({ tree: { 'hold/x.txt': 'x', to: null } })
    const ann = await app.as('ann')
    const answer = ann.fetch(path, { method })
    const job = await firstJob(ann)
    expect(job).toMatchObject({ kind, state: 'running', items: ['/hold'], operation: '' })
    await letGo()
    expect((await answer).status).toBe(method === 'PATCH' ? 200 : 204)
    expect((await jobOf(ann, job.id)).state).toBe('done')
    if (kind === 'copy') expect(await readFile(app.tree.at('to/named/x.txt'), 'utf8')).toBe('x')
    const admin = await app.as('admin')
    const told = await (await admin.fetch(`/api/audit?action=${kind}`)).json()
    expect(told).toMatchObject({ lines: [{ user: 'ann', path: '/hold', result: 'ok' }] })
  },
)

it('one whose client has gone is told in the audit log when it is over, and undone as ever', async () => {
  const { app, letGo } = await holding({ tree: { 'hold.txt': 'x', to: null } })
  const ann = await app.as('ann')
  const controller = new AbortController()
  const path = '/api/resources/hold.txt?action=copy&destination=%2Fto%2Fb.txt'
  const answer = ann.fetch(path, { method: 'PATCH', signal: controller.signal })
  answer.catch(() => {})
  const { id } = await firstJob(ann)
  controller.abort()
  await letGo()
  expect((await endOf(ann, id)).state).toBe('done')
  expect(await readFile(app.tree.at('to/b.txt'), 'utf8')).toBe('x')
  const history = (await (await ann.fetch('/api/history')).json()) as { items: { id: string }[] }
  const undone = await ann.fetch(`/api/history/${history.items[0]?.id}/undo`, { method: 'POST' })
  expect(undone.status).toBe(200)
  expect(await readdir(app.tree.at('to'))).toEqual([])
})

it('a session that ends before it is a job refuses it, one that ends later does not', async () => {
  const { app, letGo } = await holding({ tree: { 'hold.txt': 'x', to: null } })
  const ann = await app.as('ann')
  const other = await app.as('ann')
  const path = '/api/resources/hold.txt?action=copy&destination=%2Fto%2Fb.txt'
  const answer = ann.fetch(path, { method: 'PATCH' })
  const { id } = await firstJob(other)
  expect((await ann.fetch('/api/logout', { method: 'POST' })).ok).toBe(true)
  await letGo()
  await answer
  expect((await endOf(other, id)).state).toBe('done')
  expect(await readdir(app.tree.at('to'))).toEqual(['b.txt'])
})

it('one that is cancelled is refused, and one that fails says why', async () => {
  const { app, letGo } = await holding({ tree: { 'hold.txt': 'x', to: null } })
  const ann = await app.as('ann')
  const path = '/api/resources/hold.txt?action=copy&destination=%2Fto%2Fb.txt'
  const answer = ann.fetch(path, { method: 'PATCH' })
  const { id } = await firstJob(ann)
  const cancelled = act(ann, id, 'cancel')
  await letGo()
  expect((await cancelled).status).toBe(200)
  const refused = await answer
  expect([refused.status, refused.headers.get('X-Error-Code')]).toEqual([409, 'conflict'])
  await app.tree.add({ 'to/b.txt': 'there' })
  const taken = await ann.fetch(path, { method: 'PATCH' })
  expect([taken.status, taken.headers.get('X-Error-Code')]).toEqual([409, 'exists'])
})

it('a stop waits for no command of one', async () => {
  const { app } = await openHolding({ tree: { 'hold.txt': 'x', to: null } })
  const admin = await app.as('admin')
  const path = '/api/resources/hold.txt?action=copy&destination=%2Fto%2Fb.txt'
  const answer = admin.fetch(path, { method: 'PATCH' })
  await firstJob(admin)
  await app[Symbol.asyncDispose]()
  expect((await answer).status).toBe(503)
})
