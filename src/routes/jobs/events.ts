// What jobs tell while they run, as server-sent events (docs/http-api.md 37).
import { Hono } from 'hono'
import { answer, type Output, type Streamed } from '../../http/answer.ts'
import { type Ctx, type Env, recheck, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireUser } from '../../http/guard.ts'
import { toJson } from '../../http/respond.ts'
import { type Entry, FEW_ITEMS, viewOf } from '../../jobs/entry.ts'
import type { Changed } from '../../jobs/events.ts'
import { isEnded } from '../../jobs/record.ts'
import { AppError } from '../../lib/errors.ts'
import { visibleTo } from './visible.ts'

/** Proxies cut what is silent for a minute. */
const COMMENT_MS = 25_000
/** After a stop of the server all come back: not all at once. */
const RETRY_MS = 2_000
/** Some proxies hold back the first bytes until there are so many. */
const PADDING = ' '.repeat(2_048)
/** Of one listener. */
const MEMORY_BYTES = 64 * 1024

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}

export function jobEventRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const textOf = createTexts()
  app.get('/api/events', requireUser(deps), (c) => {
    const all = c.env.target.query.get('all') === 'true'
    if (all && !signedIn(c).user.perm.admin)
      throw new AppError('forbidden', 'only for administrators')
    const seen = c.env.incoming.headers['last-event-id']
    const body: Streamed = {
      what: 'the events of jobs',
      memoryBytes: MEMORY_BYTES,
      write: (output) =>
        tell(c, deps, output, { all, textOf, seen: typeof seen === 'string' ? seen : '' }),
    }
    return answer(body, HEADERS)
  })
  return app
}

/** Until the client or the session goes, or the server stops. */
async function tell(
  c: Ctx,
  deps: Deps,
  output: Output,
  { all, seen, textOf }: { all: boolean; seen: string; textOf: (changed: Changed) => string },
): Promise<void> {
  const { events } = deps.jobs
  const { signal } = c.req.raw
  await deps.jobs.open()
  const retryMs = Math.round(RETRY_MS * (1 + Math.random()))
  await output.write(`:${PADDING}\nretry: ${retryMs}\n\n`)
  let id = seen
  let toldMs = performance.now()
  for (;;) {
    if (!isStillAllowed(c)) return
    const isVisible = visibleTo(c, { all })
    const changed = events
      .since(id)
      // Who comes for the first time has asked for the list.
      .filter(({ entry: { record } }) => isVisible(record) && (id !== '' || !isEnded(record)))
    id = events.now()
    const lines = changed.map(textOf)
    const isLate = performance.now() - toldMs >= COMMENT_MS
    if (lines.length > 0 || isLate) {
      await output.write(lines.length > 0 ? lines.join('') : ':\n\n')
      toldMs = performance.now()
    }
    if (!(await events.next(id, { ms: COMMENT_MS, signal, test: isVisible }))) return
  }
}

/** Makes what gives the text of an event, which is the same for all who listen. */
function createTexts(): (changed: Changed) => string {
  const texts = new WeakMap<Entry, { id: string; text: string }>()
  return ({ id, entry }) => {
    const known = texts.get(entry)
    if (known?.id === id) return known.text
    const text = `event: job\nid: ${id}\ndata: ${toJson(viewOf(entry, FEW_ITEMS))}\n\n`
    texts.set(entry, { id, text })
    return text
  }
}

function isStillAllowed(c: Ctx): boolean {
  try {
    recheck(c)
    return true
  } catch {
    return false
  }
}
