/**
 * Makes a pure function remember its results. The keys must never change; a result goes with its key, so
 * that such a memo may stand in a module.
 */
export function memo<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { result: T }>()
  return (key) => {
    let known = made.get(key)
    if (!known) {
      known = { result: make(key) }
      made.set(key, known)
    }
    return known.result
  }
}

/** A pure function that remembers its last result. */
export function rememberLast<T>(make: (key: number) => T): (key: number) => T {
  let lastKey = 0
  let last = make(lastKey)
  return (key) => {
    if (key !== lastKey) [lastKey, last] = [key, make(key)]
    return last
  }
}

export interface Recent<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/**
 * Remembers no more than `max` values, and the last `max / 2` at least: forgetting all at once would have everything that
 * is asked for again found out anew.
 */
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
