// What a group may be called and claim, wherever it is made.
import { badRequest } from '../lib/errors.ts'
import type { Group } from '../store/access/records.ts'

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

function checkText(text: string, what: string, maxBytes: number): void {
  if (text === '') throw badRequest(`${what} is empty`)
  if (Buffer.byteLength(text) > maxBytes)
    throw badRequest(`${what} is longer than ${maxBytes} bytes`)
  if (/\p{Cc}/u.test(text)) throw badRequest(`${what} holds control characters`)
}
