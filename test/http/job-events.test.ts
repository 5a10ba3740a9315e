// How jobs are getting on, as server-sent events.
import { expect, it, onTestFinished } from 'vitest'
import type { Job } from '../../src/job-types.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { begin, endOf, runToEnd } from '../support/jobs.ts'
import type { SignedIn } from '../support/login.ts'

async function open(): Promise<TestApp> {
  const app = await startApp({
    tree: { 'a.txt': 'a', 'b.txt': 'b', to: null },
    users: [{ username: 'ann' }, { username: 'bob' }],
  })
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app
}

const COPY = { kind: 'copy', items: ['/a.txt'], to: '/to', conflict: 'replace' }

/** What a stream has told so far. */
async function listen(who: SignedIn, query = '', headers: Record<string, string> = {}) {
  const control = new AbortController()
  onTestFinished(() => control.abort())
  const answer = await who.fetch(`/api/events${query}`, { headers, signal: control.signal })
  let text = ''
  let isOver = false
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString()
  })()
  reading
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  const events = () =>
    [...text.matchAll(/^event: job\nid: (.*)\ndata: (.*)\n$/gm)].map(([, id = '', data = '']) => ({
      id,
      job: JSON.parse(data) as Job,
    }))
  return {
    answer,
    events,
    text: () => text,
    isOver: () => isOver,
    leave: () => control.abort(),
    stateOf: (id: string) => events().findLast((event) => event.job.id === id)?.job.state,
  }
}

it('a listener is told of its jobs as they change, and of no others', async () => {
  const app = await open()
  const [ann, bob] = [await app.as('ann'), await app.as('bob')]
  const [own, other] = [await listen(ann), await listen(bob)]
  expect(own.answer.status).toBe(200)
  expect(own.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(own.answer.headers.get('x-accel-buffering')).toBe('no')
  expect(own.answer.headers.get('cache-control')).toBe('no-store')
  const { id } = await begin(ann, COPY)
  await expect.poll(() => own.stateOf(id)).toBe('done')
  const theirs = await begin(bob, { ...COPY, items: ['/b.txt'] })
  await expect.poll(() => other.stateOf(theirs.id)).toBe('done')
  expect(other.events().map(({ job }) => job.id)).not.toContain(id)
  expect(own.text()).toMatch(/^retry: [234]\d{3}$/m)
})

it('an administrator may ask for all', async () => {
  const app = await open()
  const [ann, admin] = [await app.as('ann'), await app.as('admin')]
  const all = await listen(admin, '?all=true')
  const { id } = await begin(ann, COPY)
  await expect.poll(() => all.stateOf(id)).toBe('done')
  expect((await ann.fetch('/api/events?all=true')).status).toBe(403)
})

it('who comes back is told what has changed since, and only that', async () => {
  const app = await open()
  const ann = await app.as('ann')
  const first = await listen(ann)
  const before = await begin(ann, COPY)
  await expect.poll(() => first.stateOf(before.id)).toBe('done')
  const last = first.events().at(-1)?.id ?? ''
  first.leave()
  const missed = await runToEnd(ann, { ...COPY, items: ['/b.txt'] })
  const second = await listen(ann, '', { 'Last-Event-ID': last })
  await expect.poll(() => second.stateOf(missed.id)).toBe('done')
  expect(second.stateOf(before.id)).toBeUndefined()
})

it('the stream ends with the session', async () => {
  const app = await open()
  const [ann, again] = [await app.as('ann'), await app.as('ann')]
  const stream = await listen(ann)
  await waitFor('the beginning', () => stream.text() !== '')
  await ann.fetch('/api/logout', { method: 'POST' })
  const { id } = await begin(again, COPY)
  await endOf(again, id)
  await expect.poll(stream.isOver).toBe(true)
  expect(stream.events()).toEqual([])
  expect((await ann.fetch('/api/events')).status).toBe(401)
})
