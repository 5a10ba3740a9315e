// Challenges that wait for their answer: each is good once, for one purpose, at one site.
import { randomBytes } from 'node:crypto'
import { type Kind, putIn, type ShortLived, takeOut } from '../../store/short-lived/short-lived.ts'
import type { Site } from './site.ts'

const CHALLENGE_BYTES = 32
export const CHALLENGE_MS = 5 * 60_000
/** Strangers ask for them as well; of each owner a hundred, so that nobody pushes out those of others. */
const KIND: Kind<Ceremony> = { name: 'challenge', max: 10_000, maxPerOwner: 100 }

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
  issue(ceremony: Ceremony): Promise<string>
  /** Takes one out, so that it counts once; null for none that lives. */
  take(challenge: string): Promise<Ceremony | null>
}

export function createChallenges(all: ShortLived): Challenges {
  return {
    issue: async (ceremony) => {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
      const { owner } = ceremony
      await putIn(all, KIND, challenge, { value: ceremony, lifeMs: CHALLENGE_MS, owner })
      return challenge
    },
    take: async (challenge) => (await takeOut(all, KIND, challenge))?.value ?? null,
  }
}
