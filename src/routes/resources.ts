// Files and folders over HTTP: read, create, save, delete, copy, rename (docs/http-api.md 7).
import { Hono } from 'hono'
import type { AuditAction } from '../audit-types.ts'
import { presentEntry, subtitlesOf } from '../files/listing/info.ts'
import { summaryOf } from '../files/listing/summary.ts'
import type { Place } from '../files/place/scope.ts'
import {
  CHECKSUM_ALGORITHMS,
  CHECKSUM_BYTES,
  isChecksumAlgorithm,
} from '../files/transfer/checksum.ts'
import type { SeenEntries } from '../files/transfer/remove-seen.ts'
import type { EntryStat } from '../files/volume/entry-stat.ts'
import { answer } from '../http/answer.ts'
import { addFacts, audited, setAct } from '../http/audit.ts'
import { readJson } from '../http/body.ts'
import { isConditional, refusesWrite } from '../http/conditions.ts'
import { actorOf, type Ctx, type Env, signedIn } from '../http/context.ts'
import { admit } from '../http/deliver.ts'
import type { Deps } from '../http/deps.ts'
import { sendLast, TRANSFER_BYTES } from '../http/file-bytes.ts'
import { etagOf } from '../http/file-response.ts'
import { demandDownload, requireUser } from '../http/guard.ts'
import { describeFile, sendFolder } from '../http/listing-response.ts'
import type { Target } from '../http/request-path.ts'
import { sendJson, sendStatus } from '../http/respond.ts'
import { sendWithContent } from '../http/text-content.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { ParseError, type Reader } from '../lib/parse.ts'
import { baseName, parentOf, ROOT, toVPath, type VPath } from '../lib/vpath.ts'
import { setMode } from '../operations/mode.ts'
import { transfer, type WhenTaken } from '../operations/move.ts'
import { remove } from '../operations/remove.ts'
import { type Body, createFile, makeFolder, saveFile } from '../operations/write.ts'
import { filmLengthOf, imageSizeOf } from './image-size.ts'
import { attendJob } from './jobs/attend.ts'

const RESOURCES = '/api/resources'
/** Some 40,000 paths; larger trees are deleted as a whole. */
const MAX_SEEN_BYTES = 4 << 20

export function resourceRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get(RESOURCES, requireUser(deps), (c) => readResource(c, deps))
  app.post(RESOURCES, requireUser(deps), audited(createAction), (c) => createResource(c, deps))
  app.put(RESOURCES, requireUser(deps), audited('save'), (c) => saveResource(c, deps))
  app.delete(RESOURCES, requireUser(deps), audited('delete'), (c) => deleteResource(c, deps))
  app.patch(RESOURCES, requireUser(deps), audited(transferAction), (c) => moveResource(c, deps))
  return app
}

function createAction({ trailingSlash, vpath }: Target): AuditAction {
  return trailingSlash || vpath === ROOT ? 'make-folder' : 'upload'
}

function transferAction({ query }: Target): AuditAction {
  const action = query.get('action')
  return action === 'copy' ? 'copy' : action === 'mode' ? 'mode' : 'move'
}

