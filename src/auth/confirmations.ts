// Who has just proved again who they are: for some minutes no password is asked in that session.
import { type Kind, lookAt, putIn, type ShortLived } from '../store/short-lived/short-lived.ts'

const LIFE_MS = 10 * 60_000
/** By the session's id. */
const KIND: Kind<true> = { name: 'confirmed', max: 100_000 }

export interface Confirmations {
  confirm(sessionId: string): Promise<void>
  isConfirmed(sessionId: string): Promise<boolean>
}

export function createConfirmations(all: ShortLived): Confirmations {
  return {
    confirm: (sessionId) => putIn(all, KIND, sessionId, { value: true, lifeMs: LIFE_MS }),
    isConfirmed: async (sessionId) => (await lookAt(all, KIND, sessionId)) === true,
  }
}
