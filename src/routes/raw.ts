// Bytes of files, and folders as archives (http-api 12).
import { Hono } from 'hono'
import { readHead } from '../files/info.ts'
import { contentTypeOf } from '../files/mime.ts'
import type { Scope } from '../files/scope.ts'
import { sniff } from '../files/sniff.ts'
import { extensionOf, type VPath } from '../files/vpath.ts'
import { sendArchive } from './archive-response.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { disposition, etagOf, sendFile } from './file-response.ts'
import { demandDownload, requireUser } from './guard.ts'

/** Bytes of users never run script in our origin, and never get one of their own. */
export const CONTENT_POLICY = "script-src 'none'; sandbox"
/** Browsers refuse to show a PDF in a sandbox; their viewers run its scripts in a world apart. */
const PDF_POLICY = "script-src 'none';"

export function rawRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/raw', requireUser(deps), async (c) => {
    demandDownload(c.var.user)
    return sendRaw(c, deps, c.var.scope, c.env.target.vpath)
  })
  return app
}

/** Sends a file or, for a folder, an archive. A pipe is answered empty and never opened. */
export async function sendRaw(
  c: Ctx,
  deps: Deps,
  scope: Scope,
  vpath: VPath,
  options: { name?: string; archiveName?: string } = {},
): Promise<Response> {
  const stat = await scope.stat(vpath)
  if (stat.kind === 'dir') {
    return sendArchive(c, scope, vpath, {
      log: deps.log,
      ...(options.archiveName === undefined ? {} : { rootName: options.archiveName }),
    })
  }
  const name = options.name ?? vpath.slice(vpath.lastIndexOf('/') + 1)
  const inline = c.env.target.query.get('inline') === 'true'
  const kind = inline ? 'inline' : 'attachment'
  if (stat.kind === 'fifo') {
    c.env.outgoing.setHeader('Content-Disposition', disposition(kind, name))
    return new Response(null, { headers: { 'Content-Type': 'application/octet-stream' } })
  }
  const file = await scope.openRead(vpath)
  const contentType = inline ? await inlineType(scope, vpath, name) : 'application/octet-stream'
  return sendFile(c, file, {
    contentType,
    disposition: disposition(kind, name),
    cacheControl: 'private',
    etag: etagOf(file),
    policy: contentType === 'application/pdf' ? PDF_POLICY : CONTENT_POLICY,
  })
}

async function inlineType(scope: Scope, vpath: VPath, name: string): Promise<string> {
  return contentTypeOf(extensionOf(name)) || sniff(await readHead(scope, vpath))
}
