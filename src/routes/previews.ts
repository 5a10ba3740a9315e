// Small pictures of files (docs/http-api.md 13); the same for shares. What needs no making is the file.
import { Hono } from 'hono'
import type { ErrorCode } from '../api-types.ts'
import { readHead } from '../files/listing/info.ts'
import { contentTypeOf } from '../files/listing/mime.ts'
import { sniff } from '../files/listing/sniff.ts'
import type { Place, Scope } from '../files/place/scope.ts'
import { needsRendition, previewKind } from '../files/preview/previews.ts'
import type { Asker } from '../files/preview/process.ts'
import { PreviewError, type PreviewSize } from '../files/preview/protocol.ts'
import { answer } from '../http/answer.ts'
import { addFacts, audited } from '../http/audit.ts'
import { evaluateConditions } from '../http/conditions.ts'
import { type Ctx, type Env, setHeader, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { disposition, sendBytes } from '../http/file-response.ts'
import { demandDownload, requireUser } from '../http/guard.ts'
import { previewSizeOf } from '../http/request-path.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { baseName, suffixOf, type VPath, vpathOf } from '../lib/vpath.ts'
import { openShare } from './public.ts'
import { CONTENT_POLICY, sendRaw } from './raw.ts'

const CACHE_CONTROL = 'private'
/** In the audit log: small pictures belong to a listing, large ones and the file itself are content. */
const [NOTHING_YET, CONTENT] = [{ only: 'refusals' }, { only: 'all' }] as const

export function previewRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/preview', requireUser(deps), audited('download'), async (c) => {
    addFacts(c, NOTHING_YET)
    demandDownload(c, deps)
    const size = parsePreviewSize(previewSizeOf(c.env.target))
    const asker = { name: `user ${signedIn(c).user.id}`, isVisitor: false }
    const scope = c.get('scope')
    using place = await scope.place(c.env.target.vpath)
    return await sendPreview(c, deps, { scope, place, size, asker })
  })
  // Ours: `/api/public/preview/{size}/{hash}/sub/path`, with the rights of a share's visitor.
  app.get('/api/public/preview', async (c) => {
    const [, sizeText = '', ...segments] = c.env.target.vpath.split('/')
    c.env.target = { ...c.env.target, vpath: vpathOf(...segments) }
    using opened = await openShare(c, deps, 'download')
    addFacts(c, NOTHING_YET)
    const { scope, place, share } = opened
    const asker = { name: `share ${share.hash}`, isVisitor: true }
    return await sendPreview(c, deps, { scope, place, size: parsePreviewSize(sizeText), asker })
  })
  return app
}

/** `thumb` or `big`; throws `bad_request` with the original's words for anything else. */
function parsePreviewSize(text: string): PreviewSize {
  if (text === 'thumb' || text === 'big') return text
  throw badRequest(`${text} is not a valid PreviewSize, try [thumb, big]`)
}

interface Wanted {
  scope: Scope
  place: Place
  size: PreviewSize
  asker: Asker
}

/** What says that there is no picture of a file. */
const PICTURELESS: ReadonlySet<ErrorCode> = new Set(['not_implemented', 'damaged'])

/**
 * Sends a preview. A small one that a page shows and that cannot be made is 204: the page has an icon for it,
 * and the console of the browser would list any other status as a fault.
 */
async function sendPreview(c: Ctx, deps: Deps, wanted: Wanted): Promise<Response> {
  try {
    return await makePreview(c, deps, wanted)
  } catch (error) {
    const isShown = wanted.size === 'thumb' && c.env.target.query.get('display') === 'true'
    if (isShown && error instanceof AppError && PICTURELESS.has(error.code))
      return answer(null, {}, 204)
    throw error
  }
}

/**
 * The preview, or the file where no picture is made of it. The query `display` is ours: `true` for
 * what every browser shows, `full` for that in full width and height where browsers cannot show the file.
 */
async function makePreview(
  c: Ctx,
  deps: Deps,
  { scope, place, size, asker }: Wanted,
): Promise<Response> {
  const { vpath } = place
  const name = baseName(vpath)
  const stat = await scope.stat(place)
  const inline = c.env.target.query.get('inline') === 'true'
  setHeader(c, 'Content-Disposition', disposition(inline ? 'inline' : 'attachment', name))
  const extension = suffixOf(name)
  const bare = extension.slice(1).toLowerCase()
  const type = stat.kind === 'file' ? await typeOf(scope, place, extension) : ''
  const kind = stat.kind === 'file' ? previewKind(bare, type) : null
  const shown = c.env.target.query.get('display')
  const full = shown === 'full' && size === 'big' && needsRendition(bare)
  const display = shown === 'true' || shown === 'full'
  const enabled =
    size === 'thumb'
      ? deps.config.enableThumbnails
      : // Without previews these would not be shown at all.
        deps.config.resizePreview || (display && needsRendition(bare))
  if (!kind || !enabled) {
    if (type.startsWith('image/')) return await sendWhole(c, deps, scope, place)
    throw new AppError('not_implemented', `no preview of ${vpath}`)
  }
  const mtimeMs = Number(stat.mtimeNs / 1_000_000n)
  // Before the picture is made.
  const verdict = evaluateConditions(c.env.incoming.headers, mtimeMs, undefined)
  if (verdict === 304) {
    const lastModified = new Date(mtimeMs).toUTCString()
    return answer(null, { 'Cache-Control': CACHE_CONTROL, 'Last-Modified': lastModified }, 304)
  }
  if (verdict === 412) throw new AppError('precondition_failed', 'changed meanwhile')
  const preview = await deps.previews
    .get(
      {
        // Others may wait for the same picture when this request and its place are gone.
        open: () => scope.openRead(vpath),
        realPath: place.realPath,
        mtimeNs: stat.mtimeNs,
        ino: stat.ino,
        kind,
        size,
        display,
        full,
        asker,
      },
      c.req.raw.signal,
    )
    .catch((error: unknown) => {
      throw toAppError(error, vpath)
    })
  if (preview === 'original') return await sendWhole(c, deps, scope, place)
  if (size === 'big') addFacts(c, CONTENT)
  return sendBytes(c, preview.bytes, mtimeMs, {
    contentType: inline ? preview.contentType : 'application/octet-stream',
    cacheControl: CACHE_CONTROL,
    policy: CONTENT_POLICY,
  })
}

function sendWhole(c: Ctx, deps: Deps, scope: Scope, place: Place): Promise<Response> {
  addFacts(c, CONTENT)
  return sendRaw(c, deps, scope, place)
}

/** The MIME type by extension, else by content; empty for folders and unknown content. */
async function typeOf(scope: Scope, place: Place, extension: string): Promise<string> {
  return contentTypeOf(extension) || sniff(await readHead(scope, place))
}

function toAppError(error: unknown, vpath: VPath): unknown {
  if (!(error instanceof PreviewError)) return error
  const message = `preview of ${vpath}: ${error.message}`
  if (error.failure === 'too_large' || error.failure === 'too_heavy')
    return new AppError('too_large', message)
  return new AppError(error.failure === 'undecodable' ? 'damaged' : 'not_implemented', message)
}
