// What was deleted and is kept (docs/http-api.md 34): seen and brought back by who may do so at the place where it was.
import { Hono } from 'hono'
import { keepPolicyOf } from '../../config/keep-policy.ts'
import { parseDuration } from '../../config/option-values.ts'
import { formatTime } from '../../files/listing/time-format.ts'
import { addFacts, audited, dropAct, setAct } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { actorOf, type Ctx, type Env, recheck } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireAdmin, requireUser } from '../../http/guard.ts'
import { describeFile, sendFolder } from '../../http/listing-response.ts'
import { sendJson, sendStatus } from '../../http/respond.ts'
import type { TrashEntry } from '../../keep/trash.ts'
import type { RestoreAnswer, TrashItem, TrashPage } from '../../keep-types.ts'
import { AppError, badRequest, fromErrno } from '../../lib/errors.ts'
import { asString, type Reader } from '../../lib/parse.ts'
import { inTurns } from '../../lib/turns.ts'
import { isWithin, ROOT, rebase, toVPath, type VPath } from '../../lib/vpath.ts'
import { restore } from '../../operations/restore.ts'
import {
  entriesSeenBy,
  entrySeenBy,
  mayErase,
  requireMayErase,
  type SeenEntry,
  scopeOfEntry,
} from '../../operations/trash-entries.ts'
import { usageOfTrash } from '../../operations/trash-usage.ts'
import { loadNames, loadUserByName } from '../../store/users.ts'
import { sendRaw } from '../raw.ts'

const DEFAULT_ITEMS = 100
const MAX_ITEMS = 1_000
const MAX_IDS = 100_000
const MAX_IDS_BYTES = 4 << 20
/** Of paths in a line of the audit log. */
const MAX_NAMES = 50
const CONFLICTS = ['fail', 'rename', 'replace'] as const

export function trashRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  app.get('/api/trash', guard, async (c) => sendJson(await listTrash(c, deps)))
  app.get('/api/trash/usage', guard, requireAdmin, async () => sendJson(await usageOfTrash(deps)))
  app.get('/api/trash/:id', guard, (c) => readEntry(c, deps))
  app.post('/api/trash/restore', guard, audited('restore'), (c) => restoreEntries(c, deps))
  app.delete('/api/trash', guard, audited('erase'), (c) => eraseMany(c, deps))
  app.delete('/api/trash/:id', guard, audited('erase'), async (c) => {
    const actor = actorOf(c, deps)
    const seen = await entrySeenBy(actor, c.req.param('id'))
    addFacts(c, { path: seen.path })
    requireMayErase(actor, seen)
    return accept(c, deps, [seen])
  })
  return app
}

async function listTrash(c: Ctx, deps: Deps): Promise<TrashPage> {
  const { query } = c.env.target
  const limit = parseLimit(query.get('limit'))
  const actor = actorOf(c, deps)
  const seenBy = await entriesSeenBy(actor)
  const account = query.get('account') ?? ''
  const owner = account === '' ? undefined : await loadUserByName(deps.store, account)
  const isAsked = filterOf(query, account === '' ? null : (owner?.id ?? NOBODY))
  const cursor = query.get('cursor') ?? ''
  const page: SeenEntry[] = []
  const uncounted: TrashEntry[] = []
  let [total, totalBytes, past] = [0, 0, 0]
  await inTurns(seenBy, (seen) => {
    if (!isAsked(seen)) return
    const { entry } = seen
    total++
    totalBytes += entry.bytes ?? 0
    if (entry.bytes === null) uncounted.push(entry)
    if (page.length === 0 && cursor !== '' && cursorOf(seen) >= cursor) return
    if (++past <= limit) page.push(seen)
  })
  const last = page.at(-1)
  deps.keeping.sizes.want([...page.map(({ entry }) => entry), ...uncounted])
  const nameOf = await loadNames(
    deps.store,
    page.map(({ entry }) => entry.userID),
  )
  const { ageMs } = keepPolicyOf(deps.config, deps.store.settings())
  return {
    items: page.map((seen): TrashItem => {
      const { entry, path } = seen
      const time = (ms: number) =>
        entry.deletedAt === 0 ? null : formatTime(BigInt(Math.trunc(ms)) * 1_000_000n)
      return {
        id: entry.id,
        path,
        isLost: entry.realPath === null,
        isDir: entry.isDir,
        size: entry.bytes,
        files: entry.files,
        deletedAt: time(entry.deletedAt),
        expiresAt: time(entry.deletedAt + ageMs),
        by: nameOf(entry.userID),
        canRestore: actor.scope.may(path, 'create'),
        canErase: mayErase(actor, seen),
      }
    }),
    next: last && past > limit ? cursorOf(last) : null,
    total,
    totalBytes,
  }
}

/** Sorts by time; text, so that a client can hand it back. */
function cursorOf({ entry }: SeenEntry): string {
  return `${String(Math.trunc(entry.deletedAt)).padStart(15, '0')}-${entry.id}`
}

