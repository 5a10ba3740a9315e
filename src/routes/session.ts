// Staying signed in, signing out, and signing up (docs/http-api.md 3).
import { Hono } from 'hono'
import type { SessionRecord } from '../api-types.ts'
import { provisionUser } from '../auth/provision.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { addFacts, audited } from '../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../http/body.ts'
import { guessKeys } from '../http/client-address.ts'
import {
  type Ctx,
  type Env,
  keepChecking,
  recheck,
  sessionOf,
  setHeader,
  signedIn,
} from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { identify, refuseApiToken, requireSession, requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { AppError } from '../lib/errors.ts'
import type { Session } from '../store/document.ts'
import { loadNames, loadUser } from '../store/users.ts'
import { sendToken, setCookie, shortName } from './login.ts'
import { logoutElsewhere } from './oidc/answers.ts'

export function sessionRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.all('/api/renew', (c) => renew(c, deps))
  app.all('/api/signup', audited('sign-up'), (c) => signup(c, deps))
  const user = requireUser(deps)
  app.post('/api/logout', user, audited('sign-out'), requireSession, async (c) => {
    const session = sessionOf(c)
    await deps.sessions.end(session.id)
    setCookie(c, deps, '', 0)
    const elsewhere = session.origin ? await logoutElsewhere(c, deps, session.origin) : null
    return sendStatus(204, elsewhere === null ? {} : { headers: { 'X-Logout-URL': elsewhere } })
  })
  app.get('/api/sessions', user, requireSession, (c) => listSessions(c, deps))
  app.delete('/api/sessions', user, audited('session-end'), requireSession, async (c) => {
    await deps.sessions.endAll(signedIn(c).user.id, sessionOf(c).id)
    return sendStatus(204)
  })
  app.delete('/api/sessions/:id', user, audited('session-end'), requireSession, (c) =>
    endSession(c, deps),
  )
  return app
}

async function renew(c: Ctx, deps: Deps): Promise<Response> {
  refuseApiToken(c)
  const { user, session } = await identify(c, deps)
  setHeader(c, 'X-Renew-Token', 'false')
  return sendToken(c, deps, user, session)
}

async function signup(c: Ctx, deps: Deps): Promise<Response> {
  keepChecking(c, () => {
    if (!deps.store.settings().signup)
      throw new AppError('method_not_allowed', 'sign-up is switched off')
  })
  const { username, password } = await readJson(
    c,
    deps,
    (r) => ({ username: r.str('username'), password: r.str('password') }),
    MAX_CREDENTIALS_BYTES,
  )
  addFacts(c, { user: shortName(username) })
  if (username === '' || password === '')
    throw new AppError('bad_request', 'name or password empty')
  const made = guessKeys(c, deps, 'account made')
  const failed = guessKeys(c, deps, 'sign-up failed')
  const counting = deps.signups.attempt()
  await counting.begin(...made, ...failed)
  try {
    const demand = () => recheck(c)
    await provisionUser(deps, { username, password, isStranger: true, demand })
    // Making accounts is what is to be slowed: each one counts.
    counting.fail(...made)
  } catch (error) {
    // A mistake in the form is put right and sent again. What counts are names that are taken, which
    // tell who has an account, and homes that cannot be made.
    if (!(error instanceof AppError && [400, 405].includes(error.status))) counting.fail(...failed)
    throw error
  } finally {
    await counting.over()
  }
  return sendStatus(200)
}

async function listSessions(c: Ctx, deps: Deps): Promise<Response> {
  const all = c.env.target.query.get('all') === 'true'
  keepChecking(c, () => {
    if (all && !signedIn(c).user.perm.admin)
      throw new AppError('forbidden', 'only for administrators')
  })
  const found = await deps.sessions.list(all ? 'all' : signedIn(c).user.id)
  const nameOf = await loadNames(
    deps.store,
    found.map(({ userID }) => userID),
  )
  recheck(c)
  return sendJson(found.map((s) => presentSession(s, nameOf(s.userID) ?? '', sessionOf(c).id)))
}

async function endSession(c: Ctx, deps: Deps): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const found = await deps.sessions.find(id)
  recheck(c)
  const { user } = signedIn(c)
  // Somebody else's session is as good as absent, so that ids cannot be probed.
  if (!found || (found.userID !== user.id && !user.perm.admin))
    throw new AppError('not_found', 'no such session')
  addFacts(c, { target: (await loadUser(deps.store, found.userID))?.username ?? '' })
  await deps.sessions.end(id)
  return sendStatus(204)
}

function presentSession(session: Session, username: string, currentId: string): SessionRecord {
  return {
    id: session.id,
    userID: session.userID,
    username,
    created: formatTime(BigInt(session.createdMs) * 1_000_000n),
    lastSeen: formatTime(BigInt(session.lastSeenMs) * 1_000_000n),
    address: session.address,
    userAgent: session.userAgent,
    current: session.id === currentId,
  }
}
