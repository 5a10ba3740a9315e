// The second factor of one's own account, and those of all for administrators (docs/http-api.md 27); and proving again who
// one is.
import { Hono } from 'hono'
import type { AccountFactorRecord } from '../access-types.ts'
import type { ConfirmWays, SecondFactorRecord } from '../api-types.ts'
import { identitiesOf } from '../auth/external/identities.ts'
import { isFrom } from '../auth/oidc/options.ts'
import { readAuthentication } from '../auth/passkeys/responses.ts'
import {
  demandSecondStep,
  needsSecondFactor,
  type Proof,
  removeSecondFactor,
  renewRecoveryCodes,
  requireSecondFactor,
  resetSecondFactor,
} from '../auth/second-factor/factors.ts'
import { asksPassword, policyOf } from '../auth/sign-in.ts'
import { formatTime } from '../files/listing/time-format.ts'
import { addFacts, audited } from '../http/audit.ts'
import { MAX_CREDENTIALS_BYTES, readJson } from '../http/body.ts'
import { type Ctx, type Env, keepChecking, recheck, sessionOf, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireAdmin, requireSession, requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import type { Store } from '../store/collection.ts'
import { PASSKEYS, SECOND_FACTORS } from '../store/collections.ts'
import type { Passkey, SecondFactor } from '../store/document.ts'
import { findUser, loadUser } from '../store/users.ts'
import { sendLongList } from './access/long-list.ts'
import { ownerOf, inOwnWords as passkeyInOwnWords, siteOfRequest } from './passkeys/own.ts'
import { demandPassword, demandTypedPassword, hasOwnPassword, verifyOwnPassword } from './users.ts'

export function secondFactorRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const user = requireUser(deps)
  const guard = [user, requireSession] as const
  const admin = [...guard, requireAdmin] as const
  app.get('/api/second-factor', ...guard, (c) => sendJson(presentOwn(c, deps)))
  app.post('/api/second-factor', user, audited('second-factor-on'), requireSession, (c) =>
    begin(c, deps),
  )
  app.put('/api/second-factor', user, audited('second-factor-on'), requireSession, (c) =>
    finish(c, deps),
  )
  app.delete('/api/second-factor', user, audited('second-factor-off'), requireSession, (c) =>
    remove(c, deps),
  )
  app.post('/api/second-factor/recovery', user, audited('recovery-codes'), requireSession, (c) =>
    renewCodes(c, deps),
  )
  app.get('/api/second-factors', ...admin, (c) => listAll(c, deps))
  app.put(
    '/api/second-factors/:id',
    user,
    audited('user-change'),
    requireSession,
    requireAdmin,
    (c) => changeRequired(c, deps),
  )
  app.delete(
    '/api/second-factors/:id',
    user,
    audited('second-factor-off'),
    requireSession,
    requireAdmin,
    (c) => reset(c, deps),
  )
  app.get('/api/confirm', ...guard, async (c) => sendJson(await presentWays(c, deps)))
  app.post('/api/confirm', user, audited('confirm'), requireSession, (c) => confirm(c, deps))
  return app
}

function presentOwn(c: Ctx, deps: Deps): SecondFactorRecord {
  const { user } = signedIn(c)
  const policy = policyOf(deps.config, deps.store.settings())
  const factor = deps.secondFactors.of(user.id)
  return {
    offered: policy !== 'off',
    active: factor !== undefined,
    required: needsSecondFactor(deps.store, policy, user),
    created: factor ? formatTime(BigInt(factor.createdMs) * 1_000_000n) : null,
    recovery: factor?.recovery.length ?? 0,
  }
}

/** Each account that has a second factor, shall have one, or has passkeys. */
function listAll(c: Ctx, deps: Deps): Promise<Response> {
  const { store } = deps
  return sendLongList(c, deps, {
    what: 'the list of second factors',
    pieces: factorsAndPasskeys(store),
    accountOf: ({ userID }) => userID,
    present: (one): AccountFactorRecord | undefined => {
      const { userID } = one
      const own = store.find(PASSKEYS, 'userID', userID)
      const factor = store.get(SECOND_FACTORS, userID)
      const isCounted = 'rpID' in one && (factor !== undefined || own[0]?.id !== one.id)
      if (isCounted) return undefined
      const { secret = '', required = false } = factor ?? {}
      return { userID, active: secret !== '', required, passkeys: own.length }
    },
  })
}

async function* factorsAndPasskeys({
  large,
}: Store): AsyncGenerator<readonly (SecondFactor | Passkey)[]> {
  yield* large.pieces(SECOND_FACTORS)
  yield* large.pieces(PASSKEYS)
}

function demandOffered(deps: Deps): void {
  if (policyOf(deps.config, deps.store.settings()) === 'off')
    throw new AppError('forbidden', 'two-step sign-in is not offered here')
}

async function begin(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { only: 'refusals' })
  keepChecking(c, () => demandOffered(deps))
  const { currentPassword } = await readProof(c, deps)
  await demandPassword(c, deps, currentPassword)
  recheck(c)
  return sendJson(await deps.secondFactors.begin(signedIn(c).user))
}

async function finish(c: Ctx, deps: Deps): Promise<Response> {
  keepChecking(c, () => demandOffered(deps))
  const { proof } = await readProof(c, deps)
  const { id } = signedIn(c).user
  const code = proof.code ?? ''
  return sendJson({
    recovery: await inOwnWords(() => deps.secondFactors.finish(id, code, () => recheck(c))),
  })
}

