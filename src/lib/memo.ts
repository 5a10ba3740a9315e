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
