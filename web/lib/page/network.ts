// Whether the server can be reached. A failed call says no; while it is so, the server is asked
// again every few seconds, and whoever waits is told when it answers. Where it answers that question
// and breaks off everything else, the pauses grow, too.

import { proxy } from 'valtio'

export const network = proxy({ online: true })

/** A connection that lasted this long counts as sound: the next loss is a new one. */
const SOUND_MS = 60_000

const waiting = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined
let attempt = 0
let reachedAtMs = 0
let ask: () => Promise<void> = async () => {}
let asking: Promise<boolean> | null = null

/** Gives the function that makes one attempt to reach the server. */
export function setProbe(probe: () => Promise<void>): void {
  ask = probe
}

export function markReached(): void {
  if (network.online) return
  network.online = true
  reachedAtMs = Date.now()
  clearTimeout(timer)
  const all = [...waiting]
  waiting.clear()
  for (const resolve of all) resolve()
  // An answer that was on its way when the connections were cut says nothing of now.
  if (globalThis.navigator?.onLine === false) void askWhileOffline()
}

export function markUnreachable(): void {
  if (!network.online) return
  network.online = false
  if (Date.now() - reachedAtMs > SOUND_MS) attempt = 0
  schedule()
}

/** Asks at once, for a "Try again" button. */
export function retryNow(): void {
  clearTimeout(timer)
  void probe()
}

/** Resolves when the server can be reached, at once when it can be now. */
export function whenOnline(): Promise<void> {
  return network.online ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))
}

/**
 * Runs a load that may fail for want of a connection: then it is run again once the server can be reached.
 * Rejects as `load` does when the server could be reached all along.
 */
export async function retryOnceOnline<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch {
      // Back already, perhaps: one more attempt tells.
      if (await isReachable()) return load()
      await whenOnline()
    }
  }
}

/** Many may ask at the same time: the server is asked once. */
function isReachable(): Promise<boolean> {
  asking ??= ask()
    .then(
      () => true,
      () => false,
    )
    .then((isThere) => {
      asking = null
      if (isThere) markReached()
      else markUnreachable()
      return isThere
    })
  return asking
}

function schedule(): void {
  const delayMs = Math.min(2000 * 1.6 ** attempt, 20_000)
  attempt++
  timer = setTimeout(() => void probe(), delayMs)
}

async function probe(): Promise<void> {
  try {
    await ask()
    markReached()
  } catch {
    // Still away; any reason counts the same.
    if (!network.online) schedule()
  }
}

const OFFLINE_QUESTIONS = 5

// Only a hint: a server on this machine or in the house may be reached all the same. The device may also say so
// before its connections are cut.
async function askWhileOffline(): Promise<void> {
  for (let asked = 0; asked < OFFLINE_QUESTIONS && network.online && !navigator.onLine; asked++) {
    if (asked > 0) await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** asked))
    await ask().catch(markUnreachable)
  }
}

globalThis.addEventListener?.('offline', () => void askWhileOffline())

globalThis.addEventListener?.('online', () => {
  if (!network.online) retryNow()
})
