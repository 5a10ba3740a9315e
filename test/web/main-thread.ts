// How long the page's own thread works at a stretch. Measured as processor time: by the clock, a
// machine busy with other things makes every task look long.
import type { Browser, Page } from 'playwright-core'

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
