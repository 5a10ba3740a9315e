// The `If` header (RFC 4918 10.4): lists of conditions, of which one list must hold.
import { badRequest } from '../lib/errors.ts'

export interface Condition {
  isNot: boolean
  /** A lock token, or an entity tag with its quotes. */
  token?: string
  etag?: string
}

export interface ConditionList {
  /** The address that it speaks of; null for that of the request. */
  tag: string | null
  conditions: Condition[]
}

export const MAX_IF_BYTES = 8 * 1024

const PART = /\s*(?:<([^<>]*)>\s*|(\())/y
const CONDITION = /\s*(?:(Not)\s*)?(?:<([^<>]*)>|\[((?:W\/)?"[^"]*")\])\s*/iy

/** Reads the header. Throws `bad_request` for what is none, or too long. */
export function readIf(header: string): ConditionList[] {
  if (header.length > MAX_IF_BYTES) throw badRequest('If is too long', 'too_large')
  const lists: ConditionList[] = []
  let tag: string | null = null
  let at = 0
  while (at < header.trimEnd().length) {
    PART.lastIndex = at
    const part = PART.exec(header)
    if (!part) throw badRequest('If cannot be read')
    at = PART.lastIndex
    if (part[1] !== undefined) {
      // A list without a tag speaks of the request, and none of those may follow one with a tag.
      if (lists.length > 0 && lists[0]?.tag === null)
        throw badRequest('If mixes both kinds of lists')
      tag = part[1]
      continue
    }
    const conditions: Condition[] = []
    CONDITION.lastIndex = at
    for (let found = CONDITION.exec(header); found; found = CONDITION.exec(header)) {
      const [, not, token, etag] = found
      conditions.push({
        isNot: not !== undefined,
        ...(token !== undefined ? { token } : { etag: etag ?? '' }),
      })
      at = CONDITION.lastIndex
    }
    if (conditions.length === 0 || header[at] !== ')') throw badRequest('If cannot be read')
    at++
    lists.push({ tag, conditions })
  }
  if (lists.length === 0) throw badRequest('If is empty')
  return lists
}

/** All lock tokens that are named, whether they hold or not. */
export function tokensIn(lists: readonly ConditionList[]): string[] {
  return lists.flatMap(({ conditions }) => conditions.flatMap(({ token }) => token ?? []))
}

/** What is at an address: `etag` null where there is no file. */
export interface State {
  tokens: ReadonlySet<string>
  etag: string | null
}

/** Whether all conditions of a list hold. Tags compare strongly; no lock has the token `DAV:no-lock`. */
export function holds({ conditions }: ConditionList, { tokens, etag: now }: State): boolean {
  return conditions.every(({ isNot, token, etag }) => {
    const is = token !== undefined ? tokens.has(token) : etag === now && !etag?.startsWith('W/')
    return is !== isNot
  })
}
