// Everything below a folder as one JSON list, streamed (http-api 7.2).
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { AppError, badRequest, isAbort } from '../errors.ts'
import { listRecursive } from '../files/recursive.ts'
import type { Deps, Env } from './env.ts'
import { requireUser } from './guard.ts'
import { toJson } from './respond.ts'
import { createResponseSink } from './response-sink.ts'

export function recursiveRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/resources/recursive', requireUser(deps), async (c) => {
    const { outgoing, target } = c.env
    const { signal } = c.req.raw
    const scope = c.get('scope')
    if (!scope.allow(target.vpath)) throw new AppError('forbidden', `${target.vpath} is denied`)
    const found = await scope.stat(target.vpath)
    if (found.kind !== 'dir') throw badRequest('path is not a directory')

    const sink = createResponseSink(outgoing, signal, () => {
      outgoing.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'X-Accel-Buffering': 'no',
      })
    })
    try {
      let opening = '['
      // A link to a folder is not followed: nothing lies below it.
      if (!found.isSymlink)
        for await (const entries of listRecursive(scope, target.vpath, signal)) {
          if (entries.length === 0) continue
          const text = entries.map(toJson).join(',')
          await sink.write(Buffer.from(opening + text))
          opening = ','
        }
      await sink.write(Buffer.from(opening === '[' ? '[]' : ']'))
      outgoing.end()
    } catch (error) {
      if (!outgoing.headersSent && !signal.aborted) throw error
      outgoing.destroy()
      if (!signal.aborted && !isAbort(error))
        deps.log.error('a recursive listing broke off', { error: String(error) })
    }
    return RESPONSE_ALREADY_SENT
  })
  return app
}
