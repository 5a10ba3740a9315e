// What is counted for Prometheus. No label holds a path, a name or an address of anybody: labels are words of
// this program, so that there are some 600 series at most.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Gauge } from 'prom-client'
import { VERSION } from '../lib/version.ts'
import type { Store } from '../store/store.ts'

export interface Metrics {
  /** An answer that is over; `code` is that of a failure, else empty. */
  answered(facts: AnsweredFacts): void
  /** A hook that has ended. */
  hook(kind: 'command' | 'webhook', isOk: boolean): void
  /** Says where the present state is looked up, each time it is asked for. */
  watch(sources: MetricSources): void
  /** In the text format of Prometheus. */
  text(): Promise<string>
  contentType: string
  close(): void
}

interface AnsweredFacts {
  route: string
  status: number
  seconds: number
  /** With heads. */
  receivedBytes: number
  /** Of the body. */
  sentBytes: number
  code: string
}

export interface MetricSources {
  store: Store
  sessions(): Promise<number>
  uploads(): number | Promise<number>
  previews(): number
  roots(): { present: number; missing: number }
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10, 30]
const RECORD_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10]
const LOOP_RESOLUTION_MS = 10

/** Refusals worth an alarm; all others are counted as `other`. */
const REFUSALS = new Set([
  'unauthenticated',
  'wrong_credentials',
  'invalid_code',
  'forbidden',
  'too_many_requests',
  'locked',
  'no_space',
  'quota_exceeded',
  'unreachable',
  'internal',
])

/** Loads the library, which nobody else needs. */
export async function createMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const of = <T extends string>(name: string, help: string, labelNames: T[] = []) => ({
    name: `filebrowser_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  const requests = new Counter(of('requests_total', 'Answers, by status.', ['route', 'status']))
  const times = new Histogram({
    ...of('request_seconds', 'Time from the head of a request to the end of its answer.', [
      'route',
    ]),
    buckets: SECONDS,
  })
  const received = new Counter(of('received_bytes_total', 'Requests with their heads.', ['route']))
  const sent = new Counter(of('sent_bytes_total', 'Bodies of answers.', ['route']))
  const refusals = new Counter(of('refusals_total', 'Answers with an error code.', ['code']))
  const hooks = new Counter(of('hooks_total', 'Hooks that have ended.', ['kind', 'result']))
  const records = new Histogram({
    ...of('records_seconds', 'Time until a change of records is durable.'),
    buckets: RECORD_SECONDS,
  })
  new Gauge(of('info', 'The version that runs.', ['version'])).set({ version: VERSION }, 1)
  const loop = processGauges((name, help, collect) => {
    new Gauge({ ...of(name, help), collect })
  })
  return {
    answered: ({ route, status, seconds, receivedBytes, sentBytes, code }) => {
      requests.inc({ route, status: `${Math.floor(status / 100)}xx` })
      times.observe({ route }, seconds)
      received.inc({ route }, receivedBytes)
      sent.inc({ route }, sentBytes)
      if (code !== '') refusals.inc({ code: REFUSALS.has(code) ? code : 'other' })
    },
    hook: (kind, isOk) => hooks.inc({ kind, result: isOk ? 'ok' : 'failed' }),
    watch: ({ store, sessions, uploads, previews, roots }) => {
      timeChanges(store, (seconds) => records.observe(seconds))
      const gauge = (name: string, help: string, value: () => number | Promise<number>) => {
        new Gauge({
          ...of(name, help),
          async collect(this: Gauge) {
            this.set(await value())
          },
        })
      }
      gauge('sessions', 'Sessions that have not been ended.', sessions)
      gauge('uploads', 'Resumable uploads that are unfinished.', uploads)
      gauge('previews_waiting', 'Previews that somebody waits for.', previews)
      const nodes = store.shared?.nodes
      if (nodes)
        gauge(
          'records_lag_seconds',
          'How old what is known of changes by other nodes is.',
          () => nodes.lagMs() / 1000,
        )
      gauge('records_fresh', '1 while records are known to be up to date.', () =>
        store.isFresh() ? 1 : 0,
      )
      new Gauge({
        ...of<'state'>('roots', 'Served folders, as /ready last found them.', ['state']),
        collect(this: Gauge<'state'>) {
          const { present, missing } = roots()
          this.set({ state: 'present' }, present)
          this.set({ state: 'missing' }, missing)
        },
      })
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
    close: () => loop.close(),
  }
}

type AddGauge = (name: string, help: string, collect: (this: Gauge) => void) => void

function processGauges(add: AddGauge): { close(): void } {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loop.enable()
  const startedSeconds = (Date.now() - performance.now()) / 1000
  // A tick of the measuring timer comes after its own time.
  const delaySeconds = (ns: number) => Math.max(0, ns / 1e9 - LOOP_RESOLUTION_MS / 1000)
  add('event_loop_delay_p50_seconds', 'Half of the turns were late by less.', function set() {
    this.set(delaySeconds(loop.percentile(50)))
  })
  add('event_loop_delay_p99_seconds', '99 of 100 turns were late by less.', function set() {
    this.set(delaySeconds(loop.percentile(99)))
  })
  add('event_loop_delay_max_seconds', 'The latest turn since the last look.', function set() {
    this.set(delaySeconds(loop.max))
    // The last of the three that is asked.
    loop.reset()
  })
  add('memory_resident_bytes', 'Memory of this process.', function set() {
    this.set(process.memoryUsage.rss())
  })
  add('memory_heap_bytes', 'JavaScript objects of this process.', function set() {
    this.set(process.memoryUsage().heapUsed)
  })
  add('cpu_seconds', "Processor's time of this process, in user and system mode.", function set() {
    const { user, system } = process.cpuUsage()
    this.set((user + system) / 1e6)
  })
  add('start_time_seconds', 'When it was started, in seconds since 1970.', function set() {
    this.set(startedSeconds)
  })
  return { close: () => void loop.disable() }
}

/** Calls back with the time of each change, whichever engine keeps the records. */
function timeChanges(store: Store, onDone: (seconds: number) => void): void {
  const timed = async <T>(run: () => Promise<T>): Promise<T> => {
    const begunMs = performance.now()
    try {
      return await run()
    } finally {
      onDone((performance.now() - begunMs) / 1000)
    }
  }
  const transaction = store.transaction.bind(store)
  const ahead = store.ahead.bind(store)
  store.transaction = (change) => timed(() => transaction(change))
  store.ahead = (change, onDelay) => timed(() => ahead(change, onDelay))
}
