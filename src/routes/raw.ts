// Bytes of files, and folders as archives (docs/http-api.md 12).
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { findAccount } from '../access/effective.ts'
import { scopeOf } from '../access/user-tree.ts'
import { issueContentTicket, readContentTicket } from '../auth/content-ticket.ts'
import { contentTypeOf } from '../files/listing/mime.ts'
import { SNIFF_BYTES, sniff } from '../files/listing/sniff.ts'
import type { OpenFile, Place, Scope } from '../files/place/scope.ts'
import type { EntryKind } from '../files/volume/entry-stat.ts'
import { answer } from '../http/answer.ts'
import { sendArchive } from '../http/archive-response.ts'
import { audited, setAct } from '../http/audit.ts'
import { isContentOrigin } from '../http/client-address.ts'
import {
  type Ctx,
  type Env,
  keepChecking,
  type Principal,
  sessionOf,
  signedIn,
} from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { disposition, etagOf, sendFile } from '../http/file-response.ts'
import { demandDownload, demandSomeDownload, requireUser } from '../http/guard.ts'
import { encodePath } from '../http/request-path.ts'
import { sendJson } from '../http/respond.ts'
import { AppError } from '../lib/errors.ts'
import { baseName, suffixOf } from '../lib/vpath.ts'
import { loadUser } from '../store/users.ts'
import { ownerOf, readSelection, SELECTION_LIMITS } from './selections.ts'

/** Bytes of users never run script in our origin, and never get one of their own. */
export const CONTENT_POLICY = "script-src 'none'; sandbox"
/** Browsers refuse to show a PDF in a sandbox; their viewers run its scripts in a world apart. */
const PDF_POLICY = "script-src 'none';"

/** What holds for bytes of users of a content type. */
export function policyOf(contentType: string): string {
  return contentType === 'application/pdf' ? PDF_POLICY : CONTENT_POLICY
}

export function rawRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  if (deps.config.contentOrigin !== '') app.get('/api/raw', byContentTicket(deps))
  app.get('/api/raw', requireUser(deps), audited('download'), async (c) => {
    demandDownload(c, deps)
    if (belongsToContentOrigin(c, deps)) return showOnContentOrigin(c, deps)
    const owner = ownerOf.account(signedIn(c))
    return await sendAt(c, deps, c.get('scope'), owner)
  })
  app.post('/api/selections', requireUser(deps), async (c) => {
    keepChecking(c, () => demandSomeDownload(c, deps))
    const owner = ownerOf.account(signedIn(c))
    const files = await readSelection(c, deps, SELECTION_LIMITS.session)
    return sendJson({ id: await deps.selections.add(owner, files) })
  })
  return app
}

// On the content origin only a ticket counts; everywhere else the route goes on as usual.
function byContentTicket(deps: Deps) {
  return createMiddleware<Env>(async function byContentTicket(c, next) {
    if (!isContentOrigin(c, deps)) return next()
    const ticket = ticketOf(c, deps)
    if (ticket)
      await Promise.all([deps.sessions.load(ticket.sessionId), loadUser(deps.store, ticket.userId)])
    keepChecking(c, () => {
      c.set('principal', holderOfTicket(c, deps))
      c.set('scope', scopeOf(deps, signedIn(c).user))
      demandDownload(c, deps)
    })
    setAct(c, 'download')
    const owner = ownerOf.account(signedIn(c))
    return await sendAt(c, deps, c.get('scope'), owner)
  })
}

function ticketOf(c: Ctx, deps: Deps) {
  const { vpath, query } = c.env.target
  const { key } = deps.store.settings()
  return readContentTicket(query.get('ticket') ?? '', vpath, key)
}

function holderOfTicket(c: Ctx, deps: Deps): Principal {
  const ticket = ticketOf(c, deps)
  // Signing out ends what the session opened.
  const session = ticket && deps.sessions.use(ticket.sessionId)
  const user = session && session.userID === ticket.userId && findAccount(deps.store, ticket.userId)
  if (!user) throw new AppError('unauthenticated', 'no valid ticket')
  return { kind: 'session', user, session }
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
  const { user } = signedIn(c)
  const { key } = deps.store.settings()
  const ticket = issueContentTicket({ userId: user.id, sessionId: sessionOf(c).id }, vpath, key)
  const { baseURL, contentOrigin } = deps.config
  const address = `${contentOrigin}${encodePath(baseURL)}/api/raw${rawRest}`
  return c.redirect(`${address}?inline=true&ticket=${ticket}`)
}

async function sendAt(c: Ctx, deps: Deps, scope: Scope, owner: string): Promise<Response> {
  const { vpath } = c.env.target
  const file = await scope.openPlain(vpath)
  if (file) return await sendOpenFile(c, file, baseName(vpath))
  using place = await scope.place(vpath)
  return await sendRaw(c, deps, scope, place, { owner })
}

/**
 * Sends a file or, for a folder, an archive. A pipe is answered empty and never opened. `owner` is
 * whose registered selections may be named; without it none.
 */
export async function sendRaw(
  c: Ctx,
  deps: Deps,
  scope: Scope,
  place: Place,
  options: { owner?: string; archiveName?: string } = {},
): Promise<Response> {
  const { vpath } = place
  const name = baseName(vpath)
  const file = await openRegular(scope, place)
  if (typeof file === 'string') {
    if (file === 'dir') {
      return sendArchive(c, scope, vpath, {
        writeArchive: deps.writeArchive,
        selection: (id) => deps.selections.take(options.owner ?? '', id),
        ...(options.owner !== undefined && {
          planned: { plans: deps.plans, owner: { kind: planKind(c), name: options.owner } },
        }),
        ...(options.archiveName === undefined ? {} : { rootName: options.archiveName }),
      })
    }
    if (file !== 'fifo')
      throw new AppError('unsupported', `${vpath} is not a regular file`, { status: 500 })
    return answer(null, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': disposition(
        c.env.target.query.get('inline') === 'true' ? 'inline' : 'attachment',
        name,
      ),
    })
  }
  return sendOpenFile(c, file, name)
}

function planKind(c: Ctx): 'account' | 'share' {
  return c.get('principal')?.kind === 'visitor' ? 'share' : 'account'
}

/** Sends an open file under a name: to be saved, or with `inline=true` shown. Takes over closing it. */
export async function sendOpenFile(c: Ctx, file: OpenFile, name: string): Promise<Response> {
  const inline = c.env.target.query.get('inline') === 'true'
  const contentType = inline ? await inlineType(file, name) : 'application/octet-stream'
  return sendFile(c, file, {
    contentType,
    disposition: disposition(inline ? 'inline' : 'attachment', name),
    cacheControl: 'private',
    etag: etagOf(file),
    policy: policyOf(contentType),
  })
}

/** The kind of what is no regular file. */
async function openRegular(scope: Scope, place: Place): Promise<OpenFile | EntryKind> {
  const { kind } = await scope.stat(place)
  return kind === 'file' || kind === 'brokenLink' ? await scope.openRead(place) : kind
}

async function inlineType({ handle }: OpenFile, name: string): Promise<string> {
  const known = contentTypeOf(suffixOf(name))
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
