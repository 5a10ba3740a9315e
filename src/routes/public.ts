// Shares as visitors see them (docs/http-api.md 11): no session, the owner's present rights, a tree whose
// root is exactly the shared path.
import { Hono } from 'hono'
import { findAccount } from '../access/effective.ts'
import { placeOf } from '../access/folder-rights.ts'
import { sharedScopeOf } from '../access/user-tree.ts'
import { verifyPassword } from '../auth/hash.ts'
import { acceptsTicket, issueTicket } from '../auth/share-ticket.ts'
import type { Place, Scope } from '../files/place/scope.ts'
import { dropAct, setAct, shareFingerprint } from '../http/audit.ts'
import { guessKeys } from '../http/client-address.ts'
import { type Ctx, type Env, keepChecking, recheck, setHeader } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { describeFile, sendFolder } from '../http/listing-response.ts'
import { sendJson } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { baseName, ROOT, toVPath, vpathOf } from '../lib/vpath.ts'
import { requireTarget } from '../operations/shares.ts'
import { findOrLook } from '../store/collection.ts'
import type { Share, User } from '../store/document.ts'
import { findShare, loadShare } from '../store/shares.ts'
import { findUser, loadUser } from '../store/users.ts'
import { sendRaw } from './raw.ts'
import { ownerOf, readSelection, SELECTION_LIMITS } from './selections.ts'
import { sendSubtitle } from './subtitles.ts'

export function publicRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/public/share', async (c) => {
    using opened = await openShare(c, deps, 'visit')
    // Unix seconds; ours, so that the page can say how long the link lives.
    const { expire } = opened.share
    if (expire !== 0) setHeader(c, 'X-Share-Expires', String(expire))
    return await showShared(c, deps, opened)
  })
  app.get('/api/public/dl', async (c) => {
    using opened = await openShare(c, deps, 'download')
    const { share, scope, place, name } = opened
    const shared = place.vpath === ROOT ? { archiveName: name } : {}
    return await sendRaw(c, deps, scope, place, { owner: ownerOf.share(share.hash), ...shared })
  })
  app.post('/api/public/selections', async (c) => {
    using opened = await openShare(c, deps)
    const owner = ownerOf.share(opened.share.hash)
    const files = await readSelection(c, deps, SELECTION_LIMITS.share)
    return sendJson({ id: await deps.selections.add(owner, files) })
  })
  app.get('/api/public/subtitle', async (c) => {
    using opened = await openShare(c, deps, 'download')
    return await sendSubtitle(c, deps, opened.scope, opened.place)
  })
  return app
}

/** To be disposed of, with its place. */
interface OpenedShare extends Disposable {
  share: Share
  owner: User
  /** The tree the visitor may see; for a shared file the owner's. */
  scope: Scope
  /** What is asked for in it; of a shared file nothing else can be. */
  place: Place
  isFile: boolean
  /** What is shared is called this; `.` for a whole tree. */
  name: string
}

/**
 * Admits a visitor to `/{hash}/sub/path`, in the order of docs/http-api.md 11.1; `action` is for the audit log. Throws `not_found`, also when
 * something else has taken the name of what was shared, `unauthenticated` for a missing or wrong password, `forbidden` when the owner may not share.
 */
