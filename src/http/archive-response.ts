// A folder or a selection as an archive, for users and for shares (docs/http-api.md 12.3).
import { basename } from 'node:path'
import {
  archiveExtension,
  archiveMemory,
  parseArchiveFormat,
  type WriteArchive,
} from '../files/archive/archive.ts'
import { archiveEntries, nameSelection } from '../files/archive/entries.ts'
import type { Scope } from '../files/place/scope.ts'
import { badRequest } from '../lib/errors.ts'
import { nextTurn } from '../lib/turns.ts'
import { rebase, toVPath, type VPath } from '../lib/vpath.ts'
import { type AnswerHeaders, stream } from './answer.ts'
import { addFacts } from './audit.ts'
import type { Ctx } from './context.ts'
import { disposition } from './file-response.ts'

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
