// Parts that load when they are first shown, like React.lazy, except that a failure is not for ever:
// shown again later, after the connection is back, the part is loaded again.

import { type ComponentType, lazy, useEffect, useState } from 'react'
import { retryOnceOnline } from './network.ts'

/**
 * React renders a part again as soon as its load has failed, in order to throw the failure. Only a
 * later showing is a new attempt; without this pause it would load for ever.
 */
const PAUSE_MS = 1000

/** Like React.lazy. The failure of a load is thrown where the part is shown. */
export function onDemand<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let failedAtMs: number | null = null
  const make = () =>
    lazy(() =>
      load().then(
        (loaded) => ({ default: loaded }),
        (error: unknown) => {
          failedAtMs = performance.now()
          throw error
        },
      ),
    )
  let part = make()
  // biome-ignore lint/correctness/noComponentHookFactories: called at module level, as lazy is
  return function OnDemand(props: P) {
    if (failedAtMs !== null && performance.now() - failedAtMs > PAUSE_MS) {
      failedAtMs = null
      part = make()
    }
    const Part = part as ComponentType<P>
    return <Part {...props} />
  }
}

/**
 * Shows a part as soon as it is loaded, and `Placeholder` until then. React.lazy would hide it for
 * another 300 ms, which keeps placeholders of one part after another from flickering.
 */
export function onDemandAtOnce<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Placeholder?: ComponentType,
): ComponentType<P> {
  let part: ComponentType<P> | null = null
  return function OnDemandAtOnce(props: P) {
    const [state, setState] = useState<{ failure?: unknown; part: ComponentType<P> | null }>({
      part,
    })
    useEffect(() => {
      if (part !== null) {
        // It came for another place between the drawing of this one and now.
        setState({ part })
        return
      }
      let left = false
      load().then(
        (loaded) => {
          part = loaded
          if (!left) setState({ part })
        },
        (failure: unknown) => {
          if (!left) setState({ part: null, failure })
        },
      )
      return () => {
        left = true
      }
    }, [])
    if ('failure' in state) throw state.failure
    const Part = state.part
    if (Part !== null) return <Part {...props} />
    return Placeholder ? <Placeholder /> : null
  }
}

/**
 * The same for a part beside what the person came for: where the server cannot be reached it is missing
 * until it can be, and takes nothing else away. What cannot be loaded for another reason is thrown.
 */
export function onDemandBeside<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Placeholder?: ComponentType,
): ComponentType<P> {
  return onDemandAtOnce(() => retryOnceOnline(load), Placeholder)
}
