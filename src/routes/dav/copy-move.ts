// COPY and MOVE.

import { leadsToReserved } from '../../files/volume/reserved-name.ts'
import { answer } from '../../http/answer.ts'
import { addFacts } from '../../http/audit.ts'
import { actorOf, type Ctx, signedIn } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { DAV, parseTarget } from '../../http/request-path.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { VPath } from '../../lib/vpath.ts'
import { putAt } from '../../operations/replace.ts'
import { addressOf, isTop } from './address.ts'

export async function copyOrMove(c: Ctx, deps: Deps): Promise<Response> {
  const { vpath: source } = c.env.target
  const isMove = c.env.incoming.method === 'MOVE'
  const depth = c.req.header('depth')?.trim().toLowerCase() ?? 'infinity'
  if (depth !== 'infinity' && (isMove || depth !== '0'))
    throw badRequest(isMove ? 'Depth is infinity' : 'Depth is 0 or infinity')
  const overwrite = c.req.header('overwrite')?.trim().toUpperCase() ?? 'T'
  if (overwrite !== 'T' && overwrite !== 'F') throw badRequest('Overwrite is T or F')
  const actor = actorOf(c, deps)
  const target = await destinationOf(c, deps)
  addFacts(c, { to: target })
  if (source === target || isTop(c, source) || isTop(c, target))
    throw new AppError('forbidden', `${source} does not go to ${target}`)
  const replaced = await putAt(actor, source, target, {
    action: isMove ? 'rename' : 'copy',
    overwrite: overwrite === 'T',
    isShallow: depth === '0',
  })
  return answer(replaced ? null : '', {}, replaced ? 204 : 201)
}

/** Only the path counts: a proxy may have changed scheme and host. */
export async function destinationOf(c: Ctx, deps: Deps): Promise<VPath> {
  const { destination } = c.env.incoming.headers
  if (typeof destination !== 'string') throw badRequest('Destination is missing')
  const { baseURL } = deps.config
  const { key, vpath, dav } = parseTarget(destination, baseURL, 'COPY', true)
  if (key === DAV && dav) {
    const { username } = dav
    if (username !== null && username !== signedIn(c).user.username)
      throw new AppError('forbidden', `the destination is in the tree of ${username}`)
    if (leadsToReserved(vpath)) throw new AppError('forbidden', `${vpath} belongs to the server`)
    return await addressOf(c, vpath)
  }
  if (key.startsWith('/-/bad')) throw badRequest('Destination is no address')
  deps.log.warn(
    `the destination ${JSON.stringify(destination.slice(0, 200))} is not in the tree; behind a proxy with a path prefix set --baseURL`,
  )
  throw new AppError('bad_request', 'The destination is not in your files.', {
    status: 502,
    expose: true,
  })
}
