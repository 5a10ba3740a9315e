// Content of files by WebDAV.
import { contentTypeOf } from '../../files/listing/mime.ts'
import { answer } from '../../http/answer.ts'
import { setAct } from '../../http/audit.ts'
import type { Ctx } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { etagOf, sendFile } from '../../http/file-response.ts'
import { AppError } from '../../lib/errors.ts'
import { baseName, suffixOf } from '../../lib/vpath.ts'
import { policyOf } from '../raw.ts'

/** By the name alone: no file is opened to tell its type. */
export function typeByName(name: string): string {
  return contentTypeOf(suffixOf(name)) || 'application/octet-stream'
}

/** GET and HEAD. A folder has no content: HEAD finds it there, GET is 405. */
export async function readFile(c: Ctx, _deps: Deps): Promise<Response> {
  const { vpath } = c.env.target
  const scope = c.get('scope')
  using place = await scope.place(vpath)
  const { kind } = await scope.stat(place)
  if (kind === 'dir') {
    if (c.env.incoming.method === 'HEAD') return answer(null)
    throw new AppError('method_not_allowed', `${vpath} is a folder`)
  }
  setAct(c, 'download')
  const file = await scope.openRead(place)
  const contentType = typeByName(baseName(vpath))
  return await sendFile(c, file, {
    contentType,
    cacheControl: 'private, no-cache',
    etag: etagOf(file),
    policy: policyOf(contentType),
  })
}