async function readResource(c: Ctx, deps: Deps): Promise<Response> {
  const { user } = signedIn(c)
  const scope = c.get('scope')
  const { vpath, query, rest } = c.env.target
  const path = rest === '' ? '/' : rest
  // What is not told leaves a line; what is told does where it is content.
  setAct(c, 'download', { only: 'refusals' })
  using place = await scope.place(vpath)
  const stat = await scope.stat(place)
  const asked = { scope, place, stat, path }
  if (stat.kind === 'dir') {
    if (query.get('summary') === 'true') {
      const own = presentEntry(path, baseName(vpath), stat, '')
      return sendJson({ ...own, ...(await summaryOf(scope, place)) })
    }
    const detection = deps.config.typeDetectionByHeader ? 'content' : 'name'
    const { sorting } = user
    const { signal } = c.req.raw
    const rights = await scope.rightsAt(place)
    const { sniffedTypes: types, largeFolders } = deps
    const options = { sorting, detection, types, largeFolders, signal } as const
    return await sendFolder(asked, options, rights && { rights })
  }
  const info = await describeFile(asked, scope.may(vpath, 'modify'))
  const { type } = info
  const rights = await scope.rightsAt(place)
  const mayDownload = rights?.download ?? scope.may(vpath, 'download')
  const wantsBytes = c.req.header('x-encoding') === 'true'
  if (wantsBytes) {
    demandDownload(c, deps)
    setAct(c, 'download')
    if (type === 'text') return await sendContent(c, place)
  }
  if (type === 'video' && query.get('duration') === 'true') {
    info.duration = await filmLengthOf(scope, place)
    return sendJson(info)
  }
  if (type === 'video') {
    const subtitles = await subtitlesOf(scope, vpath)
    if (subtitles.length > 0) info.subtitles = subtitles
  }
  const algorithm = query.get('checksum')
  if (algorithm !== null && algorithm !== '') {
    demandDownload(c, deps)
    const end = await admit(c, deps, CHECKSUM_BYTES)
    info.checksums = {
      [algorithm]: await digest(c, deps, place, algorithm, stat.sizeBytes).finally(end),
    }
    return sendJson(info)
  }
  if (stat.kind === 'brokenLink' && mayDownload)
    throw new AppError('not_found', `${vpath} leads nowhere`)
  const isText = type === 'text' || type === 'textImmutable'
  if (isText && mayDownload) {
    setAct(c, 'download', { bytes: stat.sizeBytes })
    return await sendWithContent(info, { scope, place })
  }
  if (type === 'image' && !wantsBytes && deps.config.imageResolutionCalculation) {
    const resolution = await imageSizeOf(scope, place)
    if (resolution) info.resolution = resolution
  }
  return sendJson(info)
}

async function digest(
  c: Ctx,
  deps: Deps,
  place: Place,
  algorithm: string,
  sizeBytes: number,
): Promise<string> {
  if (!isChecksumAlgorithm(algorithm))
    throw new AppError('bad_request', `checksum must be one of ${CHECKSUM_ALGORITHMS.join(', ')}`)
  const file = { sizeBytes, open: () => c.get('scope').openRead(place) }
  return deps.checksum(file, algorithm, { owner: signedIn(c).user.id, signal: c.req.raw.signal })
}

async function sendContent(c: Ctx, place: Place): Promise<Response> {
  const file = await c.get('scope').openRead(place)
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(file.sizeBytes),
  }
  return answer(
    {
      what: 'a text',
      memoryBytes: TRANSFER_BYTES,
      write: (output) => sendLast(output, file, 0, file.sizeBytes),
      close: () => file.handle.close(),
    },
    headers,
  )
}

async function createResource(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, trailingSlash, query } = c.env.target
  const actor = actorOf(c, deps)
  if (trailingSlash || vpath === ROOT) {
    await makeFolder(actor, vpath)
    return sendStatus(200)
  }
  const replace = query.get('override') === 'true'
  const check = isConditional(c.env.incoming.headers)
    ? (file: EntryStat | null) => checkConditions(c, file)
    : undefined
  const written = await createFile(actor, vpath, bodyOf(c), { replace, check })
  addFacts(c, { bytes: written.sizeBytes })
  return sendStatus(200, { headers: { ETag: etagOf(written) } })
}

async function saveResource(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, trailingSlash: isFolder } = c.env.target
  const check = (file: EntryStat) => checkConditions(c, file)
  const written = await saveFile(actorOf(c, deps), vpath, bodyOf(c), check, { isFolder })
  addFacts(c, { bytes: written.sizeBytes })
  return sendStatus(200, { headers: { ETag: etagOf(written) } })
}

function bodyOf(c: Ctx): Body {
  const { incoming } = c.env
  const sizeBytes = Number(incoming.headers['content-length'] ?? 0)
  return { stream: incoming, sizeBytes, mtimeMs: modifiedHeader(c) }
}

// The editor saves only what it has seen: If-Match against the file as it is now (RFC 9110 13.1.1).
function checkConditions(c: Ctx, file: EntryStat | null): void {
  const now = file && { etag: etagOf(file), mtimeMs: Number(file.mtimeNs / 1_000_000n) }
  if (refusesWrite(c.env.incoming.headers, now))
    throw new AppError(
      'precondition_failed',
      `${c.env.target.vpath} is not as the client expects`,
      {
        headers: now ? { ETag: now.etag } : {},
      },
    )
}

