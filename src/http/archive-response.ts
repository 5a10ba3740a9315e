// A folder or a selection as an archive, for users and for shares (docs/http-api.md 12.3), planned first where that is asked for (12.4).
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import {
  archiveExtension,
  archiveMemory,
  parseArchiveFormat,
  type WriteArchive,
} from '../files/archive/archive.ts'
import { archiveEntries, nameSelection } from '../files/archive/entries.ts'
import type { ArchiveFormat } from '../files/archive/formats.ts'
import { makePlan, type Plan } from '../files/archive/plan.ts'
import { writePlanned } from '../files/archive/planned.ts'
import type { PlanOwner, Plans } from '../files/archive/plans.ts'
import type { Scope } from '../files/place/scope.ts'
import { AppError, badRequest, errnoOf } from '../lib/errors.ts'
import { nextTurn } from '../lib/turns.ts'
import { rebase, toVPath, type VPath } from '../lib/vpath.ts'
import { type AnswerHeaders, type Output, stream } from './answer.ts'
import { addFacts } from './audit.ts'
import { isListed } from './conditions.ts'
import type { Ctx } from './context.ts'
import { disposition, sendContent } from './file-response.ts'

/** Names that are put in place before others get their turn. */
const SLICE = 4_000
/** Of a selection, in the audit log. */
const MAX_NAMES = 50
/** A first byte that comes later is one that proxies do not wait for. */
const PATIENCE_MS = 20_000
/** What has changed within it may well change again. */
const QUIET_MS = 60_000
/** Why an archive that need not be planned is not. */
const CANNOT: readonly string[] = ['too_large', 'too_many_requests', 'conflict']

interface ArchiveOptions {
  writeArchive: WriteArchive
  /** What the tree's root is called; default the name of the folder on disk. */
  rootName?: string
  /** Gives what is registered under the id of a `selection` query, relative to the folder. */
  selection: (id: string) => readonly VPath[] | Promise<readonly VPath[]>
  /** Of those who may have archives planned. */
  planned?: { plans: Plans; owner: PlanOwner }
}

/**
 * Sends the folder at `vpath`, or what `files` or `selection` of the query selects in it, in the
 * format `algo`. The caller has made sure that it is a folder the client may read. Throws 400 for an
 * unknown format or an undecodable selection, 404 for one that is not registered (any more). What
 * fails after the first bytes breaks the connection.
 */
export async function sendArchive(
  c: Ctx,
  scope: Scope,
  vpath: VPath,
  options: ArchiveOptions,
): Promise<Response> {
  const { target } = c.env
  const format = parseArchiveFormat(target.query.get('algo'))
  const id = target.query.get('selection')
  const roots = id
    ? await placeIn(vpath, await options.selection(id))
    : parseSelection(vpath, target.query.get('files') ?? '')
  const rootName = options.rootName ?? basename(await scope.rootPath(vpath))
  if (roots.length !== 1 || roots[0] !== vpath)
    addFacts(c, { names: roots.slice(0, MAX_NAMES), selected: roots.length })
  const { common, name } = await nameSelection(scope, vpath, roots, rootName)

  const asked = options.planned ? askedPlan(c) : 'none'
  if (options.planned && asked !== 'none') {
    const how = { ...options.planned, format, roots, common, name }
    const planned = await (asked === 'auto' ? planWherePossible : sendPlannedArchive)(c, scope, how)
    if (planned) return planned
  }
  const { signal } = c.req.raw
  const headers = (firstBytes: Uint8Array): AnswerHeaders => ({
    'Content-Type': archiveTypeOf(firstBytes),
    'Content-Disposition': disposition('attachment', name + archiveExtension(format)),
    'X-Content-Type-Options': 'nosniff',
  })
  return stream(headers, {
    what: 'an archive',
    memoryBytes: archiveMemory(format),
    write: (output) =>
      options.writeArchive(archiveEntries(scope, roots, common, signal), format, output, signal),
  })
}

interface PlannedArchive {
  plans: Plans
  owner: PlanOwner
  format: ArchiveFormat
  roots: readonly VPath[]
  common: VPath
  /** Without its extension. */
  name: string
  /** Ends the planning. */
  patience?: AbortSignal
  /** No file may have changed for so long; else it is `conflict`. */
  quietMs?: number
}

/** Whether an archive is to be planned, or is where that can be; else it is sent as it is made. */
function askedPlan(c: Ctx): 'none' | 'auto' | 'plan' {
  const planned = c.env.target.query.get('planned') ?? ''
  if (planned === '' || planned === 'false') return 'none'
  return planned === 'auto' ? 'auto' : 'plan'
}

/**
 * What cannot be planned soon is null, and so is what is being written to: a file that changes would break the answer.
 */