export async function openShare(
  c: Ctx,
  deps: Deps,
  action?: 'visit' | 'download',
): Promise<OpenedShare> {
  const [, hash = '', ...segments] = c.env.target.vpath.split('/')
  const share = await findOrLook(deps.store, () => loadShare(deps.store, hash))
  if (!share) throw new AppError('not_found', 'no such share')
  await loadUser(deps.store, share.userID)
  if (action) actOfVisitor(c, deps, action, share, segments)
  await demandPassword(c, deps, share)
  c.set('principal', { kind: 'visitor', share })
  keepChecking(c, () => void demandShared(deps, share))
  const owner = demandShared(deps, share)
  const path = vpathOf(share.path)
  const ownerScope = sharedScopeOf(deps, owner)
  using resources = new DisposableStack()
  const top = resources.use(await ownerScope.place(path))
  await requireTarget(deps, share, ownerScope, top)
  const isFile = !top.stats?.isDirectory()
  const scope = isFile ? ownerScope : await ownerScope.below(top)
  // Further segments after a file are ignored, so nothing else in the owner's tree can be named.
  const vpath = isFile ? path : (toVPath(segments.join('/')) ?? ROOT)
  const isTop = isFile || vpath === ROOT
  const place = isTop ? { ...top, vpath, link: null } : resources.use(await scope.place(vpath))
  const kept = resources.move()
  const name = baseName(path) || '.'
  return { share, owner, scope, place, isFile, name, [Symbol.dispose]: () => kept.dispose() }
}

// Wrong passwords as well.
function actOfVisitor(
  c: Ctx,
  deps: Deps,
  action: 'visit' | 'download',
  { hash, path, userID }: Share,
  segments: readonly string[],
): void {
  const owner = findUser(deps.store, userID)
  const by = shareFingerprint(hash)
  const base = owner && { base: placeOf(deps, owner, vpathOf(path)).place }
  setAct(c, action, { via: 'share', by, path: vpathOf(...segments), ...base })
}

/** The owner of a share that is still what it was; throws like openShare otherwise. */
function demandShared(deps: Deps, share: Share): User {
  if (findShare(deps.store, share.hash)?.passwordHash !== share.passwordHash)
    throw new AppError('not_found', 'no such share')
  const owner = findAccount(deps.store, share.userID)
  if (!owner) throw new AppError('not_found', 'the owner is gone')
  if (!sharedScopeOf(deps, owner).may(vpathOf(share.path), 'see'))
    throw new AppError('forbidden', 'the owner may not share')
  return owner
}

async function demandPassword(c: Ctx, deps: Deps, share: Share): Promise<void> {
  if (share.passwordHash === '') return
  const { key } = deps.store.settings()
  const ticket = c.env.target.query.get('token')
  if (ticket && acceptsTicket(share, ticket, key)) return
  const header = c.req.header('x-share-password')
  if (header === undefined || header === '') {
    // So every visit begins.
    dropAct(c)
    throw wrongPassword()
  }
  let password: string
  try {
    password = decodeURIComponent(header.replaceAll('+', ' '))
  } catch {
    throw badRequest('X-SHARE-PASSWORD is not percent-encoded')
  }
  const guesses = guessKeys(c, deps, `share ${share.hash}`)
  const counting = deps.sharePasswords.attempt()
  await counting.begin(...guesses)
  try {
    if (!(await verifyPassword(password, share.passwordHash))) {
      counting.fail(...guesses)
      throw wrongPassword()
    }
    // Whose network it is; the others who come through an unnamed proxy stay counted.
    counting.succeed(...guesses.slice(0, 1))
  } finally {
    await counting.over()
  }
}

function wrongPassword(): AppError {
  return new AppError('unauthenticated', 'the share needs its password')
}

async function showShared(c: Ctx, deps: Deps, opened: OpenedShare): Promise<Response> {
  const { share, scope, place, isFile, name } = opened
  const { vpath } = place
  const stat = await scope.stat(place)
  const ticket =
    share.passwordHash === '' ? {} : { token: issueTicket(share, deps.store.settings().key) }
  if (stat.kind === 'dir') {
    const sorting = { by: 'name', asc: false }
    const { signal } = c.req.raw
    const { sniffedTypes: types, largeFolders } = deps
    const options = { sorting, detection: 'media', types, largeFolders, signal } as const
    // Always the name of what is shared, also further down: clients show it as the title.
    return await sendFolder({ scope, place, stat, path: vpath }, options, { ...ticket, name })
  }
  const shown = isFile ? { path: '', name } : { path: vpath }
  const info = await describeFile({ scope, place, stat, ...shown }, scope.may(vpath, 'modify'))
  recheck(c)
  return sendJson({ ...info, ...ticket })
}