/** No account has this number. */
const NOBODY = 0

function filterOf(query: URLSearchParams, userID: number | null): (seen: SeenEntry) => boolean {
  const folder = toVPath(query.get('path') ?? '')
  if (folder === null) throw badRequest('path holds NUL')
  const text = (query.get('q') ?? '').toLowerCase()
  return ({ entry, path }) =>
    isWithin(folder, path) &&
    (userID === null || entry.userID === userID) &&
    (text === '' || path.toLowerCase().includes(text))
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return DEFAULT_ITEMS
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_ITEMS) throw badRequest(`limit must be 1 to ${MAX_ITEMS}`)
  return limit
}

async function readEntry(c: Ctx, deps: Deps): Promise<Response> {
  const actor = actorOf(c, deps)
  const { vpath: below, query } = c.env.target
  const seen = await entrySeenBy(actor, c.req.param('id') ?? '')
  const scope = await scopeOfEntry(actor, seen)
  const path = below === ROOT ? seen.path : rebase(seen.path, below)
  using place = await scope.place(path)
  if (query.get('raw') === 'true') {
    setAct(c, 'download', { path })
    if (!scope.may(path, 'download'))
      throw new AppError('download_forbidden', `${path}: no permission to download`)
    return await sendRaw(c, deps, scope, place)
  }
  const stat = await scope.stat(place)
  const asked = { scope, place, stat, path }
  if (stat.kind !== 'dir') return sendJson(await describeFile(asked, false))
  const { signal } = c.req.raw
  const { sorting } = actor.user
  const detection = deps.config.typeDetectionByHeader ? 'content' : 'name'
  const { sniffedTypes: types, largeFolders } = deps
  return await sendFolder(asked, { sorting, detection, types, largeFolders, signal })
}

interface Wanted {
  ids: string[]
  to: VPath | null
  conflict: (typeof CONFLICTS)[number]
}

async function restoreEntries(c: Ctx, deps: Deps): Promise<Response> {
  const { ids, to, conflict } = await readJson(c, deps, parseWanted, MAX_IDS_BYTES)
  const actor = actorOf(c, deps)
  const answer: RestoreAnswer = { restored: [], failed: [] }
  for (const id of new Set(ids)) {
    try {
      const slash = id.indexOf('/')
      const below = slash < 0 ? ROOT : toVPath(id.slice(slash))
      if (below === null) throw badRequest('a path holds NUL')
      const seen = await entrySeenBy(actor, slash < 0 ? id : id.slice(0, slash))
      const path = await restore(actor, seen, { to, conflict, below })
      answer.restored.push({ id, path })
    } catch (error) {
      const { code } = fromErrno(error, id)
      if (code === 'unauthenticated') throw error
      answer.failed.push({ id, code })
    }
  }
  const names = answer.restored.map(({ path }) => path)
  if (names.length === 0 && answer.failed.length === 0) dropAct(c)
  addFacts(c, {
    names: names.slice(0, MAX_NAMES),
    selected: names.length,
    ...(answer.failed.length > 0 && { result: names.length > 0 ? 'broken' : 'failed' }),
  })
  return sendJson(answer)
}

function parseWanted(r: Reader): Wanted {
  const ids = r.list('ids', asString, MAX_IDS)
  const to = r.has('to') ? toVPath(r.str('to')) : null
  if (r.has('to') && to === null) throw badRequest('to holds NUL')
  const conflict = CONFLICTS.find((word) => word === r.str('conflict', 'fail'))
  if (conflict === undefined) throw badRequest(`conflict must be one of ${CONFLICTS.join(', ')}`)
  return { ids, to, conflict }
}

/** All that the caller may delete for good, or what is older than so long. */
async function eraseMany(c: Ctx, deps: Deps): Promise<Response> {
  const { query } = c.env.target
  const ageMs = parseAge(query.get('olderThan') ?? '')
  // Nobody knows how old some are.
  const isOld = ({ deletedAt }: TrashEntry) =>
    ageMs === 0 || (deletedAt > 0 && deletedAt <= Date.now() - ageMs)
  const actor = actorOf(c, deps)
  const seen: SeenEntry[] = []
  await inTurns(await entriesSeenBy(actor), (each) => {
    if (isOld(each.entry) && mayErase(actor, each)) seen.push(each)
  })
  recheck(c)
  return accept(c, deps, seen)
}

function parseAge(text: string): number {
  try {
    return text === '' ? 0 : parseDuration(text)
  } catch (error) {
    throw badRequest(`olderThan: ${(error as Error).message}`)
  }
}

// They leave the list at once, and the disk as soon as it can be.
async function accept(c: Ctx, deps: Deps, seen: readonly SeenEntry[]): Promise<Response> {
  const names = seen.slice(0, MAX_NAMES).map(({ path }) => path)
  addFacts(c, { names, selected: seen.length, result: 'ok' })
  await deps.keeping.leaving.erase(seen.map(({ entry }) => entry))
  return sendStatus(202)
}
