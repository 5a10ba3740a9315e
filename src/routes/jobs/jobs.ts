// Work that goes on without whoever has asked for it (docs/http-api.md 37).
import { Hono } from 'hono'
import { answer, JSON_TYPE } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { clientAddress } from '../../http/client-address.ts'
import { actorOf, type Ctx, type Env, recheck, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../../http/respond.ts'
import type { Job, JobPage, JobState } from '../../job-types.ts'
import { checkRequest } from '../../jobs/check-request.ts'
import type { Action } from '../../jobs/jobs.ts'
import type { JobOwner, JobRequest } from '../../jobs/record.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { asString, ParseError, type Reader } from '../../lib/parse.ts'
import { ROOT, toVPath, type VPath } from '../../lib/vpath.ts'
import { visibleTo } from './visible.ts'

const JOBS = '/api/jobs'
const MAX_ITEMS = 10_000
const MAX_BYTES = 4 << 20
const MAX_WAIT_SECONDS = 30
/** Of what is in the way that an answer tells. */
const MAX_NAMES = 20
const KINDS = ['copy', 'move', 'delete'] as const
const CONFLICTS = ['fail', 'skip', 'replace', 'rename', 'newer'] as const
const STATES: readonly JobState[] = ['queued', 'running', 'paused', 'done', 'failed', 'cancelled']
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
      return sendJson(await deps.jobs.act(id, action))
    })
  return app
}

async function addJob(c: Ctx, deps: Deps): Promise<Response> {
  const waitMs = waitIn(c)
  const request = await readJson(c, deps, parseRequest, MAX_BYTES)
  const { kind, items, to } = request
  // What is done is told when it is over.
  setAct(c, kind, { only: 'refusals', path: items[0] ?? ROOT, ...(to !== null && { to }) })
  const actor = actorOf(c, deps)
  const taken = await checkRequest(actor, request)
  if (taken.length > 0) {
    const cause = taken.slice(0, MAX_NAMES).join(', ')
    return sendStatus(409, { cause, code: 'exists' })
  }
  recheck(c)
  const { job, isNew } = await deps.jobs.add(ownerOf(c, deps), request, actor.origin.operation)
  const body = toJson(await afterWait(c, deps, job.id, waitMs))
  const Location = `${deps.config.baseURL}${JOBS}/${job.id}`
  return answer(body, { ...JSON_TYPE, Location }, isNew ? 201 : 200)
}

async function afterWait(c: Ctx, deps: Deps, id: string, waitMs: number): Promise<Job> {
  const job = await deps.jobs.ended(id, waitMs, c.req.raw.signal)
  recheck(c)
  return job
}

function ownerOf(c: Ctx, deps: Deps): JobOwner {
  const who = signedIn(c)
  return {
    userID: who.user.id,
    tokenID: who.kind === 'token' ? who.token.id : null,
    home: who.user.scope,
    session: who.kind === 'token' ? who.token.id : who.session.id.slice(0, 8),
    address: clientAddress(c, deps),
  }
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

/** Seconds, as milliseconds. */
function waitIn(c: Ctx): number {
  const text = c.env.target.query.get('wait') ?? ''
  if (text === '') return 0
  if (!/^\d{1,6}$/.test(text)) throw badRequest('wait is a number of seconds')
  return Math.min(Number(text), MAX_WAIT_SECONDS) * 1000
}

function parseRequest(r: Reader): JobRequest {
  const kind = oneOf(r, 'kind', KINDS)
  const items = r.list('items', parseItem, MAX_ITEMS)
  if (items.length === 0) throw new ParseError('items must not be empty')
  const to = r.has('to') ? toVPath(r.str('to')) : null
  const needsTo = kind !== 'delete'
  if (needsTo === (to === null))
    throw badRequest(needsTo ? 'to must be a folder' : 'to is not for delete')
  const trash = r.has('trash') ? r.bool('trash') : null
  return { kind, items, to, conflict: oneOf(r, 'conflict', CONFLICTS, 'fail'), trash }
}

function parseItem(value: unknown, at: string): VPath {
  const vpath = toVPath(asString(value, at))
  if (vpath === null || vpath === ROOT) throw new ParseError(`${at} must be the path of an entry`)
  return vpath
}

function oneOf<T extends string>(r: Reader, key: string, words: readonly T[], fallback = ''): T {
  const word = words.find((each) => each === r.str(key, fallback))
  if (word === undefined) throw badRequest(`${key} must be one of ${words.join(', ')}`)
  return word
}
