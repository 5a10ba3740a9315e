// Files and folders made, replaced and removed by WebDAV.
import { readChecksum } from '../../dav/checksum.ts'
import { type Part, readContentRange, readUpdateRange } from '../../dav/parts.ts'
import type { EntryStat } from '../../files/volume/entry-stat.ts'
import { answer } from '../../http/answer.ts'
import { addFacts, setAct } from '../../http/audit.ts'
import { isConditional, refusesWrite } from '../../http/conditions.ts'
import { actorOf, type Ctx } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf } from '../../http/file-response.ts'
import { AppError, badRequest, unless } from '../../lib/errors.ts'
import { parentOf, type VPath } from '../../lib/vpath.ts'
import type { Actor } from '../../operations/actor.ts'
import { remove } from '../../operations/remove.ts'
import { type Body, createFile, makeFolder, type Proof, saveFile } from '../../operations/write.ts'
import { isTop } from './address.ts'

/**
 * PUT: a new file needs the right to create, another content of one that is there the right to modify. With
 * `Content-Range` the body is a part of it.
 */
export async function putFile(c: Ctx, deps: Deps): Promise<Response> {
  const { 'content-range': range } = c.env.incoming.headers
  const part = range === undefined ? null : readContentRange(range)
  if (c.env.target.trailingSlash)
    throw new AppError('method_not_allowed', `${c.env.target.vpath} is a folder`)
  return await putBody(c, deps, bodyOf(c, part))
}

/** Makes or replaces the file that the request names, as it wants it. */
export async function putBody(c: Ctx, deps: Deps, body: Body): Promise<Response> {
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  const there = await fileAt(actor, vpath)
  if (there?.kind === 'dir' || isTop(c, vpath))
    throw new AppError('method_not_allowed', `${vpath} is a folder`)
  if (there) setAct(c, 'save')
  const before = body.part ? there : null
  const check = (file: EntryStat | null) => checkConditions(c, file, before)
  const isChecked = isConditional(c.env.incoming.headers)
  const written = there
    ? await saveFile(actor, vpath, body, check)
    : await createFile(actor, vpath, body, {
        replace: true,
        check: isChecked ? check : undefined,
        parents: false,
      })
  addFacts(c, { bytes: written.sizeBytes })
  const isTimed = c.req.header('x-oc-mtime') !== undefined && body.mtimeMs !== undefined
  return answer(
    there ? null : '',
    { ETag: etagOf(written), ...(isTimed && { 'X-OC-Mtime': 'accepted' }) },
    there ? 204 : 201,
  )
}

export const PATCH_TYPE = 'application/x-sabredav-partialupdate'

/** PATCH with `X-Update-Range`: a part of a file that is there, with the right to modify. */
export async function patchFile(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  const { 'content-type': type = '', 'content-length': length } = c.env.incoming.headers
  const range = c.req.header('x-update-range')
  if (range === undefined) throw badRequest('X-Update-Range is missing')
  if (type.split(';')[0]?.trim().toLowerCase() !== PATCH_TYPE)
    throw new AppError('unsupported', `${PATCH_TYPE} is expected`, { status: 415, expose: true })
  if (length === undefined)
    throw new AppError('bad_request', 'Content-Length is missing', { status: 411, expose: true })
  const there = await actor.scope.stat(vpath)
  if (there.kind === 'dir') throw new AppError('method_not_allowed', `${vpath} is a folder`)
  const part = readUpdateRange(range, there.sizeBytes, Number(length))
  const check = (file: EntryStat | null) => checkConditions(c, file, there)
  const written = await saveFile(actor, vpath, bodyOf(c, part), check)
  addFacts(c, { bytes: written.sizeBytes })
  return answer(null, { ETag: etagOf(written) }, 204)
}

async function requireParent({ scope }: Actor, vpath: VPath): Promise<void> {
  const parent = parentOf(vpath)
  const found = await scope.stat(parent).catch(unless('not_found', 'not_a_folder'))
  if (found?.kind !== 'dir') throw new AppError('conflict', `there is no folder ${parent}`)
}

