// Which versions of a file stay as they grow old: fewer of each span, and never the text that stood for months.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** All that are younger stay. */
export const ALL_MS = 10 * MINUTE_MS

/** Up to this age one of each span stays. */
const SPANS = [
  { untilMs: HOUR_MS, everyMs: MINUTE_MS },
  { untilMs: DAY_MS, everyMs: HOUR_MS },
  { untilMs: Number.POSITIVE_INFINITY, everyMs: DAY_MS },
]

/** A version as far as it counts here. */
export interface Aging {
  /** When it was replaced, in milliseconds. */
  replacedAt: number
  /** It stays whatever its age. */
  isKept: boolean
}

/**
 * The versions of one file that are to go: of those replaced in the same minute, hour or day, by their age, all but the
 * one that had stood longest, from when the one before it was replaced. `versions` may come in any order.
 */
export function surplusOf<T extends Aging>(versions: readonly T[], now: number): T[] {
  const inOrder = [...versions].sort((a, b) => a.replacedAt - b.replacedAt)
  const stays = new Map<string, { version: T; stoodMs: number }>()
  const surplus: T[] = []
  for (const [i, version] of inOrder.entries()) {
    const ageMs = now - version.replacedAt
    if (version.isKept || ageMs < ALL_MS) continue
    const everyMs = SPANS.find(({ untilMs }) => ageMs < untilMs)?.everyMs ?? DAY_MS
    const span = `${everyMs} ${Math.floor(version.replacedAt / everyMs)}`
    const before = inOrder[i - 1]?.replacedAt ?? Number.NEGATIVE_INFINITY
    const stoodMs = version.replacedAt - before
    const other = stays.get(span)
    if (other && other.stoodMs > stoodMs) surplus.push(version)
    else {
      if (other) surplus.push(other.version)
      stays.set(span, { version, stoodMs })
    }
  }
  return surplus
}
