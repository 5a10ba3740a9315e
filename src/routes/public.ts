// Shares as visitors see them (docs/http-api.md 11): no session, the owner's present rights, a tree whose
// root is exactly the shared path.
import { Hono } from 'hono'
import type { FileInfo } from '../api-types.ts'
import { verifyPassword } from '../auth/hash.ts'
import { acceptsTicket, issueTicket } from '../auth/share-ticket.ts'
import { childPath, presentEntry, presentFile, readListing, typeOf } from '../files/listing/info.ts'
import type { Scope } from '../files/place/scope.ts'
import { guessKeys } from '../http/client-address.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { scopeOf } from '../http/guard.ts'
import { sendJson } from '../http/respond.ts'
import { ownerOf, readSelection, SELECTION_LIMITS } from '../http/selections.ts'
import { demandStill } from '../http/standing.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { baseName, ROOT, toVPath, type VPath, vpathOf } from '../lib/vpath.ts'
import type { Share, User } from '../store/document.ts'
import { findShare } from '../store/shares.ts'
import { findUser } from '../store/users.ts'
import { sendRaw } from './raw.ts'
import { sendItems } from './resources.ts'
import { openTarget } from './shared-places.ts'
import { sendSubtitle } from './subtitles.ts'

export function publicRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/public/share', async (c) => {
    const opened = await openShare(c, deps)
    // Unix seconds; ours, so that the page can say how long the link lives.
    const { expire } = opened.share
    if (expire !== 0) c.env.outgoing.setHeader('X-Share-Expires', String(expire))
    return opened.isFile ? fileInfo(deps, opened) : folderInfo(c, deps, opened)
  })
  app.get('/api/public/dl', async (c) => {
    const { share, scope, vpath, name } = await openShare(c, deps)
    const shared = vpath === ROOT ? { archiveName: name } : {}
    return sendRaw(c, deps, scope, vpath, { owner: ownerOf.share(share.hash), ...shared })
  })
  app.post('/api/public/selections', async (c) => {
    const { share } = await openShare(c, deps)
    demandStill(c, () => {
      const now = findShare(deps.store.read(), share.hash)
      if (now?.passwordHash !== share.passwordHash) throw new AppError('not_found', 'no such share')
    })
    const owner = ownerOf.share(share.hash)
    const files = await readSelection(c, deps, SELECTION_LIMITS.share)
    return sendJson({ id: deps.selections.add(owner, files) })
  })
  app.get('/api/public/subtitle', async (c) => {
    const { scope, vpath } = await openShare(c, deps)
    return sendSubtitle(c, deps, scope, vpath)
  })
  return app
}

export interface OpenedShare {
  share: Share
  owner: User
  /** The tree the visitor may see; for a shared file the owner's, with `vpath` fixed. */
  scope: Scope
  vpath: VPath
  isFile: boolean
  /** What is shared is called this; `.` for a whole tree. */
  name: string
}

/**
 * Admits a visitor to `/{hash}/sub/path`, in the order of docs/http-api.md 11.1. Throws `not_found`, also when
 * something else has taken the name of what was shared, `unauthenticated` for a missing or wrong password, `forbidden` when the owner may not share.
 */
export async function openShare(c: Ctx, deps: Deps): Promise<OpenedShare> {
  const [, hash = '', ...segments] = c.env.target.vpath.split('/')
  const doc = deps.store.read()
  const share = findShare(doc, hash)
  if (!share) throw new AppError('not_found', 'no such share')
  await demandPassword(c, deps, share)
  const owner = findUser(doc, share.userID)
  if (!owner) throw new AppError('not_found', 'the owner is gone')
  if (!owner.perm.share || !owner.perm.download)
    throw new AppError('forbidden', 'the owner may not share')
  const path = vpathOf(share.path)
  const ownerScope = scopeOf(deps, owner)
  const { kind, place } = await openTarget(deps, share, ownerScope)
  if (kind !== 'dir') {
    // Further segments are ignored, so nothing else in the owner's tree can be named.
    return { share, owner, scope: ownerScope, vpath: path, isFile: true, name: baseName(path) }
  }
  const scope = await ownerScope.below(path, place)
  const vpath = toVPath(segments.join('/')) ?? ROOT
  return { share, owner, scope, vpath, isFile: false, name: baseName(path) || '.' }
}

async function demandPassword(c: Ctx, deps: Deps, share: Share): Promise<void> {
  if (share.passwordHash === '') return
  const { key } = deps.store.read().settings
  const ticket = c.env.target.query.get('token')
  if (ticket && acceptsTicket(share, ticket, key)) return
  const header = c.req.header('x-share-password')
  if (header === undefined || header === '') throw wrongPassword()
  let password: string
  try {
    password = decodeURIComponent(header.replaceAll('+', ' '))
  } catch {
    throw badRequest('X-SHARE-PASSWORD is not percent-encoded')
  }
  const guesses = guessKeys(c, deps, `share ${share.hash}`)
  const over = deps.sharePasswords.begin(...guesses)
  try {
    if (!(await verifyPassword(password, share.passwordHash))) {
      deps.sharePasswords.fail(...guesses)
      throw wrongPassword()
    }
    // Whose network it is; the others who come through an unnamed proxy stay counted.
    deps.sharePasswords.succeed(...guesses.slice(0, 1))
  } finally {
    over()
  }
}

function wrongPassword(): AppError {
  return new AppError('unauthenticated', 'the share needs its password')
}

async function fileInfo(deps: Deps, opened: OpenedShare): Promise<Response> {
  const { scope, vpath, owner, name } = opened
  const stat = await scope.stat(vpath)
  const type = await typeOf(scope, vpath, stat)
  const info: FileInfo = presentFile('', name, stat, { type, mayModify: owner.perm.modify })
  return sendJson(withTicket(deps, opened, info))
}

async function folderInfo(c: Ctx, deps: Deps, opened: OpenedShare): Promise<Response> {
  const { scope, vpath, owner } = opened
  const path = vpath
  const stat = await scope.stat(vpath)
  if (stat.kind !== 'dir') {
    const type = await typeOf(scope, vpath, stat)
    const mayModify = owner.perm.modify
    const info: FileInfo = presentFile(path, baseName(vpath), stat, { type, mayModify })
    return sendJson(withTicket(deps, opened, info))
  }
  const sorting = { by: 'name', asc: false }
  const listing = await readListing(scope, vpath, sorting, {
    detection: 'media',
    signal: c.req.raw.signal,
  })
  const head = {
    numDirs: listing.numDirs,
    numFiles: listing.numFiles,
    sorting,
    ...withTicket(deps, opened, presentEntry(path, baseName(vpath), stat, '')),
    // Always the name of what is shared, also further down: clients show it as the title.
    name: opened.name,
  }
  return sendItems(c, listing, (name) => childPath(path, name), head)
}

function withTicket(deps: Deps, { share }: OpenedShare, info: FileInfo): FileInfo {
  if (share.passwordHash === '') return info
  return { ...info, token: issueTicket(share, deps.store.read().settings.key) }
}
