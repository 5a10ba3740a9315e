// Many files in one request; the answer has a line for each, as it lands.
import { Hono } from 'hono'
import { stream } from '../../http/answer.ts'
import { addFacts, audited, dropAct, recordAct, setAct } from '../../http/audit.ts'
import { actorOf, type Ctx, type Env } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { failureOf } from '../../http/failures.ts'
import { requireUser } from '../../http/guard.ts'
import { BUNDLE_BYTES, type Landed, receiveBundle } from '../../operations/bundle.ts'

const BUNDLE = '/api/bundle'
/** Lines that a client has not taken yet; some read nothing before they have sent everything. */
const MAX_UNREAD_BYTES = 1024 * 1024

export function bundleRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.post(BUNDLE, requireUser(deps), audited('upload'), (c) => takeBundle(c, deps))
  return app
}

function takeBundle(c: Ctx, deps: Deps): Response {
  // Of one that is refused as a whole.
  addFacts(c, { only: 'refusals' })
  const { vpath, query } = c.env.target
  const replace = query.get('override') === 'true'
  const headers = { 'Content-Type': 'application/x-ndjson; charset=utf-8' }
  return stream(headers, {
    what: 'a bundle',
    memoryBytes: BUNDLE_BYTES + MAX_UNREAD_BYTES,
    write: async (output) => {
      let pending = ''
      let writing: Promise<void> | undefined
      let isBegun = false
      const writeAll = async () => {
        while (pending !== '') {
          const lines = pending
          pending = ''
          await output.write(lines)
        }
        writing = undefined
      }
      const say = async (line: object) => {
        isBegun = true
        pending += `${JSON.stringify(line)}\n`
        writing ??= writeAll()
        // Whether somebody is still there shows in the body.
        if (pending.length > MAX_UNREAD_BYTES) await writing
        else writing.catch(() => {})
      }
      const onLanded = (landed: Landed) => say(lineOf(c, deps, landed))
      try {
        await receiveBundle(actorOf(c, deps), vpath, c.env.incoming, { replace, onLanded })
      } catch (thrown) {
        const failure = failureOf(thrown, c, deps)
        if (!isBegun || failure === null) throw thrown
        await say({ status: failure.status, code: failure.code })
      }
      await writing
    },
  })
}

/** What is answered for an entry; it has a line of its own in the audit log. */
function lineOf(c: Ctx, deps: Deps, { name, vpath, kind, bytes, failure: thrown }: Landed): object {
  const failure = thrown === undefined ? null : failureOf(thrown, c, deps)
  const status = failure?.status ?? 200
  if (vpath !== null) {
    setAct(c, kind === 'folder' ? 'make-folder' : 'upload', {
      path: vpath,
      ...(kind === 'file' && { bytes }),
    })
    recordAct(c, deps, { status, isWhole: true, bytes: 0, code: failure?.code ?? '' })
    dropAct(c)
  }
  return failure ? { name, status, code: failure.code } : { name, status }
}
