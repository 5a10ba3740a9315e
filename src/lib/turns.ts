// Turns of the event loop, for work that would keep all others waiting.

const waiting: (() => void)[] = []

/**
 * Lets the event loop handle what is waiting. Of several who ask one goes on in each turn, so that
 * many long works together stop the loop no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(callNext)
  })
}

function callNext(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(callNext)
  next?.()
}

/** A turn of the event loop may last this long. */
const TURN_MS = 4

/**
 * To be called between the steps of long work: gives a promise to wait for where the turn has lasted
 * long enough.
 */
export function createTurns(): () => Promise<void> | undefined {
  let endsAt = performance.now() + TURN_MS
  return () => {
    if (performance.now() < endsAt) return undefined
    return nextTurn().then(() => {
      endsAt = performance.now() + TURN_MS
    })
  }
}

/** Does something with each of many, in turns of the event loop. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const turn = createTurns()
  for (const item of items) {
    work(item)
    const others = turn()
    if (others) await others
  }
}
