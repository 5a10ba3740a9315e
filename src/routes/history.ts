// What an account has changed, and undoing it (docs/http-api.md 36).
import { Hono } from 'hono'
import { pathOf } from '../access/folder-rights.ts'
import { readRecords, type Summary } from '../history/read-history.ts'
import { isRecordId } from '../history/record.ts'
import type { HistoryItem, HistoryPage, Undoing } from '../history-types.ts'
import { answer, JSON_TYPE } from '../http/answer.ts'
import { addFacts, audited } from '../http/audit.ts'
import { actorOf, type Ctx, type Env, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson, toJson } from '../http/respond.ts'
import { badRequest } from '../lib/errors.ts'
import { createGate } from '../lib/gate.ts'
import type { PlaceText } from '../lib/places.ts'
import { undo, undoTest } from '../operations/undo.ts'

const DEFAULT_RECORDS = 50
const MAX_RECORDS = 200
/** Each may go through a hundred megabytes. */
const MAX_READING = 2
const MAX_WAITING = 20

export function historyRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const inTurn = createGate(MAX_READING, MAX_WAITING)
  app.get('/api/history', requireUser(deps), async (c) => {
    const { query } = c.env.target
    const before = query.get('before') ?? ''
    if (before !== '' && !isRecordId(before)) throw badRequest('before is no id of a record')
    const limit = parseLimit(query.get('limit'))
    const { signal } = c.req.raw
    await deps.history.flush()
    const read = () =>
      readRecords(deps.historyFiles, signedIn(c).user.id, { before, limit, signal })
    const { records, next } = await inTurn(read, signal)
    const test = undoTest(actorOf(c, deps))
    const isUndoable = async ({ isUndone, steps }: Summary) => {
      if (!isUndone) for (const step of steps) if (await test(step)) return true
      return false
    }
    const items: HistoryItem[] = []
    for (const record of records) items.push(itemOf(c, deps, record, await isUndoable(record)))
    const page: HistoryPage = { items, next }
    return sendJson(page)
  })
  app.post('/api/history/:id/undo', requireUser(deps), audited('undo'), async (c) => {
    const id = c.req.param('id')
    addFacts(c, { target: id })
    const undoing: Undoing = await undo(actorOf(c, deps), id)
    return answer(toJson(undoing), JSON_TYPE, undoing.done > 0 ? 200 : 409)
  })
  return app
}

function itemOf(c: Ctx, deps: Deps, record: Summary, isUndoable: boolean): HistoryItem {
  const { id, atMs, kind, files, bytes, times, via, isUndone, undoes } = record
  const { user } = signedIn(c)
  const shown = (place: PlaceText | undefined) => {
    const path = place === undefined ? null : pathOf(deps, user, place)
    return path !== null && c.get('scope').may(path, 'see') ? path : undefined
  }
  const [path, to] = [shown(record.path), shown(record.to)]
  return {
    id,
    at: new Date(atMs).toISOString(),
    kind,
    ...(path !== undefined && { path }),
    ...(to !== undefined && { to }),
    files,
    bytes,
    ...(times > 1 && { times }),
    via,
    undo: isUndone ? 'done' : isUndoable ? 'yes' : 'no',
    ...(undoes !== undefined && { undoes }),
  }
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return DEFAULT_RECORDS
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_RECORDS) throw badRequest(`limit must be 1 to ${MAX_RECORDS}`)
  return limit
}
