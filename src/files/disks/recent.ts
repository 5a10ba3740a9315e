// What was noted last. Forgetting all of it at once would have everything that is asked for again found out anew.

export interface Recent<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/** Remembers no more than `max` values, and the last `max / 2` at least. */
export function createRecent<K, V>(max: number): Recent<K, V> {
  let [now, before] = [new Map<K, V>(), new Map<K, V>()]
  return {
    get: (key) => now.get(key) ?? before.get(key),
    set: (key, value) => {
      if (now.size >= max / 2) [now, before] = [new Map(), now]
      now.set(key, value)
    },
  }
}
