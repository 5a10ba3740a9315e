// Everything below a folder as one JSON list, streamed (docs/http-api.md 7.2).
import { Hono } from 'hono'
import type { RecursiveEntry } from '../api-types.ts'
import type { ByteSink } from '../files/archive/byte-sink.ts'
import { listRecursive } from '../files/listing/recursive.ts'
import { JSON_TYPE, stream, WALK_BYTES } from '../http/answer.ts'
import type { Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { requireUser } from '../http/guard.ts'
import { toJson } from '../http/respond.ts'
import { AppError, badRequest } from '../lib/errors.ts'

export function recursiveRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/resources/recursive', requireUser(deps), async (c) => {
    const { target } = c.env
    const { signal } = c.req.raw
    const scope = c.get('scope')
    if (!scope.may(target.vpath, 'pass'))
      throw new AppError('forbidden', `${target.vpath} is denied`)
    const found = await scope.stat(target.vpath)
    if (found.kind !== 'dir') throw badRequest('path is not a directory')

    // A link to a folder is not followed: nothing lies below it.
    const batches: AsyncIterable<RecursiveEntry[]> | RecursiveEntry[][] = found.isSymlink
      ? []
      : listRecursive(scope, target.vpath, signal)
    return stream(JSON_TYPE, {
      what: 'a recursive listing',
      memoryBytes: WALK_BYTES,
      write: (output) => deps.inWalkTurn(() => writeList(batches, output), signal),
    })
  })
  return app
}

/** Writes the batches as one JSON list, as they come. */
export async function writeList<T extends object>(
  batches: AsyncIterable<T[]> | Iterable<T[]>,
  sink: ByteSink,
): Promise<void> {
  let opening = '['
  for await (const entries of batches) {
    if (entries.length === 0) continue
    await sink.write(Buffer.from(opening + entries.map(toJson).join(',')))
    opening = ','
  }
  await sink.write(Buffer.from(opening === '[' ? '[]' : ']'))
}
