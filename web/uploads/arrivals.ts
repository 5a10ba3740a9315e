// What has arrived shows while the rest of an upload is on its way.

/** So much longer than a showing took the next one waits. */
const WAIT_SHARE = 20

/** `note` tells that something arrived; `showSoFar`, called every second, has `show` show it. */
export function createArrivals(show: () => Promise<void>) {
  let hasArrived = false
  let nextMs = 0
  return {
    note: () => {
      hasArrived = true
    },
    async showSoFar(): Promise<void> {
      const beginMs = performance.now()
      if (!hasArrived || beginMs < nextMs) return
      hasArrived = false
      nextMs = Number.POSITIVE_INFINITY
      await show()
      const endMs = performance.now()
      nextMs = endMs + WAIT_SHARE * (endMs - beginMs)
    },
  }
}
