// How far a job is, how fast, and how long it will take.

/** The speed is that of so long. */
const WINDOW_MS = 10_000
const SAMPLE_MS = 500
/** Nothing is foretold before. */
const PATIENCE_MS = 2_000

export interface Total {
  files: number
  bytes: number
}

export interface Meter {
  readonly done: Total
  total: Total | null
  current: string | null
  add(files: number, bytes: number): void
  /** Bytes in a second and seconds that are left; null where that cannot be said. */
  pace(): { bytesPerSecond: number | null; secondsLeft: number | null }
}

/** `now` gives milliseconds of a clock that is never set. */
export function createMeter(start: Total, now: () => number = () => performance.now()): Meter {
  const done = { ...start }
  const samples: { atMs: number; files: number; bytes: number }[] = [{ atMs: now(), ...start }]
  const meter: Meter = {
    done,
    total: null,
    current: null,
    add(files, bytes) {
      done.files += files
      done.bytes += bytes
      const atMs = now()
      const last = samples.at(-1)
      if (last && atMs - last.atMs < SAMPLE_MS) return
      samples.push({ atMs, ...done })
      while (samples.length > 2 && atMs - (samples[1]?.atMs ?? atMs) >= WINDOW_MS) samples.shift()
    },
    pace() {
      const [first] = samples
      const passedMs = first ? now() - first.atMs : 0
      if (!first || passedMs < PATIENCE_MS) return { bytesPerSecond: null, secondsLeft: null }
      // What has come may turn out to be of no use.
      const perMs = (key: 'files' | 'bytes') => Math.max(0, done[key] - first[key]) / passedMs
      const left = (key: 'files' | 'bytes') => {
        const rest = Math.max(0, (meter.total?.[key] ?? 0) - done[key])
        return rest === 0 ? 0 : rest / perMs(key) / 1000
      }
      // Of many small files bytes tell little, and amid a large one files tell nothing.
      const known = [left('files'), left('bytes')].filter(Number.isFinite)
      const seconds = known.length > 0 ? Math.ceil(Math.max(...known)) : null
      return {
        bytesPerSecond: Math.round(perMs('bytes') * 1000),
        secondsLeft: meter.total ? seconds : null,
      }
    },
  }
  return meter
}
