// LOCK and UNLOCK, what `If` says, and locks as properties.
import { holds, readIf, type State, tokensIn } from '../../dav/if-header.ts'
import { readLockInfo, secondsOf, type ToldLock, writeLocks } from '../../dav/lock-info.ts'
import { MULTISTATUS_BEGIN, MULTISTATUS_END, writeStatus } from '../../dav/multistatus.ts'
import { writeElement } from '../../dav/xml.ts'
import { answer } from '../../http/answer.ts'
import { addFacts, dropAct, setAct } from '../../http/audit.ts'
import { actorOf, type Ctx, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf } from '../../http/file-response.ts'
import { DAV, parseTarget } from '../../http/request-path.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { isWithin, parentOf, type VPath } from '../../lib/vpath.ts'
import { requireMay } from '../../operations/actor.ts'
import { lockAt, lockEntry, locksAt, MemberLocked, unlock } from '../../operations/locks.ts'
import type { DavLock } from '../../store/dav/locks.ts'
import { addressOf, hrefTo, topOf } from './address.ts'
import { readXml, XML_TYPE } from './bodies.ts'
import { sendError } from './failures.ts'

/**
 * Notes the lock tokens that the request brings, and throws `precondition_failed` where none of the lists of `If`
 * holds.
 */
export async function meetConditions(c: Ctx, deps: Deps): Promise<void> {
  const { if: header, 'lock-token': own } = c.env.incoming.headers
  // Windows sends it there at times.
  const single = typeof own === 'string' ? [tokenIn(own)] : []
  const lists = typeof header === 'string' ? readIf(header) : []
  c.set('lockTokens', [...tokensIn(lists), ...single])
  if (lists.length === 0) return
  for (const list of lists)
    if (holds(list, await stateAt(c, deps, list.tag).catch(() => NOTHING))) return
  throw new AppError('precondition_failed', 'no list of If holds')
}

const NOTHING: State = { tokens: new Set(), etag: null }

async function stateAt(c: Ctx, deps: Deps, tag: string | null): Promise<State> {
  let { vpath } = c.env.target
  if (tag !== null) {
    const tagged = parseTarget(tag, deps.config.baseURL, 'PUT', true)
    if (tagged.key !== DAV) throw new AppError('not_found', `${tag} is not in the tree`)
    vpath = await addressOf(c, tagged.vpath)
  }
  const actor = actorOf(c, deps)
  const locks = await locksAt(actor, vpath)
  const found = await actor.scope.stat(vpath).catch(() => null)
  return {
    tokens: new Set(locks.map(({ token }) => token)),
    etag: found?.kind === 'file' ? etagOf(found) : null,
  }
}

function tokenIn(header: string): string {
  return header.trim().replace(/^<|>$/g, '')
}

export async function lock(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  const body = await readXml(c, deps)
  const seconds = secondsOf(c.req.header('timeout'))
  if (body === null) return refresh(c, deps, seconds)
  const depth = c.req.header('depth')?.trim().toLowerCase() ?? 'infinity'
  if (depth !== '0' && depth !== 'infinity') throw badRequest('Depth is 0 or infinity')
  const wanted = { ...readLockInfo(body), isDeep: depth === 'infinity', seconds }
  try {
    const { lock: made, isNew } = await lockEntry(actor, vpath, wanted)
    if (isNew) setAct(c, 'upload', { bytes: 0 })
    const headers = { ...XML_TYPE, 'Lock-Token': `<${made.token}>` }
    return answer(writeProp(c, [made]), headers, isNew ? 201 : 200)
  } catch (error) {
    if (!(error instanceof MemberLocked)) throw error
    return tellMember(c, error)
  }
}

async function refresh(c: Ctx, deps: Deps, seconds: number): Promise<Response> {
  // Its end is put off, nothing else: clients do so all the time.
  dropAct(c)
  const { vpath } = c.env.target
  const actor = actorOf(c, deps)
  const tokens = c.get('lockTokens') ?? []
  const own = (await locksAt(actor, vpath)).find(
    ({ token, userID }) => userID === actor.user.id && tokens.includes(token),
  )
  if (own) requireMay(actor, 'see', vpath)
  const fresh = own && (await deps.davLocks.refresh(own.token, Date.now() + seconds * 1000))
  if (!fresh) throw new AppError('precondition_failed', `${vpath} has no such lock`)
  return answer(writeProp(c, [fresh]), XML_TYPE)
}

/** UNLOCK, by whoever has made the lock; administrators end others by the page's interface. */
export async function unlockEntry(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const header = c.req.header('lock-token')
  if (header === undefined) throw badRequest('Lock-Token is missing')
  const actor = actorOf(c, deps)
  const found = await lockAt(actor, vpath, tokenIn(header))
  if (!found) {
    const error = new AppError('conflict', 'It has no such lock.', { expose: true })
    return sendError(error, 'lock-token-matches-request-uri')
  }
  if (found.userID !== actor.user.id) throw new AppError('forbidden', 'the lock of somebody else')
  await unlock(actor, found)
  return answer(null, {}, 204)
}

// The member that is in the way, where it may be named, and the entry itself that depends on it.
function tellMember(c: Ctx, { member }: MemberLocked): Response {
  addFacts(c, { result: 'failed' })
  const { vpath } = c.env.target
  const isSeen = c.get('scope').may(member, 'see')
  const texts = [
    ...(isSeen ? [writeStatus(hrefTo(c, member, false), 423)] : []),
    writeStatus(hrefTo(c, vpath, true), isSeen ? 424 : 423),
  ]
  return answer(`${MULTISTATUS_BEGIN}${texts.join('')}${MULTISTATUS_END}\n`, XML_TYPE, 207)
}

function writeProp(c: Ctx, locks: readonly DavLock[]): string {
  const { vpath } = c.env.target
  const content = writeLocks(locks.map((each) => tell(c, vpath, 0, each)))
  const discovery = writeElement({ ns: 'DAV:', local: 'lockdiscovery' }, content)
  return `<?xml version="1.0" encoding="utf-8"?>\n<D:prop xmlns:D="DAV:">${discovery}</D:prop>\n`
}

/** The locks that hold at a path and real path, as XML. */
export function discover(c: Ctx, deps: Deps, vpath: VPath, realPath: string): string {
  const { davLocks } = deps
  if (!davLocks.any()) return ''
  const depthOf = (path: string) => path.split('/').length
  return writeLocks(
    davLocks
      .holdingAt(realPath)
      .map((each) => tell(c, vpath, depthOf(realPath) - depthOf(each.place), each)),
  )
}

/** `levels`: how far up the lock is. */
function tell(c: Ctx, vpath: VPath, levels: number, each: DavLock): ToldLock {
  let root = vpath
  for (let i = 0; i < levels; i++) root = parentOf(root)
  const isInside = isWithin(topOf(c), root) && vpath.split('/').length > levels
  const isOwn = each.userID === signedIn(c).user.id
  return {
    ...each,
    token: isOwn ? each.token : null,
    secondsLeft: Math.max(0, Math.ceil((each.expiresMs - Date.now()) / 1000)),
    root: isInside ? hrefTo(c, root, levels > 0 || c.env.target.trailingSlash) : null,
  }
}
