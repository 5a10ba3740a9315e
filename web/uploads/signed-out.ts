// Uploads that were refused because the session ended: asks the person to sign in over the page and
// tells when they can go on, as often as that happens.

import { currentToken, recoverSession } from '../api/client.ts'
import { markUnreachable, whenOnline } from '../lib/page/network.ts'
import { session } from '../state/session.ts'

/** A new token that is refused within this time was new in vain. */
const VAIN_MS = 2000

let recoveredAtMs = Number.NEGATIVE_INFINITY

/** Resolves when uploads can be tried again; never when the person chose to leave. */
export async function whenSignedIn(refusedToken: string): Promise<void> {
  const isVain = refusedToken === currentToken() && performance.now() - recoveredAtMs < VAIN_MS
  const again = await recoverSession(refusedToken)
  recoveredAtMs = performance.now()
  if (again && !isVain) return
  if (!again && session.state === 'out') return new Promise(() => {})
  // Nobody could say whether the session goes on, or something on the way refuses every token: asked
  // again with the growing pauses of a connection that does not work.
  markUnreachable()
  await whenOnline()
}
