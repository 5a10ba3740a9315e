// Who did what (docs/http-api.md 28): read by administrators, and visits to a link by whoever made it.
import { Hono } from 'hono'
import { csvHeader, csvLine } from '../audit/csv.ts'
import { AUDIT_ACTIONS, AUDIT_RESULTS } from '../audit/event.ts'
import { type AuditFilter, readAll, readPage } from '../audit/read-audit.ts'
import type { AuditPage } from '../audit-types.ts'
import { type AnswerHeaders, stream } from '../http/answer.ts'
import { audited, shareFingerprint } from '../http/audit.ts'
import { type Ctx, type Env, signedIn } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { sendJson, toJson } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'
import { createGate } from '../lib/gate.ts'
import { loadShare } from '../store/shares.ts'

const DEFAULT_LINES = 100
const MAX_LINES = 1000
/** Each may go through a hundred megabytes, and whoever made a link may ask. */
const MAX_READING = 2
const MAX_WAITING = 20
/** A block of the log, and what is made of it. */
const EXPORT_BYTES = 2 * 1024 * 1024

export function auditRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const guard = requireUser(deps)
  const inTurn = createGate(MAX_READING, MAX_WAITING)
  app.get('/api/audit', guard, async (c) => {
    const filter = await parseFilter(c, deps)
    const { query } = c.env.target
    const limit = parseLimit(query.get('limit'))
    const { auditTarget: target } = deps
    if (target.kind !== 'file') return sendJson(page([], null, target.kind))
    await deps.audit.flush()
    const { signal } = c.req.raw
    const before = query.get('before') ?? ''
    const read = () => readPage(target, filter, { before, limit, signal })
    const { lines, next } = await inTurn(read, signal)
    return sendJson(page(lines, next, target.kind))
  })
  app.get('/api/audit/export', guard, audited('audit-export'), (c) => exportLines(c, deps))
  return app
}

function page(
  lines: AuditPage['lines'],
  next: string | null,
  target: AuditPage['target'],
): AuditPage {
  return { lines, next, target }
}

async function exportLines(c: Ctx, deps: Deps): Promise<Response> {
  const filter = await parseFilter(c, deps)
  const format = c.env.target.query.get('format') ?? 'jsonl'
  if (format !== 'jsonl' && format !== 'csv') throw badRequest('format must be jsonl or csv')
  if (deps.auditTarget.kind !== 'file')
    throw new AppError('not_found', 'the audit log is kept in no file')
  await deps.audit.flush()
  const headers: AnswerHeaders = {
    'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
    'Content-Disposition': `attachment; filename="audit.${format}"`,
    'X-Content-Type-Options': 'nosniff',
  }
  return stream(headers, {
    what: 'the audit log',
    memoryBytes: EXPORT_BYTES,
    write: async (output) => {
      await output.write(format === 'csv' ? csvHeader() : '')
      for await (const records of readAll(deps.auditTarget, filter))
        await output.write(
          records.map((r) => (format === 'csv' ? csvLine(r) : `${toJson(r)}\n`)).join(''),
        )
    },
  })
}

// Only administrators read all of it; visits to a link are for whoever made it.
async function parseFilter(c: Ctx, deps: Deps): Promise<AuditFilter> {
  const { query } = c.env.target
  const { user } = signedIn(c)
  const hash = query.get('share') ?? ''
  const isOwn = hash !== '' && (await loadShare(deps.store, hash))?.userID === user.id
  if (!user.perm.admin && !isOwn) throw new AppError('forbidden', 'only for administrators')
  return {
    user: query.get('user') ?? '',
    action: oneOf(query, 'action', AUDIT_ACTIONS),
    path: query.get('path') ?? '',
    result: oneOf(query, 'result', AUDIT_RESULTS),
    share: hash === '' ? '' : shareFingerprint(hash),
    fromMs: parseTime(query, 'from', 0),
    toMs: parseTime(query, 'to', Number.POSITIVE_INFINITY),
  }
}

function oneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly T[],
): T | '' {
  const given = query.get(name) ?? ''
  const found = words.find((word) => word === given)
  if (given !== '' && found === undefined)
    throw badRequest(`${name} must be one of ${words.join(', ')}`)
  return found ?? ''
}

function parseTime(query: URLSearchParams, name: string, otherwise: number): number {
  const given = query.get(name) ?? ''
  if (given === '') return otherwise
  const ms = Date.parse(given)
  if (Number.isNaN(ms)) throw badRequest(`${name} is no time`)
  return ms
}

function parseLimit(text: string | null): number {
  if (text === null || text === '') return DEFAULT_LINES
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LINES) throw badRequest(`limit must be 1 to ${MAX_LINES}`)
  return limit
}
