// How long the page's own thread works at a stretch. Measured as processor time: by the clock, a
// machine busy with other things makes every task look long.
import type { Browser, Page } from 'playwright-core'
import { leastOf } from '../support/cpu-time.ts'

/** A frame in which nothing happened still costs a little. */
const IDLE_MS = 0.5

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Microseconds by the clock. */
  ts: number
  /** Microseconds of processor time. */
  tdur?: number
  args?: { name?: string; data?: { type?: string } }
}

/** Does `work` and returns the longest task of the page's main thread meanwhile, in ms. */
export async function longestTaskMs(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number> {
  const events = await traceMain(browser, page, ['toplevel'], work)
  return Math.max(...tasksOf(events).map(({ tdur = 0 }) => tdur / 1000))
}

/**
 * The same from the first event of this type on, such as `drop`. What the browser did in the same task
 * before it told the page does not count.
 */
export async function longestTaskSinceMs(
  type: string,
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number> {
  const events = await traceMain(browser, page, ['toplevel', 'devtools.timeline'], work)
  const told = events.find(
    ({ name, args }) => name === 'EventDispatch' && args?.data?.type === type,
  )
  if (told === undefined) throw new Error(`the trace holds no ${type}`)
  const later = tasksOf(events).filter(({ ts }) => ts > told.ts)
  return Math.max(...[told, ...later].map(({ tdur = 0 }) => tdur / 1000))
}

/**
 * Does `work` and returns how long the main thread worked for each frame drawn meanwhile, in ms, the
 * shortest first: input, script, style, layout and paint, from the end of the frame before.
 */
export async function frameTimesMs(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number[]> {
  const events = await traceMain(browser, page, ['toplevel', 'devtools.timeline'], work)
  const drawn = events.filter(({ name }) => name === 'Layerize').map(({ ts }) => ts)
  drawn.sort((a, b) => a - b)
  if (drawn.length < 2) throw new Error('the trace holds no frames of the page')
  const frames = drawn.map(() => 0)
  for (const { ts, tdur = 0 } of tasksOf(events)) {
    // A task belongs to the first frame handed over after the task began.
    const frame = drawn.findIndex((at) => at >= ts)
    if (frame >= 0) frames[frame] = (frames[frame] ?? 0) + tdur / 1000
  }
  // What was done before the first frame need not belong to it; frames without work are no news.
  const busy = frames.slice(1).filter((ms) => ms > IDLE_MS)
  return busy.sort((a, b) => a - b)
}

/**
 * The least of a few measurements, in ms of the machine that the goals are for; the first one below the goal
 * is enough. What else the machine does only adds.
 */
export function leastFairMs(
  browser: Browser,
  goalMs: number,
  measure: () => Promise<number>,
): Promise<number> {
  return leastOf(goalMs, async () => (await measure()) / (await slowness(browser)))
}

/** What a frame of `slowness` takes on the machine that the goals are for, in ms. */
const FAIR_FRAME_MS = 5

/**
 * How many times slower than that machine this one draws at the moment, at least 1: a busy processor
 * shares its caches and cores, so that the same work takes more of its time. Measured on a page of its
 * own with nothing of the product on it, in frames like those of an editor that is scrolled.
 */
async function slowness(browser: Browser): Promise<number> {
  const page = await browser.newPage()
  try {
    await page.setContent('<main style="font: 14px/1.6 monospace; height: 600px; overflow: auto">')
    const frames = await frameTimesMs(browser, page, () =>
      page.evaluate(async () => {
        const main = document.querySelector('main')
        for (let turn = 0; turn < 40; turn++) {
          const lines = Array.from({ length: 36 }, (_, row) => {
            const line = document.createElement('div')
            for (let word = 0; word < 12; word++) {
              const span = document.createElement('span')
              span.style.color = `rgb(${word * 20} 0 ${row})`
              span.textContent = `word ${turn * row + word} `
              line.append(span)
            }
            return line
          })
          main?.replaceChildren(...lines)
          for (const line of lines) line.getBoundingClientRect()
          await new Promise(requestAnimationFrame)
        }
      }),
    )
    const median = frames[Math.floor(frames.length / 2)] ?? FAIR_FRAME_MS
    return Math.max(1, median / FAIR_FRAME_MS)
  } finally {
    await page.close()
  }
}

/** The value that nineteen of twenty frames keep below. */
export function p95(frames: readonly number[]): number {
  return frames[Math.floor(frames.length * 0.95)] ?? Number.POSITIVE_INFINITY
}

function tasksOf(events: readonly TraceEvent[]): TraceEvent[] {
  const tasks = events.filter(({ ph, name }) => ph === 'X' && name.includes('RunTask'))
  if (tasks.length === 0) throw new Error('the trace holds no tasks of the page')
  return tasks
}

/** The events of the page's main thread while `work` is done. */
async function traceMain(
  browser: Browser,
  page: Page,
  categories: string[],
  work: () => Promise<void>,
): Promise<TraceEvent[]> {
  await browser.startTracing(page, { categories })
  let trace: Buffer
  try {
    await work()
  } finally {
    trace = await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  return traceEvents.filter((event) => main.has(threadOf(event)))
}
