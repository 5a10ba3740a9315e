// Managing share links (docs/http-api.md 10).
import { Hono } from 'hono'
import type { ShareRecord } from '../api-types.ts'
import { hashPassword, MAX_PASSWORD_BYTES } from '../auth/hash.ts'
import { addFacts, audited, shareFingerprint } from '../http/audit.ts'
import { readJson } from '../http/body.ts'
import { actorOf, type Ctx, type Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { readLike } from '../lib/parse.ts'
import { createShare, endShare, listShares, listSharesOf } from '../operations/shares.ts'
import type { Share } from '../store/document.ts'

const UNIT_SECONDS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 }
const MAX_LIFE_SECONDS = 2 ** 31 * 86_400

export function shareRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.get('/api/shares', guard, async (c) => {
    const shares = await listShares(actorOf(c, deps))
    shares.sort((a, b) => a.userID - b.userID || a.expire - b.expire)
    return sendJson(shares.map(presentShare))
  })
  app.get('/api/share', guard, (c) => sharesOfPath(c, deps))
  app.post('/api/share', guard, audited('share'), (c) => shareEntry(c, deps))
  app.delete('/api/share', guard, audited('unshare'), (c) => deleteShare(c, deps))
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

async function sharesOfPath(c: Ctx, deps: Deps): Promise<Response> {
  const shares = await listSharesOf(actorOf(c, deps), c.env.target.vpath, storedPath(c))
  shares.sort((a, b) => (a.hash < b.hash ? -1 : 1))
  return sendJson(shares.map(presentShare))
}

async function shareEntry(c: Ctx, deps: Deps): Promise<Response> {
  const given = () => readShare(c, deps)
  const actor = actorOf(c, deps)
  const share = await createShare(actor, c.env.target.vpath, storedPath(c), given)
  addFacts(c, { target: shareFingerprint(share.hash) })
  return sendJson(presentShare(share))
}

async function readShare(c: Ctx, deps: Deps): Promise<Pick<Share, 'expire' | 'passwordHash'>> {
  const example = { password: '', expires: '', unit: '' }
  const given = await readJson(c, deps, (r) => readLike(r, example)).catch((error) => {
    if (error instanceof AppError && error.expose)
      throw badRequest(`failed to decode body: ${error.message}`)
    throw error
  })
  if (Buffer.byteLength(given.password) > MAX_PASSWORD_BYTES)
    throw badRequest('bcrypt: password length exceeds 72 bytes', 'weak_password')
  return {
    expire: expiryOf(given.expires, given.unit),
    passwordHash: given.password === '' ? '' : await hashPassword(given.password),
  }
}

async function deleteShare(c: Ctx, deps: Deps): Promise<Response> {
  const hash = c.env.target.rest.slice(1)
  addFacts(c, { target: shareFingerprint(hash) })
  await endShare(actorOf(c, deps), hash)
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
  return trailingSlash ? `${vpath}/` : vpath
}
