// Upload speed and time left by the product's formulas: a sample every second, the last five
// averaged, the shown figure moving a fifth of the way to that average.

import { intlLocale } from '../lib/i18n.ts'

export const SAMPLE_INTERVAL_MS = 1000
/** A tick after a late one comes early: it still counts, while two ticks in a row are one. */
const LEAST_INTERVAL_MS = SAMPLE_INTERVAL_MS / 2
const SAMPLES_KEPT = 5
const NEW_WEIGHT = 0.2

interface SpeedMeter {
  /** Notes the bytes sent so far; samples closer than half the interval are ignored. */
  sample(sentBytes: number, nowMs: number): void
  /** Bytes per second, 0 before the first full interval. */
  bytesPerSecond(): number
  /** Forgets everything: a pause must not count as a slow second. */
  reset(): void
}

export function createSpeedMeter(): SpeedMeter {
  let last: { sentBytes: number; atMs: number } | null = null
  let instants: number[] = []
  let shown: number | null = null

  return {
    sample(sentBytes, nowMs) {
      if (last === null) {
        last = { sentBytes, atMs: nowMs }
        return
      }
      const elapsedMs = nowMs - last.atMs
      if (elapsedMs < LEAST_INTERVAL_MS) return
      // A cancelled upload lowers the total; that is no negative speed.
      const instant = (Math.max(0, sentBytes - last.sentBytes) * 1000) / elapsedMs
      instants = [...instants, instant].slice(-SAMPLES_KEPT)
      const mean = instants.reduce((sum, value) => sum + value, 0) / instants.length
      shown = shown === null ? instant : NEW_WEIGHT * mean + (1 - NEW_WEIGHT) * shown
      last = { sentBytes, atMs: nowMs }
    },
    bytesPerSecond: () => shown ?? 0,
    reset() {
      last = null
      instants = []
      shown = null
    },
  }
}

export function secondsLeft(remainingBytes: number, bytesPerSecond: number): number | null {
  if (remainingBytes <= 0) return 0
  const seconds = remainingBytes / bytesPerSecond
  return Number.isFinite(seconds) ? seconds : null
}

/** "43 sec", "5 min", "1 hr 20 min", as the language writes them; null when nobody knows. */
export function formatTimeLeft(seconds: number | null): string | null {
  if (seconds === null || !Number.isFinite(seconds) || seconds <= 0) return null
  if (seconds <= 59) return inUnits(Math.ceil(seconds), 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return inUnits(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return inUnits(Math.round(hours / 24), 'day')
  const rest = minutes % 60
  const whole = inUnits(hours, 'hour')
  return rest === 0 ? whole : `${whole} ${inUnits(rest, 'minute')}`
}

function inUnits(count: number, unit: 'second' | 'minute' | 'hour' | 'day'): string {
  return new Intl.NumberFormat(intlLocale(), { style: 'unit', unit }).format(count)
}
