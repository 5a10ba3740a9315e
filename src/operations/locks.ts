// Locks of WebDAV, honoured by every change, and made, kept and ended by their owners.
import { dirname } from 'node:path'
import { leadsToReserved } from '../files/volume/reserved-name.ts'
import { AppError, unless } from '../lib/errors.ts'
import { baseName, parentOf, ROOT, rebase, type VPath } from '../lib/vpath.ts'
import type { HeldLock } from '../lock-types.ts'
import { USERS } from '../store/collections.ts'
import type { DavLock, LockReads } from '../store/dav/locks.ts'
import { findUser, loadUser, loadUsers } from '../store/users.ts'
import { type Actor, requireMay, requireStill } from './actor.ts'
import { noted } from './change.ts'
import { madeOf } from './made.ts'

/**
 * `content` changes what is in a file or folder, `member` what a folder has names for, `tree` both and all that lies
 * below.
 */
export type Touched = 'content' | 'member' | 'tree'

/**
 * Throws `locked` where a change meets a lock whose token the caller does not bring, or that another account has
 * made. Costs nothing while nothing is locked.
 */
export async function requireUnlocked(actor: Actor, vpath: VPath, touched: Touched): Promise<void> {
  const { davLocks } = actor.services
  await davLocks.load()
  if (!davLocks.any()) return
  const places = await placesOf(actor, vpath, touched)
  for (const place of places) {
    await requireOne(actor, vpath, davLocks.holdingAt(place))
    if (touched === 'content') continue
    await requireOne(actor, vpath, davLocks.at(await folderOf(actor, vpath, place)))
    if (touched === 'tree')
      for (const lock of davLocks.below(place))
        await requireOne(actor, vpath, davLocks.at(lock.place))
  }
}

// The folder that gets or loses a name: the parent, or where it is missing the first above that is there.
async function folderOf({ scope }: Actor, vpath: VPath, place: string): Promise<string> {
  let [folder, above] = [dirname(place), parentOf(vpath)]
  while (above !== ROOT && !(await scope.exists(above)))
    [folder, above] = [dirname(folder), parentOf(above)]
  return folder
}

// Where its name is, and what is written through a link. What cannot be located is refused by the change itself.
async function placesOf({ scope }: Actor, vpath: VPath, touched: Touched): Promise<string[]> {
  const place = touched === 'content' ? scope.hostPath(vpath) : scope.entryPath(vpath)
  return place.then(
    (found) => [found],
    () => [],
  )
}

// Of shared locks one is enough; of exclusive ones there is one.
async function requireOne(actor: Actor, vpath: VPath, locks: readonly DavLock[]): Promise<void> {
  const [first] = locks
  if (!first || locks.some((lock) => isHeld(actor, lock))) return
  await loadUser(actor.services.store, first.userID)
  throw lockedBy(actor, vpath, first)
}

function lockedBy(actor: Actor, vpath: VPath, { userID, expiresMs }: DavLock): LockHeld {
  const { store } = actor.services
  // Of one that another node has just let in nothing may be loaded.
  const user = (store.large.isHeld(USERS, userID) && findUser(store, userID)?.username) || null
  return new LockHeld(vpath, {
    user,
    until: new Date(expiresMs).toISOString().replace(/\.\d+/, ''),
  })
}

/** `locked`, with who holds the lock and until when: in the sentence, and as headers for programs. */
export class LockHeld extends AppError {
  readonly lock: HeldLock

  constructor(vpath: VPath, lock: HeldLock) {
    const { user, until } = lock
    const sentence = `${baseName(vpath) || '/'} is locked by ${user ?? 'somebody'} until ${until}`
    super('locked', sentence, {
      expose: true,
      headers: {
        ...(user !== null && { 'X-Locked-By': encodeURIComponent(user.toWellFormed()) }),
        'X-Locked-Until': until,
      },
    })
    this.lock = lock
  }
}

function isHeld({ lockTokens = [], user }: Actor, { token, userID }: DavLock): boolean {
  return userID === user.id && lockTokens.includes(token)
}

export interface NewLock {
  isDeep: boolean
  isExclusive: boolean
  ownerXml: string
  seconds: number
}

/**
 * Locks an entry, with the right to modify; one that is not there becomes an empty file, with the right to create.
 * Throws `locked` where a lock is in the way, with `below` set when it is one of a member.
 */
