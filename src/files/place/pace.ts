// Many direct calls on a local disk (see disks.ts) in one go: they stop being direct where the
// disk answers slowly, and others get their turn in between.

/** A turn of the event loop may last this long. */
const TURN_MS = 4
/**
 * A single call slower than this, or calls that took this long on average of SAMPLE: the disk has
 * to be waited for, and the thread pool does that.
 */
const SLOW_CALL_MS = 20
const SLOW_AVERAGE_MS = 1
const SAMPLE = 16

export interface Pace {
  /** False once the disk has been slow: from then on through the pool. */
  readonly isQuick: boolean
  /** Measures the part of `work` that runs at once. */
  time<T>(work: () => T): T
  /** To be awaited where it gives a promise: the turn has lasted long enough. */
  turn(): Promise<void> | undefined
}

export function createPace(): Pace {
  let isQuick = true
  let sampled = 0
  let sampleMs = 0
  let turnEndsAt = performance.now() + TURN_MS
  return {
    get isQuick() {
      return isQuick
    },
    time: (work) => {
      const startedAt = performance.now()
      try {
        return work()
      } finally {
        const ms = performance.now() - startedAt
        sampleMs += ms
        sampled++
        if (ms > SLOW_CALL_MS || sampleMs > SAMPLE * SLOW_AVERAGE_MS) isQuick = false
        if (sampled === SAMPLE) sampled = sampleMs = 0
      }
    },
    turn: () => {
      if (performance.now() < turnEndsAt) return undefined
      return new Promise((resolve) => {
        setImmediate(() => {
          turnEndsAt = performance.now() + TURN_MS
          resolve()
        })
      })
    },
  }
}