/** Takes password and code: neither a stolen session nor one of the two is enough. */
async function remove(c: Ctx, deps: Deps): Promise<Response> {
  const { id } = signedIn(c).user
  if (deps.passkeys.list(id).length === 0) keepChecking(c, () => demandFree(c, deps))
  await proveBoth(c, deps)
  await deps.store.transaction((tx) => {
    recheck(c)
    removeSecondFactor(tx, id)
    demandSecondStep(tx, policyOf(deps.config, tx.settings()), signedIn(c).user)
  })
  return sendStatus(204)
}

function demandFree(c: Ctx, deps: Deps): void {
  if (needsSecondFactor(deps.store, policyOf(deps.config, deps.store.settings()), signedIn(c).user))
    throw new AppError('forbidden', 'this account has to have a second factor')
}

async function renewCodes(c: Ctx, deps: Deps): Promise<Response> {
  await proveBoth(c, deps)
  const recovery = await deps.store.transaction((tx) => {
    recheck(c)
    return renewRecoveryCodes(tx, signedIn(c).user.id)
  })
  return sendJson({ recovery })
}

async function proveBoth(c: Ctx, deps: Deps): Promise<void> {
  const { currentPassword, proof } = await readProof(c, deps)
  const { id } = signedIn(c).user
  if (!deps.secondFactors.of(id)) throw new AppError('not_found', 'no second factor')
  await demandTypedPassword(c, deps, currentPassword)
  await inOwnWords(() => deps.secondFactors.prove(id, proof))
}

/** For who has lost it. One's own goes the way that takes a code. */
async function reset(c: Ctx, deps: Deps): Promise<Response> {
  const id = demandOther(c)
  addFacts(c, { target: (await loadUser(deps.store, id))?.username ?? '' })
  const { currentPassword } = await readProof(c, deps)
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    resetSecondFactor(tx, id)
  })
  return sendStatus(204)
}

async function changeRequired(c: Ctx, deps: Deps): Promise<Response> {
  const id = Number(c.req.param('id'))
  addFacts(c, { target: (await loadUser(deps.store, id))?.username ?? '' })
  const { currentPassword, required } = await readJson(c, deps, (r) => ({
    currentPassword: r.str('current_password'),
    required: r.bool('required'),
  }))
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    if (!findUser(tx, id)) throw new AppError('not_found', `no user ${id}`)
    requireSecondFactor(tx, id, required)
  })
  return sendStatus(204)
}

function demandOther(c: Ctx): number {
  const id = Number(c.req.param('id'))
  if (id === signedIn(c).user.id)
    throw new AppError('forbidden', 'one’s own second factor is removed with a code')
  return id
}

/** By what one can prove again who one is, and whether that has just been done. */
async function presentWays(c: Ctx, deps: Deps): Promise<ConfirmWays> {
  const { user } = signedIn(c)
  const ways: ConfirmWays['methods'] = []
  if (hasOwnPassword(deps, user)) ways.push('password')
  if (deps.secondFactors.of(user.id)) ways.push('code')
  if (deps.passkeys.fitting(user.id, siteOfRequest(c, deps)).length > 0) ways.push('passkey')
  if (isConnected(deps, user.id)) ways.push('provider')
  return { confirmed: await deps.confirmations.isConfirmed(sessionOf(c).id), methods: ways }
}

function isConnected({ oidc, store }: Deps, userID: number): boolean {
  return oidc !== null && identitiesOf(store, userID).some((own) => isFrom(oidc.options, own))
}

/** A password, a code where there is a factor, or a passkey: good for some minutes wherever the password is asked. */
async function confirm(c: Ctx, deps: Deps): Promise<Response> {
  if (!asksPassword(deps.store.settings()))
    throw new AppError('forbidden', 'no password is asked here')
  const { password, code, passkey } = await readJson(
    c,
    deps,
    (r) => ({
      password: r.str('password'),
      code: r.str('code'),
      passkey: r.has('passkey') ? r.obj('passkey', readAuthentication) : null,
    }),
    MAX_CREDENTIALS_BYTES,
  )
  const userID = signedIn(c).user.id
  const wanted = { purpose: 'confirm', owner: ownerOf(c), userID } as const
  if (passkey) await passkeyInOwnWords(() => deps.passkeys.prove(passkey, wanted))
  else if (code === '') await verifyOwnPassword(c, deps, password)
  else await inOwnWords(() => deps.secondFactors.prove(userID, { code }))
  recheck(c)
  await deps.confirmations.confirm(sessionOf(c).id)
  return sendStatus(204)
}

async function readProof(
  c: Ctx,
  deps: Deps,
): Promise<{ currentPassword: string; proof: Required<Proof> }> {
  return readJson(
    c,
    deps,
    (r) => ({
      currentPassword: r.str('current_password'),
      proof: { code: r.str('code'), recovery: r.str('recovery') },
    }),
    MAX_CREDENTIALS_BYTES,
  )
}

// Somebody who has signed in has mistyped: not the 403 of a refused sign-in.
async function inOwnWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'wrong_credentials')
      throw badRequest('the code is incorrect', 'invalid_code')
    throw error
  }
}
