// Work that goes on without whoever has asked for it (docs/http-api.md 37).
import { Hono } from 'hono'
import { answer, JSON_TYPE } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { actorOf, type Ctx, type Env, recheck, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../../http/respond.ts'
import type { Job, JobPage, JobState } from '../../job-types.ts'
import { actOf } from '../../jobs/audit-line.ts'
import { checkRequest } from '../../jobs/check-request.ts'
import type { Action } from '../../jobs/jobs.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { ROOT } from '../../lib/vpath.ts'
import { entrySeenBy } from '../../operations/trash-entries.ts'
import { jobOwnerOf } from './attend.ts'
import { parseRequest } from './request.ts'
import { visibleTo } from './visible.ts'

const JOBS = '/api/jobs'
const MAX_BYTES = 4 << 20
const MAX_WAIT_SECONDS = 30
/** Of what is in the way that an answer tells. */
const MAX_NAMES = 20
const STATES: readonly JobState[] = [
  'queued',
  'running',
  'paused',
  'waiting',
  'done',
  'failed',
  'cancelled',
]
const ACTIONS: readonly Action[] = ['pause', 'resume', 'cancel', 'retry']

export function jobRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.post(JOBS, guard, (c) => addJob(c, deps))
  app.get(JOBS, guard, (c) => listJobs(c, deps))
  app.get(`${JOBS}/:id`, guard, async (c) => {
    const waitMs = waitIn(c)
    const { id } = await deps.jobs.get(c.req.param('id'), visibleTo(c))
    return sendJson(await afterWait(c, deps, id, waitMs))
  })
  app.delete(`${JOBS}/:id`, guard, async (c) => {
    const { id } = await deps.jobs.get(c.req.param('id'), visibleTo(c))
    await deps.jobs.forget(id)
    return sendStatus(204)
  })
  for (const action of ACTIONS)
    app.post(`${JOBS}/:id/${action}`, guard, async (c) => {
      const { id } = await deps.jobs.get(c.req.param('id'), visibleTo(c))
      const takesSecret = action === 'resume' || action === 'retry'
      const secret = takesSecret ? await passwordIn(c, deps) : null
      return sendJson(await deps.jobs.act(id, action, secret))
    })
  return app
}

async function addJob(c: Ctx, deps: Deps): Promise<Response> {
  const waitMs = waitIn(c)
  const { request, secret } = await readJson(
    c,
    deps,
    (r) => ({ request: parseRequest(r), secret: r.str('password') || null }),
    MAX_BYTES,
  )
  const { items, to, how } = request
  const actor = actorOf(c, deps)
  for (const id of how.ids ?? []) items.push((await entrySeenBy(actor, id)).path)
  // What is done is told when it is over.
  setAct(c, actOf(request), {
    only: 'refusals',
    path: items[0] ?? ROOT,
    ...(to !== null && { to }),
  })
  const taken = await checkRequest(actor, request)
  if (taken.length > 0) {
    const cause = taken.slice(0, MAX_NAMES).join(', ')
    return sendStatus(409, { cause, code: 'exists' })
  }
  recheck(c)
  const { job, isNew } = await deps.jobs.add(jobOwnerOf(c, deps), request, {
    name: actor.origin.operation,
    secret,
  })
  const body = toJson(await afterWait(c, deps, job.id, waitMs))
  const Location = `${deps.config.baseURL}${JOBS}/${job.id}`
  return answer(body, { ...JSON_TYPE, Location }, isNew ? 201 : 200)
}

async function afterWait(c: Ctx, deps: Deps, id: string, waitMs: number): Promise<Job> {
  const job = await deps.jobs.ended(id, waitMs, c.req.raw.signal)
  recheck(c)
  return job
}

async function listJobs(c: Ctx, deps: Deps): Promise<Response> {
  const { query } = c.env.target
  const state = query.get('state') ?? ''
  const states = state === '' ? STATES : state.split(',')
  if (!states.every((each) => STATES.includes(each as JobState)))
    throw badRequest(`state must be of ${STATES.join(', ')}`)
  const all = query.get('all') === 'true'
  if (all && !signedIn(c).user.perm.admin)
    throw new AppError('forbidden', 'only for administrators')
  const isVisible = visibleTo(c, { all })
  const page: JobPage = {
    items: await deps.jobs.list((record) => states.includes(record.state) && isVisible(record)),
  }
  return sendJson(page)
}

/** Of an archive; null without a body. */
async function passwordIn(c: Ctx, deps: Deps): Promise<string | null> {
  const { headers } = c.env.incoming
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0))
    return null
  return (await readJson(c, deps, (r) => r.str('password'))) || null
}

/** Seconds, as milliseconds. */
function waitIn(c: Ctx): number {
  const text = c.env.target.query.get('wait') ?? ''
  if (text === '') return 0
  if (!/^\d{1,6}$/.test(text)) throw badRequest('wait is a number of seconds')
  return Math.min(Number(text), MAX_WAIT_SECONDS) * 1000
}
