// A request by WebDAV: who asks, which method, and how a failure is told.

import type { AuditAction } from '../../audit-types.ts'
import { MULTISTATUS_BEGIN, MULTISTATUS_END, writeResponse } from '../../dav/multistatus.ts'
import { leadsToReserved } from '../../files/volume/reserved-name.ts'
import { answer, answerOf } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import type { Ctx } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { DAV_ROOT, DAV_UPLOADS, encodePath } from '../../http/request-path.ts'
import { AppError } from '../../lib/errors.ts'
import { addressOf } from './address.ts'
import { XML_TYPE } from './bodies.ts'
import { copyOrMove } from './copy-move.ts'
import { sendError } from './failures.ts'
import { admitOrigin } from './from-elsewhere.ts'
import { lock, meetConditions, unlockEntry } from './locks.ts'
import { propfind } from './propfind.ts'
import { proppatch } from './proppatch.ts'
import { readFile } from './read.ts'
import { createSignIn } from './sign-in.ts'
import { answerUpload, UPLOAD_METHODS } from './uploads.ts'
import { deleteEntry, makeCollection, PATCH_TYPE, patchFile, putFile } from './write.ts'

type Handle = (c: Ctx, deps: Deps) => Promise<Response>

const METHODS: Readonly<Record<string, { handle: Handle; action?: AuditAction; writes?: true }>> = {
  OPTIONS: { handle: async () => answer('', ABILITIES) },
  GET: { handle: readFile },
  HEAD: { handle: headOf },
  PROPFIND: { handle: propfind },
  PROPPATCH: { handle: proppatch, action: 'properties' },
  LOCK: { handle: lock, action: 'lock' },
  UNLOCK: { handle: unlockEntry, action: 'unlock' },
  PUT: { handle: putFile, action: 'upload' },
  PATCH: { handle: patchFile, action: 'save' },
  MKCOL: { handle: makeCollection, action: 'make-folder' },
  DELETE: { handle: deleteEntry, action: 'delete' },
  COPY: { handle: copyOrMove, action: 'copy' },
  MOVE: { handle: copyOrMove, action: 'move' },
}

/** Of OPTIONS. Office asks for `MS-Author-Via`. */
export const ABILITIES = {
  Allow: Object.keys(METHODS).join(', '),
  DAV: '1, 2, 3, sabredav-partialupdate',
  'Accept-Patch': PATCH_TYPE,
  'MS-Author-Via': 'DAV',
  'Accept-Ranges': 'bytes',
}

/** Gives what answers a request to the tree. */
export function createDav(deps: Deps): (c: Ctx) => Promise<Response> {
  const signIn = createSignIn(deps)
  return async (c) => {
    c.set('presentFailure', (error) => sendError(error))
    if (c.env.target.key === DAV_ROOT) return answerAbove(c)
    const preflight = admitOrigin(c, deps, ABILITIES.Allow)
    if (preflight) return preflight
    const isUpload = c.env.target.key === DAV_UPLOADS
    if (!isUpload && isNavigation(c)) return toPage(c)
    const { method = '' } = c.env.incoming
    const known = METHODS[method]
    const Allow = isUpload ? UPLOAD_METHODS.join(', ') : ABILITIES.Allow
    if (!known || (isUpload && !UPLOAD_METHODS.includes(method)))
      throw new AppError('method_not_allowed', `${method} is not served`, { headers: { Allow } })
    await signIn(c)
    if (isUpload) return await answerUpload(c, deps, { ...ABILITIES, Allow })
    c.env.target = { ...c.env.target, vpath: await addressOf(c, c.env.target.vpath) }
    if (known.action) setAct(c, known.action)
    if (known.action || known.writes) {
      const { vpath } = c.env.target
      if (leadsToReserved(vpath)) throw new AppError('forbidden', `${vpath} belongs to the server`)
    }
    await meetConditions(c, deps)
    return await known.handle(c, deps)
  }
}

// Office asks what the top of the server can do, whatever was mounted, and Windows that it is there. Others would mount it.
function answerAbove({ env }: Ctx): Response {
  const { method, headers } = env.incoming
  if (method === 'OPTIONS')
    return answer('', { ...ABILITIES, Allow: 'OPTIONS, GET, HEAD, PROPFIND' })
  if (!/^Microsoft/i.test(headers['user-agent'] ?? ''))
    throw new AppError('not_found', 'the files are not here')
  const { path } = env.target
  const folder = writeResponse(
    path.endsWith('/') ? path : `${path}/`,
    new Map([[200, '<D:resourcetype><D:collection/></D:resourcetype>']]),
  )
  return answer(`${MULTISTATUS_BEGIN}${folder}${MULTISTATUS_END}\n`, XML_TYPE, 207)
}

/** What browsers accept first; programs of KDE name HTML as well, and send credentials once they are asked. */
const BROWSER = /^text\/html, ?application\/xhtml\+xml/

// A browser that has met Basic once sends it for ever, and no page could sign anybody out.
function isNavigation({ env }: Ctx): boolean {
  const { method, headers } = env.incoming
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headers['sec-fetch-mode'] !== undefined) return headers['sec-fetch-mode'] === 'navigate'
  return headers.authorization === undefined && BROWSER.test(headers.accept ?? '')
}

function toPage(c: Ctx): Response {
  const { dav, rest } = c.env.target
  return answer(null, { Location: `${dav?.base ?? ''}/files${encodePath(rest)}` }, 302)
}

/** Without the body, which would be read into memory. */
async function headOf(c: Ctx, deps: Deps): Promise<Response> {
  const { status, headers, body } = await answerOf(await readFile(c, deps))
  if (body !== null && typeof body === 'object' && 'write' in body) await body.close?.()
  return answer(null, headers, status)
}
