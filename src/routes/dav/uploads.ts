// A file in parts, as clients of Nextcloud send it: MKCOL of a folder by a name of theirs, PUT of parts, MOVE of
// `.file` to where all of it belongs. Version 2 says the target from the beginning, version 1 at the end.
import { describeAs, hrefOf, MULTISTATUS_BEGIN, MULTISTATUS_END } from '../../dav/multistatus.ts'
import { readPropfind } from '../../dav/propfind.ts'
import { answer } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import { actorOf, type Ctx, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import {
  beginParts,
  discardParts,
  joinParts,
  partsOf,
  receivePart,
} from '../../operations/uploads/parts.ts'
import { topOf } from './address.ts'
import { readXml, XML_TYPE } from './bodies.ts'
import { destinationOf } from './copy-move.ts'
import { meetConditions } from './locks.ts'
import { proofOf, putBody, readMtime } from './write.ts'

export const UPLOAD_METHODS = ['OPTIONS', 'PROPFIND', 'MKCOL', 'PUT', 'MOVE', 'DELETE']

/** A number, or the first and last byte. */
const PART_NAME = /^\d{1,15}(-\d{1,15})?$/
const MAX_PARTS = 10_000
/** What MOVE names. */
const WHOLE = '.file'

/** Answers a request below `/remote.php/dav/uploads/<name>/`, whose caller is known. */
export async function answerUpload(
  c: Ctx,
  deps: Deps,
  abilities: Record<string, string>,
): Promise<Response> {
  const { dav, vpath } = c.env.target
  if (dav?.username !== signedIn(c).user.username)
    throw new AppError('forbidden', `the address names ${dav?.username}`)
  const [id = '', name = '', ...deeper] = vpath.slice(1).split('/')
  const { method } = c.env.incoming
  if (method === 'OPTIONS') return answer('', abilities)
  if (deeper.length > 0) throw new AppError('not_found', 'folders of parts have no folders')
  if (method === 'PROPFIND') return list(c, deps, id, name)
  const part = method === 'PUT' || method === 'MOVE'
  if (id === '' || (name !== '') !== part)
    throw new AppError('method_not_allowed', `${method} means nothing there`)
  if (method === 'MKCOL') return begin(c, deps, id)
  if (method === 'PUT') return receive(c, deps, id, name)
  if (method === 'MOVE') return join(c, deps, id, name)
  c.set('act', { action: 'upload-discard', target: id })
  await discardParts(actorOf(c, deps), id)
  return answer(null, {}, 204)
}

async function begin(c: Ctx, deps: Deps, id: string): Promise<Response> {
  const target = c.req.header('destination') === undefined ? null : await aimAt(c, deps)
  const totalBytes = readTotal(c) ?? 0
  await beginParts(actorOf(c, deps), id, { target, totalBytes, top: topOf(c) })
  return answer('', {}, 201)
}

/** From here on the request is one to the target. */
async function aimAt(c: Ctx, deps: Deps): Promise<VPath> {
  const target = await destinationOf(c, deps)
  c.env.target = { ...c.env.target, vpath: target }
  await meetConditions(c, deps)
  return target
}

function readTotal(c: Ctx): number | null {
  const header = c.req.header('oc-total-length')
  if (header === undefined) return null
  if (!/^\d{1,15}$/.test(header)) throw badRequest('OC-Total-Length cannot be read')
  return Number(header)
}

async function receive(c: Ctx, deps: Deps, id: string, name: string): Promise<Response> {
  const { 'content-length': length } = c.env.incoming.headers
  if (!PART_NAME.test(name)) throw badRequest('Parts have numbers as names.')
  if (length === undefined)
    throw new AppError('bad_request', 'Content-Length is missing', { status: 411, expose: true })
  const actor = actorOf(c, deps)
  const parts = await partsOf(actor, id)
  if (parts.length >= MAX_PARTS) throw badRequest(`a file has at most ${MAX_PARTS} parts`)
  await receivePart(actor, id, { name, sizeBytes: Number(length) }, c.env.incoming)
  return answer('', {}, 201)
}

async function join(c: Ctx, deps: Deps, id: string, name: string): Promise<Response> {
  if (name !== WHOLE) throw new AppError('forbidden', 'parts stay where they are')
  const actor = actorOf(c, deps)
  await partsOf(actor, id)
  const target = await aimAt(c, deps)
  setAct(c, 'upload')
  const isNew = c.req.header('overwrite')?.trim().toUpperCase() === 'F'
  if (isNew && (await actor.scope.exists(target)))
    throw new AppError('precondition_failed', `${target} exists`)
  const mtimeMs = readMtime(c.req.header('x-oc-mtime'))
  return await joinParts(actor, id, readTotal(c), (body) =>
    putBody(c, deps, { ...body, mtimeMs, proof: proofOf(c, null) }),
  )
}

async function list(c: Ctx, deps: Deps, id: string, name: string): Promise<Response> {
  const wanted = readPropfind(await readXml(c, deps))
  const all = id === '' ? [] : await partsOf(actorOf(c, deps), id)
  const found = all.filter((part) => name === '' || part.name === name)
  if (name !== '' && found.length === 0) throw new AppError('not_found', `${name} is no part`)
  const describe = describeAs(wanted)
  const tell = (path: string, sizeBytes: number, isFolder: boolean) =>
    describe(hrefOf(c.env.target.dav?.mount ?? '', path, isFolder), {
      name: path.slice(path.lastIndexOf('/') + 1),
      isFolder,
      sizeBytes,
      mtimeMs: Date.now(),
      etag: '',
      contentType: 'application/octet-stream',
      mode: 0,
      may: () => true,
      room: null,
      locks: '',
    })
  const folder = id === '' ? '/' : `/${id}`
  const isDeep = c.req.header('depth')?.trim() !== '0'
  const parts = name !== '' || isDeep ? found : []
  const texts = [
    ...(name === '' ? [tell(folder, 0, true)] : []),
    ...parts.map((part) => tell(`/${id}/${part.name}`, part.sizeBytes, false)),
  ]
  return answer(`${MULTISTATUS_BEGIN}${texts.join('')}${MULTISTATUS_END}\n`, XML_TYPE, 207)
}
