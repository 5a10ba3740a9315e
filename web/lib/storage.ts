// The browser's storage, which can be blocked or full: then things are kept until the page closes.

const memory = new Map<string, string>()

export const storage = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key) ?? memory.get(key) ?? null
    } catch {
      return memory.get(key) ?? null
    }
  },
  /** What is kept as JSON; null for nothing, and for what something else has damaged. */
  getJson(key: string): unknown {
    try {
      return JSON.parse(this.get(key) ?? 'null')
    } catch {
      return null
    }
  },

  set(key: string, value: string): void {
    memory.set(key, value)
    try {
      localStorage.setItem(key, value)
    } catch {
      // Blocked or full: the value in memory serves until the page is left, not an older one.
      removeStored(key)
    }
  },
  remove(key: string): void {
    memory.delete(key)
    removeStored(key)
  },
}

function removeStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Blocked: there was nothing to remove.
  }
}
