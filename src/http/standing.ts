// What is true of the caller at the head of a request need not be true at the end of its body, which
// may be hours later: an account is deleted, a right taken away, a session ended meanwhile. Guards
// and handlers say here what the request needs, and it is asked again right before the request acts.
import type { Ctx, Deps } from './env.ts'

/** An upload is judged this often, besides at each change of an account; its session counts as in use. */
const LOOK_MS = 60_000

/** Throws what a request that began now would be answered with. */
export type Demand = () => void

/** Asks for `demand` now and each time the request is judged again, after what was asked before. */
export function demandStill(c: Ctx, demand: Demand): void {
  demand()
  const demands = c.get('demands')
  if (demands) demands.push(demand)
  else c.set('demands', [demand])
}

/**
 * Asks for everything again that was demanded of this request; `user` and `scope` of the context are
 * the present ones afterwards. Synchronous, so that it can be the first step of a change of the store.
 */
export function judgeAgain(c: Ctx): void {
  for (const demand of c.get('demands') ?? []) demand()
}

/**
 * Tells when the request would be refused by now: the signal's reason is what `judgeAgain` throws. For
 * bodies that may take hours. `end` stops looking.
 */
export function watchStanding(c: Ctx, deps: Deps): { signal: AbortSignal; end(): void } {
  const refused = new AbortController()
  const look = () => {
    try {
      judgeAgain(c)
    } catch (error) {
      refused.abort(error)
    }
  }
  const leave = deps.store.subscribe(look)
  const looking = setInterval(look, LOOK_MS).unref()
  return {
    signal: refused.signal,
    end: () => {
      leave()
      clearInterval(looking)
    },
  }
}
