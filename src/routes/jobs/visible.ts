// Which jobs a caller may see.
import { type Ctx, signedIn } from '../../http/context.ts'
import type { JobRecord } from '../../jobs/record.ts'

/** Those of an account; a token sees its own, since others may lie outside of its folder. Administrators see all. */
export function visibleTo(c: Ctx, { all = true } = {}): (record: Readonly<JobRecord>) => boolean {
  const who = signedIn(c)
  return ({ userID, tokenID }) => {
    if (all && who.user.perm.admin) return true
    return userID === who.user.id && (who.kind !== 'token' || tokenID === who.token.id)
  }
}
