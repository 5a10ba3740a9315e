// Files and folders over HTTP: read, create, save, delete, copy, rename (docs/http-api.md 7).
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import type { FileInfo } from '../api-types.ts'
import {
  childPath,
  type Listing,
  presentEntry,
  presentFile,
  presentListed,
  readListing,
  subtitlesOf,
  typeOf,
} from '../files/listing/info.ts'
import type { Scope } from '../files/place/scope.ts'
import type { CommittedFile } from '../files/place/temp-file.ts'
import {
  CHECKSUM_ALGORITHMS,
  CHECKSUM_BYTES,
  checksum,
  isChecksumAlgorithm,
} from '../files/transfer/checksum.ts'
import {
  checkSourceAndTarget,
  checkTree,
  copyTree,
  freeName,
  isSameEntry,
  moveTree,
} from '../files/transfer/copy.ts'
import { receive } from '../files/transfer/receive.ts'
import { removeSeen, type SeenEntries } from '../files/transfer/remove-seen.ts'
import { readJson } from '../http/body.ts'
import { evaluateConditions } from '../http/conditions.ts'
import type { Ctx, Deps, Env } from '../http/env.ts'
import { sendRange } from '../http/file-bytes.ts'
import { etagOf } from '../http/file-response.ts'
import { demand, demandDownload, hasRules, requireUser, treeScopeOf } from '../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../http/respond.ts'
import { writeChunk } from '../http/response-sink.ts'
import { demandStill, judgeAgain, watchStanding } from '../http/standing.ts'
import { sendWithContent } from '../http/text-content.ts'
import { AppError } from '../lib/errors.ts'
import { ParseError, type Reader } from '../lib/parse.ts'
import { baseName, parentOf, ROOT, toVPath, type VPath } from '../lib/vpath.ts'
import type { User } from '../store/document.ts'
import { imageSizeOf } from './image-size.ts'
import {
  endShares,
  endSharesOfGone,
  locateShared,
  moveWithShares,
  noteSaved,
} from './shared-places.ts'

const RESOURCES = '/api/resources'
/** Some 40,000 paths; larger trees are deleted as a whole. */
const MAX_SEEN_BYTES = 4 << 20

export function resourceRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get(RESOURCES, requireUser(deps), (c) => readResource(c, deps))
  app.post(RESOURCES, requireUser(deps), (c) => createResource(c, deps))
  app.put(RESOURCES, requireUser(deps), (c) => saveResource(c, deps))
  app.delete(RESOURCES, requireUser(deps), (c) => deleteResource(c, deps))
  app.patch(RESOURCES, requireUser(deps), (c) => moveResource(c, deps))
  return app
}

async function readResource(c: Ctx, deps: Deps): Promise<Response> {
  const { scope, user } = c.var
  const { vpath, query, rest } = c.env.target
  const path = rest === '' ? '/' : rest
  const stat = await scope.stat(vpath)
  if (stat.kind === 'dir') return sendListing(c, deps, path)

  const type = await typeOf(scope, vpath, stat)
  const wantsBytes = c.req.header('x-encoding') === 'true'
  if (wantsBytes) {
    demandDownload(user)
    if (type === 'text' && user.perm.modify) return sendContent(c, vpath)
  }
  const mayModify = user.perm.modify
  const info: FileInfo = presentFile(path, baseName(vpath), stat, { type, mayModify })
  if (type === 'video') {
    const subtitles = await subtitlesOf(scope, vpath)
    if (subtitles.length > 0) info.subtitles = subtitles
  }
  const algorithm = query.get('checksum')
  if (algorithm !== null && algorithm !== '') {
    demandDownload(user)
    await c.get('admit')(CHECKSUM_BYTES)
    info.checksums = { [algorithm]: await digest(c, vpath, algorithm, stat.sizeBytes) }
    return sendJson(info)
  }
  if (stat.kind === 'brokenLink' && user.perm.download)
    throw new AppError('not_found', `${vpath} leads nowhere`)
  if (type === 'text' && user.perm.download)
    return sendWithContent(c, deps.log, info, { scope, vpath })
  if (type === 'image' && !wantsBytes && deps.config.imageResolutionCalculation) {
    const resolution = await imageSizeOf(scope, vpath)
    if (resolution) info.resolution = resolution
  }
  return sendJson(info)
}

async function digest(c: Ctx, vpath: VPath, algorithm: string, sizeBytes: number): Promise<string> {
  if (!isChecksumAlgorithm(algorithm))
    throw new AppError('bad_request', `checksum must be one of ${CHECKSUM_ALGORITHMS.join(', ')}`)
  const file = { sizeBytes, open: () => c.var.scope.openRead(vpath) }
  return checksum(file, algorithm, { owner: c.var.user.id, signal: c.req.raw.signal })
}

async function sendContent(c: Ctx, vpath: VPath): Promise<Response> {
  const file = await c.var.scope.openRead(vpath)
  try {
    c.env.outgoing.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': file.sizeBytes,
    })
    await sendRange(c.env.outgoing, file, 0, file.sizeBytes)
    c.env.outgoing.end()
    return RESPONSE_ALREADY_SENT
  } finally {
    await file.handle.close()
  }
}

