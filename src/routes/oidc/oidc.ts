// Signing in at a provider with OpenID Connect (docs/http-api.md 29).
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { resultOf } from '../../audit/event.ts'
import { admit, identityOf, isAllowed } from '../../auth/external/admit.ts'
import {
  connect,
  disconnect,
  hasPassword,
  identitiesOf,
  loadIdentity,
} from '../../auth/external/identities.ts'
import {
  ATTEMPT_MS,
  type Attempt,
  attemptCookie,
  attemptCookies,
  newAttempt,
  openAttempt,
  returnPathOf,
} from '../../auth/oidc/attempt.ts'
import { isFrom } from '../../auth/oidc/options.ts'
import type { OidcProvider, Shown } from '../../auth/oidc/provider.ts'
import { asksPassword } from '../../auth/sign-in.ts'
import { addFacts, audited, setAct } from '../../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readForm, readJson } from '../../http/body.ts'
import { clientAddress, guessKeys } from '../../http/client-address.ts'
import { type Ctx, type Env, recheck, sessionOf, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireAdmin, requireSession, requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import { AppError } from '../../lib/errors.ts'
import type { OwnIdentityRecord, ProviderRecord } from '../../provider-types.ts'
import type { User } from '../../store/document.ts'
import { findUser, loadUser, loadUsers } from '../../store/users.ts'
import { issueToken, openSession, shortName } from '../login.ts'
import { demandPassword } from '../users.ts'
import {
  addressOf,
  callbackOf,
  dropAttempt,
  keepAttempt,
  keepIdToken,
  redirect,
  redirectWithError,
  wordOf,
} from './answers.ts'

export function oidcRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  // Where none is configured these addresses are as good as unknown.
  const offered = createMiddleware<Env>(async function offeredGuard(_, next) {
    providerOf(deps)
    await next()
  })
  const user = requireUser(deps)
  app.get('/api/oidc', offered, user, requireSession, requireAdmin, (c) => present(c, deps))
  app.get('/api/oidc/login', offered, (c) => begin(c, deps, 'sign-in', ''))
  app.get('/api/oidc/connect', offered, user, requireSession, async (c) => {
    await demandPassword(c, deps, '')
    return begin(c, deps, 'connect', sessionOf(c).id)
  })
  app.get('/api/oidc/confirm', offered, user, requireSession, (c) =>
    begin(c, deps, 'confirm', sessionOf(c).id),
  )
  app.get('/api/oidc/callback', offered, audited('sign-in'), (c) => finish(c, deps))
  app.get('/api/oidc/identity', offered, user, requireSession, (c) => sendJson(presentOwn(c, deps)))
  app.delete('/api/oidc/identity', offered, user, audited('disconnect'), requireSession, (c) =>
    removeOwn(c, deps),
  )
  app.post('/api/oidc/backchannel-logout', offered, audited('session-end'), (c) =>
    endByProvider(c, deps),
  )
  return app
}

/** The provider beside a method that asks for a password. Throws `not_found` where there is none. */
function providerOf({ oidc, store }: Deps): OidcProvider {
  if (!oidc || !asksPassword(store.settings())) throw new AppError('not_found', 'no provider')
  return oidc
}

async function present(c: Ctx, deps: Deps): Promise<Response> {
  const provider = providerOf(deps)
  const { issuer, label } = provider.options
  const problem = await provider.check().then(
    () => '',
    (error: Error) => error.message,
  )
  const record: ProviderRecord = {
    issuer,
    label,
    redirectURI: callbackOf(c, deps),
    logoutURI: addressOf(c, deps, '/api/oidc/backchannel-logout'),
    afterLogoutURI: addressOf(c, deps, '/login'),
    problem,
  }
  return sendJson(record)
}

async function begin(
  c: Ctx,
  deps: Deps,
  purpose: Attempt['purpose'],
  sessionId: string,
): Promise<Response> {
  const returnTo = returnPathOf(c.env.target.query.get('redirect') ?? '')
  const attempt = newAttempt({ purpose, returnTo, sessionId })
  try {
    const location = await providerOf(deps).begin(attempt, callbackOf(c, deps))
    await keepAttempt(c, deps, attempt)
    return redirect(deps, location)
  } catch (error) {
    return refuse(c, deps, attempt, error)
  }
}

async function finish(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { via: 'oidc' })
  const keys = guessKeys(c, deps, 'sign-in')
  let attempt: Attempt | null = null
  const counting = deps.logins.attempt()
  try {
    await counting.begin(...keys)
    attempt = await takeAttempt(c, deps)
    const query = c.env.target.query.toString()
    const shown = await providerOf(deps).finish(attempt, `${callbackOf(c, deps)}?${query}`)
    addFacts(c, { user: shortName(shown.who.username) })
    if (attempt.purpose === 'connect') await connectOwn(c, deps, attempt, shown)
    else if (attempt.purpose === 'confirm') await confirmOwn(c, deps, attempt, shown)
    else await enter(c, deps, shown)
    return redirect(deps, attempt.returnTo)
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') counting.fail(...keys)
    return refuse(c, deps, attempt, error)
  } finally {
    await counting.over()
  }
}

