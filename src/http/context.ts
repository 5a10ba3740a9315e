// What a request carries: the facts of one request, who asks, and what it needs to be true until it acts.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { AuditEvent } from '../audit/event.ts'
import type { AuditAction } from '../audit-types.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Origin } from '../history/record.ts'
import { AppError } from '../lib/errors.ts'
import type { PlaceText } from '../lib/places.ts'
import type { Actor } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import type { ApiToken, Session, Share, User } from '../store/document.ts'
import type { AnswerHeaders } from './answer.ts'
import { DAV, type Target } from './request-path.ts'

export interface Bindings {
  incoming: IncomingMessage
  /** Absent for WebSockets and for requests without a socket. */
  outgoing?: ServerResponse
  /** The server of WebSockets, for requests that open one. */
  wss?: unknown
  target: Target
}

export interface Variables {
  /** Set by the guard, or when a share is opened. */
  principal: Principal | undefined
  /** The tree of the account that asks. */
  scope: Scope
  /** See keepChecking. */
  checks: Check[] | undefined
  /** See setHeader. */
  headers: AnswerHeaders
  /** Set by `audited`. */
  act: Act | undefined
  /** Of locks, as a client of WebDAV brings them. */
  lockTokens: readonly string[] | undefined
  /** Makes the answer to a failure, where that is not a line of text. */
  presentFailure: ((error: AppError) => Response) | undefined
  /** Tells this request in answers and in the log. */
  requestId: string
  /** Text of the failure for the log line. */
  failure: string
  /** The path in the line of the log, where it is not the address. */
  logPath: string | undefined
}

export type Env = { Bindings: Bindings; Variables: Variables }
export type Ctx = Context<Env>

/** What a request does, for the audit log; what is not given follows from the request. */
export interface Act extends Partial<AuditEvent> {
  action: AuditAction
  /** A part of an upload is worth a line only when it is refused. */
  only?: 'refusals' | 'all'
  /** The place at which the tree of who asks begins, where that is no account's. */
  base?: PlaceText
}

/** How an answer ended. */
export interface Ending {
  status: number
  /** False when nobody was there, or the body broke off. */
  isWhole: boolean
  /** Of the body, sent. */
  bytes: number
  /** Of a failure. */
  code: string
}

export type Principal =
  /** Somebody with an account who has signed in. */
  | { kind: 'session'; user: User; session: Session }
  /** A script or an app; the account with what this token may do of it. */
  | { kind: 'token'; user: User; token: ApiToken }
  /** An account by its password in this very request, or where nobody signs in by nothing; see routes/dav. */
  | { kind: 'account'; user: User }
  /** Whoever has the link, and its password where there is one. */
  | { kind: 'visitor'; share: Share }

export type SignedIn = Extract<Principal, { user: User }>

/** The account that asks, behind requireUser. Throws `unauthenticated` when there is none. */
export function signedIn(c: Ctx): SignedIn {
  const principal = c.get('principal')
  if (!principal || principal.kind === 'visitor') throw unauthenticated()
  return principal
}

/** The session of a person who has signed in. Throws `token_not_allowed` for a token. */
export function sessionOf(c: Ctx): Session {
  const principal = signedIn(c)
  if (principal.kind !== 'session')
    throw new AppError('token_not_allowed', 'needs a person who has signed in')
  return principal.session
}

export function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'no valid session')
}

/** Throws what a request that began now would be answered with. */
type Check = () => void

/**
 * Runs a check now and at each recheck, after those that were added before: an account may be deleted, a
 * right taken away or a session ended while a body comes, which may take hours.
 */
export function keepChecking(c: Ctx, check: Check): void {
  check()
  const checks = c.get('checks')
  if (checks) checks.push(check)
  else c.set('checks', [check])
}

/**
 * Runs all checks of this request again; `principal` and `scope` of the context are the present ones
 * afterwards. Synchronous, so that it can be the first step of a change of the store.
 */
export function recheck(c: Ctx): void {
  for (const check of c.get('checks') ?? []) check()
}

/** Sets a header of whatever this request will be answered with, a failure included. */
export function setHeader(c: Ctx, name: string, value: string | string[]): void {
  c.get('headers')[name] = value
}

/** The caller as the operations know one. */
export function actorOf(c: Ctx, services: Services): Actor {
  return new RequestActor(c, services)
}

// A class: V8 keeps what getters of a single object refer to until it collects the whole heap.
class RequestActor implements Actor {
  readonly services: Services
  // Not `#c`: Undo makes objects that have this one as their prototype.
  private readonly c: Ctx

  constructor(c: Ctx, services: Services) {
    this.services = services
    this.c = c
  }

  get user() {
    return signedIn(this.c).user
  }

  get scope() {
    return this.c.get('scope')
  }

  // Made when it is asked for: most need none.
  get signal() {
    return this.c.req.raw.signal
  }

  get lockTokens() {
    return this.c.get('lockTokens')
  }

  get origin() {
    return originOf(this.c)
  }

  demand() {
    recheck(this.c)
  }
}

const OPERATION = /^[\w-]{8,64}$/

/** `X-Operation` names what the client does, in one request or in many; what is no such name counts for nothing. */
function originOf(c: Ctx): Origin {
  const who = signedIn(c)
  const name = c.env.incoming.headers['x-operation']
  const operation = typeof name === 'string' && OPERATION.test(name) ? name : undefined
  const session = idOf(who) ?? 'password'
  if (c.env.target.key === DAV) return { via: 'dav', session, operation }
  return { via: who.kind === 'token' ? 'api' : 'web', session, operation }
}

/** What of a session or token may be told; undefined where there is neither. */
export function idOf(who: SignedIn): string | undefined {
  if (who.kind === 'account') return undefined
  return who.kind === 'token' ? who.token.id : who.session.id.slice(0, 8)
}
