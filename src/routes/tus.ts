// Resumable uploads: the subset of tus that clients of the original speak (docs/http-api.md 8), without
// its headers of version and extension. https://tus.io/protocols/resumable-upload
import { Hono } from 'hono'
import type { Destination, Upload } from '../files/transfer/resumable.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { demand, requireUser } from '../http/guard.ts'
import { encodePath } from '../http/request-path.ts'
import { sendStatus } from '../http/respond.ts'
import { demandStill, judgeAgain, watchStanding } from '../http/standing.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { ROOT } from '../lib/vpath.ts'
import { finishUpload } from './finish-upload.ts'
import { modifiedHeader } from './resources.ts'

const TUS = '/api/tus'

export function tusRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.post(TUS, requireUser(deps), (c) => createUpload(c, deps))
  app.get(TUS, requireUser(deps), (c) => showUpload(c, deps))
  app.patch(TUS, requireUser(deps), (c) => appendToUpload(c, deps))
  app.delete(TUS, requireUser(deps), (c) => deleteUpload(c, deps))
  return app
}

async function createUpload(c: Ctx, deps: Deps): Promise<Response> {
  const { scope, user } = c.var
  const { vpath, query, trailingSlash } = c.env.target
  demandUpload(c)
  const replace = query.get('override') === 'true'
  if (trailingSlash || vpath === ROOT) throw badRequest('cannot upload to a directory')
  if (await scope.exists(vpath)) {
    if ((await scope.stat(vpath)).kind === 'dir')
      throw badRequest(`cannot upload to a directory ${vpath}`)
    if (!replace) throw new AppError('exists', `${vpath} exists`)
    demand(user, 'modify')
  }
  // "The value MUST be a non-negative integer."
  const declared = c.env.incoming.headers['upload-length']
  const lengthBytes = parseInteger(declared)
  if (lengthBytes === null) throw badRequest(`invalid upload length: ${declared ?? 'missing'}`)
  const destination = destinationOf(c)
  const upload = await deps.resumables.create(destination, {
    lengthBytes,
    replace,
    mtimeMs: modifiedHeader(c) ?? null,
  })
  // Clients send no PATCH for an empty file, so it is complete at once.
  if (lengthBytes === 0) await finish(c, deps, destination, upload)
  return sendStatus(201, { headers: { Location: locationOf(c, deps) } })
}

async function showUpload(c: Ctx, deps: Deps): Promise<Response> {
  // "The Server MUST prevent the client and/or proxies from caching the response."
  c.env.outgoing.setHeader('Cache-Control', 'no-store')
  demandUpload(c)
  const destination = destinationOf(c)
  const found = await deps.resumables.find(destination)
  if (!found) throw new AppError('not_found', 'no active upload')
  // Clients take a full offset for success. It is met here when the move into place has failed or
  // the server was stopped before it: now is the time to do it, or to say why not. With HEAD alone,
  // which clients use; GET is answered to the cookie, so other sites could make a browser send it.
  const isComplete = found.offsetBytes === found.upload.lengthBytes
  if (c.req.method === 'HEAD' && isComplete && found.isOwn)
    await finish(c, deps, destination, found.upload)
  return sendStatus(200, {
    headers: {
      'Upload-Offset': String(found.offsetBytes),
      'Upload-Length': String(found.upload.lengthBytes),
    },
  })
}

async function appendToUpload(c: Ctx, deps: Deps): Promise<Response> {
  const { incoming } = c.env
  demandStill(c, () => demandUpload(c))
  // "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the
  // server SHOULD return a 415 Unsupported Media Type status."
  if (incoming.headers['content-type'] !== 'application/offset+octet-stream')
    throw new AppError('unsupported', 'wrong content type')
  const offsetBytes = parseInteger(incoming.headers['upload-offset'])
  if (offsetBytes === null) throw badRequest('invalid upload offset')
  const destination = destinationOf(c)
  const standing = watchStanding(c, deps)
  const { upload, offsetBytes: reached } = await deps.resumables
    .append(destination, offsetBytes, incoming, standing.signal)
    .finally(standing.end)
  if (reached === upload.lengthBytes) await finish(c, deps, destination, upload)
  return sendStatus(204, { headers: { 'Upload-Offset': String(reached) } })
}

async function deleteUpload(c: Ctx, deps: Deps): Promise<Response> {
  if (c.env.target.vpath === ROOT) throw new AppError('forbidden', 'the root is no upload')
  demand(c.var.user, 'delete')
  if (!(await deps.resumables.discard(destinationOf(c))))
    throw new AppError('not_found', 'no active upload')
  return sendStatus(204)
}

async function finish(c: Ctx, deps: Deps, begun: Destination, upload: Upload): Promise<void> {
  judgeAgain(c)
  // Under the rules of now; a place that has become another one has no such upload.
  const destination = c.var.scope === begun.scope ? begun : destinationOf(c)
  await finishUpload(deps, c.var.user, destination, upload, () => {
    // A command before it may have taken its time.
    judgeAgain(c)
    destination.mayReplace = c.get('user').perm.modify
  })
}

function demandUpload(c: Ctx): void {
  demand(c.var.user, 'create')
  const { vpath } = c.env.target
  if (!c.var.scope.allow(vpath)) throw new AppError('forbidden', `${vpath} is denied`)
}

function destinationOf(c: Ctx): Destination {
  const { scope, user } = c.var
  return { scope, vpath: c.env.target.vpath, owner: user.id, mayReplace: user.perm.modify }
}

// The client's own percent-encoding is given back as it came, since it will be compared.
function locationOf(c: Ctx, deps: Deps): string {
  return `${encodePath(deps.config.baseURL)}${TUS}${c.env.target.rawRest}`
}

function parseInteger(text: string | string[] | undefined): number | null {
  if (typeof text !== 'string' || !/^\d{1,16}$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}
