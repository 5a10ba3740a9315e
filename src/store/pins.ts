// What must not be let go of while somebody uses it.

export interface Pins<K> {
  has(key: K): boolean
  /** Keeps a key until the result is called, as often as it was pinned. */
  pin(key: K): () => void
}

export function createPins<K>(): Pins<K> {
  const counts = new Map<K, number>()
  return {
    has: (key) => counts.has(key),
    pin: (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      let isPinned = true
      return () => {
        if (!isPinned) return
        isPinned = false
        const left = (counts.get(key) ?? 1) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    },
  }
}
