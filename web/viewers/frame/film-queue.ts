// Pictures of the film strip are fetched a few at a time and after the file itself: a browser opens
// six connections to a server, and the strip must not take those that the shown film needs.

const MAX_IN_FLIGHT = 2
/** The file on the stage asks first. */
const HEAD_START_MS = 300
const MAX_REMEMBERED = 2000

interface Waiting {
  url: string
  done(): void
}

/** Addresses that were loaded before and are in the browser's cache. */
export const fetched = new Set<string>()
const waiting: Waiting[] = []
let inFlight = 0

/** Fetches a picture when its turn comes and calls `done`; the result gives the turn up. */
export function loadAside(url: string, done: () => void): () => void {
  const ticket = { url, done }
  waiting.push(ticket)
  setTimeout(pump, HEAD_START_MS)
  return () => {
    const at = waiting.indexOf(ticket)
    if (at >= 0) waiting.splice(at, 1)
  }
}

function pump() {
  while (inFlight < MAX_IN_FLIGHT) {
    const next = waiting.shift()
    if (!next) return
    inFlight++
    const image = new Image()
    image.fetchPriority = 'low'
    const settle = (good: boolean) => {
      inFlight--
      if (fetched.size >= MAX_REMEMBERED) fetched.clear()
      if (good) {
        fetched.add(next.url)
        next.done()
      }
      pump()
    }
    image.onload = () => settle(true)
    image.onerror = () => settle(false)
    image.src = next.url
  }
}
