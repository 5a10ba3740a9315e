// Resumable uploads: the subset of tus that clients of the original speak (docs/http-api.md 8), without
// its headers of version and extension. https://tus.io/protocols/resumable-upload
import { Hono } from 'hono'
import { addFacts, audited, setAct } from '../http/audit.ts'
import { actorOf, type Ctx, type Env, setHeader } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { encodePath } from '../http/request-path.ts'
import { sendStatus } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import {
  appendToUpload,
  beginUpload,
  cancelUpload,
  findUpload,
} from '../operations/uploads/uploads.ts'
import { modifiedHeader } from './resources.ts'

const TUS = '/api/tus'

export function tusRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.post(TUS, requireUser(deps), audited('upload'), (c) => createUpload(c, deps))
  app.get(TUS, requireUser(deps), (c) => showUpload(c, deps))
  app.patch(TUS, requireUser(deps), audited('upload'), (c) => appendUpload(c, deps))
  app.delete(TUS, requireUser(deps), audited('upload-discard'), (c) => deleteUpload(c, deps))
  return app
}

async function createUpload(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, query, trailingSlash } = c.env.target
  addFacts(c, { only: 'refusals' })
  const isDone = await beginUpload(actorOf(c, deps), vpath, {
    replace: query.get('override') === 'true',
    isFolder: trailingSlash,
    facts: () => ({ lengthBytes: declaredLength(c), mtimeMs: modifiedHeader(c) ?? null }),
  })
  if (isDone) addFacts(c, { only: 'all', bytes: 0 })
  return sendStatus(201, { headers: { Location: locationOf(c, deps) } })
}

// "The value MUST be a non-negative integer."
function declaredLength(c: Ctx): number {
  const declared = c.env.incoming.headers['upload-length']
  const lengthBytes = parseInteger(declared)
  if (lengthBytes === null) throw badRequest(`invalid upload length: ${declared ?? 'missing'}`)
  return lengthBytes
}

async function showUpload(c: Ctx, deps: Deps): Promise<Response> {
  // "The Server MUST prevent the client and/or proxies from caching the response."
  setHeader(c, 'Cache-Control', 'no-store')
  // Clients take a full offset for success: now is the time to put the file in place, or to say why
  // not. With HEAD alone, which clients use; GET is answered to the cookie, so other sites could make a
  // browser send it.
  const completes = c.req.method === 'HEAD'
  const found = await findUpload(actorOf(c, deps), c.env.target.vpath, { completes })
  if (completes && found.offsetBytes === found.upload.lengthBytes)
    setAct(c, 'upload', { bytes: found.offsetBytes })
  return sendStatus(200, {
    headers: {
      'Upload-Offset': String(found.offsetBytes),
      'Upload-Length': String(found.upload.lengthBytes),
    },
  })
}

async function appendUpload(c: Ctx, deps: Deps): Promise<Response> {
  const { incoming: stream, target } = c.env
  const offset = () => declaredOffset(c)
  addFacts(c, { only: 'refusals' })
  const { offsetBytes, isDone } = await appendToUpload(actorOf(c, deps), target.vpath, {
    stream,
    offset,
  })
  if (isDone) addFacts(c, { only: 'all', bytes: offsetBytes })
  return sendStatus(204, { headers: { 'Upload-Offset': String(offsetBytes) } })
}

function declaredOffset(c: Ctx): number {
  const { headers } = c.env.incoming
  // "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the
  // server SHOULD return a 415 Unsupported Media Type status."
  if (headers['content-type'] !== 'application/offset+octet-stream')
    throw new AppError('unsupported', 'wrong content type')
  const offsetBytes = parseInteger(headers['upload-offset'])
  if (offsetBytes === null) throw badRequest('invalid upload offset')
  return offsetBytes
}

async function deleteUpload(c: Ctx, deps: Deps): Promise<Response> {
  await cancelUpload(actorOf(c, deps), c.env.target.vpath)
  return sendStatus(204)
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
