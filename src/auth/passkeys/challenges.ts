// Challenges that wait for their answer: each is good once, for one purpose, at one site. In memory: after a restart
// people try again.
import { randomBytes } from 'node:crypto'
import type { Site } from './site.ts'

const CHALLENGE_BYTES = 32
export const CHALLENGE_MS = 5 * 60_000
/** Strangers ask for them as well. */
const MAX_WAITING = 10_000
/** So that nobody pushes out those of others. */
const MAX_PER_OWNER = 100

/** What a challenge was given for. */
export interface Ceremony {
  purpose: 'register' | 'sign-in' | 'second' | 'confirm'
  /** Who asked: a session, an account, or the network of a stranger. */
  owner: string
  /** What the answer is held against, whatever host a later request names. */
  site: Site
  /** Of the passkey that is to be made. */
  userHandle?: string
}

export interface Challenges {
  /** A new one, base64url. The oldest goes when there are too many. */
  issue(ceremony: Ceremony): string
  /** Takes one out, so that it counts once; null for none that lives. */
  take(challenge: string): Ceremony | null
}

export function createChallenges(): Challenges {
  const waiting = new Map<string, { ceremony: Ceremony; endsMs: number }>()
  const owners = new Map<string, Set<string>>()
  const drop = (challenge: string) => {
    const found = waiting.get(challenge)
    if (!found) return null
    waiting.delete(challenge)
    const own = owners.get(found.ceremony.owner)
    own?.delete(challenge)
    if (own?.size === 0) owners.delete(found.ceremony.owner)
    return found.endsMs > Date.now() ? found.ceremony : null
  }
  const first = (of: Iterable<string>) => of[Symbol.iterator]().next().value as string
  return {
    issue: (ceremony) => {
      const nowMs = Date.now()
      // In the order in which they end.
      for (const [challenge, { endsMs }] of waiting) {
        if (endsMs > nowMs) break
        drop(challenge)
      }
      const own = owners.get(ceremony.owner)
      if (own && own.size >= MAX_PER_OWNER) drop(first(own))
      if (waiting.size >= MAX_WAITING) drop(first(waiting.keys()))
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
      waiting.set(challenge, { ceremony, endsMs: nowMs + CHALLENGE_MS })
      const set = owners.get(ceremony.owner) ?? new Set()
      owners.set(ceremony.owner, set.add(challenge))
      return challenge
    },
    take: drop,
  }
}