async function sendListing(c: Ctx, deps: Deps, path: string): Promise<Response> {
  const { scope, user } = c.var
  const { vpath } = c.env.target
  const { sorting } = user
  const { signal } = c.req.raw
  const stat = await scope.stat(vpath)
  const listing = await readListing(scope, vpath, sorting, {
    detection: deps.config.typeDetectionByHeader ? 'content' : 'name',
    signal,
  })
  const head = {
    numDirs: listing.numDirs,
    numFiles: listing.numFiles,
    sorting,
    ...presentEntry(path, baseName(vpath), stat, ''),
  }
  return sendItems(c, listing, (name) => childPath(path, name), head)
}

/** Entries formatted per turn of the event loop. */
const SLICE = 2_000
/** What an entry holds in memory while its listing is being sent. */
const ENTRY_BYTES = 500

/**
 * Sends a folder object, its items first, formatted in slices so that a folder of 100,000 entries
 * blocks nobody. `head` are the fields behind `items`.
 */
export async function sendItems(
  c: Ctx,
  listing: Listing,
  pathOf: (name: string) => string,
  head: Record<string, unknown> | object,
): Promise<Response> {
  const { entries } = listing
  await c.get('admit')(entries.length * ENTRY_BYTES)
  const tail = `],${toJson(head).slice(1)}`
  const slice = (from: number) =>
    toJson(
      entries.slice(from, from + SLICE).map((entry) => presentListed(pathOf(entry.name), entry)),
    ).slice(1, -1)
  const { outgoing } = c.env
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  if (entries.length <= SLICE) return new Response(`{"items":[${slice(0)}${tail}`, { headers })
  outgoing.writeHead(200, headers)
  for (let from = 0; from < entries.length; from += SLICE)
    await writeChunk(outgoing, (from === 0 ? '{"items":[' : ',') + slice(from))
  outgoing.end(tail)
  return RESPONSE_ALREADY_SENT
}

async function createResource(c: Ctx, deps: Deps): Promise<Response> {
  const { scope, user } = c.var
  const { vpath, trailingSlash, query } = c.env.target
  demandStill(c, () => demandWriting(c, 'create'))
  const change = { event: 'upload', user, scope, vpath } as const
  if (trailingSlash || vpath === ROOT) {
    await deps.hooks.around(change, () => scope.makeFolder(vpath))
    return sendStatus(200)
  }
  const replace = query.get('override') === 'true'
  if (await scope.exists(vpath)) {
    if (!replace) throw new AppError('exists', `${vpath} exists`)
    demandStill(c, () => demand(c.get('user'), 'modify'))
    if ((await scope.stat(vpath)).kind === 'dir')
      throw new AppError('is_a_folder', `${vpath} is a folder and cannot be replaced by a file`)
  }
  const written = await deps.hooks.around(change, () =>
    writeBody(c, deps, { replace, parents: true }),
  )
  return sendStatus(200, { headers: { ETag: etagOf(written) } })
}

async function saveResource(c: Ctx, deps: Deps): Promise<Response> {
  const { scope, user } = c.var
  const { vpath, trailingSlash } = c.env.target
  demandStill(c, () => demandWriting(c, 'modify'))
  if (trailingSlash) return sendStatus(405, { code: 'method_not_allowed' })
  const check = () => checkUnchanged(c)
  await check()
  const written = await deps.hooks.around({ event: 'save', user, scope, vpath }, () =>
    writeBody(c, deps, { replace: true, parents: false, check }),
  )
  return sendStatus(200, { headers: { ETag: etagOf(written) } })
}

function demandWriting(c: Ctx, permission: 'create' | 'modify'): void {
  demand(c.get('user'), permission)
  const { vpath } = c.env.target
  if (!c.get('scope').allow(vpath)) throw new AppError('forbidden', `${vpath} is denied`)
}

// The editor saves only what it has seen: If-Match against the file as it is now (RFC 9110 13.1.1).
async function checkUnchanged(c: Ctx): Promise<void> {
  const { vpath } = c.env.target
  const stat = await c.var.scope.stat(vpath)
  if (stat.kind === 'dir') throw new AppError('is_a_folder', `${vpath} is not a file`)
  if (stat.kind !== 'file')
    throw new AppError('unsupported', `${vpath} is not a file`, { status: 500 })
  const etag = etagOf(stat)
  if (evaluateConditions(c.env.incoming.headers, Number(stat.mtimeNs / 1_000_000n), etag) !== 412)
    return
  c.env.outgoing.setHeader('ETag', etag)
  throw new AppError('precondition_failed', `${vpath} has changed`)
}

interface WriteOptions {
  replace: boolean
  parents: boolean
  /** Asked again when the body is complete: another save may have come first. */
  check?: () => Promise<void>
}