/** `X-Modified`: the time a file had where it comes from, in milliseconds (ours). */
export function modifiedHeader(c: Ctx): number | undefined {
  const text = c.env.incoming.headers['x-modified']
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) return undefined
  return Number(text)
}

async function deleteResource(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, query } = c.env.target
  // Ours: only what the client has seen. Asked for in the address, because a proxy may drop the body
  // of a deletion, and then nothing must go.
  const readSeen = () => readJson(c, deps, (reader) => parseSeen(reader, vpath), MAX_SEEN_BYTES)
  const trash = trashIn(query.get('trash'))
  if (query.get('seen') === 'true') await remove(actorOf(c, deps), vpath, { trash, seen: readSeen })
  else await attendJob(c, deps, { ...PLAIN, kind: 'delete', items: [vpath], trash })
  return sendStatus(204)
}

// Ours. A word that is not known must not decide what is gone for good.
function trashIn(word: string | null): boolean | null {
  if (word === null || word === '') return null
  if (word !== 'true' && word !== 'false') throw badRequest('trash is true or false')
  return word === 'true'
}

function parseSeen(reader: Reader, base: VPath): SeenEntries {
  const entries = Object.entries(reader.raw('entries') ?? {})
  const seen = new Map(
    entries.map(([path, modified]) => {
      const vpath = toVPath(path)
      if (vpath === null || (vpath !== base && !vpath.startsWith(`${base}/`)))
        throw new ParseError(`entries: ${path} is not below ${base}`)
      if (modified !== null && typeof modified !== 'string')
        throw new ParseError('entries: a time is a string or null')
      return [vpath, modified] as const
    }),
  )
  if (!seen.has(base)) throw new ParseError(`entries: ${base} is missing`)
  return seen
}

async function moveResource(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath: source, query } = c.env.target
  if (query.get('action') === 'mode') return changeMode(c, deps)
  const wanted = parseDestination(query.get('destination') ?? '')
  addFacts(c, { to: wanted })
  const action = query.get('action') ?? ''
  const how = { replace: query.get('override') === 'true', rename: query.get('rename') === 'true' }
  const target = await moveNow(c, deps, { action, source, wanted, how })
  addFacts(c, { to: target })
  return sendStatus(200, { headers: { 'X-Target': encodeURI(target) } })
}

async function moveNow(
  c: Ctx,
  deps: Deps,
  { action, source, wanted, how }: { action: string; source: VPath; wanted: VPath; how: WhenTaken },
): Promise<VPath> {
  const isKnown = action === 'copy' || action === 'rename'
  // What no job can be asked for, or is refused.
  if (!isKnown || wanted === ROOT || (how.replace && how.rename))
    return transfer(actorOf(c, deps), action, source, wanted, how)
  const { target } = await attendJob(c, deps, {
    ...PLAIN,
    kind: action === 'copy' ? 'copy' : 'move',
    items: [source],
    to: parentOf(wanted),
    conflict: how.rename ? 'rename' : how.replace ? 'replace' : 'fail',
    how: { target: wanted },
  })
  return target ?? wanted
}

const PLAIN = { to: null, conflict: 'fail', trash: null, how: {} } as const

async function changeMode(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath, query } = c.env.target
  const text = query.get('mode') ?? ''
  if (!/^[0-7]{3}$/.test(text)) throw badRequest('mode must be three octal digits')
  const recursive = query.get('recursive') === 'true'
  await setMode(actorOf(c, deps), vpath, Number.parseInt(text, 8), { recursive })
  return sendStatus(200)
}

// Clients encode the destination twice: the query decoder took the first layer, form
// decoding (where `+` is a space) takes the second. What has no second layer, such as `100%.txt`,
// was encoded once.
function parseDestination(text: string): VPath {
  let decoded = text
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {}
  const vpath = toVPath(decoded)
  if (vpath === null) throw new AppError('bad_request', 'the destination holds NUL')
  return vpath
}
