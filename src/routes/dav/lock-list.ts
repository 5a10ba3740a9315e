// The locks of WebDAV for the page and scripts (docs/http-api.md 38).
import { Hono } from 'hono'
import { audited } from '../../http/audit.ts'
import { actorOf, type Ctx, type Env, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import { AppError } from '../../lib/errors.ts'
import type { LockRecord } from '../../lock-types.ts'
import { locksAt, unlock } from '../../operations/locks.ts'
import { idOfLock } from '../../store/dav/locks.ts'
import { loadNames } from '../../store/users.ts'

const LOCKS = '/api/locks'

export function lockRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get(LOCKS, requireUser(deps), (c) => listLocks(c, deps))
  app.delete(LOCKS, requireUser(deps), audited('unlock'), (c) => endLock(c, deps))
  return app
}

async function listLocks(c: Ctx, deps: Deps): Promise<Response> {
  const actor = actorOf(c, deps)
  const { vpath } = c.env.target
  await actor.scope.stat(vpath)
  const locks = await locksAt(actor, vpath)
  const nameOf = await loadNames(
    deps.store,
    locks.map(({ userID }) => userID),
  )
  const items = locks.map((lock): LockRecord => {
    const { userID, isExclusive, isDeep, expiresMs } = lock
    return {
      id: idOfLock(lock),
      user: nameOf(userID),
      isOwn: userID === signedIn(c).user.id,
      isExclusive,
      isDeep,
      expires: new Date(expiresMs).toISOString(),
    }
  })
  return sendJson({ items })
}

async function endLock(c: Ctx, deps: Deps): Promise<Response> {
  const actor = actorOf(c, deps)
  const { vpath, query } = c.env.target
  const lock = (await locksAt(actor, vpath)).find((each) => idOfLock(each) === query.get('id'))
  if (!lock) throw new AppError('not_found', `${vpath} has no such lock`)
  await unlock(actor, lock)
  return sendStatus(204)
}
