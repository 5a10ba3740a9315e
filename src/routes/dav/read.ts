// Content of files by WebDAV.
import { contentTypeOf } from '../../files/listing/mime.ts'
import type { OpenFile } from '../../files/place/scope.ts'
import { answer } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import type { Ctx } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf, sendFile } from '../../http/file-response.ts'
import { AppError } from '../../lib/errors.ts'
import { baseName, suffixOf, type VPath } from '../../lib/vpath.ts'
import { policyOf } from '../raw.ts'

/** By the name alone: no file is opened to tell its type. */
export function typeByName(name: string): string {
  return contentTypeOf(suffixOf(name)) || 'application/octet-stream'
}

/** GET and HEAD. A folder has no content: HEAD finds it there, GET is 405. */
export async function readFile(c: Ctx, _deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const file = await openFile(c, vpath)
  if (!file) {
    if (c.env.incoming.method === 'HEAD') return answer(null)
    throw new AppError('method_not_allowed', `${vpath} is a folder`)
  }
  const contentType = typeByName(baseName(vpath))
  return await sendFile(c, file, {
    contentType,
    cacheControl: 'private, no-cache',
    etag: etagOf(file),
    policy: policyOf(contentType),
  })
}

/** Null for a folder. */
async function openFile(c: Ctx, vpath: VPath): Promise<OpenFile | null> {
  const scope = c.get('scope')
  const plain = await scope.openPlain(vpath)
  using place = plain ? null : await scope.place(vpath)
  if (place && (await scope.stat(place)).kind === 'dir') return null
  setAct(c, 'download')
  return place ? await scope.openRead(place) : plain
}
