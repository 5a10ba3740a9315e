// Signing in with a passkey alone, and what a browser signs by for that, for the second step and for confirming
// (docs/http-api.md 30).
import { Hono } from 'hono'
import { rests } from '../../auth/external/identities.ts'
import { readAuthentication } from '../../auth/passkeys/responses.ts'
import { asksPassword } from '../../auth/sign-in.ts'
import { addFacts, audited } from '../../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../../http/body.ts'
import { guessKeys } from '../../http/client-address.ts'
import { type Ctx, type Env, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireSession, requireUser } from '../../http/guard.ts'
import { sendJson } from '../../http/respond.ts'
import { AppError } from '../../lib/errors.ts'
import type { User } from '../../store/document.ts'
import { loadUser } from '../../store/users.ts'
import { asLogin, openSession, secondOwner, sendToken, withTicket } from '../login.ts'
import { demandSite, ownerOf } from './own.ts'

export function passkeyLoginRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.post('/api/login/passkey/options', (c) => begin(c, deps))
  app.post('/api/login/passkey', audited('sign-in'), (c) => asLogin(c, () => login(c, deps)))
  app.post('/api/confirm/options', requireUser(deps), requireSession, async (c) => {
    const site = demandSite(c, deps)
    const { id } = signedIn(c).user
    return sendJson(await deps.passkeys.begin({ purpose: 'confirm', owner: ownerOf(c), site }, id))
  })
  return app
}

/** For whoever answers; with the ticket of a first step for that account. */
async function begin(c: Ctx, deps: Deps): Promise<Response> {
  const site = demandSite(c, deps)
  const ticket = await readJson(c, deps, (r) => r.str('ticket'), MAX_CREDENTIALS_BYTES)
  if (ticket === '') {
    const [owner = ''] = guessKeys(c, deps, 'passkey')
    return sendJson(await deps.passkeys.begin({ purpose: 'sign-in', owner, site }))
  }
  return withTicket(c, deps, { ticket, purpose: 'prove', isKept: true }, async ({ id }) =>
    sendJson(await deps.passkeys.begin({ purpose: 'second', owner: secondOwner(id), site }, id)),
  )
}

async function login(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { via: 'passkey' })
  const { response, remember } = await readJson(
    c,
    deps,
    (r) => ({
      response: r.obj('response', readAuthentication),
      remember: r.bool('remember', true),
    }),
    MAX_CREDENTIALS_BYTES,
  )
  const keys = guessKeys(c, deps, 'sign-in')
  const counting = deps.logins.attempt()
  await counting.begin(...keys)
  try {
    const { userID } = await deps.passkeys.prove(response, { purpose: 'sign-in' })
    const user = admitted(deps, await loadUser(deps.store, userID))
    addFacts(c, { user: user.username })
    return await sendToken(c, deps, user, await openSession(c, deps, user, remember))
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials') counting.fail(...keys)
    throw error
  } finally {
    await counting.over()
  }
}

function admitted(deps: Deps, user: User | undefined): User {
  // The method may be another one since the challenge was given.
  if (!user || !asksPassword(deps.store.settings()))
    throw new AppError('wrong_credentials', 'passkeys are not offered here')
  if (rests(deps.store, user))
    throw new AppError('wrong_credentials', 'no sign-in at the provider or directory for a month')
  return user
}
