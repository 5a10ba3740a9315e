// Who is signed in. The token lives in memory only; the session itself is a cookie that scripts
// cannot read, so a reload asks the server for a new token.

import { proxy, ref } from 'valtio'
import type { TokenClaims, TokenUser } from '../../src/access-types.ts'
import type { Permissions, SecondStep } from '../../src/api-types.ts'
import { ApiError, ping, setClientHooks } from '../api/client.ts'
import {
  type Credentials,
  getRenewed,
  postLogin,
  postLogout,
  postSignup,
  secondStepOf,
} from '../api/session.ts'
import { boot, canLogOut } from '../lib/boot.ts'
import { dropGuard } from '../lib/page/navigate.ts'
import { markReached, markUnreachable, setProbe } from '../lib/page/network.ts'
import { mayGoAgain, stayHere } from '../lib/provider-turn.ts'
import { storage } from '../lib/storage.ts'
import { jobs } from './jobs.ts'

export const session = proxy({
  user: null as TokenUser | null,
  /** 'expired': signed in before, and asked for the password in place. */
  state: 'starting' as 'starting' | 'in' | 'out' | 'expired',
  /** Why the first request failed when it was not for lack of a session. */
  startError: null as ApiError | null,
})

let token = ''
/** Says that this browser was signed in, so that a lost session can be explained. Not a secret. */
const KNOWN = 'fb-signed-in'

const nobody: Permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}

/** The rights of the current user; none when nobody is signed in. */
export function permissions(): Permissions {
  return session.user?.perm ?? nobody
}

/** Whether there is anything to share, and so a page of links: records of folders may say so of one folder alone. */
export function mayShare(
  user: Pick<TokenUser, 'mayShare' | 'perm'> | null = session.user,
): boolean {
  return user !== null && (user.mayShare ?? (user.perm.share && user.perm.download))
}

/** The name of something this browser keeps for the account alone: several people may use it. */
export function ownKey(name: string): string {
  return `${name}${boot.BaseURL}-${session.user?.id ?? 0}`
}

export function setOwnLocale(code: string): void {
  if (session.user !== null) session.user.locale = code
}

export function canUseShell(): boolean {
  return boot.EnableExec && permissions().execute
}

/** The claims of a token; null for a text that is none. The server alone verifies it. */
function readToken(text: string): TokenClaims | null {
  const part = text.split('.')[1]
  if (part === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder().decode(bytes)) as TokenClaims
  } catch {
    return null
  }
}

/** Who signed in at another tab while somebody else kept this page. */
let declined: number | null = null

/**
 * Takes over a token, unless somebody else was signed in here: what is on the screen is not for these
 * eyes, and what waits for a token is not to happen among these files. The page starts anew then, and
 * the waiting calls wait on. True when the token is taken over.
 *
 * @throws ApiError when the token cannot be read.
 */
function accept(text: string): boolean {
  const claims = readToken(text)
  if (!claims?.user) throw new ApiError(500, 'internal', 'The token cannot be read.')
  if (session.user !== null && session.user.id !== claims.user.id) {
    // Whoever keeps the page, because something in it is not saved, is asked for the password again.
    session.state = 'expired'
    // Once: the question whether to leave is not asked again with every answer that brings a token.
    if (declined !== claims.user.id) location.reload()
    declined = claims.user.id
    return false
  }
  token = text
  declined = null
  session.user = claims.user
  session.state = 'in'
  storage.set(KNOWN, '1')
  mayGoAgain()
  return true
}

function forget(): void {
  token = ''
  session.user = null
  session.state = 'out'
}

/**
 * Finds out who is signed in. Without an own login page (proxy, no authentication) it signs in with
 * nothing. Never rejects: a failure that is not "nobody" is left in `session.startError`, and a later
 * call tries again.
 */
export async function startSession(): Promise<void> {
  try {
    accept(await getRenewed())
    session.startError = null
  } catch (error) {
    if (!boot.LoginPage) return startWithoutLoginPage()
    forget()
    session.startError = isRefusal(error) ? null : ref(asApiError(error))
  }
}

async function startWithoutLoginPage(): Promise<void> {
  try {
    accept(await postLogin())
    session.startError = null
  } catch (error) {
    forget()
    session.startError = ref(asApiError(error))
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403)
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(500, 'internal', String(error))
}

/** True when this browser was signed in and the session ended without a log-out. */
export function wasSignedIn(): boolean {
  return storage.get(KNOWN) === '1'
}

/**
 * Signs in, or gives the second step that is owed.
 *
 * @throws ApiError 403 for wrong credentials, 429 while throttled.
 */