async function planWherePossible(
  c: Ctx,
  scope: Scope,
  how: PlannedArchive,
): Promise<Response | null> {
  if (how.format !== 'zip' && how.format !== 'tar') return null
  const patience = AbortSignal.timeout(PATIENCE_MS)
  try {
    return await sendPlannedArchive(c, scope, { ...how, patience, quietMs: QUIET_MS })
  } catch (error) {
    c.req.raw.signal.throwIfAborted()
    const cannot = error === patience.reason || CANNOT.includes(errnoOf(error))
    if (!cannot) throw error
    return null
  }
}

/**
 * Walks first, then answers with length, validator and ranges: 200, 206, 304, 412, 416. What is named by `planned`
 * other than `true` is the validator that it must have. Throws 400 for other formats than zip and tar, and `too_large`
 * for too many entries. A file that changes breaks the connection, and is 412 before the first byte.
 */
async function sendPlannedArchive(
  c: Ctx,
  scope: Scope,
  { plans, owner, format, roots, common, name, patience, quietMs = 0 }: PlannedArchive,
): Promise<Response> {
  if (format !== 'zip' && format !== 'tar') throw badRequest('planned archives are zip or tar')
  const { signal } = c.req.raw
  const wanted = wantedTag(c)
  const text = createHash('sha256')
    .update(JSON.stringify([format, common, ...roots]))
    .digest('hex')
  const { plan, release } = await plans.hold(
    { owner, text },
    {
      isUsable: ({ etag }) => continues(c, etag, wanted),
      make: (limits, making) =>
        makePlan(archiveEntries(scope, roots, common, making), { format, common }, limits, making),
      signal: patience ? AbortSignal.any([signal, patience]) : signal,
    },
  )
  let isSpoiled = false
  const close = () => release(isSpoiled)
  if (c.env.incoming.headers.range === undefined && plan.newestMs > Date.now() - quietMs) {
    close()
    throw new AppError('conflict', 'a file of the archive has just changed')
  }
  if (wanted !== null && wanted !== plan.etag) {
    close()
    throw new AppError('precondition_failed', 'the archive has changed since it was planned')
  }
  const write = async (output: Output, start: number, end: number) => {
    try {
      await writePlanned(plan, { start, end }, scope, output, signal)
    } catch (error) {
      isSpoiled = error instanceof AppError
      throw error
    }
  }
  const headers = {
    contentType: typeOf(plan, format),
    disposition: disposition('attachment', name + archiveExtension(format)),
    cacheControl: 'private, no-cache',
    etag: plan.etag,
  }
  return await sendContent(c, headers, {
    what: 'an archive',
    sizeBytes: plan.sizeBytes,
    memoryBytes: archiveMemory(format),
    write,
    writeLast: write,
    close,
  })
}

/** The validator in the address. */
function wantedTag(c: Ctx): string | null {
  const planned = c.env.target.query.get('planned') ?? ''
  return planned === 'true' || planned === 'auto' ? null : `"${planned}"`
}

// A plan that is kept serves those who go on with it alone; whoever begins gets the folder as it is now.
function continues(c: Ctx, etag: string, wanted: string | null): boolean {
  const { headers } = c.env.incoming
  if (wanted !== null) return wanted === etag
  const ifRange = headers['if-range']
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined && isListed(ifMatch, etag)) return true
  return headers.range !== undefined && (ifRange === undefined || ifRange === etag)
}

// As of archives that are not planned: the first bytes say what it is.
function typeOf({ count }: Plan, format: ArchiveFormat): string {
  return format === 'zip' && count > 0 ? 'application/zip' : 'application/octet-stream'
}

/**
 * Decodes `files`: separated by commas, each part percent-encoded once more, `+` literal, relative
 * to `folder`, which it cannot leave. Empty means the folder itself.
 */
function parseSelection(folder: VPath, files: string): VPath[] {
  if (files === '') return [folder]
  const selected = files.split(',').map((part) => {
    const relative = toVPath(decodePart(part))
    if (relative === null) throw badRequest('a selected name is not valid')
    return rebase(folder, relative)
  })
  return [...new Set(selected)]
}

// As many as may be registered, so not in one go.
async function placeIn(folder: VPath, relatives: readonly VPath[]): Promise<VPath[]> {
  const placed: VPath[] = []
  for (const relative of relatives) {
    placed.push(rebase(folder, relative))
    if (placed.length % SLICE === 0) await nextTurn()
  }
  return placed
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badRequest('a selected name cannot be decoded')
  }
}

// As the original sniffs it: a zip without entries starts with its end record and is not recognised.
function archiveTypeOf(firstBytes: Uint8Array): string {
  const [a, b, c, d] = firstBytes
  if (a === 0x50 && b === 0x4b && c === 3 && d === 4) return 'application/zip'
  if (a === 0x1f && b === 0x8b) return 'application/x-gzip'
  return 'application/octet-stream'
}
