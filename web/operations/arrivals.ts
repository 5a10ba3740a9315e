// What has arrived shows while the rest of an upload or a job is on its way.

/** So much longer than a showing took the next one waits. */
const WAIT_SHARE = 20
const LEAST_MS = 900

/** `note` tells that something arrived; `showSoFar`, called every now and then, has `show` show it. */
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
      nextMs = endMs + Math.max(LEAST_MS, WAIT_SHARE * (endMs - beginMs))
    },
  }
}