/** Receives the request body beside the target and moves it into place when it is whole. */
async function writeBody(
  c: Ctx,
  deps: Deps,
  { replace, parents, check }: WriteOptions,
): Promise<CommittedFile> {
  const { scope } = c.var
  const { incoming, target } = c.env
  const located = await scope.hostPath(target.vpath)
  const temp = await scope.openTemp(target.vpath, { parents, located })
  const standing = watchStanding(c, deps)
  const checkAgain = async () => {
    judgeAgain(c)
    // Other rules or another home: the name must still lead to the same place.
    if (c.var.scope !== scope && (await c.var.scope.hostPath(target.vpath)) !== located)
      throw new AppError('forbidden', `${target.vpath} is another place now`)
    await check?.()
  }
  try {
    const announced = Number(incoming.headers['content-length'] ?? Number.NaN)
    if (announced > 0) await temp.requireSpace(announced)
    await receive(incoming, temp.fd, {
      near: temp.near,
      device: temp.device,
      signal: standing.signal,
    })
    return await deps.saves.withLock(located, async () => {
      const written = await temp.commit({
        // A file that came meanwhile is replaced by nobody who may not.
        replace: replace && c.get('user').perm.modify,
        mtimeMs: modifiedHeader(c),
        check: checkAgain,
      })
      await noteSaved(deps, scope, target.vpath, located)
      return written
    })
  } finally {
    standing.end()
    await temp.discard()
  }
}

/** `X-Modified`: the time a file had where it comes from, in milliseconds (ours). */
export function modifiedHeader(c: Ctx): number | undefined {
  const text = c.env.incoming.headers['x-modified']
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) return undefined
  return Number(text)
}

async function deleteResource(c: Ctx, deps: Deps): Promise<Response> {
  const { scope, user } = c.var
  const { vpath } = c.env.target
  const { signal } = c.req.raw
  if (vpath === ROOT) throw new AppError('forbidden', 'the root cannot be deleted')
  demandStill(c, () => demand(c.get('user'), 'delete'))
  await scope.stat(vpath)
  await checkDescendants(deps, user, vpath, null, signal)
  // Ours: only what the client has seen. Asked for in the address, because a proxy may drop the body
  // of a deletion, and then nothing must go.
  const seen =
    c.env.target.query.get('seen') === 'true'
      ? await readJson(c, deps, (reader) => parseSeen(reader, vpath), MAX_SEEN_BYTES)
      : null
  await deps.hooks.around({ event: 'delete', user, scope, vpath }, async () => {
    judgeAgain(c)
    const { scope } = c.var
    const entry = await locateShared(scope, user, vpath)
    try {
      if (seen === null) await scope.remove(vpath, signal)
      else if (!(await removeSeen(scope, vpath, seen, signal)))
        throw new AppError('precondition_failed', `${vpath} has changed`)
    } catch (error) {
      // Stopped midway: a part may have gone.
      await endSharesOfGone(deps, entry)
      throw error
    }
    await endShares(deps, entry)
  })
  return sendStatus(204)
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
  const { scope, user } = c.var
  const { vpath: source, query } = c.env.target
  const { signal } = c.req.raw
  const action = query.get('action') ?? ''
  const replace = query.get('override') === 'true'
  const rename = query.get('rename') === 'true'
  const wanted = parseDestination(query.get('destination') ?? '')
  for (const vpath of [source, wanted])
    if (!scope.allow(vpath)) throw new AppError('forbidden', `${vpath} is denied`)
  checkSourceAndTarget(source, wanted)
  if (action !== 'copy' && action !== 'rename')
    throw new AppError('bad_request', `unsupported action ${action}: invalid request params`, {
      expose: true,
    })
  const target = await chooseTarget(scope, action, source, wanted, { replace, rename })
  if (replace) demand(user, 'modify')
  demand(user, action === 'copy' ? 'create' : 'rename')
  // A new place for an entry is no right to make the folders on the way there.
  if (!user.perm.create && !(await scope.exists(parentOf(target)))) demand(user, 'create')
  await scope.stat(source)
  await checkDescendants(deps, user, source, target, signal)
  const trees = treeScopeOf(deps, user)
  const change = { event: action, user, scope, vpath: source, destination: target } as const
  await deps.hooks.around(change, async () => {
    if (action === 'copy') return copyTree(trees, source, target, { replace, signal })
    await moveWithShares(deps, { scope, user }, source, target, () =>
      moveTree(trees, source, target, { replace, signal }),
    )
  })
  return sendStatus(200, { headers: { 'X-Target': encodeURI(target) } })
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

async function chooseTarget(
  scope: Scope,
  action: string,
  source: VPath,
  wanted: VPath,
  { replace, rename }: { replace: boolean; rename: boolean },
): Promise<VPath> {
  if (action === 'rename' && (await isSameEntry(scope, source, wanted))) return wanted
  if (rename) return freeName(scope, wanted)
  if (!replace && (await scope.exists(wanted))) throw new AppError('exists', `${wanted} exists`)
  return wanted
}

/** With rules in force, refuses a change to a tree that holds a denied entry (docs/http-api.md 7.7). */
async function checkDescendants(
  deps: Deps,
  user: User,
  source: VPath,
  target: VPath | null,
  signal: AbortSignal,
): Promise<void> {
  if (!hasRules(deps, user)) return
  await checkTree(treeScopeOf(deps, user), source, target, signal)
}
