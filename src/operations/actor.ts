// Who asks for a change, and what they may do.
import { mayAnywhere, type TreeUser } from '../access/user-tree.ts'
import type { Verb } from '../api-types.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Origin } from '../history/record.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import type { Services } from './services.ts'

/** Operations know no requests: http/context.ts makes the actor of one. */
export interface Actor {
  readonly services: Services
  /** The account, and its tree, as of the last `demand()`. */
  readonly user: TreeUser
  readonly scope: Scope
  /** By what they ask, for the history. */
  readonly origin: Origin
  /** Ends a copy, move or deletion midway; whole files only have come or gone then. */
  readonly signal: AbortSignal
  /** Somebody has cancelled it: commands that run before a change end as well. Without it they are waited for. */
  readonly cancelled?: AbortSignal | undefined
  /** Of locks of WebDAV, as the caller brings them. */
  readonly lockTokens?: readonly string[] | undefined
  /**
   * Throws what the caller would be refused with now: the session has ended, the account is gone.
   * Otherwise `user` and `scope` are up to date. Synchronous: nothing comes between it and the act.
   */
  demand(): void
}

/** Throws `forbidden` without the right to do this anywhere. */
export function requireRight({ services, user }: Actor, verb: Verb): void {
  if (!mayAnywhere(services, user, verb))
    throw new AppError('forbidden', `no permission to ${verb}`)
}

/** Throws `forbidden` unless the account may do this to the path. */
export function requireMay({ scope }: Actor, verb: Verb, vpath: VPath): void {
  if (!scope.may(vpath, verb)) throw new AppError('forbidden', `${vpath}: no permission to ${verb}`)
}

/** Like requireMay. Call the result to check session and rights again; `verbs` may grow meanwhile. */
export function requireStill(actor: Actor, vpath: VPath, verbs: readonly Verb[]): () => void {
  const ask = () => {
    for (const verb of verbs) requireMay(actor, verb, vpath)
  }
  ask()
  return () => {
    actor.demand()
    ask()
  }
}

const WATCH_MS = 60_000

/**
 * Asks at each change of an account and once a minute, for bodies that may take hours: the session counts
 * as in use, and what `demand` throws is the signal's reason. `end` stops asking.
 */
export function watchRights(
  { services }: Actor,
  demand: () => void,
): { signal: AbortSignal; end(): void } {
  const refused = new AbortController()
  const ask = () => {
    try {
      demand()
    } catch (error) {
      refused.abort(error)
    }
  }
  const leave = services.store.subscribe(ask)
  const timer = setInterval(ask, WATCH_MS).unref()
  return {
    signal: refused.signal,
    end: () => {
      leave()
      clearInterval(timer)
    },
  }
}
