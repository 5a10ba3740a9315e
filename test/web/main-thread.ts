// How long the page's own thread works at a stretch. Measured as processor time: by the clock, a
// machine busy with other things makes every task look long.
import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Microseconds of processor time. */
  tdur?: number
  args?: { name?: string }
}

/** Does `work` and returns the longest task of the page's main thread meanwhile, in ms. */
export async function longestTaskMs(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel'] })
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
  const tasks = traceEvents.filter(
    (event) => event.ph === 'X' && event.name.includes('RunTask') && main.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error('the trace holds no tasks of the page')
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000))
}
