// Signing in, in one step or two (docs/http-api.md 3.5, 27).
import { hash } from 'node:crypto'
import { Hono } from 'hono'
import { withEffective } from '../access/effective.ts'
import { isSpokenOf, mayShareSomewhere } from '../access/user-tree.ts'
import type { SecondStep } from '../api-types.ts'
import { directoryOriginOf } from '../auth/ldap/sign-in.ts'
import { readAuthentication } from '../auth/passkeys/responses.ts'
import { refused } from '../auth/password.ts'
import { hasSecondStep, needsSecondFactor, type Proof } from '../auth/second-factor/factors.ts'
import type { FirstStep } from '../auth/second-factor/tickets.ts'
import { asksPassword, type Entered, policyOf, signIn, type Typed } from '../auth/sign-in.ts'
import { answer, JSON_TYPE } from '../http/answer.ts'
import { addFacts, audited } from '../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../http/body.ts'
import { clientAddress, guessKeys, isSecure } from '../http/client-address.ts'
import { type Ctx, type Env, setHeader } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { sendJson, toJson } from '../http/respond.ts'
import { AppError } from '../lib/errors.ts'
import type { Session, SessionOrigin, User } from '../store/document.ts'
import { loadUser } from '../store/users.ts'
import { siteOfRequest } from './passkeys/own.ts'

export function loginRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.all('/api/login', audited('sign-in'), (c) => login(c, deps))
  app.post('/api/login/second', audited('sign-in'), (c) =>
    asLogin(c, () => takeSecondStep(c, deps)),
  )
  app.post('/api/login/enrol', audited('sign-in'), (c) => asLogin(c, () => enrolFirst(c, deps)))
  return app
}

/** What a stranger typed, up to a megabyte, for the audit log. */
export function shortName(username: string): string {
  return username.slice(0, 255)
}

async function login(c: Ctx, deps: Deps): Promise<Response> {
  let given: LoginBody = { username: '', password: '', recaptcha: '', code: null, remember: true }
  const keys = guessKeys(c, deps, 'sign-in')
  const addressKeys = keys.length
  const counting = deps.logins.attempt()
  addFacts(c, { via: deps.store.settings().authMethod })
  let entered: Entered
  let next: FirstStep['purpose'] | Promise<Session>
  // Another node may have made the account, or changed its password, a moment ago.
  const looking = deps.store.shared?.look()
  looking?.catch(() => {})
  try {
    if (!asksPassword(deps.store.settings())) await looking
    entered = await signIn(deps, c.env.incoming, async () => {
      given = await readCredentials(c, deps)
      addFacts(c, { user: shortName(given.username) })
      // Per account only together with the address, so that nobody can lock others out. A name is
      // whatever a stranger sends, up to a megabyte, and must not be what is kept.
      keys.push(`account ${hash('sha256', given.username)} ${keys[0]}`)
      await counting.begin(...keys)
      await looking
      return given
    })
    addFacts(c, { user: entered.user.username, via: entered.method })
    const owed = await secondStepOf(deps, entered)
    next = owed ?? openSession(c, deps, entered.user, given.remember)
    // A right password alone forgives nothing: who guesses codes has it.
    if (owed === null) counting.succeed(...keys.slice(addressKeys))
    // The session does not wait for what is counted, and is waited for below.
    if (typeof next !== 'string') next.catch(() => {})
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') counting.fail(...keys)
    throw error
  } finally {
    await counting.over()
  }
  const { user } = entered
  const { remember } = given
  if (typeof next !== 'string') return sendToken(c, deps, user, await next)
  // Worth a line of its own: whoever stops here has the password and no code.
  addFacts(c, { action: 'password-accepted', result: 'ok' })
  const step = { userID: user.id, passwordHash: user.password, purpose: next, remember }
  return askSecondStep(c, deps, step, given.code !== null)
}

