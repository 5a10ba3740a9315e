// What a group may be called, and whom it takes in by its claims.
import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '../lib/errors.ts'
import { replaceGroup, setGroupsOf } from '../store/access/groups.ts'
import { type Group, sourceOf } from '../store/access/records.ts'
import type { Transaction } from '../store/collection.ts'
import { GROUPS, IDENTITIES, MEMBERSHIPS, membershipKey } from '../store/collections.ts'
import type { Identity } from '../store/document.ts'

const MAX_NAME_BYTES = 255
const MAX_CLAIMS = 100
const MAX_CLAIM_BYTES = 1024

/** The group with its texts trimmed, and each claim once. Throws `bad_request` with the reason. */
export function checkedGroup<T extends Pick<Group, 'name' | 'claims'>>(group: T): T {
  const name = group.name.trim()
  checkText(name, 'name', MAX_NAME_BYTES)
  const claims = [...new Set(group.claims.map((claim) => claim.trim()))]
  if (claims.length > MAX_CLAIMS) throw badRequest(`claims has more than ${MAX_CLAIMS} items`)
  for (const claim of claims) checkText(claim, 'a claim', MAX_CLAIM_BYTES)
  return { ...group, name, claims }
}

/** True where one of these groups is meant: Keycloak writes it with a slash in front where it gives full paths. */
export function holds(groups: readonly string[], wanted: string): boolean {
  const bare = (name: string) => name.replace(/^\//, '')
  return groups.some((group) => bare(group) === bare(wanted))
}

/** Puts an account into the groups that claim those of its identity, and out of what its issuer has given before. */
export function takeClaimed(tx: Transaction, { userID, issuer, groups }: Identity): void {
  const claimed = tx.all(GROUPS).filter(({ claims }) => claims.some((one) => holds(groups, one)))
  const ids = claimed.map(({ id }) => id)
  setGroupsOf(tx, userID, ids, sourceOf(issuer))
}

/**
 * Replaces a group, which those leave whom it claims no more; whom it claims from now on comes with the next sign-in.
 * Throws like replaceGroup.
 */
export function changeGroup(tx: Transaction, group: Group): Group {
  const isSame = isDeepStrictEqual(tx.get(GROUPS, group.id)?.claims, group.claims)
  for (const one of isSame ? [] : tx.find(MEMBERSHIPS, 'groupID', group.id)) {
    const isClaimed = tx
      .find(IDENTITIES, 'userID', one.userID)
      .some(
        ({ issuer, groups }) =>
          sourceOf(issuer) === one.from && group.claims.some((claim) => holds(groups, claim)),
      )
    if (one.from !== 'admin' && !isClaimed) tx.remove(MEMBERSHIPS, membershipKey(one))
  }
  return replaceGroup(tx, group)
}

function checkText(text: string, what: string, maxBytes: number): void {
  if (text === '') throw badRequest(`${what} is empty`)
  if (Buffer.byteLength(text) > maxBytes)
    throw badRequest(`${what} is longer than ${maxBytes} bytes`)
  if (/\p{Cc}/u.test(text)) throw badRequest(`${what} holds control characters`)
}