export async function logIn(credentials: Credentials): Promise<SecondStep | null> {
  try {
    enterWith(await postLogin(credentials))
    return null
  } catch (error) {
    const step = error instanceof ApiError ? secondStepOf(error) : null
    if (step === null) throw error
    return step
  }
}

/** Is signed in with a token that the second step was answered with. */
export function enterWith(text: string): void {
  channel?.postMessage('in')
  if (accept(text)) settleExpired(true)
}

/** Tells other tabs that somebody has signed in here, at the provider. */
export function announceSignIn(): void {
  channel?.postMessage('in')
}

/** Creates an account and signs in with it. @throws ApiError 409 when the name is taken. */
export async function signUp(credentials: Credentials): Promise<SecondStep | null> {
  await postSignup(credentials.username, credentials.password)
  return logIn(credentials)
}

const farewells = new Set<() => void>()

/** Calls back when the person logs out, for what the browser must not keep. Call once at start. */
export function onLogOut(farewell: () => void): void {
  farewells.add(farewell)
}

/** Ends the session on the server and leaves to the log-out page. */
export async function logOut(): Promise<void> {
  let elsewhere: string | null = null
  try {
    elsewhere = await postLogout()
  } catch (error) {
    // A session that the server no longer knows is as good as ended; anything else is not.
    if (!isRefusal(error)) throw error
  }
  storage.remove(KNOWN)
  for (const farewell of farewells) farewell()
  dropGuard()
  channel?.postMessage('out')
  leave(elsewhere)
}

/** Shows the page for people who are not signed in, the provider's first. The full load also empties all state. */
function leave(elsewhere: string | null = null): void {
  forget()
  stayHere()
  if (elsewhere !== null) location.assign(elsewhere)
  else if (boot.NoAuth || !canLogOut) location.reload()
  else if (boot.LogoutPage !== '/login') location.assign(boot.LogoutPage)
  else location.assign(`${boot.BaseURL}/login`)
}

let renewing: Promise<void> | null = null

/** A fresh token, with the user's present rights and preferences. Joined when one is under way. */
export function renewSession(): Promise<void> {
  renewing ??= getRenewed()
    .then((text) => void accept(text))
    .catch((error: unknown) => {
      // The old token may still be good: the next call finds out.
      if (!(error instanceof ApiError)) throw error
    })
    .finally(() => {
      renewing = null
    })
  return renewing
}

let recovering: Promise<boolean> | null = null
let settle: ((again: boolean) => void) | null = null

/** The person signed in again, or gave up; the waiting calls go on. */
function settleExpired(again: boolean): void {
  settle?.(again)
  settle = null
}

/** Leaves the question for the password without answering it. */
export function giveUp(): void {
  settleExpired(false)
  leave()
}

async function recover(): Promise<boolean> {
  try {
    // A token ends before its session does, for instance while the computer slept.
    return accept(await getRenewed()) || untilSignedIn()
  } catch (error) {
    if (!isRefusal(error)) return false
  }
  if (!boot.LoginPage) {
    await startWithoutLoginPage()
    if (session.state === 'in') return true
    if (session.state === 'expired') return untilSignedIn()
    leave()
    return false
  }
  session.state = 'expired'
  return untilSignedIn()
}

function untilSignedIn(): Promise<boolean> {
  return new Promise((resolve) => {
    settle = resolve
  })
}

setClientHooks({
  token: () => token,
  renew: renewSession,
  signInAgain(failedToken) {
    // Another call has already brought a new token.
    if (token !== '' && failedToken !== token) return Promise.resolve(true)
    if (session.state === 'out') return Promise.resolve(false)
    recovering ??= recover().finally(() => {
      recovering = null
    })
    return recovering
  },
  jobs() {
    jobs.unknown = true
  },
  reached: markReached,
  unreachable: markUnreachable,
})
setProbe(ping)

// Other tabs of the same instance follow.
const channel =
  'BroadcastChannel' in globalThis ? new BroadcastChannel(`fb-session ${boot.BaseURL}`) : null
channel?.addEventListener('message', (event) => {
  // The server may have ended the session here before the word of the other tab arrives.
  const isOver = session.state === 'expired' && declined === null
  if (event.data === 'out' && (session.state === 'in' || isOver)) leave()
  // The cookie is that of the other tab from now on, also where this one has a good token.
  if (event.data === 'in' && session.user !== null) {
    void getRenewed().then(
      (text) => {
        if (accept(text)) settleExpired(true)
      },
      () => {}, // That session is already over: keep asking here.
    )
  }
})
