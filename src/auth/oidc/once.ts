// What counts once: attempts that have come back, and logouts that were told.

/** Strangers cause entries only with what the provider or this server has signed. */
const MAX_KEPT = 10_000

/** True the first time a key is shown within its life. */
export type Once = (key: string, lifeMs: number) => boolean

export function createOnce(): Once {
  const ends = new Map<string, number>()
  return (key, lifeMs) => {
    const nowMs = Date.now()
    if ((ends.get(key) ?? 0) > nowMs) return false
    for (const [old, endsMs] of ends) {
      if (endsMs > nowMs && ends.size < MAX_KEPT) break
      ends.delete(old)
    }
    ends.delete(key)
    ends.set(key, nowMs + lifeMs)
    return true
  }
}
