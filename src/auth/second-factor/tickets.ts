// Tickets: who has given the right password and still owes the second step holds one for some minutes.
import { randomBytes } from 'node:crypto'
import { type Kind, putIn, type ShortLived, takeOut } from '../../store/short-lived/short-lived.ts'

/** Whoever has to enrol may have to get an app first. */
const LIFE_MS = { prove: 5 * 60_000, enrol: 15 * 60_000 }
/** Of each account ten, so that nobody who knows one password pushes out those of others. */
const KIND: Kind<FirstStep> = { name: 'second step', max: 10_000, maxPerOwner: 10 }

/** What has been proved. */
export interface FirstStep {
  userID: number
  /** Hash of the password that was right: with another one the ticket is void. */
  passwordHash: string
  /** Sign in with the second factor, or make one first. */
  purpose: 'prove' | 'enrol'
  remember: boolean
}

export interface Tickets {
  issue(step: FirstStep): Promise<string>
  /**
   * Takes a ticket out, so that two requests cannot both use it; null for none that lives. A step that went wrong puts it
   * back with `back`, as long as it lives.
   */
  take(ticket: string): Promise<{ step: FirstStep; back(): Promise<void> } | null>
}

export function createTickets(all: ShortLived): Tickets {
  const put = (ticket: string, step: FirstStep, lifeMs: number) =>
    putIn(all, KIND, ticket, { value: step, lifeMs, owner: String(step.userID) })
  return {
    issue: async (step) => {
      const ticket = randomBytes(18).toString('base64url')
      await put(ticket, step, LIFE_MS[step.purpose])
      return ticket
    },
    take: async (ticket) => {
      const found = await takeOut(all, KIND, ticket)
      return found && { step: found.value, back: () => put(ticket, found.value, found.leftMs) }
    },
  }
}