interface LoginBody extends Typed {
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
        code: r.has('code') ? r.str('code') : null,
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

/** What somebody with the right password still owes; null when that is nothing. Throws like `prove`. */
async function secondStepOf(
  deps: Deps,
  { user, byPassword, code }: Entered,
): Promise<FirstStep['purpose'] | null> {
  const policy = policyOf(deps.config, deps.store.settings())
  if (!byPassword || policy === 'off') return null
  // A passkey is asked for besides the password where there have to be two; by itself it is more than both.
  if (!deps.secondFactors.of(user.id)) {
    if (!needsSecondFactor(deps.store, policy, user)) return null
    return hasSecondStep(deps.store, user.id) ? 'prove' : 'enrol'
  }
  if (!code) return 'prove'
  await deps.secondFactors.prove(user.id, { code })
  return null
}

const SENTENCES = {
  prove: 'Two-step login is on for this account: append the six digits to your password.',
  passkey:
    'This account signs in with a passkey: open this server in a browser, or use an API token.',
  enrol: 'This account needs two-step sign-in: open this server in a browser to set it up.',
}

// Not 403, which programs that watch the log take for a wrong password and shut people out.
async function askSecondStep(
  c: Ctx,
  deps: Deps,
  step: FirstStep,
  knowsSteps: boolean,
): Promise<Response> {
  const { purpose } = step
  c.set('failure', purpose === 'prove' ? 'the second step is missing' : 'a second step is needed')
  const headers = { 'X-Error-Code': 'second_factor_required' }
  const hasCodes = deps.secondFactors.of(step.userID) !== undefined
  if (!knowsSteps)
    return answer(
      `${SENTENCES[purpose === 'prove' && !hasCodes ? 'passkey' : purpose]}\n`,
      { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
      401,
    )
  const codes: SecondStep['methods'] = hasCodes ? ['code', 'recovery'] : []
  const fitting = deps.passkeys.fitting(step.userID, siteOfRequest(c, deps))
  const passkeys: SecondStep['methods'] = fitting.length > 0 ? ['passkey'] : []
  const second: SecondStep = {
    ticket: await deps.loginTickets.issue(step),
    methods: purpose === 'enrol' ? ['enrol'] : [...codes, ...passkeys],
  }
  return answer(toJson(second), { ...headers, ...JSON_TYPE }, 401)
}

// Programs that watch the log for refused sign-ins know this one address.
export function asLogin(c: Ctx, work: () => Promise<Response>): Promise<Response> {
  c.set('logPath', '/api/login')
  return work()
}

async function takeSecondStep(c: Ctx, deps: Deps): Promise<Response> {
  const { ticket, passkey, ...proof } = await readStep(c, deps)
  return withTicket(c, deps, { ticket, purpose: 'prove' }, async (user, remember) => {
    if (passkey) await provePasskey(deps, user.id, passkey)
    else await deps.secondFactors.prove(user.id, proof)
    return sendToken(c, deps, user, await openSession(c, deps, user, remember))
  })
}

/** With the ticket alone it begins an enrolment; with a code as well it ends it, and signs in. */
async function enrolFirst(c: Ctx, deps: Deps): Promise<Response> {
  const { ticket, code } = await readStep(c, deps)
  const wanted = { ticket, purpose: 'enrol', isKept: code === '' } as const
  return withTicket(c, deps, wanted, async (user, remember) => {
    if (code === '') addFacts(c, { only: 'refusals' })
    if (code === '') return sendJson(await deps.secondFactors.begin(user))
    const recovery = await deps.secondFactors.finish(user.id, code, () => {})
    const session = await openSession(c, deps, user, remember)
    return sendJson({ token: await issueToken(c, deps, user, session), recovery })
  })
}

/** What the challenges of an account's second step belong to. */
export function secondOwner(userID: number): string {
  return `second step of ${userID}`
}

async function provePasskey(deps: Deps, userID: number, given: PasskeyResponse): Promise<void> {
  const wanted = { purpose: 'second', owner: secondOwner(userID), userID } as const
  await deps.passkeys.prove(given, wanted)
}

type PasskeyResponse = ReturnType<typeof readAuthentication>

interface Step extends Required<Proof> {
  ticket: string
  passkey: PasskeyResponse | null
}

async function readStep(c: Ctx, deps: Deps): Promise<Step> {
  return readJson(
    c,
    deps,
    (r) => ({
      ticket: r.str('ticket'),
      code: r.str('code'),
      recovery: r.str('recovery'),
      passkey: r.has('passkey') ? r.obj('passkey', readAuthentication) : null,
    }),
    MAX_CREDENTIALS_BYTES,
  )
}

interface WantedTicket {
  ticket: string
  purpose: FirstStep['purpose']
  /** It is good for one more step. */
  isKept?: boolean
}

/** Takes a ticket, counts what is wrong, and puts the ticket back where another step may follow. Throws `unauthenticated`. */
export async function withTicket(
  c: Ctx,
  deps: Deps,
  { ticket, purpose, isKept = false }: WantedTicket,
  act: (user: User, remember: boolean) => Promise<Response>,
): Promise<Response> {
  const taken = await deps.loginTickets.take(ticket)
  const user = taken && (await loadUser(deps.store, taken.step.userID))
  // Neither another password nor another way of signing in has been set since it was given.
  const isGood =
    user?.password === taken?.step.passwordHash &&
    policyOf(deps.config, deps.store.settings()) !== 'off'
  if (!taken || !user || !isGood || taken.step.purpose !== purpose)
    throw new AppError('unauthenticated', 'the ticket has expired')
  addFacts(c, { user: user.username, via: 'second step' })
  const keys = guessKeys(c, deps, 'sign-in')
  const counting = deps.logins.attempt()
  try {
    await counting.begin(...keys)
    const response = await act(user, taken.step.remember)
    if (isKept) await taken.back()
    return response
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') counting.fail(...keys)
    // A mistyped code is typed again.
    await taken.back()
    throw error
  } finally {
    await counting.over()
  }
}

/** `origin` is where it was opened at a provider, or where the directory has the account. */
export function openSession(
  c: Ctx,
  deps: Deps,
  user: User,
  remember: boolean,
  origin: SessionOrigin | undefined = directoryOriginOf(deps, user.id),
): Promise<Session> {
  return deps.sessions.open(user.id, {
    ...(origin && { origin }),
    remember,
    address: clientAddress(c, deps),
    userAgent: c.req.header('user-agent') ?? '',
  })
}

/** The token as text, and the session's cookie for reloads and for media addresses. */
export async function sendToken(
  c: Ctx,
  deps: Deps,
  user: User,
  session: Session,
): Promise<Response> {
  const token = await issueToken(c, deps, user, session)
  return answer(token, { 'Content-Type': 'text/plain' })
}

/** A token of the session, whose cookie the answer sets. */
export async function issueToken(
  c: Ctx,
  deps: Deps,
  user: User,
  session: Session,
): Promise<string> {
  const { sessionIdleMs, sessionMaxMs, tokenExpirationMs } = deps.config
  const cookieLifeMs = Math.min(
    Math.max(sessionIdleMs, tokenExpirationMs),
    Math.max(1_000, (session.origin?.endsMs ?? Infinity) - Date.now()),
    Math.max(1_000, session.createdMs + sessionMaxMs - Date.now()),
  )
  const account = withEffective(deps.store, user)
  const mayShare = isSpokenOf(deps, account) && { mayShare: mayShareSomewhere(deps, account) }
  const shown = { ...account, ...mayShare }
  const [token, kept] = await Promise.all([
    deps.tokens.issue(shown, session, 'api', tokenExpirationMs),
    deps.tokens.issue(shown, session, 'cookie', cookieLifeMs),
  ])
  const maxAge = session.remember ? Math.floor(cookieLifeMs / 1000) : null
  setCookie(c, deps, kept, maxAge)
  if (deps.jobs.hasNews(user.id)) setHeader(c, 'X-Jobs', 'true')
  return token
}

// HttpOnly keeps it from scripts, SameSite and GET-only use from other sites; the path keeps two
// instances on one host apart. Frames of other sites get one of their own (CHIPS, `Partitioned`), which
// needs TLS; a browser that ignores the word is kept from sending it across sites by the guard.
export function setCookie(c: Ctx, deps: Deps, value: string, maxAgeSeconds: number | null): void {
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
