// Changes that other clients of File Browser wait for: what takes long is a job (docs/http-api.md 37).
import { clientAddress } from '../../http/client-address.ts'
import { actorOf, type Ctx, idOf, recheck, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import type { Outcome } from '../../jobs/entry.ts'
import type { JobOwner, JobRequest } from '../../jobs/record.ts'

/** Does it at once and waits for its end; it goes on when the client goes. Throws what it fails with. */
export function attendJob(c: Ctx, deps: Deps, request: JobRequest): Promise<Outcome> {
  const { via, operation } = actorOf(c, deps).origin
  return deps.jobs.attend(jobOwnerOf(c, deps), request, {
    origin: { via, operation },
    demand: () => recheck(c),
    signal: c.req.raw.signal,
  })
}

export function jobOwnerOf(c: Ctx, deps: Deps): JobOwner {
  const who = signedIn(c)
  return {
    userID: who.user.id,
    tokenID: who.kind === 'token' ? who.token.id : null,
    home: who.user.scope,
    session: idOf(who) ?? '',
    address: clientAddress(c, deps),
  }
}
