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
import { AppError, badRequest } from '../lib/errors.ts'
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

interface ArchiveOptions {
  writeArchive: WriteArchive
  /** What the tree's root is called; default the name of the folder on disk. */
  rootName?: string
  /** Gives what is registered under the id of a `selection` query, relative to the folder. */
  selection: (id: string) => readonly VPath[]
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
    ? await placeIn(vpath, options.selection(id))
    : parseSelection(vpath, target.query.get('files') ?? '')
  const rootName = options.rootName ?? basename(await scope.rootPath(vpath))
  if (roots.length !== 1 || roots[0] !== vpath)
    addFacts(c, { names: roots.slice(0, MAX_NAMES), selected: roots.length })
  const { common, name } = await nameSelection(scope, vpath, roots, rootName)

  if (options.planned && asksForPlan(c))
    return sendPlannedArchive(c, scope, { ...options.planned, format, roots, common, name })
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
}

/** Whether an archive is to be planned; else it is sent as it is made. */
function asksForPlan(c: Ctx): boolean {
  const planned = c.env.target.query.get('planned')
  return planned !== null && planned !== '' && planned !== 'false'
}

/**
 * Walks first, then answers with length, validator and ranges: 200, 206, 304, 412, 416. What is named by `planned`
 * other than `true` is the validator that it must have. Throws 400 for other formats than zip and tar, and `too_large`
 * for too many entries. A file that changes breaks the connection, and is 412 before the first byte.
 */
async function sendPlannedArchive(
  c: Ctx,
  scope: Scope,
  { plans, owner, format, roots, common, name }: PlannedArchive,
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
      signal,
    },
  )
  let isSpoiled = false
  const close = () => release(isSpoiled)
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
  return planned === 'true' ? null : `"${planned}"`
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
