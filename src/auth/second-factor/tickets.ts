// Tickets: who has given the right password and still owes the second step holds one for some minutes. In memory: after a
// restart people sign in anew.
import { randomBytes } from 'node:crypto'

/** Whoever has to enrol may have to get an app first. */
const LIFE_MS = { prove: 5 * 60_000, enrol: 15 * 60_000 }
const MAX_TICKETS = 10_000
/** So that nobody who knows one password pushes out those of others. */
const MAX_PER_USER = 10

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
  issue(step: FirstStep): string
  /**
   * Takes a ticket out, so that two requests cannot both use it; null for none that lives. A step that went wrong puts it
   * back with `back`, as long as it lives.
   */
  take(ticket: string): { step: FirstStep; back(): void } | null
}

export function createTickets(): Tickets {
  const held = new Map<string, { step: FirstStep; endsMs: number }>()
  const dropOldest = (count: number, isOne: (step: FirstStep) => boolean) => {
    let left = count
    for (const [ticket, { step }] of held) {
      if (left <= 0) return
      if (!isOne(step)) continue
      held.delete(ticket)
      left--
    }
  }
  return {
    issue: (step) => {
      const nowMs = Date.now()
      for (const [ticket, { endsMs }] of held) if (endsMs <= nowMs) held.delete(ticket)
      const isOwn = ({ userID }: FirstStep) => userID === step.userID
      const own = [...held.values()].filter((other) => isOwn(other.step)).length
      dropOldest(own + 1 - MAX_PER_USER, isOwn)
      dropOldest(held.size + 1 - MAX_TICKETS, () => true)
      const ticket = randomBytes(18).toString('base64url')
      held.set(ticket, { step, endsMs: nowMs + LIFE_MS[step.purpose] })
      return ticket
    },
    take: (ticket) => {
      const found = held.get(ticket)
      held.delete(ticket)
      if (!found || found.endsMs <= Date.now()) return null
      return { step: found.step, back: () => void held.set(ticket, found) }
    },
  }
}
