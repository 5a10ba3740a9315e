// A clock that ticks every minute, so that relative dates on the screen do not freeze. One timer
// for the whole page, none while nobody looks.

import { useSyncExternalStore } from 'react'

const MINUTE_MS = 60_000
const listeners = new Set<() => void>()
let nowMs = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  nowMs = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now()
    timer = setInterval(tick, MINUTE_MS)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** The time of the last tick, in ms since the epoch; renders anew each minute. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}