/** What is there, null where nothing is yet; `conflict` without the folder around it. */
async function fileAt({ scope }: Actor, vpath: VPath): Promise<EntryStat | null> {
  using place = (await scope.place(vpath).catch(unless('not_found', 'not_a_folder'))) ?? null
  if (place?.stats || place?.link) return await scope.stat(place)
  if (!place?.folder) throw new AppError('conflict', `there is no folder ${parentOf(vpath)}`)
  return null
}

/** `before`: what the file was when a part of it was asked for. */
function checkConditions(c: Ctx, file: EntryStat | null, before: EntryStat | null = null): void {
  const { headers } = c.env.incoming
  const { vpath } = c.env.target
  if (before && (!file || etagOf(file) !== etagOf(before)))
    throw new AppError('conflict', 'The file has changed meanwhile.', { expose: true })
  if (!isConditional(headers)) return
  const now = file && { etag: etagOf(file), mtimeMs: Number(file.mtimeNs / 1_000_000n) }
  if (refusesWrite(headers, now))
    throw new AppError('precondition_failed', `${vpath} is not as the client expects`)
}

function bodyOf(c: Ctx, part: Part | null): Body {
  const { incoming } = c.env
  const {
    'content-length': length,
    'x-expected-entity-length': expected,
    'x-oc-mtime': mtime,
  } = incoming.headers
  const mtimeMs = readMtime(mtime)
  // Finder sends chunks, and says how many bytes they are besides.
  const isSaid = length === undefined && /^\d{1,15}$/.test(String(expected))
  const wholeBytes = part?.lengthBytes ?? (isSaid ? Number(expected) : null)
  if (part && length !== undefined && Number(length) !== wholeBytes)
    throw badRequest('the body is not as long as its range')
  const sizeBytes = Number(length ?? wholeBytes ?? 0)
  const proof = proofOf(c, length === undefined ? wholeBytes : null)
  return { stream: incoming, sizeBytes, mtimeMs, proof, ...(part && { part }) }
}

/** `X-OC-Mtime`: seconds. */
export function readMtime(header: string | string[] | undefined): number | undefined {
  const seconds = /^\d{1,11}/.exec(String(header ?? ''))?.[0]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

const OTHER_LENGTH = 'the body is not as long as announced'

/** That a body is so many bytes, and has its checksum; undefined where neither is said. */
export function proofOf(c: Ctx, sizeBytes: number | null): Proof | undefined {
  const sum = readChecksum(c.req.header('oc-checksum') ?? '')
  if (sum === null && sizeBytes === null) return undefined
  let seen = 0
  return {
    add: (chunk) => {
      seen += chunk.length
      if (sizeBytes !== null && seen > sizeBytes) throw badRequest(OTHER_LENGTH)
      sum?.add(chunk)
    },
    check: () => {
      if (sizeBytes !== null && seen !== sizeBytes) throw badRequest(OTHER_LENGTH)
      if (sum && !sum.holds()) throw badRequest('the body does not have its checksum')
    },
  }
}

/** MKCOL: one folder, in one that is there. */
export async function makeCollection(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = c.env.incoming.headers
  if (length !== '0' || encoding !== undefined)
    throw new AppError('unsupported', 'a body means nothing here', { status: 415, expose: true })
  if (isTop(c, vpath)) throw new AppError('exists', 'the tree is there')
  if (await actor.scope.exists(vpath).catch(unless('not_a_folder')))
    throw new AppError('exists', `${vpath} exists`)
  await requireParent(actor, vpath)
  await makeFolder(actor, vpath, { isNew: true })
  return answer('', {}, 201)
}

/** DELETE, folders with all they hold; into the trash where the server has one for all. */
export async function deleteEntry(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  if (isTop(c, vpath)) throw new AppError('forbidden', 'the tree stays where it is')
  const actor = actorOf(c, deps)
  const depth = c.req.header('depth')?.trim().toLowerCase() ?? 'infinity'
  if (depth !== 'infinity' && (await actor.scope.stat(vpath)).kind === 'dir')
    throw badRequest('Depth is infinity')
  if (isConditional(c.env.incoming.headers)) checkConditions(c, await actor.scope.stat(vpath))
  await remove(actor, vpath)
  return answer(null, {}, 204)
}
