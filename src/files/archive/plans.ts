// Plans of archives that are being downloaded, kept for a while: the parts of one download belong to one plan.
import { createAllotment } from '../../lib/allotment.ts'
import { tooMany } from '../../lib/errors.ts'
import { createGate } from '../../lib/gate.ts'
import type { Plan, PlanLimits } from './plan.ts'

const MIB = 1024 * 1024
/** After the last byte. */
const LIFE_MS = 10 * 60_000
const MAX_ENTRIES = 1_000_000
/** What all plans together may take. */
const MAX_ALL_BYTES = 96 * MIB
/** Those of one account, and of one share. */
const MAX_OWN_BYTES = { account: 64 * MIB, share: 16 * MIB }
/** Trees that are walked at a time, and those that wait. */
const MAX_WALKS = 2
const MAX_WAITING = 100
const RETRY_AFTER_SECONDS = 10

export interface PlanOwner {
  kind: keyof typeof MAX_OWN_BYTES
  /** Nobody else gets its plans. */
  name: string
}

/** Whose plan, and of what. */
export interface PlanKey {
  owner: PlanOwner
  text: string
}

type MakePlan = (limits: PlanLimits, signal: AbortSignal) => Promise<Plan>

/** A plan that is kept for as long as it is not released. */
export interface HeldPlan {
  plan: Plan
  /** To be called once; with `isSpoiled` the plan is kept for nobody else. */
  release(isSpoiled?: boolean): void
}

export interface Plans {
  /**
   * Gives the plan that is kept where `isUsable` takes it, else a new one: that of somebody who is about to get it, or
   * what `make` gives. Rejects like `make`, with the reason of `signal`, and with `too_many_requests`.
   */
  hold(
    key: PlanKey,
    options: { isUsable(plan: Plan): boolean; make: MakePlan; signal: AbortSignal },
  ): Promise<HeldPlan>
  /** Forgets all that nobody holds, and gives nobody else what somebody does. */
  clear(): void
}

interface Kept {
  key: PlanKey
  plan: Plan
  holders: number
  /** Milliseconds of a clock that is never set back. */
  until: number
}

interface Walk {
  made: Promise<Kept>
  waiting: number
  controller: AbortController
}

/** `now` gives milliseconds of a clock that is never set back. */
export function createPlans(now: () => number = () => performance.now()): Plans {
  const allotment = createAllotment<Kept>((kept) => forget(kept))
  const byKey = new Map<string, Kept>()
  let timer: NodeJS.Timeout | undefined

  const forget = (kept: Kept) => {
    const id = idOf(kept.key)
    if (byKey.get(id) === kept) byKey.delete(id)
    if (kept.holders === 0) allotment.release(kept)
  }
  const sweep = () => {
    for (const kept of allotment.takers())
      if (kept.holders === 0 && kept.until <= now()) forget(kept)
    if (allotment.takers().length > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const keep = (key: PlanKey, plan: Plan): Kept => {
    const { owner } = key
    const kept = { key, plan, holders: 0, until: now() + LIFE_MS }
    const amount = plan.memoryBytes
    allotment.charge(
      kept,
      new Map([
        [`${owner.kind} ${owner.name}`, { amount, limit: MAX_OWN_BYTES[owner.kind] }],
        ['all', { amount, limit: MAX_ALL_BYTES }],
      ]),
    )
    if (!allotment.makeRoom(kept, (others) => others.find(({ holders }) => holders === 0))) {
      allotment.release(kept)
      throw tooMany('too many archives are planned', RETRY_AFTER_SECONDS)
    }
    const id = idOf(key)
    const former = byKey.get(id)
    if (former) forget(former)
    byKey.set(id, kept)
    timer ??= setInterval(sweep, LIFE_MS / 10).unref()
    return kept
  }
  const walks = createWalks(keep)
  return {
    hold: async (key, { isUsable, make, signal }) => {
      signal.throwIfAborted()
      const known = byKey.get(idOf(key))
      const isKnown = known !== undefined && known.until > now() && isUsable(known.plan)
      const kept = isKnown ? known : await walks.join(key, make, signal)
      kept.holders++
      return {
        plan: kept.plan,
        release: (isSpoiled = false) => {
          kept.holders--
          kept.until = now() + LIFE_MS
          if (isSpoiled || byKey.get(idOf(kept.key)) !== kept) forget(kept)
        },
      }
    },
    clear: () => {
      for (const kept of [...byKey.values()]) forget(kept)
      walks.leaveAlone()
    },
  }
}

/** Walks that are under way: who asks for the same waits for the same. One ends when all have left. */
function createWalks(keep: (key: PlanKey, plan: Plan) => Kept) {
  const walks = new Map<string, Walk>()
  const inTurn = createGate(MAX_WALKS, MAX_WAITING)
  const walkFor = (key: PlanKey, make: MakePlan): Walk => {
    const id = idOf(key)
    const going = walks.get(id)
    if (going) return going
    const controller = new AbortController()
    const { signal } = controller
    const limits = { entries: MAX_ENTRIES, bytes: MAX_OWN_BYTES[key.owner.kind] }
    const made = inTurn(() => make(limits, signal), signal)
      .then((plan) => keep(key, plan))
      .finally(() => {
        if (walks.get(id) === walk) walks.delete(id)
      })
    const walk = { made, waiting: 0, controller }
    // Whoever waits for it is told; all may have left.
    made.catch(() => {})
    walks.set(id, walk)
    return walk
  }
  const join = async (key: PlanKey, make: MakePlan, signal: AbortSignal): Promise<Kept> => {
    const walk = walkFor(key, make)
    walk.waiting++
    try {
      return await orAborted(walk.made, signal)
    } finally {
      walk.waiting--
      if (walk.waiting === 0) {
        if (walks.get(idOf(key)) === walk) walks.delete(idOf(key))
        walk.controller.abort()
      }
    }
  }
  return {
    join,
    /** Nobody joins those of now. */
    leaveAlone: () => walks.clear(),
  }
}

function idOf({ owner, text }: PlanKey): string {
  return `${owner.kind} ${owner.name}\n${text}`
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