export async function lockEntry(
  actor: Actor,
  vpath: VPath,
  { seconds, ...wanted }: NewLock,
): Promise<{ lock: DavLock; isNew: boolean }> {
  const { services, scope } = actor
  const { davLocks } = services
  requireMay(actor, 'see', vpath)
  using found = await scope.place(vpath)
  const isNew = !found.stats && !found.link
  if (isNew) await makeEmpty(actor, vpath)
  const verb = isNew ? 'create' : 'modify'
  const place = await scope.hostPath(isNew ? vpath : found, verb)
  const isDeep = wanted.isDeep && !isNew && (await scope.stat(found)).kind === 'dir'
  await davLocks.load()
  await loadUsers(
    services.store,
    davLocks.holdingAt(place).map(({ userID }) => userID),
  )
  const demand = requireStill(actor, vpath, [verb])
  const demandFree = (locks: LockReads) => {
    demand()
    requireFree(actor, vpath, locks.holdingAt(place), wanted.isExclusive)
    if (!isDeep) return
    const below = locks.below(place).find((each) => wanted.isExclusive || each.isExclusive)
    if (below)
      throw new MemberLocked(vpath, rebase(vpath, below.place.slice(place.length) as VPath))
  }
  const expiresMs = Date.now() + seconds * 1000
  const lock = { ...wanted, isDeep, place, userID: actor.user.id, expiresMs }
  return { lock: await davLocks.add(lock, demandFree), isNew }
}

/** A lock of a member is in the way of one for a whole tree. */
export class MemberLocked extends AppError {
  readonly member: VPath

  constructor(vpath: VPath, member: VPath) {
    super('locked', `something in ${vpath} is locked`, { expose: true })
    this.member = member
  }
}

function requireFree(
  actor: Actor,
  vpath: VPath,
  locks: readonly DavLock[],
  isExclusive: boolean,
): void {
  const inTheWay = locks.find((lock) => isExclusive || lock.isExclusive)
  if (inTheWay) throw lockedBy(actor, vpath, inTheWay)
}

// No command runs: what is to be in it comes with the next request.
async function makeEmpty(actor: Actor, vpath: VPath): Promise<void> {
  const demand = requireStill(actor, vpath, ['create'])
  const { scope } = actor
  if (leadsToReserved(vpath)) throw new AppError('forbidden', `${vpath} belongs to the server`)
  const parent = await scope.stat(parentOf(vpath)).catch(unless('not_found', 'not_a_folder'))
  if (vpath === ROOT || parent?.kind !== 'dir')
    throw new AppError('conflict', `there is no folder ${parentOf(vpath)}`)
  await requireUnlocked(actor, vpath, 'member')
  const temp = await scope.openTemp(vpath)
  try {
    await noted(actor, { kind: 'upload', vpath }, async (making) => {
      making.made(madeOf(await temp.commit({ replace: false, check: async () => demand() })))
    })
  } finally {
    await temp.discard()
  }
}

/** The locks that hold at an entry that the caller sees; none where there is nothing. */
export async function locksAt(actor: Actor, vpath: VPath): Promise<DavLock[]> {
  const { davLocks } = actor.services
  await davLocks.load()
  if (!davLocks.any()) return []
  return davLocks.holdingAt(await actor.scope.hostPath(vpath))
}

/** The lock of this token, where it holds at an entry that the caller sees. */
export async function lockAt(
  actor: Actor,
  vpath: VPath,
  token: string,
): Promise<DavLock | undefined> {
  const { davLocks } = actor.services
  await davLocks.load()
  const lock = davLocks.get(token)
  // One's own lock of this very path may be ended without a look at the disk.
  const isPlain = lock?.userID === actor.user.id && lock.place === actor.scope.textPath(vpath)
  if (lock && isPlain && lock.expiresMs > Date.now()) return lock
  return (await locksAt(actor, vpath)).find((each) => each.token === token)
}

/** Ends a lock; `forbidden` for whoever has not made it and does not administrate. */
export async function unlock(actor: Actor, { token, userID }: DavLock): Promise<void> {
  actor.demand()
  if (userID !== actor.user.id && !actor.user.perm.admin)
    throw new AppError('forbidden', 'the lock of somebody else')
  await actor.services.davLocks.remove(token)
}
