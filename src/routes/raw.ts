// Bytes of files, and folders as archives (docs/http-api.md 12).
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { issueContentTicket, readContentTicket } from '../auth/content-ticket.ts'
import { contentTypeOf } from '../files/listing/mime.ts'
import { SNIFF_BYTES, sniff } from '../files/listing/sniff.ts'
import type { OpenFile, Scope } from '../files/place/scope.ts'
import { sendArchive } from '../http/archive-response.ts'
import { isContentOrigin } from '../http/client-address.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { disposition, etagOf, sendFile } from '../http/file-response.ts'
import { demandDownload, requireUser, scopeOf } from '../http/guard.ts'
import { encodePath } from '../http/request-path.ts'
import { sendJson } from '../http/respond.ts'
import { ownerOf, readSelection, SELECTION_LIMITS } from '../http/selections.ts'
import { demandStill } from '../http/standing.ts'
import { AppError } from '../lib/errors.ts'
import { extensionOf, type VPath } from '../lib/vpath.ts'
import { findUser } from '../store/users.ts'

/** Bytes of users never run script in our origin, and never get one of their own. */
export const CONTENT_POLICY = "script-src 'none'; sandbox"
/** Browsers refuse to show a PDF in a sandbox; their viewers run its scripts in a world apart. */
const PDF_POLICY = "script-src 'none';"

export function rawRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/raw', byContentTicket(deps), requireUser(deps), async (c) => {
    demandDownload(c.var.user)
    if (belongsToContentOrigin(c, deps)) return showOnContentOrigin(c, deps)
    const owner = ownerOf.session(c.var.session.id)
    return sendRaw(c, deps, c.var.scope, c.env.target.vpath, { owner })
  })
  app.post('/api/selections', requireUser(deps), async (c) => {
    demandStill(c, () => demandDownload(c.get('user')))
    const owner = ownerOf.session(c.var.session.id)
    const files = await readSelection(c, deps, SELECTION_LIMITS.session)
    return sendJson({ id: deps.selections.add(owner, files) })
  })
  return app
}

// On the content origin only a ticket counts; everywhere else the route goes on as usual.
function byContentTicket(deps: Deps) {
  return createMiddleware<Env>(async function byContentTicket(c, next) {
    if (!isContentOrigin(c, deps)) return next()
    const { vpath, query } = c.env.target
    const doc = deps.store.read()
    const ticket = readContentTicket(query.get('ticket') ?? '', vpath, doc.settings.key)
    // Signing out ends what the session opened.
    const session = ticket && deps.sessions.use(ticket.sessionId)
    const user = session && session.userID === ticket.userId && findUser(doc, ticket.userId)
    if (!user) throw new AppError('unauthenticated', 'no valid ticket')
    demandDownload(user)
    const owner = ownerOf.session(ticket.sessionId)
    return sendRaw(c, deps, scopeOf(deps, user), vpath, { owner })
  })
}

/** True for a file that a person opens in a tab of its own, when files have their own origin. */
function belongsToContentOrigin(c: Ctx, deps: Deps): boolean {
  return (
    deps.config.contentOrigin !== '' &&
    c.env.target.query.get('inline') === 'true' &&
    c.req.header('sec-fetch-dest') === 'document'
  )
}

function showOnContentOrigin(c: Ctx, deps: Deps): Response {
  const { vpath, rawRest } = c.env.target
  const { user, session } = c.var
  const { key } = deps.store.read().settings
  const ticket = issueContentTicket({ userId: user.id, sessionId: session.id }, vpath, key)
  const { baseURL, contentOrigin } = deps.config
  const address = `${contentOrigin}${encodePath(baseURL)}/api/raw${rawRest}`
  return new Response(null, {
    status: 302,
    headers: { Location: `${address}?inline=true&ticket=${ticket}` },
  })
}

/**
 * Sends a file or, for a folder, an archive. A pipe is answered empty and never opened. `owner` is
 * whose registered selections may be named; without it none.
 */
export async function sendRaw(
  c: Ctx,
  deps: Deps,
  scope: Scope,
  vpath: VPath,
  options: { owner?: string; name?: string; archiveName?: string } = {},
): Promise<Response> {
  const name = options.name ?? vpath.slice(vpath.lastIndexOf('/') + 1)
  const inline = c.env.target.query.get('inline') === 'true'
  const kind = inline ? 'inline' : 'attachment'
  // Most requests are for files: those are opened without asking first what they are.
  const file = await openRegular(scope, vpath)
  if (file === null) {
    const found = await scope.stat(vpath)
    if (found.kind === 'dir') {
      return sendArchive(c, scope, vpath, {
        log: deps.log,
        selection: (id) => deps.selections.take(options.owner ?? '', id),
        ...(options.archiveName === undefined ? {} : { rootName: options.archiveName }),
      })
    }
    if (found.kind !== 'fifo')
      throw new AppError('unsupported', `${vpath} is not a regular file`, { status: 500 })
    c.env.outgoing.setHeader('Content-Disposition', disposition(kind, name))
    return new Response(null, { headers: { 'Content-Type': 'application/octet-stream' } })
  }
  const contentType = inline ? await inlineType(file, name) : 'application/octet-stream'
  return sendFile(c, file, {
    contentType,
    disposition: disposition(kind, name),
    cacheControl: 'private',
    etag: etagOf(file),
    policy: contentType === 'application/pdf' ? PDF_POLICY : CONTENT_POLICY,
  })
}

/** Null for what is no regular file. */
async function openRegular(scope: Scope, vpath: VPath): Promise<OpenFile | null> {
  try {
    return await scope.openRead(vpath)
  } catch (error) {
    if (error instanceof AppError && error.code === 'unsupported') return null
    throw error
  }
}

async function inlineType({ handle }: OpenFile, name: string): Promise<string> {
  const known = contentTypeOf(extensionOf(name))
  if (known !== '') return known
  const head = Buffer.alloc(SNIFF_BYTES)
  try {
    const { bytesRead } = await handle.read(head, 0, SNIFF_BYTES, 0)
    return sniff(head.subarray(0, bytesRead))
  } catch (error) {
    await handle.close()
    throw error
  }
}
