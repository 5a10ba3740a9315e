// Managing share links (docs/http-api.md 10). All of it needs the rights to share and to download.
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import type { ShareRecord } from '../api-types.ts'
import { hashPassword, MAX_PASSWORD_BYTES } from '../auth/hash.ts'
import { readJson } from '../http/body.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { demand, requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { demandStill, judgeAgain } from '../http/standing.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { rebase, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Share } from '../store/document.ts'
import { addShare, findListedShare, listedShares, removeShare } from '../store/shares.ts'
import { findUser } from '../store/users.ts'
import { targetAt } from './shared-places.ts'

const UNIT_SECONDS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }
const MAX_LIFE_SECONDS = 2 ** 31 * 86_400

export function shareRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const signedIn = requireUser(deps)
  app.get('/api/shares', signedIn, (c) => {
    demandSharing(c)
    const { user } = c.var
    const shares = listedShares(deps.store.read())
      .filter((share) => user.perm.admin || share.userID === user.id)
      .sort((a, b) => a.userID - b.userID || a.expire - b.expire)
    return sendJson(shares.map(presentShare))
  })
  app.get('/api/share', signedIn, (c) => sharesOfPath(c, deps))
  app.post('/api/share', signedIn, (c) => createShare(c, deps))
  app.delete('/api/share', signedIn, (c) => deleteShare(c, deps))
  return app
}

/** What leaves the server of a share; neither hash nor ticket (GHSA-833g-cqhp-h72j). */
function presentShare(share: Share): ShareRecord {
  return {
    hash: share.hash,
    path: share.path,
    userID: share.userID,
    expire: share.expire,
    hasPassword: share.passwordHash !== '',
    ...(share.ended && { ended: true }),
  }
}

function sharesOfPath(c: Ctx, deps: Deps): Response {
  demandSharing(c)
  const { user } = c.var
  const { vpath } = c.env.target
  const path = storedPath(c)
  const doc = deps.store.read()
  // An administrator sees the shares of everybody that lead to the same place on disk.
  const place = rebase(vpathOf(user.scope), vpath)
  const placeOf = ({ userID, path: shared }: Share) =>
    rebase(vpathOf(findUser(doc, userID)?.scope ?? '/'), vpathOf(shared))
  // Those that have ended lead to nothing that is here now.
  const shares = listedShares(doc)
    .filter(({ ended }) => !ended)
    .filter((share) =>
      user.perm.admin
        ? findUser(doc, share.userID) !== undefined && placeOf(share) === place
        : share.userID === user.id && share.path === path,
    )
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
  return sendJson(shares.map(presentShare))
}

async function createShare(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  demandStill(c, () => {
    demandSharing(c)
    if (!c.get('scope').allow(vpath)) throw new AppError('forbidden', `${vpath} is denied`)
  })
  const { user, scope } = c.var
  const target = await targetAt(scope, vpath)
  const given = await readJson(c, deps, (r) => ({
    password: r.str('password'),
    expires: r.str('expires'),
    unit: r.str('unit'),
  })).catch((error) => {
    if (error instanceof AppError && error.expose)
      throw badRequest(`failed to decode body: ${error.message}`)
    throw error
  })
  if (Buffer.byteLength(given.password) > MAX_PASSWORD_BYTES)
    throw badRequest('bcrypt: password length exceeds 72 bytes', 'weak_password')
  const share: Share = {
    hash: randomBytes(6).toString('base64url'),
    path: storedPath(c),
    userID: user.id,
    expire: expiryOf(given.expires, given.unit),
    passwordHash: given.password === '' ? '' : await hashPassword(given.password),
    token: '',
    target,
  }
  await deps.store.update((doc) => {
    judgeAgain(c)
    return addShare(doc, share)
  })
  return sendJson(presentShare(share))
}

async function deleteShare(c: Ctx, deps: Deps): Promise<Response> {
  demandSharing(c)
  const { user } = c.var
  const hash = c.env.target.rest.slice(1)
  if (hash === '') throw new AppError('bad_request', 'which share?')
  const share = findListedShare(deps.store.read(), hash)
  if (!share) throw new AppError('not_found', 'no such share')
  if (share.userID !== user.id && !user.perm.admin)
    throw new AppError('forbidden', 'the share of another user')
  await deps.store.update((doc) => removeShare(doc, hash))
  return sendStatus(200)
}

function expiryOf(expires: string, unit: string): number {
  if (expires === '') return 0
  if (!/^[+-]?\d{1,16}$/.test(expires)) throw badRequest('expires is not a number')
  const seconds = Number(expires) * (UNIT_SECONDS[unit] ?? 3600)
  const now = Math.floor(Date.now() / 1000)
  return Math.max(1, now + Math.min(seconds, MAX_LIFE_SECONDS))
}

// Stored as sent: a trailing slash marks a folder and tells two shares apart.
function storedPath(c: Ctx): string {
  const { vpath, trailingSlash } = c.env.target
  return trailingSlash ? `${vpath}/` : (vpath as VPath)
}

function demandSharing(c: Ctx): void {
  demand(c.var.user, 'share')
  demand(c.var.user, 'download')
}
