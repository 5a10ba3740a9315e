// What a request does, for the audit log: the route names it, one place writes it when the answer is over.
import { createHash } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import { placeOf } from '../access/folder-rights.ts'
import { type AuditEvent, resultOf } from '../audit/event.ts'
import type { AuditAction, AuditResult } from '../audit-types.ts'
import { type PlaceText, placeBelow } from '../lib/places.ts'
import type { VPath } from '../lib/vpath.ts'
import { clientAddress } from './client-address.ts'
import { type Act, type Ctx, type Ending, type Env, idOf } from './context.ts'
import type { Deps } from './deps.ts'
import type { Target } from './request-path.ts'

/** Acts on the path of the request. */
const ON_PATH: ReadonlySet<AuditAction> = new Set([
  'upload',
  'save',
  'make-folder',
  'delete',
  'copy',
  'move',
  'mode',
  'lock',
  'unlock',
  'properties',
  'version-keep',
  'version-release',
  'upload-discard',
  'download',
  'share',
])

/** Names what a route does, after the guard that says who asks. */
export function audited(action: AuditAction | ((target: Target) => AuditAction)) {
  return createMiddleware<Env>(async function auditedRoute(c, next) {
    setAct(c, typeof action === 'string' ? action : action(c.env.target))
    await next()
  })
}

/** Adds facts to what the request does; without effect where it does nothing worth a line. */
export function addFacts(c: Ctx, facts: Partial<Act>): void {
  const act = c.get('act')
  if (act) Object.assign(act, facts)
}

/** Names what the request does, where the route itself does not tell. */
export function setAct(c: Ctx, action: AuditAction, facts: Partial<Act> = {}): void {
  const path = ON_PATH.has(action) ? { path: c.env.target.vpath } : {}
  c.set('act', { action, ...path, ...facts })
}

/** For a request that turns out to do nothing worth a line. */
export function dropAct(c: Ctx): void {
  c.set('act', undefined)
}

/** Says which link it is without being one: eight hexadecimal characters. */
export function shareFingerprint(hash: string): string {
  return createHash('sha256').update(hash).digest('hex').slice(0, 8)
}

/** Writes the line of this request, when it has one. */
export function recordAct(c: Ctx, deps: Deps, { status, isWhole, bytes, code }: Ending): void {
  const act = c.get('act')
  if (!act) return
  // Nothing is handed out by these.
  if (isReading(act.action) && (c.env.incoming.method === 'HEAD' || status === 304)) return
  const { only, base, action, path, bytes: known } = act
  const answered = WRONG_PROOF.has(code) ? 'refused' : resultOf(status)
  const result = isWhole ? answered : brokenResultOf(action, status)
  if (only === 'refusals' && result !== 'refused' && status !== 507) return
  const { user, via, by, address } = whoOf(c, deps, act)
  // In the order in which people read a line; what is not set is not written.
  const event = {
    user,
    via,
    by,
    address,
    action,
    path,
    to: act.to,
    place: placeTold(c, deps, base, path),
    target: act.target,
    result: act.result ?? result,
    names: act.names,
    selected: act.selected,
    status,
    bytes: known ?? (action === 'download' && status < 400 ? bytes : undefined),
  } as AuditEvent
  deps.audit.record(event, mergeKeyOf(event, status))
}

/** Who asks did not prove who they are: answered as a mistake in a form, and told as what it is. */
const WRONG_PROOF: ReadonlySet<string> = new Set([
  'invalid_password',
  'invalid_code',
  'invalid_passkey',
])

function isReading(action: AuditAction): boolean {
  return action === 'download' || action === 'visit'
}

/** A change that was made counts, although nobody was there to read so. */
function brokenResultOf(action: AuditAction, status: number): AuditResult {
  return isReading(action) || status === 500 ? 'broken' : resultOf(status)
}

// Players and viewers ask for many parts of one file, visitors walk through a share, and programs guess
// passwords: none of them may push the rest out of the log.
function mergeKeyOf(event: AuditEvent, status: number): string | undefined {
  const { user, by, address, action, path } = event
  if (status !== 206 && status !== 429 && action !== 'visit') return undefined
  const what = action === 'visit' || status === 429 ? '' : (path ?? user ?? '')
  return JSON.stringify([user, by, address, action, what, status])
}

function whoOf(c: Ctx, deps: Deps, { user, via, by }: Partial<AuditEvent>) {
  const principal = c.get('principal')
  const address = clientAddress(c, deps) || undefined
  if (principal === undefined) return { user, via, by, address }
  if (principal.kind === 'visitor')
    return { via: 'share', by: shareFingerprint(principal.share.hash), address }
  return { user: principal.user.username, via: principal.kind, by: idOf(principal), address }
}

/** Where the path is in the served folders; undefined where its text says so. */
function placeTold(
  c: Ctx,
  deps: Deps,
  base: PlaceText | undefined,
  path: string | undefined,
): string | undefined {
  if (path === undefined) return undefined
  const principal = c.get('principal')
  const isVisitor = principal === undefined || principal.kind === 'visitor'
  const vpath = path as VPath
  const place = base
    ? placeBelow(base, vpath)
    : isVisitor
      ? path
      : placeOf(deps, principal.user, vpath).place
  return place === path ? undefined : place
}
