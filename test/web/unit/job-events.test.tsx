// A stream of events keeps one of the six connections that a browser has to a server: no page holds one that needs none.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Job, JobState } from '../../../src/job-types.ts'
import { dismissJobs, followJob, steerJob } from '../../../web/operations/follow-jobs.ts'
import { jobs } from '../../../web/state/jobs.ts'

const jobOf = (state: JobState) =>
  ({
    id: '1',
    kind: 'copy',
    state,
    items: ['/a'],
    to: '/b',
    errors: [],
    filesDone: 0,
  }) as unknown as Job

/** Streams that the server has open, each with the way to tell something by it. */
let open: ((job: Job) => void)[] = []
let visibility: DocumentVisibilityState = 'visible'

function show(state: DocumentVisibilityState): void {
  visibility = state
  document.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  visibility = 'visible'
  open = []
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit = {}) => {
    if (!url.includes('/api/events')) return Response.json(jobOf('running'))
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        const tell = (job: Job) =>
          stream.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(job)}\n\n`))
        open.push(tell)
        signal?.addEventListener('abort', () => {
          open.splice(open.indexOf(tell), 1)
          stream.error(signal.reason)
        })
      },
    })
    return new Response(body)
  })
})

afterEach(() => {
  show('hidden')
  jobs.list = []
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

it('is held by a page in sight alone, while something has not ended', async () => {
  const end = followJob(jobOf('running'))
  await expect.poll(() => open.length).toBe(1)
  show('hidden')
  await expect.poll(() => open.length).toBe(0)
  show('visible')
  await expect.poll(() => open.length).toBe(1)
  open[0]?.(jobOf('done'))
  expect((await end).state).toBe('done')
  await expect.poll(() => open.length).toBe(0)
  dismissJobs()
})

it('is not asked for by a page out of sight', async () => {
  visibility = 'hidden'
  void followJob(jobOf('paused'))
  await new Promise((resolve) => setTimeout(resolve))
  expect(open.length).toBe(0)
  expect(jobs.list.length).toBe(1)
})

it('counts for more than the answer to a button, which may come later', async () => {
  let answer: (response: Response) => void = () => {}
  const answered = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    url.endsWith('/resume') ? answered : fetch(url, init),
  )
  void followJob(jobOf('paused'))
  await expect.poll(() => open.length).toBe(1)
  const steered = steerJob('1', 'resume')
  open[0]?.(jobOf('done'))
  await expect.poll(() => jobs.list[0]?.state).toBe('done')
  answer(Response.json(jobOf('running')))
  await steered
  expect(jobs.list[0]?.state).toBe('done')
  dismissJobs()
})
