// Who a job acts for: the account as it is at each moment, not as it was when it asked.
import { isDeepStrictEqual } from 'node:util'
import { findAccount } from '../access/effective.ts'
import { scopeOf, type TreeUser, treeFactsOf } from '../access/user-tree.ts'
import type { ApiTokens } from '../auth/api-tokens.ts'
import { rests } from '../auth/external/identities.ts'
import { AppError } from '../lib/errors.ts'
import type { Actor } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import type { JobRecord } from './record.ts'

/** Rights have changed since the run began: the next one goes on under those of now. */
export class RightsChanged extends Error {}

/** Why a run is broken off. */
export class Stopped extends Error {
  readonly by: 'pause' | 'cancel' | 'close'
  constructor(by: Stopped['by']) {
    super(`stopped by ${by}`)
    this.by = by
  }
}

/** True where a further run is to go on. */
export function goesOn(reason: unknown): boolean {
  return reason instanceof RightsChanged || (reason instanceof Stopped && reason.by !== 'cancel')
}

/** The account that a job acts for. Throws `forbidden` when it or its token is gone, or its home has moved. */
export function ownerOf(
  { store }: Services,
  tokens: Pick<ApiTokens, 'stillValid'>,
  { tokenID, userID, home }: JobRecord,
): TreeUser {
  const user = tokenID === null ? findAccount(store, userID) : tokens.stillValid(tokenID)?.user
  if (!user || (tokenID === null && rests(store, user)))
    throw new AppError('forbidden', 'the account of the job is gone')
  if (user.scope !== home) throw new AppError('forbidden', 'the home of the account has moved')
  return user
}

/**
 * The actor of one run of a job. Its `demand` throws RightsChanged as soon as anything differs by which its first tree
 * was made, or what ownerOf or `demandFirst` throws.
 */
export function jobActor(
  services: Services,
  tokens: Pick<ApiTokens, 'stillValid'>,
  record: JobRecord,
  { signal, cancelled }: { signal: () => AbortSignal; cancelled: AbortSignal | undefined },
  demandFirst?: () => void,
): Actor {
  const user = ownerOf(services, tokens, record)
  const facts = treeFactsOf(services)
  const { session, operation, origin } = record
  return {
    services,
    user,
    scope: scopeOf(services, user),
    get signal() {
      return signal()
    },
    cancelled,
    origin: origin ? { session, ...origin } : { via: 'job', session, operation },
    demand: () => {
      demandFirst?.()
      const now = ownerOf(services, tokens, record)
      const isAsBefore = treeFactsOf(services).every((fact, i) => fact === facts[i])
      if (!isAsBefore || (now !== user && !isDeepStrictEqual(rightsIn(now), rightsIn(user))))
        throw new RightsChanged('the rights of the account have changed')
    },
  }
}

function rightsIn({ perm, rules, hideDotfiles, folder, atMost }: TreeUser) {
  return [perm, rules, hideDotfiles, folder, atMost]
}
