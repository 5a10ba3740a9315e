// Passkeys of one's own account (docs/http-api.md 30): added, named and removed by people alone, never by tokens.
import { Hono } from 'hono'
import type { PasskeyList, PasskeyRecord } from '../../api-types.ts'
import { identitiesOf } from '../../auth/external/identities.ts'
import { removePasskey, renamePasskey } from '../../auth/passkeys/passkeys.ts'
import { readRegistration } from '../../auth/passkeys/responses.ts'
import { type NoSite, type Site, siteOf } from '../../auth/passkeys/site.ts'
import { demandSecondStep } from '../../auth/second-factor/factors.ts'
import { asksPassword, policyOf } from '../../auth/sign-in.ts'
import { formatTime } from '../../files/listing/time-format.ts'
import { answer, JSON_TYPE } from '../../http/answer.ts'
import { addFacts, audited } from '../../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../../http/body.ts'
import {
  type Ctx,
  type Env,
  keepChecking,
  recheck,
  sessionOf,
  signedIn,
} from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireSession, requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../../http/respond.ts'
import { AppError } from '../../lib/errors.ts'
import type { Transaction } from '../../store/collection.ts'
import { PASSKEYS } from '../../store/collections.ts'
import type { Passkey, User } from '../../store/document.ts'
import { demandFresh } from '../users.ts'

export function passkeyRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const user = requireUser(deps)
  app.get('/api/passkeys', user, requireSession, (c) => sendJson(presentAll(c, deps)))
  app.post('/api/passkeys/options', user, audited('passkey-add'), requireSession, (c) =>
    begin(c, deps),
  )
  app.post('/api/passkeys', user, audited('passkey-add'), requireSession, (c) => add(c, deps))
  app.patch('/api/passkeys/:id', user, audited('passkey-change'), requireSession, (c) =>
    rename(c, deps),
  )
  app.delete('/api/passkeys/:id', user, audited('passkey-delete'), requireSession, (c) =>
    remove(c, deps),
  )
  return app
}

/** The site of a request, or why it has none. */
export function siteOfRequest(c: Ctx, deps: Deps): Site | NoSite {
  return siteOf(deps.clients.originOf(c.env.incoming))
}

/** Throws `forbidden` where nobody signs in with a password, and where passkeys cannot be had. */
export function demandSite(c: Ctx, deps: Deps): Site {
  if (!asksPassword(deps.store.settings()))
    throw new AppError('forbidden', 'passkeys are not offered here')
  const site = siteOfRequest(c, deps)
  if (typeof site === 'string') throw new AppError('forbidden', `no passkeys: ${site}`)
  return site
}

/** What the challenges of a person who has signed in belong to. */
export function ownerOf(c: Ctx): string {
  return `session ${sessionOf(c).id}`
}

function presentAll(c: Ctx, deps: Deps): PasskeyList {
  const site = siteOfRequest(c, deps)
  const isSite = typeof site !== 'string'
  return {
    offered: asksPassword(deps.store.settings()),
    why: isSite ? null : site,
    origin: isSite ? site.origin : null,
    passkeys: deps.passkeys.list(signedIn(c).user.id).map(present),
  }
}

function present({ id, name, rpID, backedUp, createdMs, lastUsedMs }: Passkey): PasskeyRecord {
  const time = (ms: number) => formatTime(BigInt(ms) * 1_000_000n)
  const lastUsed = lastUsedMs === 0 ? null : time(lastUsedMs)
  return { id, name, rpID, backedUp, created: time(createdMs), lastUsed }
}

async function begin(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { only: 'refusals' })
  const site = demandSite(c, deps)
  const currentPassword = await readJson(
    c,
    deps,
    (r) => r.str('current_password'),
    MAX_CREDENTIALS_BYTES,
  )
  await demandFresh(c, deps, currentPassword)
  recheck(c)
  return sendJson(await deps.passkeys.beginAdding(signedIn(c).user, ownerOf(c), site))
}

// Whoever answers the challenge has confirmed who they are when they got it.
async function add(c: Ctx, deps: Deps): Promise<Response> {
  keepChecking(c, () => void demandSite(c, deps))
  const given = await readJson(
    c,
    deps,
    (r) => ({ name: r.str('name'), response: r.obj('response', readRegistration) }),
    MAX_CREDENTIALS_BYTES,
  )
  const { id } = signedIn(c).user
  const passkey = await inOwnWords(() => deps.passkeys.add(id, ownerOf(c), given, () => recheck(c)))
  addFacts(c, { target: passkey.name })
  return answer(toJson(present(passkey)), JSON_TYPE, 201)
}

async function rename(c: Ctx, deps: Deps): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const name = await readJson(c, deps, (r) => r.str('name'), MAX_CREDENTIALS_BYTES)
  addFacts(c, { target: name.slice(0, 100) })
  await deps.store.transaction((tx) => {
    recheck(c)
    renamePasskey(tx, signedIn(c).user.id, id, name)
  })
  return sendStatus(204)
}

async function remove(c: Ctx, deps: Deps): Promise<Response> {
  const id = c.req.param('id') ?? ''
  const currentPassword = await readJson(
    c,
    deps,
    (r) => r.str('current_password'),
    MAX_CREDENTIALS_BYTES,
  )
  await demandFresh(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    const { user } = signedIn(c)
    addFacts(c, { target: removePasskey(tx, user.id, id).name })
    demandSecondStep(tx, policyOf(deps.config, tx.settings()), user)
    demandWayIn(tx, deps, user)
  })
  return sendStatus(204)
}

// Where the login page has no form, it is this or the provider.
function demandWayIn(tx: Transaction, { oidc, config }: Deps, { id }: User): void {
  const isFormless = oidc !== null && !config.passwordLogin
  if (!isFormless || tx.find(PASSKEYS, 'userID', id).length > 0) return
  if (identitiesOf(tx, id).length === 0)
    throw new AppError('conflict', 'the login page has no form: there would be no way in')
}

/** For somebody who has signed in: not the 403 of a refused sign-in. */
export async function inOwnWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials')
      throw new AppError('invalid_passkey', error.message, { cause: error })
    throw error
  }
}
