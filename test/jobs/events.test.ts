// Who is told that a job has changed.
import { expect, it, onTestFinished } from 'vitest'
import { entryOf } from '../../src/jobs/entry.ts'
import { createJobEvents } from '../../src/jobs/events.ts'
import type { JobRecord } from '../../src/jobs/record.ts'

const WAIT_MS = 60_000

function jobOf(userID: number): JobRecord {
  return {
    id: `job-${userID}`,
    userID,
    tokenID: null,
    home: '',
    session: '',
    address: '',
    kind: 'copy',
    items: [],
    to: null,
    conflict: 'fail',
    trash: null,
    how: {},
    state: 'running',
    reason: null,
    filesDone: 0,
    filesTotal: null,
    bytesDone: 0,
    bytesTotal: null,
    errors: [],
    errorCount: 0,
    operation: '',
    createdMs: 0,
    startedMs: 0,
    endedMs: null,
  }
}

it('who has nothing to hear of is not woken, and is told later of all that was', async () => {
  const [own, other] = [entryOf(jobOf(1)), entryOf(jobOf(2))]
  const events = createJobEvents(new Map([own, other].map((entry) => [entry.record.id, entry])))
  onTestFinished(() => events.stop())
  events.since('')
  const id = events.now()
  const woken: number[] = []
  const listen = async (userID: number) => {
    const test = (record: Readonly<JobRecord>) => record.userID === userID
    const signal = new AbortController().signal
    if (await events.next(id, { ms: WAIT_MS, signal, test })) woken.push(userID)
  }
  const [first, second] = [listen(1), listen(2)]
  own.meter.add(1, 10)
  await first
  expect(woken).toEqual([1])
  other.meter.add(1, 10)
  await second
  expect(woken).toEqual([1, 2])
  expect(events.since(id).map(({ entry }) => entry)).toEqual([own, other])
})

it('who comes between two looks is told of a job as it is now, and those who wait of what it was', async () => {
  const job = entryOf(jobOf(1))
  const events = createJobEvents(new Map([[job.record.id, job]]))
  onTestFinished(() => events.stop())
  const wait = { ms: WAIT_MS, signal: new AbortController().signal, test: () => true }
  events.since('')
  const before = events.now()
  const next = events.next(before, wait)
  job.record.state = 'failed'
  const [told] = events.since('')
  expect(told?.id).not.toBe(before)
  expect(told?.id).toBe(events.now())
  expect(await next).toBe(true)
  expect(events.since(before).map(({ id }) => id)).toEqual([told?.id])
})
