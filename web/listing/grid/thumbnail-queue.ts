// Which thumbnails load now: at most six at a time, those asked for last first, because they are what
// the person is looking at. Kinds the server cannot picture are not asked for again and again.

const MAX_IN_FLIGHT = 6
/** A kind that failed this often and never succeeded is left alone for as long as the page lives. */
const GIVE_UP_AFTER = 3
const MAX_REMEMBERED = 5_000

interface Waiting {
  /** Asked for in the same render. */
  batch: number
  start(): void
}

const loaded = new Set<string>()
const failed = new Set<string>()
const waiting: Waiting[] = []
let inFlight = 0
let batch = 0
let pumping = false
const attempts = new Map<string, { good: number; bad: number }>()

export function isThumbnailLoaded(url: string): boolean {
  return loaded.has(url)
}

/** True when asking for this picture is known to be in vain. */
export function isThumbnailHopeless(url: string, kind: string): boolean {
  const tried = attempts.get(kind)
  return failed.has(url) || (tried !== undefined && tried.good === 0 && tried.bad >= GIVE_UP_AFTER)
}

/**
 * Calls `start` when it is this picture's turn. Call the result with how it ended, or with
 * `cancelled` when the picture left the screen; only the first call counts.
 */
export function queueThumbnail(
  url: string,
  kind: string,
  start: () => void,
): (outcome: 'loaded' | 'failed' | 'cancelled') => void {
  let state: 'waiting' | 'running' | 'over' = 'waiting'
  const ticket: Waiting = {
    batch,
    start() {
      state = 'running'
      inFlight++
      start()
    },
  }
  waiting.push(ticket)
  // After the current render, so that a whole screen asks before the first one starts.
  if (!pumping) {
    pumping = true
    queueMicrotask(() => {
      pumping = false
      batch++
      pump()
    })
  }
  return (outcome) => {
    if (state === 'over') return
    if (state === 'waiting') waiting.splice(waiting.indexOf(ticket), 1)
    else inFlight--
    state = 'over'
    note(url, kind, outcome)
    pump()
  }
}

function note(url: string, kind: string, outcome: 'loaded' | 'failed' | 'cancelled') {
  if (outcome === 'cancelled') return
  const tried = attempts.get(kind) ?? { good: 0, bad: 0 }
  attempts.set(kind, tried)
  if (outcome === 'loaded') tried.good++
  else tried.bad++
  const remembered = outcome === 'loaded' ? loaded : failed
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.add(url)
}

function pump() {
  while (inFlight < MAX_IN_FLIGHT) {
    // The newest screenful, from its top.
    const newest = waiting.at(-1)?.batch
    const at = waiting.findIndex((ticket) => ticket.batch === newest)
    const [next] = at < 0 ? [] : waiting.splice(at, 1)
    if (next === undefined) return
    next.start()
  }
}
