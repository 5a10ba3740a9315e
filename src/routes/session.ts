// Signing in, staying signed in, signing out, and signing up (docs/http-api.md 3).
import { hash } from 'node:crypto'
import { Hono } from 'hono'
import type { SessionRecord } from '../api-types.ts'
import { type Credentials, refused } from '../auth/password.ts'
import { provisionUser } from '../auth/provision.ts'
import { signIn } from '../auth/sign-in.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { answer } from '../http/answer.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../http/body.ts'
import { clientAddress, guessKeys, isSecure } from '../http/client-address.ts'
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
import type { Session, User } from '../store/document.ts'
import { findUser } from '../store/users.ts'

export function sessionRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.all('/api/login', (c) => login(c, deps))
  app.all('/api/renew', (c) => renew(c, deps))
  app.all('/api/signup', (c) => signup(c, deps))
  const guard = [requireUser(deps), requireSession] as const
  app.post('/api/logout', ...guard, async (c) => {
    await deps.sessions.end(sessionOf(c).id)
    setCookie(c, deps, '', 0)
    return sendStatus(204)
  })
  app.get('/api/sessions', ...guard, (c) => listSessions(c, deps))
  app.delete('/api/sessions', ...guard, async (c) => {
    await deps.sessions.endAll(signedIn(c).user.id, sessionOf(c).id)
    return sendStatus(204)
  })
  app.delete('/api/sessions/:id', ...guard, (c) => endSession(c, deps))
  return app
}

async function login(c: Ctx, deps: Deps): Promise<Response> {
  let given: LoginBody = { username: '', password: '', recaptcha: '', remember: true }
  const keys = guessKeys(c, deps, 'sign-in')
  const addressKeys = keys.length
  let over = () => {}
  let user: User
  try {
    user = await signIn(deps, c.env.incoming, async () => {
      given = await readCredentials(c, deps)
      // Per account only together with the address, so that nobody can lock others out. A name is
      // whatever a stranger sends, up to a megabyte, and must not be what is kept.
      keys.push(`account ${hash('sha256', given.username)} ${keys[0]}`)
      over = deps.logins.begin(...keys)
      return given
    })
    deps.logins.succeed(...keys.slice(addressKeys))
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') deps.logins.fail(...keys)
    throw error
  } finally {
    over()
  }
  const session = await deps.sessions.open(user.id, {
    remember: given.remember,
    address: clientAddress(c, deps),
    userAgent: c.req.header('user-agent') ?? '',
  })
  return sendToken(c, deps, user, session)
}

interface LoginBody extends Credentials {
  /** Ours: false makes the cookie end with the browser. */
  remember: boolean
}

// Whatever is wrong with a complete body is refused like a wrong password, never explained.
async function readCredentials(c: Ctx, deps: Deps): Promise<LoginBody> {
  try {
    return await readJson(
      c,
      deps,
      (r) => ({
        username: r.str('username'),
        password: r.str('password'),
        recaptcha: r.str('recaptcha'),
        remember: r.bool('remember', true),
      }),
      MAX_CREDENTIALS_BYTES,
    )
  } catch (error) {
    // One that never came as a whole guessed nothing.
    if (!(error instanceof AppError) || error.status !== 400) throw error
    if (error.code === 'too_large') setHeader(c, 'Connection', 'close')
    throw refused()
  }
}

async function renew(c: Ctx, deps: Deps): Promise<Response> {
  refuseApiToken(c)
  const { user, session } = await identify(c, deps)
  setHeader(c, 'X-Renew-Token', 'false')
  return sendToken(c, deps, user, session)
}

/** The token as text, and the session's cookie for reloads and for media addresses. */
async function sendToken(c: Ctx, deps: Deps, user: User, session: Session): Promise<Response> {
  const { sessionIdleMs, sessionMaxMs, tokenExpirationMs } = deps.config
  const cookieLifeMs = Math.min(
    Math.max(sessionIdleMs, tokenExpirationMs),
    Math.max(1_000, session.createdMs + sessionMaxMs - Date.now()),
  )
  const [token, kept] = await Promise.all([
    deps.tokens.issue(user, session, 'api', tokenExpirationMs),
    deps.tokens.issue(user, session, 'cookie', cookieLifeMs),
  ])
  const maxAge = session.remember ? Math.floor(cookieLifeMs / 1000) : null
  setCookie(c, deps, kept, maxAge)
  return answer(token, { 'Content-Type': 'text/plain' })
}

// HttpOnly keeps it from scripts, SameSite and GET-only use from other sites; the path keeps two
// instances on one host apart. Frames of other sites get one of their own (CHIPS, `Partitioned`), which
// needs TLS; a browser that ignores the word is kept from sending it across sites by the guard.
function setCookie(c: Ctx, deps: Deps, value: string, maxAgeSeconds: number | null): void {
  const { baseURL, frameAncestors } = deps.config
  const isSecureRequest = isSecure(c, deps)
  const common = `Path=${baseURL || '/'}; HttpOnly`
  const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`
  if (frameAncestors.length === 0 || !isSecureRequest) {
    const secure = isSecureRequest ? '; Secure' : ''
    setHeader(c, 'Set-Cookie', `auth=${value}; ${common}; SameSite=Strict${age}${secure}`)
    return
  }
  // One from before the option was set would go on beside the new one, and in front of it.
  const ended = `auth=; ${common}; SameSite=Strict; Max-Age=0; Secure`
  const attributes = `${common}; SameSite=None${age}; Secure; Partitioned`
  setHeader(c, 'Set-Cookie', [ended, `auth=${value}; ${attributes}`])
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
  if (username === '' || password === '')
    throw new AppError('bad_request', 'name or password empty')
  const made = guessKeys(c, deps, 'account made')
  const failed = guessKeys(c, deps, 'sign-up failed')
  const over = deps.signups.begin(...made, ...failed)
  try {
    const demand = () => recheck(c)
    await provisionUser(deps, { username, password, isStranger: true, demand })
    // Making accounts is what is to be slowed: each one counts.
    deps.signups.fail(...made)
  } catch (error) {
    // A mistake in the form is put right and sent again. What counts are names that are taken, which
    // tell who has an account, and homes that cannot be made.
    if (!(error instanceof AppError && [400, 405].includes(error.status)))
      deps.signups.fail(...failed)
    throw error
  } finally {
    over()
  }
  return sendStatus(200)
}

function listSessions(c: Ctx, deps: Deps): Response {
  const all = c.env.target.query.get('all') === 'true'
  const { user } = signedIn(c)
  if (all && !user.perm.admin) throw new AppError('forbidden', 'only for administrators')
  const records = deps.sessions
    .list(all ? 'all' : user.id)
    .map((s) => presentSession(s, findUser(deps.store, s.userID)?.username ?? '', sessionOf(c).id))
  return sendJson(records)
}

async function endSession(c: Ctx, deps: Deps): Promise<Response> {
  const { user } = signedIn(c)
  const id = c.req.param('id') ?? ''
  const found = deps.sessions.list('all').find((session) => session.id === id)
  // Somebody else's session is as good as absent, so that ids cannot be probed.
  if (!found || (found.userID !== user.id && !user.perm.admin))
    throw new AppError('not_found', 'no such session')
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
