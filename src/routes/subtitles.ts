// Subtitle files as WebVTT, for users and for shares (docs/http-api.md 14).
import { Hono } from 'hono'
import { isSubtitle } from '../files/listing/subtitle-files.ts'
import type { OpenFile, Place, Scope } from '../files/place/scope.ts'
import type { SubtitleText } from '../files/subtitle/converter.ts'
import { MAX_SUBTITLE_BYTES, type SubtitleFormat } from '../files/subtitle/subtitle.ts'
import { readFully } from '../files/volume/read-handle.ts'
import { audited } from '../http/audit.ts'
import type { Ctx, Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { disposition, sendBytes, sendFile } from '../http/file-response.ts'
import { demandDownload, requireUser } from '../http/guard.ts'
import { AppError } from '../lib/errors.ts'
import { baseName, suffixOf } from '../lib/vpath.ts'
import { CONTENT_POLICY } from './raw.ts'

/** Only these spellings are converted; others are sent as they are, as clients know it. */
const CONVERTED: Record<string, SubtitleFormat> = { '.srt': 'srt', '.ass': 'ass', '.ssa': 'ass' }

/** Whoever has not taken a large text by then is cut off. */
const TAKE_MS = 60_000

export function subtitleRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  app.get('/api/subtitle', requireUser(deps), audited('download'), async (c) => {
    demandDownload(c, deps)
    const scope = c.get('scope')
    using place = await scope.place(c.env.target.vpath)
    return await sendSubtitle(c, deps, scope, place)
  })
  return app
}

/** Sends a subtitle file. Throws 400 for folders and other names, mapped errors for the look-up. */
export async function sendSubtitle(
  c: Ctx,
  deps: Deps,
  scope: Scope,
  place: Place,
): Promise<Response> {
  const { vpath } = place
  const found = await scope.stat(place)
  const name = baseName(vpath)
  if (found.kind === 'dir' || !isSubtitle(name))
    throw new AppError('bad_request', `${vpath} is not a subtitle file`)
  const file = await scope.openRead(place)
  const format = CONVERTED[suffixOf(name)]
  const kind = c.env.target.query.get('inline') === 'true' ? 'inline' : 'attachment'
  const headers = {
    contentType: 'text/vtt',
    cacheControl: 'private',
    disposition: disposition(kind, name),
    policy: CONTENT_POLICY,
  }
  if (!format) return sendFile(c, file, headers)
  const text = await convert(c, deps, file, format)
  return sendBytes(c, text.bytes, file.mtimeMs, headers, {
    close: text.release,
    // Others wait for the memory.
    ...(text.isLarge && { withinMs: TAKE_MS }),
  })
}

// What is open waits for its turn as well: a descriptor is all that it takes until then.
async function convert(
  c: Ctx,
  deps: Deps,
  file: OpenFile,
  format: SubtitleFormat,
): Promise<SubtitleText> {
  const { sizeBytes, handle, vpath } = file
  try {
    if (sizeBytes > MAX_SUBTITLE_BYTES)
      throw new AppError('too_large', `${vpath} is too large for subtitles`)
    const read = async () => {
      const bytes = new Uint8Array(sizeBytes)
      // It may have shrunk.
      const filled = await readFully(handle, Buffer.from(bytes.buffer), 0, sizeBytes)
      return bytes.subarray(0, filled)
    }
    return await deps.subtitles.convert({ sizeBytes, format, read }, c.req.raw.signal)
  } finally {
    await handle.close()
  }
}
