// Who has just proved again who they are: for some minutes no password is asked in that session. In memory alone.

const LIFE_MS = 10 * 60_000

export interface Confirmations {
  confirm(sessionId: string): void
  isConfirmed(sessionId: string): boolean
}

export function createConfirmations(): Confirmations {
  const ends = new Map<string, number>()
  return {
    confirm: (sessionId) => {
      const nowMs = Date.now()
      // In the order in which they end.
      for (const [id, endsMs] of ends) {
        if (endsMs > nowMs) break
        ends.delete(id)
      }
      ends.delete(sessionId)
      ends.set(sessionId, nowMs + LIFE_MS)
    },
    isConfirmed: (sessionId) => (ends.get(sessionId) ?? 0) > Date.now(),
  }
}
