// Subtitle files as WebVTT, for users and for shares (http-api 14).
import { Hono } from 'hono'
import { AppError } from '../errors.ts'
import { convertSubtitle } from '../files/convert-subtitle.ts'
import { readFully } from '../files/read-handle.ts'
import type { OpenFile, Scope } from '../files/scope.ts'
import { MAX_SUBTITLE_BYTES, type SubtitleFormat } from '../files/subtitle.ts'
import { isSubtitle } from '../files/subtitle-files.ts'
import { baseName, extensionOf, type VPath } from '../files/vpath.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { disposition, sendBytes, sendFile } from './file-response.ts'
import { demandDownload, requireUser } from './guard.ts'
import { CONTENT_POLICY } from './raw.ts'

/** Only these spellings are converted; others are sent as they are, as clients know it. */
const CONVERTED: Record<string, SubtitleFormat> = { '.srt': 'srt', '.ass': 'ass', '.ssa': 'ass' }

export function subtitleRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/subtitle', requireUser(deps), (c) => {
    demandDownload(c.get('user'))
    return sendSubtitle(c, c.get('scope'), c.env.target.vpath)
  })
  return app
}

/** Sends a subtitle file. Throws 400 for folders and other names, mapped errors for the look-up. */
export async function sendSubtitle(c: Ctx, scope: Scope, vpath: VPath): Promise<Response> {
  const found = await scope.stat(vpath)
  const name = baseName(vpath)
  if (found.kind === 'dir' || !isSubtitle(name))
    throw new AppError('bad_request', `${vpath} is not a subtitle file`)
  const file = await scope.openRead(vpath)
  const format = CONVERTED[extensionOf(name)]
  const kind = c.env.target.query.get('inline') === 'true' ? 'inline' : 'attachment'
  const headers = {
    contentType: 'text/vtt',
    cacheControl: 'private',
    disposition: disposition(kind, name),
    policy: CONTENT_POLICY,
  }
  if (!format) return sendFile(c, file, headers)
  const text = await convert(file, format)
  return sendBytes(c, Buffer.from(text), file.mtimeMs, headers)
}

async function convert(file: OpenFile, format: SubtitleFormat): Promise<string> {
  try {
    if (file.sizeBytes > MAX_SUBTITLE_BYTES)
      throw new AppError('too_large', `${file.vpath} is too large for subtitles`)
    const bytes = Buffer.alloc(file.sizeBytes)
    // It may have shrunk.
    const filled = await readFully(file.handle, bytes, 0, bytes.length)
    return await convertSubtitle(bytes.subarray(0, filled), format)
  } finally {
    await file.handle.close()
  }
}