/** The attempt that the browser comes back from. Throws `unauthenticated`. */
async function takeAttempt(c: Ctx, deps: Deps): Promise<Attempt> {
  const state = c.env.target.query.get('state') ?? ''
  const name = attemptCookie(state)
  const sealed = attemptCookies(c.req.header('cookie') ?? '').find((one) => one.name === name)
  const attempt = sealed && (await openAttempt(deps.store.settings().key, sealed.value, state))
  if (!attempt || !(await providerOf(deps).once(`attempt ${state}`, ATTEMPT_MS)))
    throw new AppError('unauthenticated', 'this browser has begun no such sign-in')
  dropAttempt(c, deps, name)
  return attempt
}

async function enter(c: Ctx, deps: Deps, { who, sid, idToken }: Shown): Promise<void> {
  const { rules, sessionMaxMs } = providerOf(deps).options
  const user = await admit(deps, who, rules)
  addFacts(c, { user: user.username })
  const { issuer, subject } = who
  const origin = { issuer, subject, sid, endsMs: Date.now() + sessionMaxMs }
  const session = await openSession(c, deps, user, true, origin)
  await issueToken(c, deps, user, session)
  keepIdToken(c, deps, idToken, sessionMaxMs)
}

async function connectOwn(c: Ctx, deps: Deps, attempt: Attempt, { who }: Shown): Promise<void> {
  const { rules } = providerOf(deps).options
  const user = await findHolder(deps, attempt)
  setAct(c, 'connect', { user: user.username, via: 'oidc', target: shortName(who.username) })
  if (rules.allowedGroups.length > 0 && !(await isAllowed(deps, who, rules)))
    throw new AppError('wrong_credentials', `${who.username} is in none of the allowed groups`)
  await deps.store.transaction((tx) => {
    holderOf(deps, attempt)
    const others = identitiesOf(tx, user.id).filter(({ issuer }) => issuer === who.issuer)
    if (others.some(({ subject }) => subject !== who.subject))
      throw new AppError('exists', 'the account is connected to somebody else there')
    connect(tx, identityOf(user.id, who, rules))
  })
}

/** Counts for some minutes wherever the password is asked. Throws `wrong_credentials` for somebody else. */
async function confirmOwn(c: Ctx, deps: Deps, attempt: Attempt, { who }: Shown): Promise<void> {
  const user = await findHolder(deps, attempt)
  setAct(c, 'confirm', { user: user.username, via: 'oidc' })
  if ((await loadIdentity(deps.store, who))?.userID !== user.id)
    throw new AppError('wrong_credentials', 'somebody else has signed in at the provider')
  await deps.confirmations.confirm(attempt.sessionId)
}

async function findHolder(deps: Deps, attempt: Attempt): Promise<User> {
  await deps.sessions.load(attempt.sessionId)
  const session = deps.sessions.use(attempt.sessionId)
  if (session) await loadUser(deps.store, session.userID)
  return holderOf(deps, attempt)
}

/** The account of the session that the attempt was begun in. Throws `unauthenticated` once that has ended. */
function holderOf(deps: Deps, { sessionId }: Attempt): User {
  const session = deps.sessions.use(sessionId)
  const user = session && findUser(deps.store, session.userID)
  if (!user) throw new AppError('unauthenticated', 'the session has ended meanwhile')
  return user
}

// A page and no status, as it is a person who comes back. Only what may be a guess has the line of refused sign-ins.
function refuse(c: Ctx, deps: Deps, attempt: Attempt | null, error: unknown): Response {
  if (!(error instanceof AppError)) throw error
  const { code, status, message } = error
  const path = code === 'wrong_credentials' ? '/api/login' : c.env.target.path
  deps.log.request({ path, status, address: clientAddress(c, deps), error: message })
  addFacts(c, { result: resultOf(status) })
  return redirectWithError(deps, attempt, wordOf(error))
}

function presentOwn(c: Ctx, deps: Deps): OwnIdentityRecord {
  const { options } = providerOf(deps)
  const { user } = signedIn(c)
  const own = identitiesOf(deps.store, user.id).find((identity) => isFrom(options, identity))
  return {
    label: options.label,
    username: own?.username ?? null,
    hasPassword: hasPassword(deps.store, user),
  }
}

async function removeOwn(c: Ctx, deps: Deps): Promise<Response> {
  const { options } = providerOf(deps)
  const currentPassword = await readJson(
    c,
    deps,
    (r) => r.str('current_password'),
    MAX_CREDENTIALS_BYTES,
  )
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    const user = findUser(tx, signedIn(c).user.id)
    if (user) disconnect(tx, user, (identity) => isFrom(options, identity))
  })
  return sendStatus(204)
}

async function endByProvider(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { via: 'oidc' })
  const form = await readForm(c, deps, MAX_CREDENTIALS_BYTES)
  const notice = await providerOf(deps).readLogout(form.get('logout_token') ?? '')
  const ended = await deps.sessions.endOrigin(notice)
  const names = (await loadUsers(deps.store, ended)).map(({ username }) => username)
  addFacts(c, { target: names.join(', ') })
  return sendStatus(200, { headers: { 'Cache-Control': 'no-store' } })
}
