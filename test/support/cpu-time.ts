// Time as the goals mean it: what a slower machine, or one with other things to do, adds is taken off.

/** Milliseconds that synchronous work keeps the processor busy. */
export function cpuMs(work: () => void): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

/** What the yardstick takes on the machine that the goals are for. */
const YARDSTICK_MS = 4
const TRIES = 8

type Measure = () => number | Promise<number>

/**
 * Measures until a figure is below `goal`, at most eight times, and gives the least of them: what else the
 * machine does only adds.
 */
export async function leastOf(goal: number, measure: Measure): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && least >= goal; tried++)
    least = Math.min(least, await measure())
  return least
}

/** The same for milliseconds, in those of the machine that the goals are for. */
export function leastMs(goalMs: number, measure: Measure): Promise<number> {
  return leastOf(goalMs, async () => (await measure()) / slowness())
}

/** How many times slower than that machine this one is at the moment, at least 1. */
function slowness(): number {
  const times = [cpuMs(yardstick), cpuMs(yardstick), cpuMs(yardstick)]
  return Math.max(1, Math.min(...times) / YARDSTICK_MS)
}

/** Some of everything: objects, texts, sorting, memory. */
function yardstick(): void {
  const rows = Array.from({ length: 8_000 }, (_, i) => ({ name: `file ${(i * 7919) % 8_000}` }))
  const copies = JSON.parse(JSON.stringify(rows)) as typeof rows
  copies.sort((a, b) => (a.name < b.name ? -1 : 1))
  new Map(copies.map((row) => [row.name, row]))
}
