// What the page makes of the jobs of the server.
import { describe, expect, it } from 'vitest'
import type { Job } from '../../../src/job-types.ts'
import { isAbort } from '../../../web/api/client.ts'
import { readEvents } from '../../../web/api/jobs.ts'
import { failuresOf } from '../../../web/operations/follow-jobs.ts'
import { jobPercent } from '../../../web/state/jobs.ts'

const items = ['/a', '/b', '/c'].map((path) => ({ path, isDir: false }))

const jobOf = (facts: Partial<Job>) => ({ reason: null, errors: [], ...facts }) as Job

const pathsOf = (facts: Partial<Job>) =>
  failuresOf(jobOf(facts), items).map(({ item }) => item.path)

describe('what a job has not done', () => {
  it('is nothing of one that is done', () => {
    expect(pathsOf({ state: 'done' })).toEqual([])
  })

  it('is what its errors name, or hold', () => {
    const errors = [{ path: '/b/deep/x', code: 'forbidden' as const }]
    expect(pathsOf({ state: 'failed', reason: 'forbidden', errors })).toEqual(['/b'])
  })

  it('may be everything where something ended it before all was tried', () => {
    const errors = [{ path: '/b', code: 'forbidden' as const }]
    expect(pathsOf({ state: 'failed', reason: 'no_space', errors })).toEqual(['/a', '/b', '/c'])
  })

  it('needs no words where somebody cancelled it', () => {
    const failures = failuresOf(jobOf({ state: 'cancelled' }), items)
    expect(failures.map(({ error }) => isAbort(error))).toEqual([true, true, true])
  })
})

it('reads the jobs of a stream that is cut anywhere, comments passed over', async () => {
  const text =
    ':padding\nretry: 2000\n\nevent: job\nid: 1-1\ndata: {"id":"é1"}\n\n:\n\ndata: {"id":"2"}\n\n'
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const parts = [bytes.slice(0, cut), bytes.slice(cut)]
    const ids: string[] = []
    for await (const { id } of readEvents(new Blob(parts).stream())) ids.push(id)
    expect(ids).toEqual(['é1', '2'])
  }
})

it('tells how far a job is by its bytes, by its files where it has none, and not before they were counted', () => {
  const facts = { bytesDone: 25, bytesTotal: 100, filesDone: 1, filesTotal: 2 }
  expect(jobPercent(facts)).toBe(25)
  expect(jobPercent({ ...facts, bytesDone: 0, bytesTotal: 0 })).toBe(50)
  expect(jobPercent({ ...facts, bytesTotal: null, filesTotal: null })).toBe(0)
})
